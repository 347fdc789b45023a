import type { Logger } from 'pino';
import type { Clock } from '../base/clock.ts';
import { fail, invalid, type Result, succeed } from '../base/failure.ts';
import { createRounds } from '../base/rounds.ts';
import type { Database, Queryable } from '../db/index.ts';
import * as store from './alerts-store.ts';
import { type Band, bandOfHistory, declaredBand, isOutside } from './band.ts';
import { createChangeAllowance } from './change-allowance.ts';
import { Names } from './names.ts';
import type { PeriodSums } from './period-sums.ts';
import { findAccount, lockAccount, readJourneyNames } from './pulse-store.ts';
import { allSessions, type OpenJourney, openJourney, type Period, type Series, sumPeriod } from './read-period.ts';
import { totalsOf } from './report.ts';
import { hourMs, hoursPerDay } from './rollup.ts';
import type { Share } from './statistics.ts';

/** Watches one rate of one journey. */
export interface Alert {
  journey: string;
  metric: store.AlertMetric;
  /** The account is alerted when the rate, 0 to 1, rises above this; unset: a band computed from the last 14 days. */
  above?: number;
  /** The alert clears when the rate falls below this; unset: 0.8 of `above`. */
  clearBelow?: number;
  /** The window: sessions that began in the current hour or in this many hours before it. */
  windowHours: number;
  /** With fewer sessions, the alert stays silent. */
  leastSessions: number;
}

export interface WatchedAlert extends Alert {
  outside: boolean;
  /** When `outside` last changed. */
  changedMs?: number;
}

/** A rate has left its band or returned to it. */
export interface AlertChange {
  accountId: string;
  journey: string;
  metric: store.AlertMetric;
  outside: boolean;
  rate: number;
  /** The rate's numerator and denominator. */
  affected: number;
  sessions: number;
  band: Band & { source: 'declared' | 'history' };
  fromMs: number;
  toMs: number;
}

export interface Alerts {
  set(accountId: string, alert: Alert): Promise<Result<WatchedAlert>>;
  list(accountId: string): Promise<WatchedAlert[]>;
  remove(accountId: string, journey: string, metric: store.AlertMetric): Promise<Result<undefined>>;
  /** Checks all alerts that are due; also runs automatically every minute. Returns how many changes were announced. */
  check(): Promise<number>;
  close(): Promise<void>;
}

export interface AlertsDeps {
  db: Database;
  clock: Clock;
  log: Logger;
  /** Runs in the transaction that records the change, so that each is announced exactly once across all nodes. */
  announce(tx: Queryable, change: AlertChange): Promise<void>;
  /** How many changes an account is told of in an hour, on each node. */
  changesAnHour?: number;
}

/** More than all alerts of an account change when something breaks and is mended. */
const changesAnHourDefault = 300;
const alertsMax = 100;
const everySeconds = 60;
const alertsAtOnceMax = 200;
const alertsARoundMax = 10_000;
const historyHours = 14 * hoursPerDay;

export function createAlerts({ db, clock, log, announce, changesAnHour = changesAnHourDefault }: AlertsDeps): Alerts {
  const allowance = createChangeAllowance(clock, changesAnHour);
  let stopped = false;

  /** Handles one alert in one transaction: claim, check, record, announce. True if there was a change. */
  async function look(key: store.AlertKey): Promise<boolean> {
    return db.transaction(async (tx) => {
      const alert = await store.claimAlert(tx, key, everySeconds);
      if (!alert) return false;
      const seen = await judge(tx, alert, clock.now());
      if (!seen || seen.outside === alert.outside) return false;
      // Its state stays, so the change is told later if it still is one.
      if (!allowance.isLeft(alert.accountId)) return false;
      await store.setOutside(tx, key, seen.outside);
      await announce(tx, seen);
      return true;
    });
  }

  async function check(): Promise<number> {
    let changes = 0;
    for (let looked = 0; looked < alertsARoundMax && !stopped; looked += alertsAtOnceMax) {
      const due = await store.dueAlerts(db, alertsAtOnceMax);
      for (const alert of due) if (!stopped && (await tryLook(alert))) changes++;
      if (due.length < alertsAtOnceMax) break;
    }
    return changes;
  }

  async function tryLook(alert: store.AlertRow): Promise<boolean> {
    try {
      const hasChanged = await look(alert);
      if (hasChanged) allowance.take(alert.accountId);
      return hasChanged;
    } catch (error) {
      log.warn({ err: error, metric: alert.metric }, 'an alert could not be looked at; it is tried again in a minute');
      // Moves it behind the others, so that a few alerts that always fail block nobody.
      await db.transaction((tx) => store.postpone(tx, alert, everySeconds));
      return false;
    }
  }

  const rounds = createRounds({
    everyMs: everySeconds * 1_000,
    run: check,
    onError: (error) => log.warn({ err: error }, 'pulse alerts could not be read; they are tried again'),
  });
  rounds.start();

  return {
    async set(accountId, alert) {
      const problem = problemOf(alert);
      if (problem) return problem;
      const key = await keyOf(db, accountId, alert.journey, alert.metric);
      if (!key.ok) return key;
      const { journey: _, metric: __, ...rule } = alert;
      return db.transaction(async (tx): Promise<Result<WatchedAlert>> => {
        // Serializes concurrent calls, so that the count of alerts is right.
        await lockAccount(tx, key.value.accountNo);
        const alerts = await store.listAlerts(tx, key.value.accountNo);
        const known = alerts.find((one) => isSame(one, key.value));
        if (!known && alerts.length >= alertsMax)
          return fail({
            kind: 'precondition_failed',
            description: `The account has ${alertsMax} alerts, the maximum. Delete one first.`,
          });
        await store.putAlert(tx, key.value, rule);
        return succeed({ ...alert, outside: known?.outside ?? false, ...changedAt(known) });
      });
    },
    async list(accountId) {
      const accountNo = await findAccount(db, accountId);
      return accountNo === undefined ? [] : (await store.listAlerts(db, accountNo)).map(watched);
    },
    async remove(accountId, journey, metric) {
      const key = await keyOf(db, accountId, journey, metric);
      if (!key.ok) return key;
      const removed = await db.transaction((tx) => store.removeAlert(tx, key.value));
      return removed ? succeed(undefined) : fail({ kind: 'not_found', resource: 'alert' });
    },
    check,
    close: () => {
      stopped = true;
      return rounds.close();
    },
  };
}

