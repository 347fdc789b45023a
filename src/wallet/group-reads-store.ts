import { escape as quote } from 'mysql2';
import {
  integer,
  takeAdjustment,
  takeCap,
  takeCharge,
  takeCredential,
  takeIdempotency,
  takeReceivable,
  takeTopUp,
  takeWallet,
} from './group-rows-store.ts';
import { emptyState, type GroupState } from './group-state.ts';
import type { LedgerConnection, Row } from './ledger-connection-store.ts';
import { type Operation, requestOf } from './operation.ts';

/**
 * Starts the group's transaction and locks every row that its operations look at, in one packet: wallets first, in
 * the order of their ids, then the rest. All writers of a wallet's rows take the wallet's lock first, so two nodes
 * never wait for each other in a circle.
 *
 * The index is forced: a plan that scans would lock every row it passes. Lists are under 1,000 constants because a group has at most 400 operations: at 1,000 MariaDB turns a list into a join
 * that locks out of order.
 */
export async function lockRows(
  connection: LedgerConnection,
  operations: readonly Operation[],
  nodeId: string,
): Promise<GroupState> {
  const state = emptyState(nodeId);
  const reads = planReads(operations, state);
  const statements = ['START TRANSACTION', ...reads.map(({ sql }) => sql), clock];
  const results = await connection.read(statements.join(';'));
  reads.forEach(({ take }, index) => {
    for (const row of results[index + 1] ?? []) take(row);
  });
  state.nowUs = integer(results[results.length - 1]?.[0]?.[0]);
  return state;
}

// Not NOW(): that is the time before the locks were waited for.
const clock = "SELECT TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6))";

interface Read {
  sql: string;
  take: (row: Row) => void;
}

function planReads(operations: readonly Operation[], state: GroupState): Read[] {
  const wanted = collect(operations);
  const reads: Read[] = [
    {
      sql: `SELECT id, posted, held, owed, open_disputes, seq, version FROM wallet FORCE INDEX (PRIMARY) WHERE id IN (${texts([...wanted.wallets].sort())}) ORDER BY id FOR UPDATE`,
      take: (row) => takeWallet(row, state),
    },
  ];
  const add = (values: ReadonlySet<string>, sql: (list: string) => string, take: (row: Row) => void) => {
    if (values.size > 0) reads.push({ sql: sql([...values].join(',')), take });
  };
  add(
    wanted.idempotency,
    (
      list,
    ) => `SELECT i.scope, i.idempotency_key, LOWER(HEX(i.fingerprint)), i.wallet_id, i.charge_id, c.state, c.settled
      FROM idempotency i FORCE INDEX (PRIMARY) JOIN charge c FORCE INDEX (PRIMARY) ON c.wallet_id = i.wallet_id AND c.id = i.charge_id
      WHERE (i.scope, i.idempotency_key) IN (${list}) FOR UPDATE`,
    (row) => takeIdempotency(row, state),
  );
  if (wanted.charges.size > 0)
    reads.push({
      sql: `SELECT wallet_id, id, state, hold, settled, uncollected, reversed, progress_cost, expires_at_us, ended_at_us
        FROM charge FORCE INDEX (PRIMARY) WHERE ${chargesIn(wanted.charges)} FOR UPDATE`,
      take: (row) => takeCharge(row, state),
    });
  add(
    wanted.caps,
    (list) =>
      `SELECT owner, wallet_id, spending_limit, held, spent FROM cap FORCE INDEX (PRIMARY) WHERE owner IN (${list}) ORDER BY owner FOR UPDATE`,
    (row) => takeCap(row, state),
  );
  add(
    wanted.credentials,
    (
      list,
    ) => `SELECT id, account_id, state, least_version, least_version_from_ms, expires_at_ms FROM credential_state FORCE INDEX (PRIMARY)
      WHERE id IN (${list}) ORDER BY id FOR UPDATE`,
    (row) => takeCredential(row, state),
  );
  add(
    wanted.topUps,
    (list) =>
      `SELECT id, wallet_id, amount, state, provider, reversed FROM top_up FORCE INDEX (PRIMARY) WHERE id IN (${list}) ORDER BY id FOR UPDATE`,
    (row) => takeTopUp(row, state),
  );
  add(
    wanted.owingWallets,
    (list) => `SELECT top_up_id, reference, wallet_id, kind, state, amount, taken, owed, repayments FROM receivable
      WHERE wallet_id IN (${list}) ORDER BY created_at_us, top_up_id, reference FOR UPDATE`,
    (row) => takeReceivable(row, state),
  );
  add(
    wanted.adjustments,
    (list) => `SELECT wallet_id, idempotency_key, id, amount, charge_id FROM adjustment
      WHERE (wallet_id, idempotency_key) IN (${list}) FOR UPDATE`,
    (row) => takeAdjustment(row, state),
  );
  return reads;
}

