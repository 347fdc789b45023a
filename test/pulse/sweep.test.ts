import { expect, test } from 'vitest';
import { unwrap } from '../../src/base/failure.ts';
import { newId } from '../../src/base/ids.ts';
import { eachServer, useDatabase } from '../support/database.ts';
import { callerOf, event, fixedClock, MemoryLedger, noon, startPulse } from './support.ts';

const day = 86_400_000;

interface Tables {
  pulse_event: { event_id: string; user_key: Buffer | null; detail: Buffer | null };
  pulse_session: { session_key: Buffer };
  pulse_cell: { start_hour: number };
  pulse_account: { sweep_at: Date };
}

eachServer((server) => {
  const fresh = useDatabase(server);
  const tables = () => fresh().database.for<Tables>();
  const makeDue = () =>
    tables()
      .updateTable('pulse_account')
      .set({ sweep_at: new Date(0) })
      .execute();

  test('events and idle sessions end with their retention; reports keep their sums', async () => {
    const clock = fixedClock(noon);
    const pulse = startPulse(fresh().database, new MemoryLedger(), { clock });
    const account = newId('acc');
    await pulse.recordEvents(callerOf(account), [
      event({ id: 'old', sessionId: 'old', at: noon - 20 * day }),
      event({ id: 'young', sessionId: 'young', at: noon - day }),
    ]);
    clock.set(noon + 11 * day);
    await makeDue();
    expect(await pulse.sweep()).toBe(1);
    expect(await tables().selectFrom('pulse_event').select('event_id').execute()).toEqual([{ event_id: 'young' }]);
    expect(await tables().selectFrom('pulse_session').select('session_key').execute()).toHaveLength(1);
    const period = { fromMs: noon - 30 * day, toMs: noon };
    const report = unwrap(await pulse.readReport({ accountId: account, journey: 'publish', ...period }));
    expect(report.totals.sessions).toBe(2);
    const resent = unwrap(await pulse.recordEvents(callerOf(account), [event({ id: 'old', at: noon - 20 * day })]));
    expect(resent.rejected).toMatchObject([{ reason: 'occurred_at_too_old' }]);
    expect(await pulse.sweep()).toBe(0);
    await pulse.close();
  });

  test('rollups end with their own retention', async () => {
    const clock = fixedClock(noon);
    const pulse = startPulse(fresh().database, new MemoryLedger(), { clock, rollupRetentionDays: 100 });
    const account = newId('acc');
    await pulse.recordEvents(callerOf(account), [
      event({ journey: 'gone', kind: 'error', error: { code: 'E', message: '' } }),
    ]);
    clock.set(noon + 102 * day);
    await makeDue();
    await pulse.sweep();
    const period = { fromMs: noon - day, toMs: noon + day };
    const report = unwrap(await pulse.readReport({ accountId: account, journey: 'gone', ...period }));
    expect(report.totals.sessions).toBe(0);
    expect(report.errors).toEqual([]);
    await pulse.close();
  });

  test("an erased person's digest, error texts and properties leave every event, and nobody else's do", async () => {
    const pulse = startPulse(fresh().database, new MemoryLedger());
    const account = newId('acc');
    const other = newId('acc');
    const own = (id: string, userId: string) => event({ id, userId, properties: { note: userId } });
    const many = Array.from({ length: 2_500 }, (_, i) => own(`e-${i}`, i % 2 ? 'ada' : 'bob'));
    for (let i = 0; i < many.length; i += 1_000) {
      unwrap(await pulse.recordEvents(callerOf(account), many.slice(i, i + 1_000)));
    }
    await pulse.recordEvents(callerOf(other), [own('other-account', 'ada')]);
    await pulse.erasePerson(account, 'ada');
    expect(await pulse.sweep()).toBe(1);
    const rows = await tables()
      .selectFrom('pulse_event')
      .select(['event_id', 'user_key', 'detail'])
      .where('event_id', 'like', 'e-%')
      .execute();
    expect(rows).toHaveLength(2_500);
    for (const row of rows) {
      const erased = Number(row.event_id.slice(2)) % 2 === 1;
      expect([row.user_key === null, row.detail === null]).toEqual([erased, erased]);
    }
    const kept = await tables()
      .selectFrom('pulse_event')
      .select('detail')
      .where('event_id', '=', 'other-account')
      .executeTakeFirst();
    expect(kept?.detail?.toString()).toContain('ada');
    expect(unwrap(await pulse.recordEvents(callerOf(account), [own('e-1', 'ada')])).duplicates).toBe(1);
    expect(await pulse.sweep()).toBe(0);
    await pulse.close();
  });

  test('two nodes that sweep at once walk each account once', async () => {
    const nodes = [startPulse(fresh().database, new MemoryLedger()), startPulse(fresh().database, new MemoryLedger())];
    await tables()
      .updateTable('pulse_account')
      .set({ sweep_at: new Date(noon * 2) })
      .execute();
    for (let i = 0; i < 4; i++) await nodes[0]?.erasePerson(newId('acc'), 'ada');
    const walked = await Promise.all(nodes.map((node) => node.sweep()));
    expect(walked.reduce((sum, count) => sum + count, 0)).toBe(4);
    for (const node of nodes) await node.close();
  });
});
