import { query } from '../wallet/support.ts';

/** Rows that one group writes together, by what would be left of them if only a part of it were committed. */
const parts: Record<string, string> = {
  'a posting whose charge did not settle': `SELECT COUNT(*) AS rows_ FROM posting p
    LEFT JOIN charge c ON c.wallet_id = p.wallet_id AND c.id = p.source_id
    WHERE p.source_type = 'charge' AND (c.id IS NULL OR c.state <> 'settled')`,
  'a settled charge without its posting': `SELECT COUNT(*) AS rows_ FROM charge c
    LEFT JOIN (SELECT source_id FROM posting WHERE source_type = 'charge' GROUP BY source_id) p ON p.source_id = c.id
    WHERE c.state = 'settled' AND c.settled > 0 AND p.source_id IS NULL`,
  'a charge with a key and without its spending cap': `SELECT COUNT(*) AS rows_ FROM charge c
    LEFT JOIN charge_cap k ON k.wallet_id = c.wallet_id AND k.charge_id = c.id
    WHERE c.idempotency_key IS NOT NULL AND k.charge_id IS NULL`,
  'a spending cap of no charge': `SELECT COUNT(*) AS rows_ FROM charge_cap k
    LEFT JOIN charge c ON c.wallet_id = k.wallet_id AND c.id = k.charge_id WHERE c.id IS NULL`,
  'a key of no charge': `SELECT COUNT(*) AS rows_ FROM idempotency i
    LEFT JOIN charge c ON c.wallet_id = i.wallet_id AND c.id = i.charge_id WHERE c.id IS NULL`,
  'a settled charge with a key and without its reply': `SELECT COUNT(*) AS rows_ FROM charge c
    LEFT JOIN stored_reply r ON r.charge_id = c.id
    WHERE c.state = 'settled' AND c.idempotency_key IS NOT NULL AND r.charge_id IS NULL`,
  'a reply of no settled charge': `SELECT COUNT(*) AS rows_ FROM stored_reply r
    LEFT JOIN charge c ON c.id = r.charge_id WHERE c.id IS NULL OR c.state <> 'settled'`,
};

/** What of a group is there without the rest of it; empty when every group is whole or absent. */
export async function findTornGroups(url: string): Promise<Record<string, number>> {
  const found: Record<string, number> = {};
  for (const [name, sql] of Object.entries(parts)) {
    const [row] = await query(url, sql);
    const count = Number(row?.rows_);
    if (count > 0) found[name] = count;
  }
  return found;
}
