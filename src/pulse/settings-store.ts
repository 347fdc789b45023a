import type { Queryable } from '../db/index.ts';
import { hexOf, query, run } from './bulk-store.ts';
import type { Plan } from './plan.ts';
import { createSettings, type Property, type Settings } from './settings.ts';

/** What an account has declared, as seen by this transaction. */
export async function readSettings(db: Queryable, accountNo: number): Promise<Settings> {
  const [account] = await query<{ settings_version: number }>(
    db,
    `SELECT settings_version FROM pulse_account WHERE account_no = ${accountNo}`,
  );
  const properties = await query<{ property_no: number; name: string; active: number }>(
    db,
    `SELECT property_no, name, active FROM pulse_property WHERE account_no = ${accountNo} ORDER BY property_no`,
  );
  const plans = await query<{ journey_no: number; version: number; plan: Buffer }>(
    db,
    `SELECT journey_no, version, plan FROM pulse_plan WHERE account_no = ${accountNo}`,
  );
  return createSettings(
    account?.settings_version ?? 0,
    properties.map((row) => ({ no: row.property_no, name: row.name, active: row.active === 1 })),
    plans.map((row) => ({
      journeyNo: row.journey_no,
      plan: { ...(JSON.parse(row.plan.toString()) as Omit<Plan, 'version'>), version: row.version },
    })),
  );
}

/** Makes every node reread the declarations before it writes. The account must be locked. */
export async function settingsChanged(tx: Queryable, accountNo: number): Promise<void> {
  await run(tx, `UPDATE pulse_account SET settings_version = settings_version + 1 WHERE account_no = ${accountNo}`);
}

export async function putProperty(tx: Queryable, accountNo: number, { no, name, active }: Property): Promise<void> {
  const flag = active ? 1 : 0;
  await run(
    tx,
    `INSERT INTO pulse_property (account_no, property_no, name, active) VALUES (${accountNo}, ${no}, ${hexOf(name)}, ${flag})
      ON DUPLICATE KEY UPDATE active = ${flag}`,
  );
}

export async function addPlan(
  tx: Queryable,
  { accountNo, journeyNo }: { accountNo: number; journeyNo: number },
  { version, ...plan }: Plan,
): Promise<void> {
  await run(
    tx,
    `INSERT INTO pulse_plan (account_no, journey_no, version, plan) VALUES (${accountNo}, ${journeyNo}, ${version}, ${hexOf(JSON.stringify(plan))})`,
  );
}
