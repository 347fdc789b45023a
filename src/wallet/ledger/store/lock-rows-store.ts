import type { ChangingRow, Table } from '../../columns.ts';
import {
  adjustmentTable,
  capTable,
  chargeTable,
  credentialTable,
  idempotencyTable,
  receivableTable,
  topUpTable,
  walletTable,
} from '../../tables.ts';
import { debtReference, GroupState, type Rows } from '../decide/group-state.ts';
import { type Operation, requestOf } from '../operation.ts';
import { begin, guard, type LedgerConnection, type Row } from './connection-store.ts';
import { parseRow, quoteAll, quotePair, selectList } from './table-store.ts';

/** How the rows of a group are locked. */
export interface LockTerms {
  nodeId: string;
  /** Leave out wallets locked elsewhere and report them; otherwise a single one fails the group. */
  skipLocked: boolean;
}

export interface LockedRows {
  state: GroupState;
  /** Wallets locked elsewhere, so none of their operations can be decided now. */
  lockedElsewhere: ReadonlySet<string>;
}

/**
 * Starts the group's transaction and locks every row that its operations look at: wallets first, in the order of their ids, then
 * the rest. Any decision based on a wallet's rows takes the wallet's lock first. No read waits for a lock held elsewhere: the
 * group fails at once and is retried with `skipLocked`, at the cost of one more round trip.
 *
 * The index is forced: a scanning plan would lock every row it passes. Lists stay under 1,000 constants, because at 1,000 MariaDB
 * turns a list into a join that locks out of order.
 */
export async function lockRows(
  connection: LedgerConnection,
  operations: readonly Operation[],
  { nodeId, skipLocked }: LockTerms,
): Promise<LockedRows> {
  const state = new GroupState(nodeId);
  const free = new Set(operations.map(({ walletId }) => walletId));
  if (!skipLocked) {
    await read(connection, [...begin, lockWallets(free, 'NOWAIT')], planReads(operations), state);
    return { state, lockedElsewhere: new Set() };
  }
  const ids = walletIds(await connection.read([...begin, lockWallets(free, 'SKIP LOCKED')].join(';')));
  const missing = [...free].filter((id) => !ids.has(id));
  const lockedElsewhere = missing.length === 0 ? new Set<string>() : await existing(connection, missing);
  for (const id of lockedElsewhere) free.delete(id);
  if (free.size === 0) return { state, lockedElsewhere };
  const mine = operations.filter(({ walletId }) => free.has(walletId));
  await read(connection, [...guard, lockWallets(free, 'NOWAIT')], planReads(mine), state);
  return { state, lockedElsewhere };
}

// Not NOW(), which is the time before waiting for the locks.
const clock = "SELECT TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6))";

interface Read {
  sql: string;
  /** Adds a row to the state; its first column is at `from`. */
  take: (row: Row, state: GroupState, from?: number) => void;
}

async function read(
  connection: LedgerConnection,
  first: readonly string[],
  reads: readonly Read[],
  state: GroupState,
): Promise<void> {
  const results = await connection.read([...first, ...reads.map(({ sql }) => sql), clock].join(';'));
  for (const row of results[first.length - 1] ?? []) {
    const wallet = parseRow(walletTable, row);
    state.wallets.read(wallet.id, wallet);
  }
  reads.forEach(({ take }, index) => {
    for (const row of results[first.length + index] ?? []) take(row, state);
  });
  const time = results.at(-1)?.[0]?.[0];
  if (typeof time !== 'string') throw new Error('The database told no time.');
  state.nowUs = BigInt(time);
}

function lockWallets(ids: ReadonlySet<string>, mode: 'NOWAIT' | 'SKIP LOCKED'): string {
  return `SELECT ${selectList(walletTable)} FROM wallet t FORCE INDEX (PRIMARY) WHERE t.id IN (${quoteAll([...ids].sort())}) ORDER BY t.id FOR UPDATE ${mode}`;
}

