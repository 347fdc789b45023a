import { sql } from 'kysely';
import type { Queryable } from '../../db/index.ts';
import { usageHourTable, usageUserHourTable } from '../tables.ts';
import { belongs, contributions, placeNames, sumNames } from './contributions.ts';

/** Scans wallets after an id, in id order: returns how far it got, and those whose sums are behind. */
export async function findUnsummed(
  db: Queryable,
  after: string,
  limit: number,
): Promise<{ last: string | undefined; behind: string[] }> {
  const { rows } = await sql<{ id: string; behind: bigint | number }>`
    SELECT id, summed < seq AS behind FROM wallet WHERE id > ${after} ORDER BY id LIMIT ${limit}`.execute(
    db.for<never>(),
  );
  const last = rows.length < limit ? undefined : rows.at(-1)?.id;
  return { last, behind: rows.filter(({ behind }) => Number(behind) !== 0).map(({ id }) => id) };
}

/**
 * Sums a wallet's next unsummed postings under its lock; returns how many. 0 if there are none, or if the lock is held elsewhere.
 */
export async function sumNext(tx: Queryable, walletId: string, limit: number): Promise<number> {
  const executor = tx.for<never>();
  const { rows } = await sql<{ seq: bigint; summed: bigint }>`
    SELECT seq, summed FROM wallet WHERE id = ${walletId} FOR UPDATE SKIP LOCKED`.execute(executor);
  const [wallet] = rows;
  if (!wallet || wallet.summed === wallet.seq) return 0;
  const end = wallet.summed + BigInt(limit) < wallet.seq ? wallet.summed + BigInt(limit) : wallet.seq;
  for (const table of [usageHourTable, usageUserHourTable]) {
    const names = [...placeNames(table), ...sumNames].join(', ');
    const sums = sumNames.map((name) => `SUM(x.${name})`).join(', ');
    const places = placeNames(table)
      .map((name) => `x.${name}`)
      .join(', ');
    await sql`
      INSERT INTO ${sql.table(table.name)} (${sql.raw(names)})
      SELECT ${sql.raw(places)}, ${sql.raw(sums)} FROM (
        SELECT ${sql.raw(contributions(table))} FROM posting p FORCE INDEX (PRIMARY)
        JOIN charge c FORCE INDEX (PRIMARY) ON c.wallet_id = p.wallet_id AND c.id = p.source_id
        WHERE p.wallet_id = ${walletId} AND p.seq > ${wallet.summed} AND p.seq <= ${end}
          AND p.source_type = 'charge' AND ${sql.raw(belongs(table))}
      ) x GROUP BY ${sql.raw(places)}
      ON DUPLICATE KEY UPDATE ${sql.raw(
        sumNames.map((name) => `${name} = ${table.name}.${name} + VALUES(${name})`).join(', '),
      )}`.execute(executor);
  }
  await sql`UPDATE wallet SET summed = ${end}, version = version + 1 WHERE id = ${walletId}`.execute(executor);
  return Number(end - wallet.summed);
}
