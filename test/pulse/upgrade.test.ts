import { expect, test } from 'vitest';
import { unwrap } from '../../src/base/failure.ts';
import { newId } from '../../src/base/ids.ts';
import { query, run } from '../../src/pulse/bulk-store.ts';
import { pulseInvariants } from '../../src/pulse/index.ts';
import { eachServer, useDatabase } from '../support/database.ts';
import { callerOf, event, fixedClock, MemoryLedger, noon, startPulse } from './support.ts';

const minute = 60_000;

eachServer((server) => {
  const fresh = useDatabase(server);

  /** Leaves what 0.1.0 would have left: states of steps alone, and nothing of who may still go on. */
  async function asVersion010(): Promise<string[]> {
    const { database } = fresh();
    await run(database, "UPDATE pulse_session SET state = REPLACE(state, ',[[0]]]', ']')");
    await run(database, 'DELETE FROM pulse_latest');
    const rows = await query<{ state: Buffer }>(database, 'SELECT state FROM pulse_session');
    return rows.map(({ state }) => state.toString());
  }

  test('a session that 0.1.0 began and this version goes on with is counted once', async () => {
    const clock = fixedClock(noon);
    const pulse = startPulse(fresh().database, new MemoryLedger(), { clock });
    const account = newId('acc');
    const read = async (more = {}) =>
      unwrap(
        await pulse.readReport({
          ...{ accountId: account, journey: 'publish', fromMs: noon - 86_400_000, toMs: noon + 3_600_000 },
          ...more,
        }),
      );
    const send = async (...events: Parameters<typeof event>[0][]) =>
      unwrap(await pulse.recordEvents(callerOf(account), events.map(event)));
    const began = noon - 10 * minute;
    await send({ sessionId: 'goes-on', at: began }, { sessionId: 'stays', at: began });
    expect(await asVersion010()).toEqual(Array(2).fill(`[${began},[1,0,0,0,null,null,null]]`));
    // Whether it may go on was not noted then: it has stopped until its next event says otherwise.
    expect((await read()).totals).toMatchObject({ sessions: 2, active: 0, abandoned: 2 });

    // One in the same minute that is counted: nobody may take it out of there but itself.
    await send({ sessionId: 'new', at: began });
    expect((await read()).totals).toMatchObject({ sessions: 3, active: 1, abandoned: 2 });
    unwrap(await pulse.declareProperties(account, ['platform']));
    await send({ sessionId: 'goes-on', at: noon - minute, kind: 'custom', properties: { platform: 'ios' } });
    expect((await read()).totals).toMatchObject({ sessions: 3, active: 2, abandoned: 1 });
    const { segments } = await read({ breakDownBy: 'platform' });
    expect(segments.map(({ value, totals }) => [value, totals.sessions, totals.active, totals.abandoned])).toEqual([
      ['(none)', 2, 1, 1],
      ['ios', 1, 1, 0],
    ]);
    // From here on it is taken out and put in again like any other.
    await send({ sessionId: 'goes-on', at: noon, kind: 'completed', properties: { platform: 'android' } });
    expect((await read()).totals).toMatchObject({ sessions: 3, active: 1, completed: 1, abandoned: 1 });
    clock.set(noon + 31 * minute);
    expect((await read()).totals).toMatchObject({ sessions: 3, active: 0, completed: 1, abandoned: 2 });
    const days = pulseInvariants.filter(({ name }) => name.includes('days'));
    expect(days.length).toBeGreaterThan(1);
    for (const { name, sql } of days) expect([name, ...(await query(fresh().database, sql))]).toEqual([name]);
    await pulse.close();
  });
});