function walletIds(results: readonly (readonly Row[])[]): Set<string> {
  return new Set((results.at(-1) ?? []).map((row) => parseRow(walletTable, row).id));
}

/** Which of these wallets exist, locked or not. */
async function existing(connection: LedgerConnection, ids: readonly string[]): Promise<Set<string>> {
  const results = await connection.read([...guard, `SELECT id FROM wallet WHERE id IN (${quoteAll(ids)})`].join(';'));
  return new Set((results.at(-1) ?? []).map(([id]) => String(id)));
}

const forUpdate = 'FOR UPDATE NOWAIT';
/** Groups can read a credential concurrently; only a change to it excludes them. Each server has its own syntax. */
const forShare = '/*!80001 FOR SHARE NOWAIT */ /*M! LOCK IN SHARE MODE NOWAIT */';

function planReads(operations: readonly Operation[]): Read[] {
  const wanted = collect(operations);
  const reads: Read[] = [];
  const add = ({ size }: ReadonlySet<unknown>, sql: () => string, take: Read['take']) => {
    if (size > 0) reads.push({ sql: sql(), take });
  };
  const takeKey = takeInto(idempotencyTable, ({ idempotency }) => idempotency);
  const takeCharge = takeInto(chargeTable, ({ charges }) => charges, ['id']);
  const chargeFrom = idempotencyTable.changing.length;
  add(
    wanted.keys,
    () => `SELECT ${selectList(idempotencyTable)}, ${selectList(chargeTable, 'c')}
      FROM idempotency t FORCE INDEX (PRIMARY) LEFT JOIN charge c FORCE INDEX (PRIMARY) ON c.wallet_id = t.wallet_id AND c.id = t.charge_id
      WHERE (t.scope, t.idempotency_key) IN (${[...wanted.keys].join(',')}) ${forUpdate}`,
    (row, state) => {
      takeKey(row, state);
      if (row[chargeFrom] !== null) takeCharge(row, state, chargeFrom);
    },
  );
  const charges = () => lockBy(chargeTable, 'PRIMARY', `${chargesIn([...wanted.charges])} ${forUpdate}`);
  add(wanted.charges, charges, takeCharge);
  const addByKey = <T extends Table>(table: T, ids: ReadonlySet<string>, rowsOf: RowsOf<T>, mode = forUpdate) => {
    const [id] = table.key;
    const sql = () => lockBy(table, 'PRIMARY', `t.${id} IN (${quoteAll(ids)}) ORDER BY t.${id} ${mode}`);
    add(ids, sql, takeInto(table, rowsOf));
  };
  addByKey(capTable, wanted.caps, ({ caps }) => caps);
  addByKey(credentialTable, wanted.credentials, ({ credentials }) => credentials, forShare);
  addByKey(topUpTable, wanted.topUps, ({ topUps }) => topUps);
  const takeReceivable = takeInto(receivableTable, ({ receivables }) => receivables);
  const usedFrom = receivableTable.changing.length;
  // Includes the uncollected charge, if there is one.
  add(
    wanted.owingWallets,
    () => `SELECT ${selectList(receivableTable)}, ${selectList(chargeTable, 'c')}
      FROM receivable t FORCE INDEX (receivable_wallet) LEFT JOIN charge c FORCE INDEX (PRIMARY) ON c.wallet_id = t.wallet_id AND c.id = t.source_id
      WHERE t.wallet_id IN (${quoteAll(wanted.owingWallets)}) ORDER BY t.created_at_us, t.source_id, t.reference ${forUpdate}`,
    (row, state) => {
      takeReceivable(row, state);
      if (row[usedFrom] !== null) takeCharge(row, state, usedFrom);
    },
  );
  // After those of owing wallets, which are repaid in the order in which they were read.
  add(
    wanted.debts,
    () =>
      lockBy(receivableTable, 'PRIMARY', `(t.source_id, t.reference) IN (${[...wanted.debts].join(',')}) ${forUpdate}`),
    takeReceivable,
  );
  const known = () => `(t.wallet_id, t.idempotency_key) IN (${[...wanted.adjustments].join(',')})`;
  add(
    wanted.adjustments,
    () => lockBy(adjustmentTable, 'adjustment_idempotency', `${known()} ${forUpdate}`),
    takeInto(adjustmentTable, ({ adjustments }) => adjustments, ['walletId', 'idempotencyKey']),
  );
  return reads;
}

