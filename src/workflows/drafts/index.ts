import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import type { Caller } from '../../base/caller.ts';
import type { Clock } from '../../base/clock.ts';
import { fail, invalid, type Result, succeed } from '../../base/failure.ts';
import { isId, newId } from '../../base/ids.ts';
import { makePage, type Page, type PageRequest, readPageRequest } from '../../base/page.ts';
import type { Database, Queryable, Transactional } from '../../db/index.ts';
import type { Draft, DraftSummary } from '../../gen/intelligence/workflow/v1/draft_pb.ts';
import { type DraftInspection, type DraftTerms, inspectDraftInTurns } from '../families/draft.ts';
import type { Plain } from '../family.ts';
import { whyNotApprovable } from './approval.ts';
import { createDraftsStore, type DraftState, type DraftSummaryRow } from './drafts-store.ts';

/** Drafts with their versions and reviews. Each version is kept forever, unchanged. */
export interface Drafts {
  /** Stores a new draft and assigns its id. Nobody finds it until the charge is settled. */
  keep(caller: Caller, draft: Plain<Draft>, terms: DraftTerms, chargeId: string): Promise<Plain<Draft>>;
  /** One version, by default the newest. An access token finds only its own subject's drafts. */
  find(caller: Caller, draftId: string, version?: number): Promise<Result<Plain<Draft>>>;
  /** The drafts in a state, or all, most recently created first: a summary of each one's newest version. */
  list(caller: Caller, request: PageRequest & { state: string }): Promise<Result<Page<Plain<DraftSummary>>>>;
  /**
   * Adds a version, which waits for review. Fails with `precondition_failed` if there is a newer version by now, or if the
   * draft is full. `within`: the enclosing transaction; absent: it runs in its own.
   */
  revise(
    caller: Caller,
    revision: { draftId: string; title: string; body: string; baseVersion?: number | undefined },
    within?: Transactional,
  ): Promise<Result<Plain<Draft>>>;
  /**
   * Approves or rejects the newest version. Repeating a decision changes nothing; a different one, or a version that is not
   * the newest, fails with `precondition_failed`. So does approving a version that is critical or has open placeholders,
   * unless `override` says why it is approved anyway.
   */
  review(
    caller: Caller,
    review: {
      draftId: string;
      decision: 'approved' | 'rejected';
      reviewer: string;
      note: string;
      version?: number | undefined;
      override?: { reason: string } | undefined;
    },
    within?: Transactional,
  ): Promise<Result<Plain<Draft>>>;
}

interface Content extends DraftTerms {
  title: string;
  body: string;
  /** As determined when the version was created; used in lists. */
  riskLevel?: string;
  openPlaceholders?: number;
}

// The price of a draft includes its revisions, each of which is judged as well; so their number is limited.
const versionsMax = 25;
/** The total size of texts and facts in all versions of one draft. */
const draftBytesMax = 1_024 * 1_024;