interface Wanted {
  wallets: Set<string>;
  idempotency: Set<string>;
  /** Ids by wallet. */
  charges: Map<string, string[]>;
  caps: Set<string>;
  credentials: Set<string>;
  topUps: Set<string>;
  owingWallets: Set<string>;
  adjustments: Set<string>;
}

function collect(operations: readonly Operation[]): Wanted {
  const wanted: Wanted = {
    wallets: new Set(),
    idempotency: new Set(),
    charges: new Map(),
    caps: new Set(),
    credentials: new Set(),
    topUps: new Set(),
    owingWallets: new Set(),
    adjustments: new Set(),
  };
  for (const operation of operations) {
    wanted.wallets.add(operation.walletId);
    collectOne(operation, wanted);
  }
  return wanted;
}

function collectOne(operation: Operation, wanted: Wanted): void {
  switch (operation.type) {
    case 'charge':
    case 'hold': {
      const { keyId, tokenId, deviceId, caps, idempotency } = requestOf(operation);
      wanted.credentials.add(quote(keyId));
      if (tokenId !== undefined) wanted.credentials.add(quote(tokenId));
      if (deviceId !== undefined) wanted.credentials.add(quote(deviceId));
      if (caps) for (const cap of caps) wanted.caps.add(quote(cap.owner));
      if (idempotency) wanted.idempotency.add(pair(idempotency.scope, idempotency.key));
      return;
    }
    case 'credit':
      wanted.topUps.add(quote(operation.topUpId));
      return;
    case 'reverse':
    case 'conclude':
      wanted.topUps.add(quote(operation.topUpId));
      wanted.owingWallets.add(quote(operation.walletId));
      return;
    case 'repay':
      wanted.owingWallets.add(quote(operation.walletId));
      return;
    case 'adjust':
      wanted.adjustments.add(pair(operation.walletId, operation.idempotencyKey));
      if (operation.chargeId !== undefined) wantCharge(operation.walletId, operation.chargeId, wanted);
      return;
    default:
      wantCharge(operation.walletId, operation.chargeId, wanted);
      for (const owner of operation.capOwners) wanted.caps.add(quote(owner));
  }
}

function wantCharge(walletId: string, chargeId: string, { charges }: Wanted): void {
  const ids = charges.get(walletId);
  if (ids) ids.push(chargeId);
  else charges.set(walletId, [chargeId]);
}

// For one wallet a plain list: it takes a third less time than a list of pairs.
function chargesIn(charges: ReadonlyMap<string, string[]>): string {
  const [only] = charges;
  if (only && charges.size === 1) return `wallet_id = ${quote(only[0])} AND id IN (${texts(only[1])})`;
  const pairs = [...charges].flatMap(([walletId, ids]) => ids.map((id) => pair(walletId, id)));
  return `(wallet_id, id) IN (${pairs.join(',')})`;
}

function pair(first: string, second: string): string {
  return `(${quote(first)},${quote(second)})`;
}

function texts(values: readonly string[]): string {
  return values.map((value) => quote(value)).join(',');
}
