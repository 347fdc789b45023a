import { sql } from 'kysely';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Caller } from '../../src/base/caller.ts';
import type { Clock } from '../../src/base/clock.ts';
import { systemClock } from '../../src/base/clock.ts';
import { unwrap } from '../../src/base/failure.ts';
import { newId } from '../../src/base/ids.ts';
import { createDraftsStore } from '../../src/workflows/drafts/drafts-store.ts';
import { createDrafts, type Drafts } from '../../src/workflows/drafts/index.ts';
import { inspectDraft } from '../../src/workflows/families/draft.ts';
import { writeCharge } from '../support/charges.ts';
import { eachServer, useDatabase } from '../support/database.ts';

const reviewer = (accountId: string): Caller => ({
  credential: 'management_key',
  name: 'owner',
  accountId,
  scopes: new Set(),
});
const terms = { facts: [], mustAvoid: [], domain: '', kind: 'notice', locale: 'en' };

eachServer((server) => {
  const fresh = useDatabase(server);
  const clock: Clock = systemClock;
  let drafts: Drafts;
  beforeAll(() => {
    drafts = createDrafts({ db: fresh().database, clock });
  });

  const keep = async (caller: Caller, body: string, title = 'Notice', state = 'settled') =>
    drafts.keep(
      caller,
      {
        ...inspectDraft(body, terms),
        ...{ draftId: '', version: 1, title, body, kind: terms.kind, locale: terms.locale },
        ...{ state: 'pending_review', reviews: [], versions: [] },
      },
      terms,
      await writeCharge(fresh().database, caller.accountId ?? '', { state }),
    );
  const approve = (caller: Caller, draftId: string, override?: { reason: string }) =>
    drafts.review(caller, { draftId, decision: 'approved', reviewer: 'Eva', note: '', override });
  const list = async (caller: Caller, state = '', more: object = {}) =>
    unwrap(await drafts.list(caller, { state, ...more }));

  describe('a draft whose charge', () => {
    const idOf = async (caller: Caller, state: string) => (await keep(caller, 'It ends.', 'Notice', state)).draftId;

    test.each(['held', 'expired', 'released', 'superseded'])('is %s is not there for anybody', async (state) => {
      const caller = reviewer(`acc_unpaid_${state}`);
      const draftId = await idOf(caller, state);
      const refused = { ok: false, failure: { kind: 'not_found', resource: `draft ${draftId}` } };
      expect(await drafts.find(caller, draftId)).toEqual(refused);
      expect(await drafts.find(caller, draftId, 1)).toEqual(refused);
      expect(await approve(caller, draftId)).toEqual(refused);
      expect(await drafts.revise(caller, { draftId, title: '', body: 'It does not.' })).toEqual(refused);
      expect(await list(caller)).toEqual({ items: [], nextPageToken: '' });
      expect(await list(caller, 'pending_review')).toEqual({ items: [], nextPageToken: '' });
    });

    test('is settled later is there from then on; what is not paid for takes no place in a page', async () => {
      const caller = reviewer('acc_paid_later');
      const paid = [await idOf(caller, 'settled')];
      const held = [await idOf(caller, 'held'), await idOf(caller, 'held')];
      paid.unshift(await idOf(caller, 'settled'));
      const first = await list(caller, 'pending_review', { pageSize: 1 });
      const second = await list(caller, 'pending_review', { pageSize: 1, pageToken: first.nextPageToken });
      expect([...first.items, ...second.items].map(({ draftId }) => draftId)).toEqual(paid);
      expect(second.nextPageToken).toBe('');
      await sql`UPDATE charge SET state = 'settled', settled = 1, expires_at_us = NULL, ended_at_us = 2
        WHERE state = 'held' AND wallet_id = 'wal_acc_paid_later'`.execute(fresh().database.for<never>());
      expect(unwrap(await drafts.find(caller, held[0] ?? '')).state).toBe('pending_review');
      expect((await list(caller)).items).toHaveLength(4);
    });

    test("is another account's is not there", async () => {
      const caller = reviewer('acc_lends');
      const other = await writeCharge(fresh().database, 'acc_pays');
      const draftId = await idOf(caller, 'held');
      await sql`UPDATE workflow_draft SET charge_id = ${other} WHERE draft_id = ${draftId}`.execute(
        fresh().database.for<never>(),
      );
      expect((await drafts.find(caller, draftId)).ok).toBe(false);
    });
  });

  test('what was found in a version stays with it: to read it judges nothing anew', async () => {
    const caller = reviewer('acc_found');
    const { draftId } = await keep(caller, 'It ends on [[end date]].');
    const revised = unwrap(await drafts.revise(caller, { draftId, title: '', body: 'You will regret it.' }));
    expect(revised).toMatchObject({ riskLevel: 'critical', findings: [{ category: 'threat' }] });
    // Were the text judged again, what was kept of it would not be seen.
    await sql`UPDATE workflow_draft_version SET inspection = REPLACE(inspection, '"threat"', '"as kept"')
      WHERE draft_id = ${draftId}`.execute(fresh().database.for<never>());
    expect(unwrap(await drafts.find(caller, draftId)).findings).toMatchObject([{ category: 'as kept' }]);
    expect(unwrap(await drafts.find(caller, draftId, 1))).toMatchObject({ placeholders: ['end date'] });
  });

  describe('an approval', () => {
    test('is refused with the places of what is open and critical, and changes nothing', async () => {
      const caller = reviewer('acc_refused');
      const body = 'Dear 😀,\n\nit ends on [[end date]]. You will regret it. Tell [[contact]] and [[end date]].';
      const { draftId } = await keep(caller, body);
      const refused = await approve(caller, draftId);
      expect(refused).toMatchObject({ ok: false, failure: { kind: 'precondition_failed' } });
      const at = (words: string) => [...body.slice(0, body.indexOf(words))].length;
      expect(refused.ok || refused.failure.kind !== 'precondition_failed' || refused.failure.description).toBe(
        `Version 1 cannot be approved: placeholders are open: [[end date]] at ${at('[[end')}, [[contact]] at ${at('[[contact')}; ` +
          `it is critical: "You will regret" (threat) at ${at('You will')}. ` +
          'Correct it with a revision, or approve it with an override that gives a reason.',
      );
      expect(unwrap(await drafts.find(caller, draftId))).toMatchObject({ state: 'pending_review', reviews: [] });
      const rejected = await drafts.review(caller, { draftId, decision: 'rejected', reviewer: 'Eva', note: 'No.' });
      expect(unwrap(rejected).state).toBe('rejected');
    });

    test('names at most ten places of each', async () => {
      const caller = reviewer('acc_many');
      const { draftId } = await keep(caller, Array.from({ length: 40 }, (_, at) => `[[field ${at}]]`).join(' '));
      const refused = await approve(caller, draftId);
      const description =
        refused.ok || refused.failure.kind !== 'precondition_failed' ? '' : refused.failure.description;
      expect(description).toContain('[[field 9]] at');
      expect(description).toContain('and 30 more');
      expect(description).not.toContain('[[field 10]]');
    });

    test('that overrides keeps why; where nothing was to be overridden there is no reason', async () => {
      const caller = reviewer('acc_override');
      const override = { reason: 'The date follows by telephone.' };
      const open = await keep(caller, 'It ends on [[end date]].');
      expect(unwrap(await approve(caller, open.draftId, override)).reviews).toMatchObject([
        { decision: 'approved', reviewer: 'Eva', overrideReason: override.reason },
      ]);
      expect(unwrap(await drafts.find(caller, open.draftId)).reviews[0]?.overrideReason).toBe(override.reason);
      const whole = await keep(caller, 'It ends on 3 May.');
      expect(unwrap(await approve(caller, whole.draftId, override)).reviews[0]?.overrideReason).toBe('');
      // A revision is a new version, which is looked at again.
      unwrap(await drafts.revise(caller, { draftId: open.draftId, title: '', body: 'It ends on [[day]].' }));
      expect((await approve(caller, open.draftId)).ok).toBe(false);
    });

    test('of a version that was kept before kinds and overrides were stays readable', async () => {
      const accountId = 'acc_old';
      const draftId = newId('drf');
      const store = createDraftsStore(fresh().database);
      const content = JSON.stringify({
        title: 'Old',
        body: 'It ends on [[date]].',
        facts: [],
        mustAvoid: [],
        domain: '',
      });
      await store.insert({ accountId, draftId, subject: '', chargeId: newId('chg'), createdMs: 1 });
      // As it was before drafts knew their charges.
      await sql`UPDATE workflow_draft SET charge_id = NULL WHERE draft_id = ${draftId}`.execute(
        fresh().database.for<never>(),
      );
      await store.insertVersion({ accountId, draftId, version: 1, content, inspection: '', createdMs: 1 });
      await fresh()
        .database.for<{ workflow_draft_version: { draft_id: string; state: number; reviewer: string } }>()
        .updateTable('workflow_draft_version')
        .set({ state: 2, reviewer: 'Ana' })
        .where('draft_id', '=', draftId)
        .execute();
      const caller = reviewer(accountId);
      expect(unwrap(await drafts.find(caller, draftId))).toMatchObject({
        ...{ title: 'Old', kind: '', locale: '', state: 'approved', placeholders: ['date'] },
        reviews: [{ decision: 'approved', reviewer: 'Ana', overrideReason: '' }],
      });
      expect((await list(caller)).items).toMatchObject([
        { draftId, title: 'Old', kind: '', locale: '', riskLevel: '', openPlaceholderCount: 0, state: 'approved' },
      ]);
    });
  });

  describe('the list', () => {
    test('goes by the newest version’s state, the draft made last first', async () => {
      const caller = reviewer('acc_list');
      const ids: string[] = [];
      for (const title of ['first', 'second', 'third'])
        ids.push((await keep(caller, 'It ends on 3 May.', title)).draftId);
      const [first = '', second = ''] = ids;
      unwrap(await approve(caller, first));
      unwrap(await drafts.review(caller, { draftId: second, decision: 'rejected', reviewer: 'Eva', note: 'No.' }));
      const titles = async (state: string) => (await list(caller, state)).items.map(({ title }) => title);
      expect(await titles('')).toEqual(['third', 'second', 'first']);
      expect(await titles('pending_review')).toEqual(['third']);
      expect(await titles('approved')).toEqual(['first']);
      expect(await titles('rejected')).toEqual(['second']);
      unwrap(await drafts.revise(caller, { draftId: first, title: 'first again', body: 'You will regret it. [[x]]' }));
      expect(await titles('pending_review')).toEqual(['third', 'first again']);
      expect(await titles('approved')).toEqual([]);
      expect((await list(caller, 'pending_review')).items[1]).toMatchObject({
        ...{ draftId: first, version: 2, kind: 'notice', locale: 'en' },
        ...{ riskLevel: 'critical', openPlaceholderCount: 1 },
      });
    });

    test('has each draft once over all pages, also with long titles in other scripts', async () => {
      const caller = reviewer('acc_pages');
      const title = `${'題'.repeat(298)}😀"`;
      const ids: string[] = [];
      for (let count = 0; count < 7; count++) ids.unshift((await keep(caller, 'It ends on 3 May.', title)).draftId);
      const seen: string[] = [];
      let pageToken = '';
      do {
        const page = await list(caller, 'pending_review', { pageSize: 3, pageToken });
        expect(page.items.length).toBeLessThanOrEqual(3);
        for (const item of page.items) {
          seen.push(item.draftId);
          expect(item.title).toBe(title);
        }
        pageToken = page.nextPageToken;
      } while (pageToken !== '');
      expect(seen).toEqual(ids);
      expect((await list(reviewer('acc_nobody'))).items).toEqual([]);
    });
  });
});
