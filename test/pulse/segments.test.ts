import { expect, test } from 'vitest';
import { unwrap } from '../../src/base/failure.ts';
import { newId } from '../../src/base/ids.ts';
import { type Pulse, pulseInvariants } from '../../src/pulse/index.ts';
import { eachServer, useDatabase } from '../support/database.ts';
import { callerOf, event, fixedClock, MemoryLedger, noon, startPulse } from './support.ts';

const hour = 3_600_000;
const minute = 60_000;

eachServer((server) => {
  const fresh = useDatabase(server);
  const start = (more = {}) => startPulse(fresh().database, new MemoryLedger(10n ** 15n), more);
  const read = async (pulse: Pulse, accountId: string, more = {}) =>
    unwrap(await pulse.readReport({ accountId, journey: 'publish', fromMs: noon - 24 * hour, toMs: noon, ...more }));

  test('a session that goes on has abandoned nothing until its time-out has passed', async () => {
    const clock = fixedClock(noon);
    const pulse = start({ clock });
    const account = newId('acc');
    await pulse.recordEvents(callerOf(account), [
      event({ sessionId: 'fresh', at: noon - 5_000 }),
      event({ sessionId: 'old', at: noon - 31 * minute }),
      event({ sessionId: 'done', at: noon - minute, kind: 'completed' }),
    ]);
    expect((await read(pulse, account)).totals).toMatchObject({ sessions: 3, active: 1, abandoned: 1, completed: 1 });
    clock.set(noon + 29 * minute);
    expect((await read(pulse, account)).totals).toMatchObject({ active: 1, abandoned: 1 });
    clock.set(noon + 31 * minute);
    expect((await read(pulse, account)).totals).toMatchObject({ active: 0, abandoned: 2 });
    // Whoever comes back has not abandoned after all.
    await pulse.recordEvents(callerOf(account), [event({ sessionId: 'old', at: clock.now(), kind: 'custom' })]);
    expect((await read(pulse, account)).totals).toMatchObject({ active: 1, abandoned: 1 });
    await pulse.close();
  });

  test('values beyond the fiftieth count as others, and what is left out of a declaration stays', async () => {
    const pulse = start();
    const account = newId('acc');
    await pulse.recordEvents(callerOf(account), [event({ sessionId: 'before', properties: { version: 'v0' } })]);
    unwrap(await pulse.declareProperties(account, ['version', 'platform']));
    const versions = Array.from({ length: 60 }, (_, i) =>
      event({ sessionId: `s${i}`, properties: { version: `v${i}`, platform: 'x'.repeat(65), browser: 'any' } }),
    );
    await pulse.recordEvents(callerOf(account), versions);
    const { segments } = await read(pulse, account, { breakDownBy: 'version' });
    const sessions = new Map(segments.map(({ value, totals }) => [value, totals.sessions]));
    expect([sessions.size, sessions.get('(other)'), sessions.get('(none)'), sessions.get('v0')]).toEqual([
      52, 10, 1, 1,
    ]);
    const platforms = await read(pulse, account, { breakDownBy: 'platform' });
    expect(platforms.segments.map(({ value, totals }) => [value, totals.sessions])).toEqual([
      ['(other)', 60],
      ['(none)', 1],
    ]);
    expect(await pulse.readReport({ accountId: account, journey: 'publish', breakDownBy: 'browser' })).toMatchObject({
      failure: { kind: 'invalid_argument', violations: [{ field: 'breakDownBy' }] },
    });
    unwrap(await pulse.declareProperties(account, ['platform']));
    expect((await pulse.listProperties(account)).map(({ name }) => name)).toEqual(['platform']);
    await pulse.recordEvents(callerOf(account), [event({ sessionId: 'after', properties: { version: 'v1' } })]);
    const later = await read(pulse, account, { segment: { property: 'version', value: 'v1' } });
    expect(later.totals.sessions).toBe(1);
    await pulse.close();
  });

  test('a declaration on one node counts for the events of another', async () => {
    const [one, two] = [start(), start()];
    const account = newId('acc');
    const send = (pulse: Pulse, sessionId: string) =>
      pulse.recordEvents(callerOf(account), [event({ sessionId, properties: { platform: 'ios' } })]);
    await send(two, 's1');
    unwrap(await one.declareProperties(account, ['platform']));
    await send(two, 's2');
    await send(one, 's3');
    const { segments } = await read(two, account, { breakDownBy: 'platform' });
    expect(segments.map(({ value, totals }) => [value, totals.sessions])).toEqual([
      ['ios', 2],
      ['(none)', 1],
    ]);
    await one.close();
    await two.close();
  });

  test('a declared journey counts steps in order and in time, and lets optional ones be left out', async () => {
    const pulse = start();
    const account = newId('acc');
    const at = noon - 5 * hour;
    const plan = { journey: 'publish', windowMs: 10 * minute, timeoutMs: hour };
    const steps = [
      { step: 'a', optional: false },
      { step: 'b', optional: true },
      { step: 'c', optional: false },
    ];
    unwrap(await pulse.declareJourney(account, { ...plan, steps }));
    const visit = (sessionId: string, ...steps: [string, number, string?][]) =>
      steps.map(([step, minutes, kind = 'entered']) => event({ sessionId, step, kind, at: at + minutes * minute }));
    const events = [
      ...visit('straight', ['a', 0], ['b', 1], ['c', 2], ['c', 3, 'completed']),
      ...visit('without-b', ['a', 0], ['c', 2, 'completed']),
      ...visit('backwards', ['c', 0, 'completed'], ['a', 1]),
      ...visit('back-and-on', ['c', 0], ['a', 1], ['c', 2, 'completed']),
      ...visit('too-late', ['a', 0], ['c', 11, 'completed']),
      ...visit('done-late', ['a', 0], ['c', 9], ['c', 11, 'completed']),
      ...visit('never', ['a', 0]),
    ];
    for (const part of [events.slice(0, 7), events.slice(7)].reverse())
      unwrap(await pulse.recordEvents(callerOf(account), part.reverse()));
    const report = await read(pulse, account);
    expect(report.goal).toBe('c');
    expect(report.totals).toMatchObject({ sessions: 7, completed: 3 });
    expect(
      report.funnel.map(({ step, entered, reached, fromPrevious }) => [step, entered, reached, fromPrevious]),
    ).toEqual([
      ['a', 7, 7, undefined],
      ['b', 1, 1, 1 / 7],
      ['c', 6, 4, 4 / 7],
    ]);
    // Another declaration: sessions that go on are judged by it, the others stay as they were judged.
    unwrap(await pulse.declareJourney(account, { ...plan, windowMs: 0, steps }));
    expect((await read(pulse, account)).totals.completed).toBe(3);
    await pulse.recordEvents(callerOf(account), visit('too-late', ['c', 12, 'custom']));
    expect((await read(pulse, account)).totals.completed).toBe(4);
    unwrap(await pulse.declareJourney(account, { ...plan, steps: [] }));
    expect((await read(pulse, account)).funnel.every(({ reached }) => reached === undefined)).toBe(true);
    for (const { name, sql } of pulseInvariants.filter((one) => one.name.includes('days')))
      expect([name, ...(await queried(sql))]).toEqual([name]);
    await pulse.close();
  });

  async function queried(sql: string): Promise<unknown[]> {
    const { query } = await import('../../src/pulse/bulk-store.ts');
    return query(fresh().database, sql);
  }

  test.each([
    ['a step twice', { steps: [step('a'), step('a')] }, 'steps'],
    ['only optional steps', { steps: [{ step: 'a', optional: true }] }, 'steps'],
    ['a time-out of a second', { steps: [step('a')], timeoutMs: 1_000 }, 'sessionTimeoutSeconds'],
    ['a window of a year', { steps: [step('a')], windowMs: 365 * 24 * hour }, 'conversionWindowSeconds'],
  ])('a declaration with %s is refused', async (_, more, field) => {
    const pulse = start();
    const plan = { journey: 'publish', windowMs: 0, timeoutMs: hour, ...more };
    expect(await pulse.declareJourney('acc_1', plan)).toMatchObject({ failure: { violations: [{ field }] } });
    await pulse.close();
  });

  test('the platform that meets an error four times as often is found, with the step and the error, and nothing else is', async () => {
    const pulse = start();
    const account = newId('acc');
    const names = ['platform', 'version', 'country', 'experiment', 'browser', 'plan', 'channel', 'device'];
    unwrap(await pulse.declareProperties(account, names));
    const random = seeded(11);
    const events = Array.from({ length: 1_200 }, (_, i) => {
      const platform = ['ios', 'web', 'web', 'android'][i % 4] ?? '';
      const others = Object.fromEntries(names.slice(1).map((name) => [name, `v${Math.floor(random() * 8)}`]));
      const properties = { ...others, platform, ...(i < 8 ? { version: 'rare' } : {}) };
      const fails = random() < (platform === 'android' ? 0.4 : 0.1) || i < 8;
      const visit = (step: string, kind: string, seconds: number, more = {}) =>
        event({ sessionId: `s${i}`, step, kind, at: noon - 3 * hour + seconds * 1_000, properties, ...more });
      return [
        visit('photos', 'completed', 0),
        fails
          ? visit('payment', 'error', 10, { error: { code: 'CARD', message: '' } })
          : visit('payment', 'completed', 10),
      ];
    }).flat();
    for (let i = 0; i < events.length; i += 800)
      unwrap(await pulse.recordEvents(callerOf(account), events.slice(i, i + 800)));
    const asked = { accountId: account, journey: 'publish', fromMs: noon - 24 * hour, toMs: noon };
    for (const loss of ['abandoned', 'not_converted', 'errored'] as const) {
      const found = unwrap(await pulse.findDifferences({ ...asked, loss }));
      expect(found.differences.map(({ property, value }) => [property, value])).toEqual([['platform', 'android']]);
      expect(found.differences[0]).toMatchObject({ sessions: 300, step: { step: 'payment' }, error: { code: 'CARD' } });
      // Eight sessions, all of them lost, prove nothing.
      expect(found.tooSmall).toBeGreaterThanOrEqual(1);
    }
    const compared = unwrap(await pulse.compareSegments({ ...asked, property: 'platform', first: 'android' }));
    const [line] = compared.metrics.filter(({ metric }) => metric === 'abandonment');
    expect(line?.first.whole).toBe(300);
    expect(line?.second.whole).toBe(900);
    expect(line?.difference?.significant).toBe(true);
    const same = unwrap(
      await pulse.compareSegments({ ...asked, property: 'platform', first: 'android', second: 'web' }),
    );
    expect(same.second.sessions).toBe(600);
    await pulse.close();
  });
});

function step(name: string) {
  return { step: name, optional: false };
}

/** mulberry32: the same numbers on every machine. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
