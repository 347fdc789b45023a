import { sql } from 'kysely';
import type { NanoUsd } from '../../base/money.ts';
import type { Queryable } from '../../db/index.ts';
import { ofRareSource } from './entries-store.ts';
import type { Movement } from './statements.ts';

/** A wallet's balance after the posting with this number; 0 before the first. */
export async function balanceAfter(db: Queryable, walletId: string, seq: bigint): Promise<NanoUsd> {
  if (seq === 0n) return 0n;
  const { rows } = await sql<{ balance: bigint }>`
    SELECT balance_after AS balance FROM posting WHERE wallet_id = ${walletId} AND seq = ${seq}`.execute(
    db.for<never>(),
  );
  const [row] = rows;
  if (!row) throw new Error('A posting of the wallet is missing.');
  return BigInt(row.balance);
}

/** The sums by kind of a wallet's non-usage postings, from number `from` (inclusive) to `to` (exclusive). */
export async function sumRare(
  db: Queryable,
  { walletId, from, to }: { walletId: string; from: bigint; to: bigint },
): Promise<Movement[]> {
  const { rows } = await sql<{ kind: Movement['kind']; count: bigint; amount: bigint }>`
    SELECT posting.kind, COUNT(*) AS count,
      SUM(IF(posting.credit_account = 'wallet', posting.amount, -posting.amount)) AS amount
    FROM ${ofRareSource(walletId)}
    WHERE posting.wallet_id = ${walletId} AND posting.seq >= ${from} AND posting.seq < ${to}
    GROUP BY posting.kind ORDER BY posting.kind`.execute(db.for<never>());
  return rows.map(({ kind, count, amount }) => ({ kind, count: BigInt(count), amount: BigInt(amount) }));
}
