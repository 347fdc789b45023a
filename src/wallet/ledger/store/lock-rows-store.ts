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
import { GroupState, type Rows } from '../decide/group-state.ts';
import { type Operation, requestOf } from '../operation.ts';
import { begin, guard, type LedgerConnection, type Row } from './connection-store.ts';
import { parseRow, quoteAll, quotePair, selectList } from './table-store.ts';

/** How the rows of a group are locked. */
export interface LockTerms {
  nodeId: string;
  /** Leave out the wallets that somebody else has locked, and tell which those were; otherwise one of them fails the group. */
  skipLocked: boolean;
}

export interface LockedRows {
  state: GroupState;
  /** Wallets that are locked elsewhere, so that none of their operations can be decided now. */
  lockedElsewhere: ReadonlySet<string>;
}

/**
 * Starts the group's transaction and locks every row that its operations look at: wallets first, in the order of their
 * ids, then the rest. Whatever decides by a wallet's rows takes the wallet's lock first. No read waits for a lock that
 * somebody else has: the group fails at once and is tried again with `skipLocked`, one round trip longer.
 *
 * The index is forced: a plan that scans would lock every row it passes. Lists are under 1,000 constants, because at
 * 1,000 MariaDB turns a list into a join that locks out of order.
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

// Not NOW(): that is the time before the locks were waited for.
const clock = "SELECT TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6))";

interface Read {
  sql: string;
  take: (row: Row, state: GroupState) => void;
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

/** Which of these wallets are there, locked or not. */
async function existing(connection: LedgerConnection, ids: readonly string[]): Promise<Set<string>> {
  const results = await connection.read([...guard, `SELECT id FROM wallet WHERE id IN (${quoteAll(ids)})`].join(';'));
  return new Set((results.at(-1) ?? []).map(([id]) => String(id)));
}

const forUpdate = 'FOR UPDATE NOWAIT';
/** Groups do not keep each other from reading a credential, only whoever changes it does. Each server has words of its own. */
const forShare = '/*!80001 FOR SHARE NOWAIT */ /*M! LOCK IN SHARE MODE NOWAIT */';

function planReads(operations: readonly Operation[]): Read[] {
  const wanted = collect(operations);
  const reads: Read[] = [];
  const add = (values: Iterable<string>, sql: (list: string) => string, take: Read['take']) => {
    const list = [...values].join(',');
    if (list !== '') reads.push({ sql: sql(list), take });
  };
  const chargeFrom = idempotencyTable.changing.length;
  const takeKey = takeInto(idempotencyTable, ({ idempotency }) => idempotency, 'scope', 'key');
  const takeCharge = takeInto(chargeTable, ({ charges }) => charges, 'id');
  add(
    wanted.idempotency,
    (list) => `SELECT ${selectList(idempotencyTable)}, ${selectList(chargeTable, 'c')}
      FROM idempotency t FORCE INDEX (PRIMARY) LEFT JOIN charge c FORCE INDEX (PRIMARY) ON c.wallet_id = t.wallet_id AND c.id = t.charge_id
      WHERE (t.scope, t.idempotency_key) IN (${list}) ${forUpdate}`,
    (row, state) => {
      takeKey(row, state);
      if (row[chargeFrom] !== null) takeCharge(row, state, chargeFrom);
    },
  );
  if (wanted.charges.size > 0)
    reads.push({ sql: lockBy(chargeTable, 'PRIMARY', `${chargesIn(wanted.charges)} ${forUpdate}`), take: takeCharge });
  add(
    quoted(wanted.caps),
    (list) => lockBy(capTable, 'PRIMARY', `t.owner IN (${list}) ORDER BY t.owner ${forUpdate}`),
    takeInto(capTable, ({ caps }) => caps, 'owner'),
  );
  add(
    quoted(wanted.credentials),
    (list) => lockBy(credentialTable, 'PRIMARY', `t.id IN (${list}) ORDER BY t.id ${forShare}`),
    takeInto(credentialTable, ({ credentials }) => credentials, 'id'),
  );
  add(
    quoted(wanted.topUps),
    (list) => lockBy(topUpTable, 'PRIMARY', `t.id IN (${list}) ORDER BY t.id ${forUpdate}`),
    takeInto(topUpTable, ({ topUps }) => topUps, 'id'),
  );
  const inOrder = 'ORDER BY t.created_at_us, t.source_id, t.reference';
  add(
    quoted(wanted.owingWallets),
    (list) => lockBy(receivableTable, 'receivable_wallet', `t.wallet_id IN (${list}) ${inOrder} ${forUpdate}`),
    takeInto(receivableTable, ({ receivables }) => receivables, 'sourceId', 'reference'),
  );
  const adjustments = '(t.wallet_id, t.idempotency_key)';
  add(
    wanted.adjustments,
    (list) => lockBy(adjustmentTable, 'adjustment_idempotency', `${adjustments} IN (${list}) ${forUpdate}`),
    takeInto(adjustmentTable, ({ adjustments }) => adjustments, 'walletId', 'idempotencyKey'),
  );
  return reads;
}

function lockBy(table: Table, index: string, rest: string): string {
  return `SELECT ${selectList(table)} FROM ${table.name} t FORCE INDEX (${index}) WHERE ${rest}`;
}

/** Takes rows of a table into the state, under these columns. */
function takeInto<T extends Table>(
  table: T,
  rowsOf: (state: GroupState) => Rows<ChangingRow<T>>,
  ...key: (keyof ChangingRow<T> & string)[]
) {
  return (row: Row, state: GroupState, from = 0): void => {
    const parsed = parseRow(table, row, from);
    rowsOf(state).read(key.map((property) => parsed[property]).join('\0'), parsed);
  };
}

interface Wanted {
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
    idempotency: new Set(),
    charges: new Map(),
    caps: new Set(),
    credentials: new Set(),
    topUps: new Set(),
    owingWallets: new Set(),
    adjustments: new Set(),
  };
  for (const operation of operations) collectOne(operation, wanted);
  return wanted;
}

function collectOne(operation: Operation, wanted: Wanted): void {
  switch (operation.type) {
    case 'charge':
    case 'hold': {
      const { keyId, tokenId, deviceId, caps, idempotency } = requestOf(operation);
      wanted.credentials.add(keyId);
      if (tokenId !== undefined) wanted.credentials.add(tokenId);
      if (deviceId !== undefined) wanted.credentials.add(deviceId);
      if (caps) for (const cap of caps) wanted.caps.add(cap.owner);
      if (idempotency) wanted.idempotency.add(quotePair(idempotency.scope, idempotency.key));
      if (operation.again) wantCharge(operation.walletId, operation.chargeId, wanted);
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
    case 'adjust':
      wanted.adjustments.add(quotePair(operation.walletId, operation.idempotencyKey));
      if (operation.chargeId !== undefined) wantCharge(operation.walletId, operation.chargeId, wanted);
      return;
    default:
      wantCharge(operation.walletId, operation.chargeId, wanted);
      for (const owner of operation.capOwners) wanted.caps.add(owner);
      if (operation.idempotency)
        wanted.idempotency.add(quotePair(operation.idempotency.scope, operation.idempotency.key));
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
  if (only && charges.size === 1) return `t.wallet_id = ${quoteAll([only[0]])} AND t.id IN (${quoteAll(only[1])})`;
  const pairs = [...charges].flatMap(([walletId, ids]) => ids.map((id) => quotePair(walletId, id)));
  return `(t.wallet_id, t.id) IN (${pairs.join(',')})`;
}

function* quoted(values: Iterable<string>): Generator<string> {
  for (const value of values) yield quoteAll([value]);
}