function lockBy(table: Table, index: string, rest: string): string {
  return `SELECT ${selectList(table)} FROM ${table.name} t FORCE INDEX (${index}) WHERE ${rest}`;
}

type RowsOf<T> = (state: GroupState) => Rows<ChangingRow<T>>;

/** Adds a table's rows to the state, keyed by their primary key or other columns. */
function takeInto<T extends Table>(table: T, rowsOf: RowsOf<T>, key: readonly string[] = table.key): Read['take'] {
  return (row, state, from = 0) => {
    const parsed = parseRow(table, row, from);
    const texts = parsed as Record<string, unknown>;
    rowsOf(state).read(key.map((property) => texts[property]).join('\0'), parsed);
  };
}

/** Collects what operations look at besides their wallets; pairs are quoted. */
function collect(operations: readonly Operation[]) {
  const wanted = {
    keys: new Set<string>(),
    charges: new Set<{ walletId: string; chargeId: string }>(),
    caps: new Set<string>(),
    credentials: new Set<string>(),
    topUps: new Set<string>(),
    owingWallets: new Set<string>(),
    debts: new Set<string>(),
    adjustments: new Set<string>(),
  };
  for (const operation of operations) collectOne(operation, wanted);
  return wanted;
}

function collectOne(operation: Operation, wanted: ReturnType<typeof collect>): void {
  switch (operation.type) {
    case 'charge':
    case 'hold': {
      const { keyId, tokenId, deviceId, caps, idempotency } = requestOf(operation);
      wanted.credentials.add(keyId);
      if (tokenId !== undefined) wanted.credentials.add(tokenId);
      if (deviceId !== undefined) wanted.credentials.add(deviceId);
      if (caps) for (const cap of caps) wanted.caps.add(cap.owner);
      if (idempotency) wanted.keys.add(quotePair(idempotency.scope, idempotency.key));
      if (operation.again) wanted.charges.add(operation);
      return;
    }
    case 'credit':
      wanted.topUps.add(operation.topUpId);
      return;
    case 'reverse':
    case 'conclude':
      wanted.topUps.add(operation.topUpId);
      wanted.owingWallets.add(operation.walletId);
      return;
    case 'repay':
      wanted.owingWallets.add(operation.walletId);
      return;
    case 'adjust': {
      const { walletId, chargeId, idempotencyKey } = operation;
      wanted.adjustments.add(quotePair(walletId, idempotencyKey));
      if (chargeId === undefined) return;
      wanted.charges.add({ walletId, chargeId });
      wanted.debts.add(quotePair(chargeId, debtReference));
      return;
    }
    default:
      wanted.charges.add(operation);
      for (const owner of operation.capOwners) wanted.caps.add(owner);
      if (operation.idempotency) wanted.keys.add(quotePair(operation.idempotency.scope, operation.idempotency.key));
  }
}

// For one wallet, a plain list takes a third less time than a list of pairs.
function chargesIn(charges: readonly { walletId: string; chargeId: string }[]): string {
  const walletId = charges[0]?.walletId ?? '';
  if (charges.every((charge) => charge.walletId === walletId))
    return `t.wallet_id = ${quoteAll([walletId])} AND t.id IN (${quoteAll(charges.map(({ chargeId }) => chargeId))})`;
  return `(t.wallet_id, t.id) IN (${charges.map((charge) => quotePair(charge.walletId, charge.chargeId)).join(',')})`;
}