function watched({ journey, metric, rule, outside, ...row }: store.AlertRow): WatchedAlert {
  return { journey, metric, ...rule, outside, ...changedAt(row) };
}

function changedAt(row: { changedMs?: number } | undefined): { changedMs?: number } {
  return row?.changedMs === undefined ? {} : { changedMs: row.changedMs };
}

function isSame(a: store.AlertKey, b: store.AlertKey): boolean {
  return a.journeyNo === b.journeyNo && a.metric === b.metric;
}

function problemOf({ above, clearBelow }: Alert) {
  if (clearBelow !== undefined && above === undefined)
    return fail(invalid('clearBelow', 'is for a declared limit; give `above` as well'));
  if (clearBelow !== undefined && above !== undefined && clearBelow > above)
    return fail(invalid('clearBelow', 'must not be more than `above`'));
  return undefined;
}

async function keyOf(
  db: Database,
  accountId: string,
  journey: string,
  metric: store.AlertMetric,
): Promise<Result<store.AlertKey>> {
  const accountNo = await findAccount(db, accountId);
  const names = accountNo === undefined ? [] : await readJourneyNames(db, accountNo, journey);
  const journeyNo = new Names(names).journeys.get(journey)?.no;
  if (accountNo === undefined || journeyNo === undefined) return fail({ kind: 'not_found', resource: 'journey' });
  return succeed({ accountNo, journeyNo, metric });
}

/** The alert's current rate, compared with its band. Undefined if there are too few sessions to tell. */
async function judge(tx: Queryable, alert: store.AlertRow, nowMs: number): Promise<AlertChange | undefined> {
  const { accountId, journey, metric, rule } = alert;
  const found = await openJourney(tx, { accountId, journey }, nowMs);
  if (!found.ok) return undefined;
  const open = found.value;
  const to = Math.floor(nowMs / hourMs) + 1;
  const period = { from: to - rule.windowHours - 1, to };
  const share = shareOf(await sumPeriod(open, period), metric);
  if (share.whole < rule.leastSessions) return undefined;
  const declared = rule.above !== undefined;
  const band = declared
    ? declaredBand(rule.above ?? 0, rule.clearBelow)
    : bandOfHistory(await historyOf(open, period, alert), share.whole);
  if (!band) return undefined;
  const rate = share.part / share.whole;
  return {
    ...{ accountId, journey, metric, outside: isOutside(rate, band, alert.outside) },
    ...{ rate, affected: share.part, sessions: share.whole },
    band: { ...band, source: declared ? 'declared' : 'history' },
    ...{ fromMs: period.from * hourMs, toMs: period.to * hourMs },
  };
}

/** The same rate in earlier periods of the same length, as far as they have enough sessions. */
async function historyOf(open: OpenJourney, { from, to }: Period, { metric, rule }: store.AlertRow): Promise<Share[]> {
  const series: Series = { groupBy: 'hour', points: new Map() };
  await sumPeriod(open, { from: from - historyHours, to: from }, allSessions, series);
  const past = new Map<number, Share>();
  for (const [hour, sums] of series.points) {
    const share = shareOf(sums, metric);
    const place = Math.floor((from - 1 - hour) / (to - from));
    const known = past.get(place) ?? { part: 0, whole: 0 };
    past.set(place, { part: known.part + share.part, whole: known.whole + share.whole });
  }
  return [...past.values()].filter(({ whole }) => whole >= rule.leastSessions);
}

/** A session that is still active has not stalled yet. The goal plays no part here. */
function shareOf(sums: PeriodSums, metric: store.AlertMetric): Share {
  const { sessions, active, abandoned, erroredSessions } = totalsOf(sums, { asDeclared: false });
  if (metric === 'error_rate') return { part: erroredSessions, whole: sessions };
  return { part: abandoned, whole: sessions - active };
}