export function createDrafts(deps: { db: Database; clock: Clock }): Drafts {
  const { db, clock } = deps;

  async function read(
    queryable: Queryable,
    accountId: string,
    draftId: string,
    version: number,
  ): Promise<Plain<Draft> | undefined> {
    const store = createDraftsStore(queryable);
    const kept = await store.content(accountId, draftId, version);
    if (kept === undefined) return undefined;
    const versions = await store.versions(accountId, draftId);
    const content = JSON.parse(kept.content) as Content;
    const row = versions.find((one) => one.version === version);
    return {
      draftId,
      version,
      title: content.title,
      body: content.body,
      kind: content.kind ?? '',
      locale: content.locale ?? '',
      ...(kept.inspection
        ? (JSON.parse(kept.inspection) as DraftInspection)
        : await inspectDraftInTurns(content.body, content)),
      state: row?.state ?? 'pending_review',
      reviews: row?.review
        ? [
            {
              decision: row.state,
              reviewer: row.review.reviewer,
              note: row.review.note,
              time: timestampFromMs(row.review.timeMs),
              overrideReason: row.review.overrideReason,
            },
          ]
        : [],
      createTime: timestampFromMs(row?.createdMs ?? 0),
      versions: versions.map((one) => ({
        version: one.version,
        state: one.state,
        createTime: timestampFromMs(one.createdMs),
      })),
    };
  }

  return {
    async keep(caller, draft, terms, chargeId) {
      const accountId = accountOf(caller);
      const draftId = newId('drf');
      const createdMs = clock.now();
      const { title, body } = draft;
      const content = JSON.stringify({ ...terms, title, body, ...shortOf(draft) } satisfies Content);
      const inspection = JSON.stringify(inspectionOf(draft));
      await db.transaction(async (tx) => {
        const store = createDraftsStore(tx);
        await store.insert({ accountId, draftId, subject: caller.token?.subject ?? '', chargeId, createdMs });
        await store.insertVersion({ accountId, draftId, version: 1, content, inspection, createdMs });
      });
      const createTime = timestampFromMs(createdMs);
      const versions = [{ version: 1, state: draft.state, createTime }];
      return { ...draft, draftId, version: 1, createTime, versions };
    },

    async find(caller, draftId, version) {
      const accountId = accountOf(caller);
      const known = isId('drf', draftId) ? await createDraftsStore(db).find(accountId, draftId) : undefined;
      if (!known || !isVisible(caller, known.subject)) return notFound(draftId);
      const draft = await read(db, accountId, draftId, version ?? known.version);
      return draft ? succeed(draft) : notFound(`${draftId}, version ${version}`);
    },

    async list(caller, { state, ...request }) {
      const accountId = accountOf(caller);
      const name = `drafts ${state}`;
      const start = readPageRequest(name, request);
      if (!start.ok) return start;
      const { size, after } = start.value;
      const wanted = state === '' ? undefined : (state as DraftState);
      const rows = await createDraftsStore(db).list({ accountId, state: wanted, after, limit: size + 1 });
      const { items, nextPageToken } = makePage(name, start.value, rows, ({ draftId }) => draftId);
      return succeed({ items: items.map(summaryOf), nextPageToken });
    },

    async revise(caller, { draftId, title, body, baseVersion }, within = db) {
      const accountId = accountOf(caller);
      if (!isId('drf', draftId)) return notFound(draftId);
      return within.transaction(async (tx): Promise<Result<Plain<Draft>>> => {
        const store = createDraftsStore(tx);
        const known = await store.lock(accountId, draftId);
        if (!known || !isVisible(caller, known.subject)) return notFound(draftId);
        if (baseVersion !== undefined && baseVersion !== known.version) return superseded(known.version);
        if (known.version >= versionsMax) return draftFull(`${versionsMax} versions`);
        const kept = await store.content(accountId, draftId, known.version);
        const before = JSON.parse(kept?.content ?? '{}') as Content;
        const revised = { ...before, title: title || before.title, body };
        if ((await store.bytes(accountId, draftId)) + Buffer.byteLength(JSON.stringify(revised)) > draftBytesMax)
          return draftFull(`${draftBytesMax} bytes in all versions`);
        const version = known.version + 1;
        const found = await inspectDraftInTurns(body, before);
        const content = JSON.stringify({ ...revised, ...shortOf(found) } satisfies Content);
        const inspection = JSON.stringify(found);
        await store.insertVersion({ accountId, draftId, version, content, inspection, createdMs: clock.now() });
        await store.setNewest(accountId, draftId, version);
        const draft = await read(tx, accountId, draftId, version);
        return draft ? succeed(draft) : notFound(draftId);
      });
    },

    async review(caller, { draftId, decision, reviewer, note, version, override }, within = db) {
      if (reviewer.trim() === '') return fail(invalid('reviewer', 'is blank: say who reviews it'));
      if (override && override.reason.trim().length < 3)
        return fail(invalid('override.reason', 'must say why in 3 characters or more'));
      const accountId = accountOf(caller);
      if (!isId('drf', draftId)) return notFound(draftId);
      return within.transaction(async (tx): Promise<Result<Plain<Draft>>> => {
        const store = createDraftsStore(tx);
        const known = await store.lock(accountId, draftId);
        if (!known) return notFound(draftId);
        if (version !== undefined && version !== known.version) return superseded(known.version);
        const draft = await read(tx, accountId, draftId, known.version);
        if (!draft || draft.state === decision) return draft ? succeed(draft) : notFound(draftId);
        if (draft.state !== 'pending_review') return alreadyReviewed(draft.state);
        const problem = decision === 'approved' ? whyNotApprovable(draft) : undefined;
        if (problem !== undefined && !override) return fail({ kind: 'precondition_failed', description: problem });
        await store.review({
          accountId,
          draftId,
          version: known.version,
          state: decision,
          reviewer,
          note,
          overrideReason: problem === undefined ? null : (override?.reason ?? null),
          reviewedMs: clock.now(),
        });
        const reviewed = await read(tx, accountId, draftId, known.version);
        return reviewed ? succeed(reviewed) : notFound(draftId);
      });
    },
  };
}

/** What lists show of a version, so that they need not read its text. */
function shortOf({ riskLevel, placeholders }: { riskLevel: string; placeholders: readonly string[] }) {
  return { riskLevel, openPlaceholders: placeholders.length };
}

function inspectionOf(draft: Plain<Draft>): DraftInspection {
  const { placeholders, openPlaceholders, citations, riskLevel, findings } = draft;
  return { placeholders, openPlaceholders, citations, riskLevel, findings };
}

function summaryOf({ createdMs, openPlaceholders, ...row }: DraftSummaryRow): Plain<DraftSummary> {
  return { ...row, openPlaceholderCount: openPlaceholders, createTime: timestampFromMs(createdMs) };
}

function accountOf({ accountId }: Caller): string {
  // The contract admits no caller without an account here.
  if (accountId === undefined) throw new Error('a draft without an account');
  return accountId;
}

function isVisible({ token }: Caller, subject: string): boolean {
  return token === undefined || token.subject === subject;
}

function notFound(draftId: string): ReturnType<typeof fail> {
  return fail({ kind: 'not_found', resource: `draft ${draftId}` });
}

function draftFull(limit: string): ReturnType<typeof fail> {
  const description = `A draft has at most ${limit}; its price covers no more. Make a new draft to continue.`;
  return fail({ kind: 'precondition_failed', description });
}

function superseded(version: number): ReturnType<typeof fail> {
  return fail({ kind: 'precondition_failed', description: `Version ${version} is the newest; read it first.` });
}

function alreadyReviewed(state: string): ReturnType<typeof fail> {
  const description = `The draft is already ${state.replace('_', ' ')}; revise it to have it reviewed again.`;
  return fail({ kind: 'precondition_failed', description });
}

export type { DraftState };
