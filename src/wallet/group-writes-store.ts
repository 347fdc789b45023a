import { escape as quote } from 'mysql2';
import { count, planChargeEnds } from './charge-end-store.ts';
import type { CapRow, ChargeRow, GroupState, NewCharge, ReceivableRow, TopUpRow, WalletRow } from './group-state.ts';
import type { LedgerConnection } from './ledger-connection-store.ts';
import type { ManyUpdate } from './many-update-store.ts';

/** Fewer or more rows changed than were locked: someone wrote past the locks. The group must not be committed. */
export class UnexpectedRowsError extends Error {
  constructor(statement: string, expected: number, found: number) {
    super(`${statement}: ${found} rows instead of ${expected}`);
    this.name = 'UnexpectedRowsError';
  }
}

/** Writes everything the group decided, in one packet, and checks how many rows each statement changed. */
export async function writeGroup(connection: LedgerConnection, groupId: string, state: GroupState): Promise<void> {
  const writes = planWrites(groupId, state);
  const counts = await connection.write(writes.map(({ sql }) => sql).join(';'));
  writes.forEach(({ name, rows }, index) => {
    const found = counts[index] ?? 0;
    if (rows !== undefined && found !== rows) throw new UnexpectedRowsError(name, rows, found);
  });
}

interface Write {
  name: string;
  sql: string;
  /** How many rows it must find or add; undefined where any number is right. */
  rows: number | undefined;
}

function planWrites(groupId: string, state: GroupState): Write[] {
  const writes: Write[] = [
    insert('commit_group', 'id, outcome, created_at_us', [`${quote(groupId)},'committed',${state.nowUs}`]),
  ];
  const add = (rows: readonly string[], write: (rows: readonly string[]) => Write) => {
    if (rows.length > 0) writes.push(write(rows));
  };
  // Freed keys go before new ones: the same key may be freed and taken in one group.
  add(
    state.freedKeys.map(({ scope, key, chargeId }) => `(${quote(scope)},${quote(key)},${quote(chargeId)})`),
    (rows) => ({
      name: 'free keys',
      sql: `DELETE FROM idempotency WHERE (scope, idempotency_key, charge_id) IN (${rows.join(',')})`,
      rows: undefined,
    }),
  );
  const { open = [], ended = [] } = Object.groupBy(state.newCharges, ({ row }) =>
    row.state === 'held' ? 'open' : 'ended',
  );
  add(
    open.map((charge) => chargeValues(charge, state)),
    (rows) => insert('charge', chargeColumns, rows),
  );
  add(
    ended.map((charge) => `${chargeValues(charge, state)},${endValues(charge.row)}`),
    (rows) => insert('charge', `${chargeColumns}, ${endColumns}`, rows),
  );
  add(keyValues(state), (rows) => insert('idempotency', keyColumns, rows));
  add(
    state.newCharges.flatMap(({ row, request }) =>
      (request.caps ?? []).map(({ owner }) => `${quote(row.walletId)},${quote(row.id)},${quote(owner)}`),
    ),
    (rows) => insert('charge_cap', 'wallet_id, charge_id, owner', rows),
  );
  add(
    state.newCharges.flatMap(({ row, request: { metadata = {} } }) =>
      Object.entries(metadata).map(
        ([name, value]) => `${quote(row.walletId)},${quote(row.id)},${quote(name)},${quote(value)}`,
      ),
    ),
    (rows) => insert('charge_metadata', 'wallet_id, charge_id, name, value', rows),
  );
  add(postingValues(state), (rows) => insert('posting', postingColumns, rows));
  add(
    state.newReplies.map(({ chargeId, sealed, expiresAtUs }) => `${quote(chargeId)},${bytes(sealed)},${expiresAtUs}`),
    (rows) => insert('stored_reply', 'charge_id, sealed, expires_at_us', rows),
  );
  add(
    state.newAdjustments.map(
      (row) =>
        `${quote(row.id)},${quote(row.walletId)},${row.amount},${quote(row.reason)},${quote(row.actor)},${quote(row.idempotencyKey)},${optionalText(row.chargeId)},${state.nowUs}`,
    ),
    (rows) =>
      insert('adjustment', 'id, wallet_id, amount, reason, actor, idempotency_key, charge_id, created_at_us', rows),
  );
  addChanges(state, add);
  return writes;
}

