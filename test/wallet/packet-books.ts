import type { Connection, RowDataPacket } from 'mysql2/promise';
import type { Books } from './packet-operations.ts';

/** Reads everything stored about one account's API wallet, over a connection that accepts multiple statements. */
export async function readBooks(connection: Connection, accountId: string): Promise<Books> {
  const own = `wallet_id = (SELECT id FROM wallet WHERE account_id = '${accountId}' AND kind = 'api')`;
  const [results] = await connection.query<RowDataPacket[][]>(
    `SELECT posted, held, owed FROM wallet WHERE account_id = '${accountId}' AND kind = 'api';
     SELECT CONCAT(state, ' ', COALESCE(settled, '-'), ' of ', hold, IF(progress_cost > 0, CONCAT(', progress ', progress_cost), ''))
       AS line FROM charge WHERE ${own} ORDER BY created_at_us, id;
     SELECT CONCAT(kind, IF(credit_account = 'wallet', ' ', ' -'), amount) AS line FROM posting WHERE ${own} ORDER BY seq;
     SELECT CONCAT('held ', held, ', spent ', spent) AS line FROM cap WHERE ${own} ORDER BY owner;
     SELECT CONCAT(state, ' ', amount, ', reversed ', reversed) AS line FROM top_up WHERE ${own} ORDER BY id;
     SELECT CONCAT(kind, ' ', reference, ' ', state, ' ', amount, ', taken ', taken, ', owed ', owed) AS line
       FROM receivable WHERE ${own} ORDER BY source_id, reference;
     SELECT amount AS line FROM adjustment WHERE ${own} ORDER BY id`,
  );
  const [wallets = [], ...lists] = results;
  const [charges = [], postings = [], caps = [], topUps = [], receivables = [], adjustments = []] = lists.map((rows) =>
    rows.map(({ line }) => String(line)),
  );
  const [wallet] = wallets;
  if (!wallet) throw new Error('The wallet is gone.');
  const { posted, held, owed } = wallet;
  return { posted, held, owed, charges, postings, caps, topUps, receivables, adjustments };
}
