// What happened to users, as events, and what the report should say of it.
import { expect, test } from 'vitest';
import { unwrap } from '../../src/base/failure.ts';
import { newId } from '../../src/base/ids.ts';
import { run } from '../../src/pulse/bulk-store.ts';
import type { AlertChange, IncomingEvent, Pulse } from '../../src/pulse/index.ts';
import { eachServer, useDatabase } from '../support/database.ts';
import { callerOf, event, fixedClock, MemoryLedger, noon, startPulse } from './support.ts';

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const began = noon - 3 * hour;

eachServer((server) => {
  const fresh = useDatabase(server);
  const start = (more = {}) => startPulse(fresh().database, new MemoryLedger(10n ** 15n), more);
  const read = async (pulse: Pulse, accountId: string, more = {}) =>
    unwrap(
      await pulse.readReport({ accountId, journey: 'signup', fromMs: noon - 24 * hour, toMs: noon + hour, ...more }),
    );
  const record = async (pulse: Pulse, account: string, events: IncomingEvent[]) => {
    for (let at = 0; at < events.length; at += 500)
      unwrap(await pulse.recordEvents(callerOf(account), events.slice(at, at + 500)));
  };
  const at = (sessionId: string, step: string, kind: string, seconds: number, more = {}) =>
    event({ journey: 'signup', sessionId, step, kind, at: began + seconds * second, ...more });
  const many = (count: number, events: (session: string, index: number) => IncomingEvent[]) =>
    Array.from({ length: count }, (_, index) => events(newId('ses'), index)).flat();

  test('forty fill the form in, thirty verify, twenty are done', async () => {
    const pulse = start();
    const account = newId('acc');
    await record(
      pulse,
      account,
      many(40, (session, index) => [
        at(session, 'form', 'entered', 0),
        ...(index < 30 ? [at(session, 'form', 'completed', 20), at(session, 'verify', 'entered', 21)] : []),
        ...(index < 20
          ? [
              at(session, 'verify', 'completed', 40),
              at(session, 'done', 'entered', 41),
              at(session, 'done', 'completed', 42),
            ]
          : []),
      ]),
    );
    const report = await read(pulse, account);
    expect(report).toMatchObject({
      goal: 'done',
      totals: { sessions: 40, completed: 20, conversion: 0.5, abandoned: 20, active: 0 },
      funnel: [
        { step: 'form', entered: 40, completed: 30 },
        { step: 'verify', entered: 30, completed: 20, fromPrevious: 0.75 },
        { step: 'done', entered: 20, completed: 20 },
      ],
    });
    expect(report.nextBestAction).toContain('form');
    await pulse.close();
  });

  test('nobody leaves, but a step takes thirty times as long as the others', async () => {
    const pulse = start();
    const account = newId('acc');
    await record(
      pulse,
      account,
      many(40, (session) => [
        at(session, 'form', 'entered', 0),
        at(session, 'form', 'completed', 10),
        at(session, 'identity', 'entered', 11),
        at(session, 'identity', 'completed', 311),
        at(session, 'done', 'entered', 312),
        at(session, 'done', 'completed', 322),
      ]),
    );
    const report = await read(pulse, account);
    expect(report.totals).toMatchObject({ abandoned: 0, completed: 40 });
    expect(report.stalls[0]).toMatchObject({ step: 'identity', sessions: 40 });
    expect(report.stalls[0]?.dwell?.p50Seconds).toBeCloseTo(300, -1);
    expect(report.nextBestAction).toContain('identity');
    await pulse.close();
  });

  test('an error that one platform alone has is the first difference', async () => {
    const pulse = start();
    const account = newId('acc');
    unwrap(await pulse.declareProperties(account, ['platform', 'country']));
    await record(
      pulse,
      account,
      many(200, (session, index) => {
        const platform = index < 60 ? 'android' : 'ios';
        const fails = index < 30 || (index >= 60 && index < 64);
        const properties = { platform, country: index % 2 ? 'DE' : 'MX' };
        return [
          at(session, 'cart', 'entered', 0, { properties }),
          at(session, 'cart', 'completed', 5),
          ...(fails
            ? [
                at(session, 'payment', 'entered', 6),
                at(session, 'payment', 'error', 8, { error: { code: 'tls_error', message: 'handshake' } }),
              ]
            : [at(session, 'payment', 'entered', 6), at(session, 'payment', 'completed', 20)]),
        ];
      }),
    );
    const differences = unwrap(
      await pulse.findDifferences({
        accountId: account,
        journey: 'signup',
        fromMs: noon - 24 * hour,
        toMs: noon,
        loss: 'abandoned',
      }),
    );
    expect(differences.differences[0]).toMatchObject({
      property: 'platform',
      value: 'android',
      sessions: 60,
      lost: 30,
      step: { step: 'payment' },
      error: { code: 'tls_error' },
    });
    expect(differences.differences.map(({ value }) => value)).not.toContain('ios');
    const report = await read(pulse, account);
    expect(report.errors[0]).toMatchObject({ step: 'payment', code: 'tls_error', sessions: 34, recoveredSessions: 0 });
    expect(report.nextBestAction).toContain('tls_error');
    await pulse.close();
  });

  test('who stops is active until the time-out, and has abandoned after it', async () => {
    const clock = fixedClock(began + 10 * minute);
    const pulse = start({ clock });
    const account = newId('acc');
    await record(
      pulse,
      account,
      many(30, (session) => [at(session, 'form', 'entered', 0)]),
    );
    expect((await read(pulse, account)).totals).toMatchObject({ sessions: 30, active: 30, abandoned: 0 });
    clock.set(began + 31 * minute);
    expect((await read(pulse, account)).totals).toMatchObject({ sessions: 30, active: 0, abandoned: 30 });
    await pulse.close();
  });

  test('an alert is told once of thirty errors in two hundred sessions, and never of what is within its bounds', async () => {
    const told: AlertChange[] = [];
    const clock = fixedClock(began + 10 * minute);
    const pulse = start({ clock, announce: async (_: unknown, change: AlertChange) => void told.push(change) });
    const look = async () => {
      await run(fresh().database, "UPDATE pulse_alert SET check_at = '2000-01-01'");
      return pulse.checkAlerts();
    };
    const sessions = (bad: number, good: number, seconds: number) =>
      many(bad + good, (session, index) => [
        at(session, 'form', 'entered', seconds),
        index < bad
          ? at(session, 'form', 'error', seconds + 1, { error: { code: 'E1', message: '' } })
          : at(session, 'form', 'completed', seconds + 1),
      ]);
    const account = newId('acc');
    // Ten of two hundred are exactly at the limit, not above it.
    await record(pulse, account, sessions(10, 190, 0));
    const alert = { journey: 'signup', metric: 'error_rate' as const, windowHours: 0, leastSessions: 50 };
    unwrap(await pulse.setAlert(account, { ...alert, above: 0.05, clearBelow: 0.03 }));
    expect(await look()).toBe(0);
    await record(pulse, account, sessions(30, 170, 60));
    expect([await look(), await look()]).toEqual([1, 0]);
    expect(told).toMatchObject([{ accountId: account, outside: true, affected: 40, sessions: 400, rate: 0.1 }]);
    // An hour later others come, and all of them get through.
    clock.set(began + hour + 10 * minute);
    await record(pulse, account, sessions(0, 100, 3_600));
    expect([await look(), await look()]).toEqual([1, 0]);
    expect(told[1]).toMatchObject({ outside: false, affected: 0, sessions: 100 });

    // Of forty-nine sessions nothing is told, however bad they are.
    const small = newId('acc');
    await record(pulse, small, sessions(40, 9, 3_600));
    unwrap(await pulse.setAlert(small, { ...alert, above: 0.05 }));
    expect(await look()).toBe(0);
    await pulse.close();
  });
});