function addChanges(
  state: GroupState,
  add: (rows: readonly string[], write: (rows: readonly string[]) => Write) => void,
): void {
  const caps = changed(state.caps);
  add(
    caps.filter(({ added }) => added).map((cap) => `${quote(cap.owner)},${quote(cap.walletId)},${capAmounts(cap)}`),
    (rows) => insert('cap', 'owner, wallet_id, spending_limit, held, spent', rows),
  );
  add(
    caps.filter(({ added }) => !added).map((cap) => `${quote(cap.owner)},${capAmounts(cap)}`),
    (rows) => update(capUpdate, rows),
  );
  const receivables = changed(state.receivables);
  add(
    receivables.filter(({ added }) => added).map((row) => newReceivable(row, state)),
    (rows) => insert('receivable', receivableColumns, rows),
  );
  add(receivables.filter(({ added }) => !added).map(receivableChange), (rows) => update(receivableUpdate, rows));
  add(
    changed(state.topUps).map((row) => topUpChange(row, state)),
    (rows) => update(topUpUpdate, rows),
  );
  const charges = changed(state.charges).filter(({ added }) => !added);
  const ends = planChargeEnds(charges.filter(isPlainEnd), state.nowUs);
  add(ends.values, (rows) => update(ends.update, rows));
  add(charges.filter((charge) => !isPlainEnd(charge)).map(chargeChange), (rows) => update(chargeUpdate, rows));
  add(changed(state.wallets).map(walletChange), (rows) => update(walletUpdate, rows));
}

const walletUpdate: ManyUpdate = {
  table: 'wallet',
  columns: ['id', 'posted', 'held', 'owed', 'open_disputes', 'seq', 'version'],
  on: 't.id = u.id AND t.version = u.version',
  set: 't.posted = u.posted, t.held = u.held, t.owed = u.owed, t.open_disputes = u.open_disputes, t.seq = u.seq, t.version = u.version + 1',
};

function walletChange(row: WalletRow): string {
  return `${quote(row.id)},${row.posted},${row.held},${row.owed},${row.openDisputes},${row.seq},${row.version}`;
}

const chargeUpdate: ManyUpdate = {
  table: 'charge',
  columns: [
    'wallet_id',
    'id',
    'state_before',
    'state',
    'hold',
    'settled',
    'uncollected',
    'reversed',
    'progress_cost',
    'expires_at_us',
    'ended_at_us',
    'has_usage',
    'input_tokens',
    'cached_input_tokens',
    'output_tokens',
    'reasoning_tokens',
    'requests',
    'events',
    'estimated',
    'provider',
    'model',
  ],
  on: 't.wallet_id = u.wallet_id AND t.id = u.id AND t.state = u.state_before',
  set: [
    ...['state', 'hold', 'settled', 'uncollected', 'reversed', 'progress_cost', 'expires_at_us', 'ended_at_us'].map(
      (column) => `t.${column} = u.${column}`,
    ),
    ...[
      'input_tokens',
      'cached_input_tokens',
      'output_tokens',
      'reasoning_tokens',
      'requests',
      'events',
      'estimated',
    ].map((column) => `t.${column} = IF(u.has_usage, u.${column}, t.${column})`),
    't.provider = COALESCE(u.provider, t.provider)',
    't.model = COALESCE(u.model, t.model)',
  ].join(', '),
};

function isPlainEnd({ stateBefore, state, changedMore }: ChargeRow): boolean {
  return stateBefore === 'held' && state !== 'held' && !changedMore;
}

function chargeChange(row: ChargeRow): string {
  const { usage } = row;
  const counts = usage
    ? `1,${count(usage.inputTokens)},${count(usage.cachedInputTokens)},${count(usage.outputTokens)},${count(usage.reasoningTokens)},${count(usage.requests)},${count(usage.events)},${usage.estimated ? 1 : 0}`
    : '0,NULL,NULL,NULL,NULL,NULL,NULL,0';
  return `${quote(row.walletId)},${quote(row.id)},'${row.stateBefore}','${row.state}',${row.hold},${row.settled ?? 'NULL'},${row.uncollected},${row.reversed},${row.progressCost},${row.expiresAtUs ?? 'NULL'},${row.endedAtUs ?? 'NULL'},${counts},${optionalText(row.provider)},${optionalText(row.model)}`;
}

const capUpdate: ManyUpdate = {
  table: 'cap',
  columns: ['owner', 'spending_limit', 'held', 'spent'],
  on: 't.owner = u.owner',
  set: 't.spending_limit = u.spending_limit, t.held = u.held, t.spent = u.spent',
};

function capAmounts({ limit, held, spent }: CapRow): string {
  return `${limit},${held},${spent}`;
}

const topUpUpdate: ManyUpdate = {
  table: 'top_up',
  columns: ['id', 'state', 'reversed', 'now_us'],
  on: 't.id = u.id',
  set: "t.paid_at_us = IF(u.state = 'paid', COALESCE(t.paid_at_us, u.now_us), NULL), t.state = u.state, t.reversed = u.reversed",
};

function topUpChange({ id, state: topUpState, reversed }: TopUpRow, { nowUs }: GroupState): string {
  return `${quote(id)},${quote(topUpState)},${reversed},${nowUs}`;
}

