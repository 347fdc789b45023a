import { expect, test } from 'vitest';
import { unwrap } from '../../src/base/failure.ts';
import { newId } from '../../src/base/ids.ts';
import { bandOfHistory } from '../../src/pulse/band.ts';
import { run } from '../../src/pulse/bulk-store.ts';
import type { AlertChange, Pulse } from '../../src/pulse/index.ts';
import { eachServer, useDatabase } from '../support/database.ts';
import { callerOf, event, fixedClock, MemoryLedger, noon, startPulse } from './support.ts';

const hour = 3_600_000;

eachServer((server) => {
  const fresh = useDatabase(server);
  const makeDue = () => run(fresh().database, "UPDATE pulse_alert SET check_at = '2000-01-01'");

  function node(clock = fixedClock(noon)) {
    const told: AlertChange[] = [];
    const announce = async (_: unknown, change: AlertChange) => void told.push(change);
    return { pulse: startPulse(fresh().database, new MemoryLedger(10n ** 15n), { clock, announce }), told, clock };
  }

  const failedOnce = (journey: string) =>
    event({ journey, at: noon, kind: 'error', error: { code: 'E1', message: '' } });

  let batch = 0;
  /** Sessions of one hour, some of which meet an error and stop. */
  async function visits(pulse: Pulse, account: string, at: number, failed: number, good: number): Promise<void> {
    batch++;
    const events = Array.from({ length: failed + good }, (_, i) => {
      const bad = i < failed ? { kind: 'error', error: { code: 'E1', message: '' } } : { kind: 'completed' };
      return event({ sessionId: `s${batch}-${i}`, at, ...bad });
    });
    unwrap(await pulse.recordEvents(callerOf(account), events));
  }
  const rule = { journey: 'publish', metric: 'error_rate' as const, windowHours: 0, leastSessions: 20 };

  test('one message when a rate leaves its band and one when it is well back, whichever nodes look and how often', async () => {
    const one = node();
    const two = node(one.clock);
    const account = newId('acc');
    // Either node may have told each; there are more sessions each time.
    const told = () =>
      [...one.told, ...two.told]
        .sort((first, second) => first.sessions - second.sessions)
        .map(({ outside, affected, sessions }) => [outside, affected, sessions]);
    const look = async () => {
      for (let i = 0; i < 3; i++) {
        await makeDue();
        await Promise.all([one.pulse.checkAlerts(), two.pulse.checkAlerts(), one.pulse.checkAlerts()]);
      }
    };
    await visits(one.pulse, account, noon + 1_000, 10, 0);
    unwrap(await one.pulse.setAlert(account, { ...rule, above: 0.2, clearBelow: 0.1 }));
    await look();
    expect(told()).toEqual([]); // Ten sessions are too few.
    await visits(one.pulse, account, noon + 2_000, 0, 20);
    await look();
    expect(told()).toEqual([[true, 10, 30]]);
    expect(await one.pulse.listAlerts(account)).toMatchObject([{ journey: 'publish', outside: true }]);
    await visits(one.pulse, account, noon + 3_000, 0, 40);
    await look(); // 10 of 70 is below the limit, but not back.
    expect(told()).toHaveLength(1);
    await visits(one.pulse, account, noon + 4_000, 0, 60);
    await look();
    expect(told()).toEqual([
      [true, 10, 30],
      [false, 10, 130],
    ]);
    unwrap(await two.pulse.removeAlert(account, 'publish', 'error_rate'));
    expect(await two.pulse.removeAlert(account, 'publish', 'error_rate')).toMatchObject({
      failure: { kind: 'not_found', resource: 'alert' },
    });
    await one.pulse.close();
    await two.pulse.close();
  });

  test('what could not be announced is announced by the next look', async () => {
    const account = newId('acc');
    let broken = true;
    let told = 0;
    const announce = async () => {
      if (broken) throw new Error('the outbox is away');
      told++;
    };
    const pulse = startPulse(fresh().database, new MemoryLedger(10n ** 15n), { announce });
    await visits(pulse, account, noon, 30, 0);
    unwrap(await pulse.setAlert(account, { ...rule, above: 0.5 }));
    await pulse.checkAlerts();
    broken = false;
    // A minute later.
    await makeDue();
    await pulse.checkAlerts();
    expect(told).toBe(1);
    expect(await pulse.listAlerts(account)).toMatchObject([{ outside: true }]);
    await pulse.close();
  });

  test('three hundred alerts that fail hold up no other, and all that are due are looked at in one round', async () => {
    const bad = newId('acc');
    const good = newId('acc');
    const told: string[] = [];
    const announce = async (_: unknown, { accountId }: AlertChange) => {
      if (accountId !== good) throw new Error('the outbox is away');
      told.push(accountId);
    };
    const pulse = startPulse(fresh().database, new MemoryLedger(10n ** 15n), { announce });
    const failing = Array.from({ length: 3 }, (_, i) => `${bad}_${i}`);
    for (const account of failing) {
      const events = Array.from({ length: 100 }, (_, i) => failedOnce(`j${i}`));
      unwrap(await pulse.recordEvents(callerOf(account), events));
      for (let i = 0; i < 100; i++)
        unwrap(await pulse.setAlert(account, { ...rule, journey: `j${i}`, above: 0.5, leastSessions: 1 }));
    }
    unwrap(await pulse.recordEvents(callerOf(good), [failedOnce('publish')]));
    unwrap(await pulse.setAlert(good, { ...rule, above: 0.5, leastSessions: 1 }));
    expect(await pulse.checkAlerts()).toBe(1);
    expect(told).toEqual([good]);
    await run(fresh().database, 'DELETE FROM pulse_alert');
    await pulse.close();
    // 300 alerts are set one by one: a bound for a busy machine, not an expectation.
  });

  test('alerts that are set at the same time are counted one after the other', async () => {
    const { pulse } = node();
    const account = newId('acc');
    const journeys = Array.from({ length: 105 }, (_, i) => `j${i}`);
    unwrap(await pulse.recordEvents(callerOf(account), journeys.map(failedOnce)));
    const set = await Promise.all(journeys.map((journey) => pulse.setAlert(account, { ...rule, journey, above: 0.5 })));
    expect(set.filter(({ ok }) => ok)).toHaveLength(100);
    expect(set.find(({ ok }) => !ok)).toMatchObject({ failure: { kind: 'precondition_failed' } });
    expect(await pulse.listAlerts(account)).toHaveLength(100);
    // One that is there already can be changed.
    const [kept] = await pulse.listAlerts(account);
    if (!kept) throw new Error('no alert was kept');
    expect(await pulse.setAlert(account, { ...rule, journey: kept.journey, above: 0.6 })).toMatchObject({ ok: true });
    await pulse.close();
  });

  test('a band from history lets the usual through, and stalls count after their time-out alone', async () => {
    const { pulse, told, clock } = node();
    const account = newId('acc');
    for (let h = 1; h <= 12; h++) await visits(pulse, account, noon - h * hour, 4 + (h % 3), 95);
    await visits(pulse, account, noon + 1_000, 6, 94);
    unwrap(await pulse.setAlert(account, { ...rule, metric: 'stall_rate' }));
    await makeDue();
    expect(await pulse.checkAlerts()).toBe(0);
    await visits(pulse, account, noon + 2_000, 60, 0);
    // They may still go on.
    await makeDue();
    expect(await pulse.checkAlerts()).toBe(0);
    clock.set(noon + 45 * 60_000);
    await makeDue();
    expect(await pulse.checkAlerts()).toBe(1);
    expect(told).toMatchObject([
      { metric: 'stall_rate', outside: true, affected: 66, sessions: 160, band: { source: 'history' } },
    ]);
    await pulse.close();
  });

  test('an alert that is made to flap sends a bounded number of messages an hour, and tells how things stand after it', async () => {
    const told: AlertChange[] = [];
    const clock = fixedClock(noon);
    const announce = async (_: unknown, change: AlertChange) => void told.push(change);
    const more = { clock, announce, alertChangesAnHour: 4 };
    const pulse = startPulse(fresh().database, new MemoryLedger(10n ** 15n), more);
    const [account, other] = [newId('acc'), newId('acc')];
    for (const one of [account, other]) await visits(pulse, one, noon, 10, 10);
    const flap = async (accountId: string, above: number) => {
      unwrap(await pulse.setAlert(accountId, { ...rule, above }));
      await pulse.checkAlerts();
    };
    for (let turn = 0; turn < 5; turn++) {
      await flap(account, 0.1);
      await flap(account, 0.9);
      // One that is set anew is the same account's.
      unwrap(await pulse.removeAlert(account, 'publish', 'error_rate'));
    }
    expect(told.map(({ outside }) => outside)).toEqual([true, false, true, false]);
    await flap(account, 0.1);
    expect(told).toHaveLength(4);
    expect(await pulse.listAlerts(account)).toMatchObject([{ outside: false }]);
    await flap(other, 0.1);
    expect(told[4]).toMatchObject({ accountId: other, outside: true });
    clock.set(noon + hour);
    unwrap(await pulse.setAlert(account, { ...rule, above: 0.1, windowHours: 1 }));
    await pulse.checkAlerts();
    expect(told[5]).toMatchObject({ accountId: account, outside: true });
    await pulse.close();
  });

  test('an alert of a journey that there is not, or that comes back above its limit, is refused', async () => {
    const { pulse } = node();
    expect(await pulse.setAlert('acc_none', { ...rule, above: 0.2 })).toMatchObject({ failure: { kind: 'not_found' } });
    for (const limits of [{ above: 0.2, clearBelow: 0.3 }, { clearBelow: 0.3 }])
      expect(await pulse.setAlert('acc_none', { ...rule, ...limits })).toMatchObject({
        failure: { kind: 'invalid_argument', violations: [{ field: 'clearBelow' }] },
      });
    await pulse.close();
  });
});

test('a band from history needs ten periods, and a few bad ones do not move it', () => {
  const calm = Array.from({ length: 20 }, (_, i) => ({ part: 4 + (i % 3), whole: 100 }));
  expect(bandOfHistory(calm.slice(0, 9), 100)).toBeUndefined();
  const bad = Array.from({ length: 3 }, () => ({ part: 90, whole: 100 }));
  const [before, after] = [bandOfHistory(calm, 10_000), bandOfHistory([...calm, ...bad], 10_000)];
  expect(before?.above).toBeLessThan(0.12);
  expect(after?.above).toBeLessThan(0.12);
  expect(after?.clearBelow).toBeLessThan(after?.above ?? 0);
});
