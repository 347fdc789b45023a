import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { unwrap } from '../../src/base/failure.ts';
import { newId } from '../../src/base/ids.ts';
import type { Database } from '../../src/db/index.ts';
import { eachServer, useDatabase } from '../support/database.ts';
import { callerOf, event, fixedClock, MemoryLedger, noon, startPulse } from './support.ts';

const dayMs = 86_400_000;
/** As it is kept: `{"message":"","properties":{"text":"..."}}`. */
const carrying = (bytes: number) => event({ properties: { text: 'a'.repeat(bytes - 39) } });
const nineThousand = () => [carrying(3_000), carrying(3_000), carrying(3_000)];

eachServer((server) => {
  const fresh = useDatabase(server);

  function room() {
    const ledger = new MemoryLedger();
    const clock = fixedClock(noon);
    const start = () => startPulse(fresh().database, ledger, { clock, bytesPerDayMax: 10_000 });
    return { ledger, clock, start, caller: callerOf(newId('acc')) };
  }

  test('what events carry is bounded by the day, over all nodes, and what is refused is neither stored nor held', async () => {
    const { ledger, clock, start, caller } = room();
    const [one, other] = [start(), start()];
    const events = [carrying(3_000), carrying(3_000)];
    expect(unwrap(await one.recordEvents(caller, events))).toMatchObject({ accepted: 2 });
    // Known already: they carry nothing more.
    expect(unwrap(await one.recordEvents(caller, events.slice(1)))).toMatchObject({ accepted: 0, duplicates: 1 });
    const refused = { failure: { kind: 'rate_limited', retryAfterMs: dayMs / 2 } };
    expect(await other.recordEvents(caller, [carrying(4_001), event()])).toMatchObject(refused);
    expect(await other.recordEvents(caller, [carrying(4_001)])).toMatchObject(refused);
    expect(ledger.holds.size).toBe(0);
    expect(await storedOf(fresh().database)).toEqual([{ count: 2n, bytes: 6_000n }]);

    expect(unwrap(await other.recordEvents(caller, [carrying(4_000)]))).toMatchObject({ accepted: 1 });
    expect(await one.recordEvents(caller, [carrying(100)])).toMatchObject(refused);
    // Those that carry nothing have their price alone; and other accounts have days of their own.
    expect(unwrap(await one.recordEvents(caller, [event()]))).toMatchObject({ accepted: 1 });
    expect(unwrap(await one.recordEvents(callerOf(newId('acc')), nineThousand()))).toMatchObject({ accepted: 3 });

    clock.set(noon + dayMs / 2);
    expect(unwrap(await one.recordEvents(caller, nineThousand()))).toMatchObject({ accepted: 3 });
    expect(await other.recordEvents(caller, [carrying(1_001)])).toMatchObject({ failure: { retryAfterMs: dayMs } });
    await Promise.all([one.close(), other.close()]);
  });

  test('of requests at one moment as many are taken as fit, each whole', async () => {
    const { start, caller } = room();
    const pulse = start();
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => pulse.recordEvents(caller, [carrying(1_500), carrying(1_500)])),
    );
    expect(answers.filter(({ ok }) => ok)).toHaveLength(3);
    for (const answer of answers) if (answer.ok) expect(answer.value.accepted).toBe(2);
    await pulse.close();
  });

  test('a request with a key that was answered is answered again when the day is full', async () => {
    const { start, caller } = room();
    const pulse = start();
    const idempotency = { key: 'k', fingerprint: Buffer.alloc(32) };
    const events = nineThousand();
    const first = unwrap(await pulse.recordEvents(caller, events, { idempotency }));
    expect(await pulse.recordEvents(caller, [carrying(2_000)])).toMatchObject({ ok: false });
    expect(unwrap(await pulse.recordEvents(caller, events, { idempotency }))).toEqual(first);
    await pulse.close();
  });
});

async function storedOf(database: Database) {
  const { rows } = await sql`SELECT COUNT(*) AS count, SUM(LENGTH(detail)) AS bytes FROM pulse_event`.execute(
    database.for<never>(),
  );
  return rows;
}