const receivableColumns =
  'top_up_id, reference, wallet_id, kind, state, amount, taken, owed, repayments, created_at_us';

function newReceivable(row: ReceivableRow, { nowUs }: GroupState): string {
  return `${quote(row.topUpId)},${quote(row.reference)},${quote(row.walletId)},'${row.kind}','${row.state}',${row.amount},${row.taken},${row.owed},${row.repayments},${nowUs}`;
}

const receivableUpdate: ManyUpdate = {
  table: 'receivable',
  columns: ['top_up_id', 'reference', 'state', 'taken', 'owed', 'repayments'],
  on: 't.top_up_id = u.top_up_id AND t.reference = u.reference',
  set: 't.state = u.state, t.taken = u.taken, t.owed = u.owed, t.repayments = u.repayments',
};

function receivableChange(row: ReceivableRow): string {
  return `${quote(row.topUpId)},${quote(row.reference)},'${row.state}',${row.taken},${row.owed},${row.repayments}`;
}

const chargeColumns =
  'wallet_id, id, state, hold, key_id, key_version, token_id, subject, device_id, operation, provider, model, price_version, node_id, idempotency_scope, idempotency_key, created_at_us, expires_at_us';

function chargeValues({ row, request }: NewCharge, state: GroupState): string {
  const { keyId, keyVersion, tokenId, subject, deviceId, operation, priceVersion, idempotency } = request;
  const { provider = request.provider, model = request.model } = row;
  return `${quote(row.walletId)},${quote(row.id)},'${row.state}',${row.hold},${quote(keyId)},${count(keyVersion)},${optionalText(tokenId)},${optionalText(subject)},${optionalText(deviceId)},${quote(operation)},${optionalText(provider)},${optionalText(model)},${count(priceVersion)},${quote(state.nodeId)},${optionalText(idempotency?.scope)},${optionalText(idempotency?.key)},${state.nowUs},${row.expiresAtUs ?? 'NULL'}`;
}

const endColumns =
  'settled, ended_at_us, input_tokens, cached_input_tokens, output_tokens, reasoning_tokens, requests, events, estimated';

function endValues({ settled, endedAtUs, usage = {} }: ChargeRow): string {
  const { inputTokens, cachedInputTokens, outputTokens, reasoningTokens, requests, events, estimated } = usage;
  const counts = [inputTokens, cachedInputTokens, outputTokens, reasoningTokens, requests, events].map(count);
  return `${settled ?? 'NULL'},${endedAtUs ?? 'NULL'},${counts.join(',')},${estimated ? 1 : 0}`;
}

const keyColumns = 'scope, idempotency_key, fingerprint, wallet_id, charge_id';

function keyValues({ idempotency }: GroupState): string[] {
  const values: string[] = [];
  for (const row of idempotency.values())
    if (row.added)
      values.push(
        `${quote(row.scope)},${quote(row.key)},X'${row.fingerprintHex}',${quote(row.walletId)},${quote(row.chargeId)}`,
      );
  return values;
}

const postingColumns =
  'wallet_id, seq, kind, debit_account, credit_account, amount, balance_after, source_type, source_id, step, created_at_us';

function postingValues({ newPostings, nowUs }: GroupState): string[] {
  return newPostings.map(
    (row) =>
      `${quote(row.walletId)},${row.seq},'${row.kind}',${quote(row.debitAccount)},${quote(row.creditAccount)},${row.amount},${row.balanceAfter},'${row.sourceType}',${quote(row.sourceId)},${quote(row.step)},${nowUs}`,
  );
}

function insert(table: string, columns: string, rows: readonly string[]): Write {
  return {
    name: `insert ${table}`,
    sql: `INSERT INTO ${table} (${columns}) VALUES (${rows.join('),(')})`,
    rows: rows.length,
  };
}

function update({ table, columns, on, set }: ManyUpdate, rows: readonly string[]): Write {
  // The first select names the columns and has no row; their types come from the others.
  const names = columns.map((column) => `NULL AS ${column}`).join(', ');
  const list = `SELECT ${names} FROM DUAL WHERE FALSE ${rows.map((row) => `UNION ALL SELECT ${row}`).join(' ')}`;
  return {
    name: `update ${table}`,
    sql: `UPDATE ${table} t FORCE INDEX (PRIMARY) JOIN (${list}) u ON ${on} SET ${set}`,
    rows: rows.length,
  };
}

function changed<Row extends { changed: boolean }>(rows: Map<string, Row>): Row[] {
  return [...rows.values()].filter((row) => row.changed);
}

function optionalText(value: string | undefined): string {
  return value === undefined ? 'NULL' : quote(value);
}

function bytes(value: Uint8Array): string {
  return `X'${Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('hex')}'`;
}
