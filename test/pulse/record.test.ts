import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { unwrap } from '../../src/base/failure.ts';
import { newId } from '../../src/base/ids.ts';
import type { Pulse } from '../../src/pulse/index.ts';
import { eachServer, useDatabase } from '../support/database.ts';
import { callerOf, event, MemoryLedger, noon, ProcessDied, startPulse } from './support.ts';

eachServer((server) => {
  const fresh = useDatabase(server);
  let ledger: MemoryLedger;
  let pulse: Pulse;
  let account: string;
  const send = (events: Parameters<Pulse['recordEvents']>[1], key?: string) =>
    pulse.recordEvents(callerOf(account), events, key ? { idempotency: { key, fingerprint: Buffer.alloc(32) } } : {});
  const reported = async (node = pulse) =>
    unwrap(await node.readReport({ accountId: account, journey: 'publish', fromMs: noon - 86_400_000, toMs: noon }));

  beforeEach(() => {
    ledger = new MemoryLedger();
    account = newId('acc');
    pulse = startPulse(fresh().database, ledger, { leftBehindAfterSeconds: 0 });
  });
  afterEach(async () => {
    await pulse.close();
  });

  test('good events are stored and charged, bad ones are listed with their places', async () => {
    const bad = [event({ kind: 'nope' }), event({ occurredAt: 'yesterday' })];
    const answer = unwrap(await send([event(), ...bad, event({ step: 'price' })]));
    expect(answer).toMatchObject({ accepted: 2, duplicates: 0, cost: 20_000n });
    expect(answer.rejected.map(({ index, reason }) => [index, reason])).toEqual([
      [1, 'kind_unknown'],
      [2, 'occurred_at_invalid'],
    ]);
    expect(answer.charge?.balance).toBe(5_000_000_000n - 20_000n);
    expect((await reported()).totals.sessions).toBe(1);
  });

  test('a request with only bad events costs nothing and asks the ledger nothing', async () => {
    const answer = unwrap(await send([event({ id: '' })]));
    expect(answer).toMatchObject({ accepted: 0, cost: 0n });
    expect(answer.charge).toBeUndefined();
    expect(ledger.settlements).toEqual([]);
  });

  test('the same id counts once: within a request, in a later one, and with other content', async () => {
    const one = event();
    expect(unwrap(await send([one, one, { ...one, step: 'price' }]))).toMatchObject({ accepted: 1, duplicates: 2 });
    const again = unwrap(await send([{ ...one, kind: 'completed' }, event({ id: 'fresh-1' })]));
    expect(again).toMatchObject({ accepted: 1, duplicates: 1, cost: 10_000n });
    expect(unwrap(await send([one]))).toMatchObject({ accepted: 0, duplicates: 1, cost: 0n });
    const report = await reported();
    expect(report.funnel).toMatchObject([{ step: 'photos', entered: 1, completed: 0 }]);
  });

  test('ids that differ in case, and equal ids of two accounts, are different', async () => {
    expect(unwrap(await send([event({ id: 'evt-a' }), event({ id: 'evt-A' })])).accepted).toBe(2);
    const other = unwrap(await pulse.recordEvents(callerOf(newId('acc')), [event({ id: 'evt-a' })]));
    expect(other.accepted).toBe(1);
    expect((await reported()).funnel[0]?.entered).toBe(1);
  });

  test('the same events sent by many requests over two nodes at once are stored once and charged once', async () => {
    const second = startPulse(fresh().database, ledger);
    const events = Array.from({ length: 300 }, (_, i) =>
      event({ id: `race-${i}`, sessionId: `s${i % 40}`, step: `step ${i % 5}`, at: noon - i * 1_000 }),
    );
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, i) => {
        const from = (i * 25) % 150;
        const part = [...events.slice(from, from + 150)].sort(() => (i % 2 ? 1 : -1));
        return (i % 3 === 0 ? second : pulse).recordEvents(callerOf(account), part).then(unwrap);
      }),
    );
    await second.close();
    const sent = new Set(
      Array.from({ length: 12 }, (_, i) => events.slice((i * 25) % 150, ((i * 25) % 150) + 150)).flat(),
    );
    const accepted = answers.reduce((sum, answer) => sum + answer.accepted, 0);
    expect(accepted).toBe(sent.size);
    expect(ledger.eventsCharged).toBe(sent.size);
    expect((await reported()).totals.sessions).toBe(40);
  });

  test('two nodes that add sessions and rollups of one account lose nothing of each other', async () => {
    const second = startPulse(fresh().database, ledger);
    await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        (i % 2 ? second : pulse).recordEvents(callerOf(account), [
          event({ sessionId: 'shared', step: `step ${i % 7}`, at: noon - 3_600_000 + i * 1_000 }),
          event({ sessionId: `own ${i}`, step: 'photos', kind: 'completed' }),
        ]),
      ),
    );
    await second.close();
    const report = await reported();
    expect(report.totals.sessions).toBe(21);
    expect(report.funnel.reduce((sum, { entered }) => sum + entered, 0)).toBe(7 + 20);
  });

  test('without credit nothing is stored, and the ledger says why', async () => {
    ledger.balance = 5n;
    expect(await send([event()])).toMatchObject({ ok: false, failure: { kind: 'insufficient_credit' } });
    expect(await pulse.readReport({ accountId: account, journey: 'publish' })).toMatchObject({
      ok: false,
      failure: { kind: 'not_found' },
    });
    expect(ledger.holds.size).toBe(0);
  });

  test('without a price nothing is stored', async () => {
    const unpriced = startPulse(fresh().database, ledger, { price: () => undefined });
    expect(await unpriced.recordEvents(callerOf(account), [event()])).toMatchObject({
      failure: { kind: 'precondition_failed' },
    });
    await unpriced.close();
  });

  describe('a node that dies between storing events and settling them', () => {
    test('leaves a charge that is settled once; the retry finds duplicates and is not charged', async () => {
      const events = [event({ id: 'crash-1' }), event({ id: 'crash-2' })];
      ledger.dieBeforeSettle = true;
      await expect(send(events)).rejects.toThrow(ProcessDied);
      expect(ledger.charged).toBe(0n);
      expect(unwrap(await send(events))).toMatchObject({ accepted: 0, duplicates: 2, cost: 0n });
      expect(await pulse.recoverCharges()).toBe(1);
      expect(await pulse.recoverCharges()).toBe(0);
      expect(ledger.charged).toBe(20_000n);
    });

    test('is settled once by two nodes that recover at the same time', async () => {
      ledger.dieBeforeSettle = true;
      await expect(send([event()])).rejects.toThrow(ProcessDied);
      const second = startPulse(fresh().database, ledger, { leftBehindAfterSeconds: 0 });
      await Promise.all([pulse.recoverCharges(), second.recoverCharges()]);
      await second.close();
      expect(ledger.charged).toBe(10_000n);
    });

    test('answers a retry with its idempotency key as if it had not died', async () => {
      const events = [event(), event({ kind: 'nope' })];
      ledger.dieBeforeSettle = true;
      await expect(send(events, 'key-1')).rejects.toThrow(ProcessDied);
      await pulse.recoverCharges();
      const answer = unwrap(await send(events, 'key-1'));
      expect(answer).toMatchObject({ accepted: 1, duplicates: 0, cost: 10_000n });
      expect(answer.rejected).toMatchObject([{ index: 1, reason: 'kind_unknown' }]);
    });
  });

  test('journeys, steps and codes without end are bounded and lose nothing else', async () => {
    const many = (prefix: string, fields: (i: number) => Parameters<typeof event>[0]) =>
      Array.from({ length: 250 }, (_, i) => event({ id: `${prefix}-${i}`, ...fields(i) }));
    const journeys = unwrap(await send(many('j', (i) => ({ journey: `journey ${i}` }))));
    expect(journeys.accepted).toBe(200);
    expect(new Set(journeys.rejected.map(({ reason }) => reason))).toEqual(new Set(['too_many_journeys']));
    const steps = unwrap(await send(many('s', (i) => ({ journey: 'journey 0', step: `step ${i}` }))));
    expect(steps).toMatchObject({ accepted: 99 });
    const codes = unwrap(
      await send(many('c', (i) => ({ journey: 'journey 0', kind: 'error', error: { code: `E${i}`, message: '' } }))),
    );
    expect(codes.accepted).toBe(250);
    const report = unwrap(await pulse.readReport({ accountId: account, journey: 'journey 0' }));
    expect(report.errors).toHaveLength(200);
    expect(report.errors.find(({ code }) => code === '(other)')?.occurrences).toBe(50);
  });

  test('events of many megabytes are stored in statements of bounded length, duplicates among them found', async () => {
    const large = (id: string) => event({ id, properties: { text: '\u0001'.repeat(600) } });
    const events = Array.from({ length: 1_000 }, (_, i) => large(`large-${i}`));
    await send([large('large-3'), large('large-997')]);
    expect(unwrap(await send(events))).toMatchObject({ accepted: 998, duplicates: 2 });
  });

  test('an account that sends more than can be written is told to come back; the others are served', async () => {
    const events = Array.from({ length: 1_000 }, (_, i) => event({ id: `flood-${i}` }));
    const flood = Array.from({ length: 60 }, () => send(events));
    const other = pulse.recordEvents(callerOf(newId('acc')), [event()]);
    expect((await other).ok).toBe(true);
    const answers = await Promise.all(flood);
    expect(answers.filter((answer) => !answer.ok)).toHaveLength(10);
    expect(answers.find((answer) => !answer.ok)).toMatchObject({ failure: { kind: 'overloaded' } });
    expect(ledger.eventsCharged).toBe(1_001);
  });

  test('neither a session id, nor a user id, nor a secret of theirs is stored as it is', async () => {
    const at = noon - 12_345_678;
    await send([event({ at, sessionId: 'session-plain', userId: 'user-plain@example.com' })]);
    const tables = fresh().database.for<{ pulse_event: { occurred_ms: bigint }; pulse_session: { last_ms: bigint } }>();
    const rows = [
      ...(await tables.selectFrom('pulse_event').selectAll().where('occurred_ms', '=', BigInt(at)).execute()),
      ...(await tables.selectFrom('pulse_session').selectAll().where('last_ms', '=', BigInt(at)).execute()),
    ];
    const dump = rows.map((row) => Object.values(row).map(String).join(' ')).join('\n');
    expect(rows).toHaveLength(2);
    expect(dump).not.toContain('plain');
  });

  test("journeys are listed by name, page by page, with the last 30 days, and never another account's", async () => {
    await send([
      event({ journey: 'b' }),
      event({ journey: 'a', sessionId: '1' }),
      event({ journey: 'a', sessionId: '2', kind: 'error', error: { code: 'E', message: '' } }),
      event({ journey: 'c', at: noon - 29 * 86_400_000 }),
    ]);
    const first = unwrap(await pulse.listJourneys(account, { pageSize: 2 }));
    expect(first.items).toEqual([
      { journey: 'a', sessions: 2, errorRate: 0.5, lastActiveDayMs: Date.UTC(2026, 4, 1) },
      { journey: 'b', sessions: 1, errorRate: 0, lastActiveDayMs: Date.UTC(2026, 4, 1) },
    ]);
    const second = unwrap(await pulse.listJourneys(account, { pageSize: 2, pageToken: first.nextPageToken }));
    expect(second.items.map(({ journey }) => journey)).toEqual(['c']);
    expect(second.nextPageToken).toBe('');
    expect(unwrap(await pulse.listJourneys(newId('acc'), {})).items).toEqual([]);
  });
});
