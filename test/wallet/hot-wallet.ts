import type { Connection } from 'mysql2/promise';
import { openConnection } from '../../src/db/index.ts';

const rowsAtOnce = 2_000;

/**
 * One wallet with this many paid chats, each with a key, a cap and a posting, written directly, but as the ledger would have written them. And
 * another with a twentieth as many payments, each partly refunded and corrected.
 */
export async function fillWallet(url: string, charges: number): Promise<void> {
  const connection = await openConnection(url, { multipleStatements: true });
  const insert = async (into: string, row: (n: number) => string) => {
    for (let from = 1; from <= charges; from += rowsAtOnce) {
      const rows = Array.from(
        { length: Math.min(rowsAtOnce, charges - from + 1) },
        (_, index) => `(${row(from + index)})`,
      );
      await connection.query(`INSERT INTO ${into} VALUES ${rows.join(',')}`);
    }
  };
  const id = (n: number) => `chg_${String(n).padStart(12, '0')}`;
  const paid = 9_000_000_000_000n;
  const start = 1_700_000_000_000_000n;
  try {
    await connection.query(
      `INSERT INTO price_book_version (version, imported_at) VALUES (1, '2020-01-01');
       INSERT INTO price (item, account_id, version, effective_at, imported_at, input_per_million, output_per_million)
         VALUES ('model:up/one', '', 1, '2020-01-01', '2020-01-01', 1000000000, 1000000000);
       INSERT INTO wallet (id, account_id, kind, posted, seq, charges, created_at_us)
         VALUES ('wal_1', 'acc_1', 'api', ${paid - BigInt(charges) * 2_000n}, ${charges + 1}, ${charges}, ${start});
       INSERT INTO credential_state (id, account_id, state, least_version) VALUES ('key_1', 'acc_1', 'active', 1);
       INSERT INTO cap (owner, wallet_id, spending_limit, held, spent) VALUES ('key:key_1', 'wal_1', ${paid}, 0, ${charges * 2_000});
       INSERT INTO top_up (id, wallet_id, amount, state, provider, created_at_us, paid_at_us)
         VALUES ('top_1', 'wal_1', ${paid}, 'paid', 'sandbox', ${start}, ${start});
       INSERT INTO posting VALUES ('wal_1', 1, 'top_up', 'payments:sandbox', 'wallet', ${paid}, ${paid}, 'top_up', 'top_1', 'credit', ${start})`,
    );
    await insert(
      `charge (wallet_id, id, state, hold, settled, key_id, key_version, operation, provider, model, price_version, input_tokens,
        output_tokens, requests, node_id, caps, idempotency_scope, idempotency_key, idempotency_fingerprint, idempotency_fence,
        created_at_us, ended_at_us)`,
      (n) =>
        `'wal_1','${id(n)}','settled',5000,2000,'key_1',1,'chat','up','one',1,1,1,1,'nod_1',1,'acc_1','k${n}',REPEAT('f',32),1,${start + BigInt(n)},${start + BigInt(n)}`,
    );
    await insert(
      'posting',
      (n) =>
        `'wal_1',${n + 1},'usage','wallet','revenue',2000,${paid - BigInt(n) * 2_000n},'charge','${id(n)}','capture',${start + BigInt(n)}`,
    );
    await insert('charge_cap', (n) => `'wal_1','${id(n)}','key:key_1'`);
    await insert(
      'idempotency (scope, idempotency_key, fingerprint, wallet_id, charge_id, fence, captured_charge_id)',
      (n) => `'acc_1','k${n}',REPEAT('f',32),'wal_1','${id(n)}',1,'${id(n)}'`,
    );
    await takeBack(connection, Math.ceil(charges / 20), start);
  } finally {
    await connection.end();
  }
}

async function takeBack(connection: Connection, payments: number, start: bigint): Promise<void> {
  const [paid, taken, corrected] = [5_000_000_000n, 1_000_000_000n, 1n];
  const left = paid - taken + corrected;
  const rows = {
    topUps: [] as string[],
    receivables: [] as string[],
    adjustments: [] as string[],
    postings: [] as string[],
  };
  for (let n = 0; n < payments; n++) {
    const [id, at] = [`top_${String(n + 2).padStart(12, '0')}`, start + BigInt(n)];
    let balance = left * BigInt(n);
    const post = (kind: string, step: string, amount: bigint, account: string, source = id) => {
      balance += amount;
      const [debit, credit] = amount > 0n ? [account, 'wallet'] : ['wallet', account];
      const size = amount > 0n ? amount : -amount;
      const seq = 3 * n + (kind === 'top_up' ? 1 : kind === 'refund' ? 2 : 3);
      rows.postings.push(
        `('wal_2',${seq},'${kind}','${debit}','${credit}',${size},${balance},'${kind}','${source}','${step}',${at})`,
      );
    };
    post('top_up', 'credit', paid, 'payments:sandbox');
    post('refund', 'take:re_1', -taken, 'payments:sandbox');
    post('adjustment', 'apply', corrected, 'adjustments', `adj_${n}`);
    rows.topUps.push(`('${id}','wal_2',${paid},'paid','sandbox',${taken},${at},${at})`);
    rows.receivables.push(`('${id}','re_1','wal_2','refund','final',${taken},${taken},0,0,${at},'payments:sandbox')`);
    rows.adjustments.push(`('adj_${n}','wal_2',${corrected},'test','op','key ${n}',${at})`);
  }
  await connection.query(
    `INSERT INTO wallet (id, account_id, kind, posted, seq, created_at_us)
       VALUES ('wal_2', 'acc_2', 'api', ${left * BigInt(payments)}, ${3 * payments}, ${start});
     INSERT INTO top_up (id, wallet_id, amount, state, provider, reversed, created_at_us, paid_at_us) VALUES ${rows.topUps.join(',')};
     INSERT INTO receivable (source_id, reference, wallet_id, kind, state, amount, taken, owed, repayments, created_at_us, counter_account)
       VALUES ${rows.receivables.join(',')};
     INSERT INTO adjustment (id, wallet_id, amount, reason, actor, idempotency_key, created_at_us) VALUES ${rows.adjustments.join(',')};
     INSERT INTO posting VALUES ${rows.postings.join(',')}`,
  );
}
