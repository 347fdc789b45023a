import { expect, test } from 'vitest';
import { unwrap } from '../../src/base/failure.ts';
import { newId } from '../../src/base/ids.ts';
import { createPace } from '../../src/base/turn.ts';
import type { Database } from '../../src/db/index.ts';
import { bytesOf, insert } from '../../src/pulse/bulk-store.ts';
import { type Cell, emptyCell, emptyErrorCell, emptySums, errorPlace } from '../../src/pulse/cell.ts';
import { addToCells, addToErrorCells, readCells } from '../../src/pulse/cells-store.ts';
import type { Pulse } from '../../src/pulse/index.ts';
import { type Counts, type LatestCount, mergeCounts } from '../../src/pulse/latest.ts';
import { findLatest, readLatest } from '../../src/pulse/latest-store.ts';
import { Names } from '../../src/pulse/names.ts';
import { findAccount, readJourneyNames } from '../../src/pulse/pulse-store.ts';
import { addToSegments, readSegments } from '../../src/pulse/segments-store.ts';
import { readSettings } from '../../src/pulse/settings-store.ts';
import { eachServer, useDatabase } from '../support/database.ts';
import { callerOf, event, MemoryLedger, noon, startPulse } from './support.ts';

const hourMs = 3_600_000;
const hour = Math.floor(noon / hourMs) - 24;
const journeyNo = 1;

/** How much is done between two turns of the event loop at most. */
async function mostInATurn(work: (done: (amount: number) => void) => Promise<unknown>): Promise<number> {
  let over = false;
  let sinceTurn = 0;
  let most = 0;
  const next = () => {
    sinceTurn = 0;
    if (!over) setImmediate(next);
  };
  setImmediate(next);
  await work((amount) => {
    sinceTurn += amount;
    most = Math.max(most, sinceTurn);
  });
  over = true;
  return most;
}

/** A database that counts how many of its snapshots and statements are under way. */
function watched(db: Database): { db: Database; most: () => number } {
  let running = 0;
  let most = 0;
  const counted = async <T>(work: () => Promise<T>): Promise<T> => {
    running += 1;
    most = Math.max(most, running);
    try {
      return await work();
    } finally {
      running -= 1;
    }
  };
  return { db: { ...db, snapshot: (work) => counted(() => db.snapshot(work)) }, most: () => most };
}

