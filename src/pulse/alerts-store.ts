import type { Queryable } from '../db/index.ts';
import { hexOf, query, run } from './bulk-store.ts';

/** What an alert watches, with its number in the database. */
export const metricNumbers = { error_rate: 1, stall_rate: 2 } as const;
export type AlertMetric = keyof typeof metricNumbers;

export interface AlertRule {
  above?: number;
  clearBelow?: number;
  windowHours: number;
  leastSessions: number;
}

export interface AlertKey {
  accountNo: number;
  journeyNo: number;
  metric: AlertMetric;
}

export interface AlertRow extends AlertKey {
  accountId: string;
  journey: string;
  rule: AlertRule;
  outside: boolean;
  changedMs?: number;
}

/** Adds or replaces a rule. An alert that is outside its band stays outside until the next check. */
export async function putAlert(tx: Queryable, { accountNo, journeyNo, metric }: AlertKey, rule: AlertRule) {
  const text = hexOf(JSON.stringify(rule));
  await run(
    tx,
    `INSERT INTO pulse_alert (account_no, journey_no, metric, rule, outside, check_at)
      VALUES (${accountNo}, ${journeyNo}, ${metricNumbers[metric]}, ${text}, 0, UTC_TIMESTAMP(6))
      ON DUPLICATE KEY UPDATE rule = VALUES(rule), check_at = VALUES(check_at)`,
  );
}

/** False if there was none. */
export async function removeAlert(tx: Queryable, key: AlertKey): Promise<boolean> {
  return (await run(tx, `DELETE FROM pulse_alert WHERE ${isAt(key)}`)) > 0n;
}

/** An account's alerts, ordered by journey number and metric. */
export async function listAlerts(db: Queryable, accountNo: number): Promise<AlertRow[]> {
  return readAlerts(db, `a.account_no = ${accountNo} ORDER BY a.journey_no, a.metric`);
}

export async function dueAlerts(db: Queryable, limit: number): Promise<AlertRow[]> {
  return readAlerts(db, `a.check_at <= UTC_TIMESTAMP(6) ORDER BY a.check_at LIMIT ${limit}`);
}

/** Locks and returns the alert if it is still due: if several nodes see it as due, only one checks it. */
export async function claimAlert(tx: Queryable, key: AlertKey, everySeconds: number): Promise<AlertRow | undefined> {
  if (!(await postpone(tx, key, everySeconds))) return undefined;
  const [row] = await readAlerts(tx, `${isAt(key, 'a.')}`);
  return row;
}

/** Postpones a due alert; false if it is no longer due. */
export async function postpone(tx: Queryable, key: AlertKey, seconds: number): Promise<boolean> {
  const moved = await run(
    tx,
    `UPDATE pulse_alert SET check_at = UTC_TIMESTAMP(6) + INTERVAL ${seconds} SECOND WHERE ${isAt(key)} AND check_at <= UTC_TIMESTAMP(6)`,
  );
  return moved > 0n;
}

export async function setOutside(tx: Queryable, key: AlertKey, outside: boolean): Promise<void> {
  const flag = outside ? 1 : 0;
  await run(tx, `UPDATE pulse_alert SET outside = ${flag}, changed_at = UTC_TIMESTAMP(6) WHERE ${isAt(key)}`);
}

async function readAlerts(db: Queryable, where: string): Promise<AlertRow[]> {
  const rows = await query<{
    account_no: number;
    account_id: string;
    journey_no: number;
    name: string;
    metric: number;
    rule: Buffer;
    outside: number;
    changed_ms: bigint | number | null;
  }>(
    db,
    `SELECT a.account_no, p.account_id, a.journey_no, n.name, a.metric, a.rule, a.outside,
        TIMESTAMPDIFF(MICROSECOND, '1970-01-01', a.changed_at) DIV 1000 AS changed_ms
      FROM pulse_alert a JOIN pulse_account p ON p.account_no = a.account_no
      JOIN pulse_name n ON n.account_no = a.account_no AND n.kind = 1 AND n.journey_no = 0 AND n.name_no = a.journey_no
      WHERE ${where}`,
  );
  return rows.map((row) => ({
    accountNo: row.account_no,
    accountId: row.account_id,
    journeyNo: row.journey_no,
    journey: row.name,
    metric: row.metric === metricNumbers.error_rate ? 'error_rate' : 'stall_rate',
    rule: JSON.parse(row.rule.toString()) as AlertRule,
    outside: row.outside === 1,
    ...(row.changed_ms === null ? {} : { changedMs: Number(row.changed_ms) }),
  }));
}

function isAt({ accountNo, journeyNo, metric }: AlertKey, table = ''): string {
  return `${table}account_no = ${accountNo} AND ${table}journey_no = ${journeyNo} AND ${table}metric = ${metricNumbers[metric]}`;
}