eachServer((server) => {
  const fresh = useDatabase(server);
  let accounts = 100;

  test('counts of sessions that may still go on are read in turns, and all of them once', async () => {
    const { database: db } = fresh();
    const accountNo = ++accounts;
    const minutes = 60;
    const valuesOfMinute = 50;
    const stepsOfValue = 60;
    const rows = Array.from({ length: minutes }, (_, minute) => {
      const counts: Counts = new Map();
      // As `latest.ts` packs them: the hour, the segment (a property and a value of 64), the step of 128.
      for (let value = 0; value < valuesOfMinute; value++)
        for (let step = 1; step <= stepsOfValue; step++)
          counts.set((hour * 4_096 + 64 + value) * 128 + step, { stopped: 1, ended: 2 });
      return `(${accountNo},${journeyNo},${minute + 7},${bytesOf(mergeCounts(undefined, counts))})`;
    });
    await insert(db, 'INSERT INTO pulse_latest (account_no, journey_no, minute, counts) VALUES', rows);
    const spans = await findLatest(db, accountNo, journeyNo, 9);
    expect(spans.length).toBeGreaterThan(1);
    expect(spans[0]?.from).toBe(9);
    expect(spans.at(-1)?.to).toBe(minutes + 6);
    const of = { accountNo, journeyNo, property: 1, from: hour, to: hour + 1 };
    let sessions = 0;
    const most = await mostInATurn((done) => {
      const take = ({ stopped, ended }: LatestCount) => {
        done(1);
        sessions += stopped + ended;
      };
      return readLatest(db, of, spans, { pace: createPace(15_000), take });
    });
    expect(sessions).toBe((minutes - 2) * valuesOfMinute * stepsOfValue * 3);
    // 15,000 numbers are 5,000 places.
    expect(most).toBeLessThanOrEqual(6_000);
    const taken = async (more: object) => {
      let count = 0;
      const take = () => {
        count += 1;
      };
      await readLatest(db, { ...of, ...more }, spans, { pace: createPace(15_000), take });
      return count;
    };
    expect(await taken({ value: 3 })).toBe((minutes - 2) * stepsOfValue);
    expect(await taken({ property: 2 })).toBe(0);
    expect(await taken({ from: hour + 1, to: hour + 2 })).toBe(0);
    expect(await findLatest(db, accountNo, journeyNo, minutes + 7)).toEqual([]);
  });

  test('cells and segments are read in turns and parts, in their order and each once', async () => {
    const { database: db } = fresh();
    const accountNo = ++accounts;
    const cell: Cell = { ...emptyCell(), sessions: 3, dwell: new Map([[5, 3]]) };
    const places = Array.from({ length: 30 }, (_, at) => hour + at).flatMap((start) =>
      Array.from({ length: 101 }, (_, step) => ({ start, step })),
    );
    await addToCells(
      db,
      accountNo,
      places.map((place) => ({ key: { journey: journeyNo, grain: 'hour', ...place }, cell })),
    );
    const range = { grain: 'hour', from: hour, to: hour + 29 } as const;
    const found: { start: number; step: number }[] = [];
    const most = await mostInATurn(async (done) => {
      for await (const { start, step } of readCells(db, { accountNo, journeyNo }, range, createPace(5_000))) {
        done(1);
        found.push({ start, step });
      }
    });
    expect(found).toEqual(places.filter(({ start }) => start < hour + 29));
    expect(most).toBeLessThanOrEqual(500);

    const sums = emptySums();
    sums.steps.set(0, { ...emptyCell(), sessions: 2 });
    const segments = Array.from({ length: 20 }, (_, at) => hour + at).flatMap((start) =>
      Array.from({ length: 25 }, (_, value) => ({ start, value: value + 1 })),
    );
    await addToSegments(
      db,
      accountNo,
      segments.map((place) => ({ key: { journey: journeyNo, property: 1, grain: 'hour', ...place }, sums })),
    );
    const read = async (value?: number) => {
      const places: { start: number; value: number }[] = [];
      const of = { accountNo, journeyNo, property: 1, ...(value === undefined ? {} : { value }) };
      const most = await mostInATurn(async (done) => {
        for await (const one of readSegments(
          db,
          of,
          { ...range, to: hour + 19 },
          { withTimes: false, pace: createPace(100) },
        )) {
          done(one.sums.counts.length);
          places.push({ start: one.start, value: one.value });
        }
      });
      expect(most).toBeLessThanOrEqual(100);
      return places;
    };
    const within = segments.filter(({ start }) => start < hour + 19);
    expect(await read()).toEqual(within);
    expect(await read(7)).toEqual(within.filter(({ value }) => value === 7));
  });

  test('a search for differences with thousands of places of errors leaves turns to others', async () => {
    const { database: db } = fresh();
    const pulse = startPulse(db, new MemoryLedger(10n ** 15n));
    const account = newId('acc');
    unwrap(await pulse.declareProperties(account, ['a', 'b', 'c', 'd']));
    await pulse.recordEvents(callerOf(account), [event({ at: noon - 20 * 24 * hourMs })]);
    const accountNo = (await findAccount(db, account)) ?? 0;
    const journey = new Names(await readJourneyNames(db, accountNo, 'publish')).journeys.get('publish')?.no ?? 0;
    const properties = (await readSettings(db, accountNo)).properties.map(({ no }) => no);
    const values = Array.from({ length: 20 }, (_, at) => at + 1);
    const steps = Array.from({ length: 40 }, (_, at) => at + 1);
    const codes = Array.from({ length: 100 }, (_, at) => at + 1);
    /** 1,000 sessions, of which half have errors, or a tenth. */
    const sumsOf = (value: number) => {
      const sums = emptySums();
      const errored = value % 2 === 0 ? 500 : 100;
      for (const step of [0, ...steps]) sums.steps.set(step, { ...emptyCell(), sessions: 1_000, errored });
      for (const step of steps)
        for (const code of codes)
          sums.errors.set(errorPlace(step, code), { ...emptyErrorCell(), sessions: errored / 10 });
      return sums;
    };
    const key = { journey, grain: 'hour', start: hour } as const;
    await addToSegments(
      db,
      accountNo,
      properties.flatMap((property) =>
        values.map((value) => ({ key: { ...key, property, value }, sums: sumsOf(value) })),
      ),
    );
    const whole = { sessions: 20_000, errored: 6_000 };
    await addToCells(
      db,
      accountNo,
      [0, ...steps].map((step) => ({ key: { ...key, step }, cell: { ...emptyCell(), ...whole } })),
    );
    await addToErrorCells(
      db,
      accountNo,
      steps.flatMap((step) =>
        codes.map((code) => ({ key: { ...key, step, code }, cell: { ...emptyErrorCell(), sessions: 600 } })),
      ),
    );
    const { set } = Map.prototype;
    let found: Awaited<ReturnType<Pulse['findDifferences']>> | undefined;
    const most = await mostInATurn(async (done) => {
      Map.prototype.set = function (name, value) {
        done(1);
        return set.call(this, name, value);
      };
      try {
        const asked = { accountId: account, journey: 'publish', fromMs: hour * hourMs, toMs: noon };
        found = await pulse.findDifferences({ ...asked, loss: 'errored' });
      } finally {
        Map.prototype.set = set;
      }
    });
    if (!found?.ok) throw new Error('no differences');
    expect(found.value).toMatchObject({ sessions: 20_000, lost: 6_000, tested: 80, tooSmall: 0 });
    expect(found.value.differences).toHaveLength(40);
    expect(found.value.differences[0]).toMatchObject({
      ...{ sessions: 1_000, lost: 500, rate: 0.5, rateOfOthers: 5_500 / 19_000 },
      step: { rate: 0.5, rateOfOthers: 5_500 / 19_000 },
      error: { sessions: 50, rate: 50 / 1_000, rateOfOthers: 550 / 19_000 },
    });
    // Each of 80 segments has 4,000 places.
    expect(most).toBeLessThanOrEqual(30_000);
    await pulse.close();
  });

  test('reads of pulse take turns: one of an account, and few of all, so that connections are left', async () => {
    const { db, most } = watched(fresh().database);
    const pulse = startPulse(db, new MemoryLedger(10n ** 15n));
    const of = Array.from({ length: 5 }, () => newId('acc'));
    for (const account of of) await pulse.recordEvents(callerOf(account), [event()]);
    const [first = ''] = of;
    const read = (accountId: string) => pulse.readReport({ accountId, journey: 'publish' });
    const before = most();
    expect(before).toBe(0);
    await Promise.all(Array.from({ length: 10 }, () => read(first)));
    expect(most()).toBe(1);
    await Promise.all(of.flatMap((account) => [read(account), read(account)]));
    expect(most()).toBe(3);
    const asked = { accountId: first, journey: 'publish' };
    const many = await Promise.allSettled([
      ...Array.from({ length: 16 }, () => read(first)),
      pulse.findDifferences(asked),
      pulse.compareSegments({ ...asked, property: 'none', first: 'a' }),
      pulse.listJourneys(first, {}),
    ]);
    expect(many.map(({ status }) => status)).toEqual([...Array(17).fill('fulfilled'), 'rejected', 'rejected']);
    expect(many.at(-1)).toMatchObject({ reason: { failure: { kind: 'overloaded' } } });
    expect(await read(first)).toMatchObject({ ok: true });
    await pulse.close();
  });
});
