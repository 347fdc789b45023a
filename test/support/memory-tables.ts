import { setTimeout as sleep } from 'node:timers/promises';
import type { LedgerBackend } from '../../src/wallet/ledger/create-ledger.ts';
import { GroupState, pairKey, Rows } from '../../src/wallet/ledger/decide/group-state.ts';
import { type ChargeReference, type Operation, requestOf } from '../../src/wallet/ledger/operation.ts';
import type { GroupStore } from '../../src/wallet/ledger/store/group-store.ts';
import type {
  AdjustmentRow,
  CapRow,
  ChargeRow,
  CredentialRow,
  IdempotencyRow,
  PostingRow,
  ReceivableRow,
  ReplyRow,
  TopUpRow,
  WalletRow,
} from '../../src/wallet/tables.ts';

/** One table: its rows by the key that groups use for them. */
class MemoryTable<Row extends object> {
  readonly rows = new Map<string, Row>();
  readonly #keyOf: (row: Row) => string;

  constructor(keyOf: (row: Row) => string) {
    this.#keyOf = keyOf;
  }

  add(row: Row): void {
    this.rows.set(this.#keyOf(row), row);
  }

  takeFrom(rows: Rows<Row>): void {
    for (const row of rows.values()) this.add(row);
  }
}

/** A group's view of a table: a copy of each row, made on request. */
class CopiedRows<Row extends object> extends Rows<Row> {
  readonly #table: MemoryTable<Row>;
  readonly #gone = new Set<string>();

  constructor(table: MemoryTable<Row>) {
    super();
    this.#table = table;
  }

  override get(key: string): Row | undefined {
    const known = super.get(key);
    const row = known || this.#gone.has(key) ? undefined : this.#table.rows.get(key);
    if (!row) return known;
    this.read(key, { ...row });
    return super.get(key);
  }

  override delete(key: string): void {
    this.#gone.add(key);
    super.delete(key);
  }

  copyAll(): this {
    for (const key of this.#table.rows.keys()) this.get(key);
    return this;
  }
}

/**
 * The ledger's tables in memory; a group copies its rows from them and writes them back when it commits. Only one transaction at a time holds
 * them, whichever node it comes from.
 */
export class MemoryTables {
  readonly wallets = new MemoryTable<WalletRow>(({ id }) => id);
  readonly charges = new MemoryTable<ChargeRow>(({ id }) => id);
  readonly idempotency = new MemoryTable<IdempotencyRow>(({ scope, key }) => pairKey(scope, key));
  readonly caps = new MemoryTable<CapRow>(({ owner }) => owner);
  readonly credentials = new MemoryTable<CredentialRow>(({ id }) => id);
  readonly topUps = new MemoryTable<TopUpRow>(({ id }) => id);
  readonly receivables = new MemoryTable<ReceivableRow>(({ sourceId, reference }) => pairKey(sourceId, reference));
  readonly adjustments = new MemoryTable<AdjustmentRow>(({ walletId, idempotencyKey }) =>
    pairKey(walletId, idempotencyKey),
  );
  readonly replies = new MemoryTable<ReplyRow>(({ chargeId }) => chargeId);
  readonly postings: PostingRow[] = [];
  /** What the end of a charge affects, by its id. */
  readonly references = new Map<string, ChargeReference>();
  readonly deadLetters: Operation[] = [];
  /** The id of each account's API wallet. */
  readonly walletIds = new Map<string, string>();
  readonly #steps = new Set<string>();
  #turn: Promise<void> = Promise.resolve();

  addWallet(id: string, accountId: string, posted = 0n): void {
    this.wallets.add({
      id,
      posted,
      held: 0n,
      owed: 0n,
      openDisputes: 0n,
      seq: 0n,
      summed: 0n,
      charges: 0n,
      version: 0n,
    });
    this.walletIds.set(accountId, id);
  }

  /** A credential that may pay for an account, from this version on. */
  addCredential(id: string, accountId: string, leastVersion = 0n): void {
    const never = { leastVersionFromMs: undefined, expiresAtMs: undefined };
    this.credentials.add({ id, accountId, state: 'active', leastVersion, ...never });
  }

  /** Makes an open hold overdue. */
  makeOverdue(chargeId: string): void {
    const charge = this.charges.rows.get(chargeId);
    if (charge?.state === 'held') charge.expiresAtUs = 1n;
  }

  /** Waits for the current holder of the tables. The returned function passes them to the next. */
  async lock(): Promise<() => void> {
    const before = this.#turn;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#turn = promise;
    await before;
    return resolve;
  }

  read(nodeId: string): GroupState {
    return {
      ...new GroupState(nodeId),
      nowUs: nowUs(),
      wallets: new CopiedRows(this.wallets),
      charges: new CopiedRows(this.charges),
      idempotency: new CopiedRows(this.idempotency),
      caps: new CopiedRows(this.caps),
      credentials: new CopiedRows(this.credentials),
      topUps: new CopiedRows(this.topUps),
      // These are iterated as well.
      receivables: new CopiedRows(this.receivables).copyAll(),
      adjustments: new CopiedRows(this.adjustments),
    };
  }

  /** Checks what a database's constraints would refuse. */
  check(state: GroupState): void {
    for (const { posted, held, owed } of state.wallets.values())
      if (held < 0n || held > posted || owed < 0n) throw new Error('A wallet is not as it can be.');
    for (const { held, spent } of state.caps.values())
      if (held < 0n || spent < 0n) throw new Error('A cap is not as it can be.');
    for (const charge of state.charges.values()) {
      const { hold, settled, owed } = charge;
      const open = charge.state === 'held';
      const ended = charge.endedAtUs !== undefined && charge.expiresAtUs === undefined && settled !== undefined;
      if (hold <= 0n || owed > hold || (settled ?? 0n) > hold || open === ended)
        throw new Error('A charge is not as it can be.');
    }
    for (const { chargeId } of state.newReplies)
      if (this.replies.rows.has(chargeId)) throw new Error('A charge has two replies.');
    const steps = state.newPostings.map(sourceOf);
    if (new Set(steps).size < steps.length || steps.some((step) => this.#steps.has(step)))
      throw new Error('A step was posted twice.');
  }

  keep(state: GroupState): void {
    for (const { row } of state.wallets.changed()) row.version += 1n;
    for (const { scope, key } of state.freedKeys) this.idempotency.rows.delete(pairKey(scope, key));
    for (const name of changing) (this[name] as MemoryTable<object>).takeFrom(state[name] as Rows<object>);
    for (const posting of state.newPostings) {
      this.postings.push(posting);
      this.#steps.add(sourceOf(posting));
    }
    for (const row of state.newReplies) this.replies.add(row);
    const caps = Map.groupBy(state.newChargeCaps, ({ chargeId }) => chargeId);
    for (const { walletId, id, idempotencyScope: scope, idempotencyKey: key } of state.newCharges)
      this.references.set(id, {
        walletId,
        chargeId: id,
        capOwners: (caps.get(id) ?? []).map(({ owner }) => owner),
        idempotency: scope === undefined || key === undefined ? undefined : { scope, key },
      });
  }
}

const changing = [
  'wallets',
  'charges',
  'idempotency',
  'caps',
  'credentials',
  'topUps',
  'receivables',
  'adjustments',
] as const;

export function nowUs(): bigint {
  return BigInt(Math.round((performance.timeOrigin + performance.now()) * 1_000));
}

function sourceOf({ sourceType, sourceId, step }: PostingRow): string {
  return `${sourceType} ${sourceId} ${step}`;
}

/** A ledger's storage in memory. `tables` may be shared by several. */
export function memoryBackend(tables: MemoryTables): LedgerBackend {
  return {
    groups: memoryGroups(tables),
    findWallet: async (accountId) => tables.walletIds.get(accountId),
    findReply: async (chargeId) => {
      const reply = tables.replies.rows.get(chargeId);
      return reply && Buffer.from(reply.sealed, 'hex');
    },
  };
}

function memoryGroups(tables: MemoryTables): GroupStore {
  let unlock: (() => void) | undefined;
  const end = () => {
    unlock?.();
    unlock = undefined;
  };
  return {
    async begin(operations, { nodeId }) {
      unlock = await tables.lock();
      // The minimum time that a statement takes to a server: what arrives meanwhile shares the next group.
      await sleep(0);
      for (const operation of operations) checkReferences(operation, tables);
      const state = tables.read(nodeId);
      return {
        state,
        lockedElsewhere: new Set(),
        write: async () => {
          tables.check(state);
          return true;
        },
        commit: async () => {
          tables.keep(state);
          end();
        },
      };
    },
    rollback: async () => end(),
    disconnect: end,
    keepDeadLetter: async (operation) => void tables.deadLetters.push(operation),
    ping: async () => {},
    close: async () => end(),
  };
}

/** A group has only the rows that its operations name, so an operation that leaves one out would still find it here. */
function checkReferences(operation: Operation, { references }: MemoryTables): void {
  if (operation.type === 'hold' || operation.type === 'charge') {
    if (references.has(operation.chargeId) && !operation.again)
      throw new Error(`${requestOf(operation).operation} has a charge id that was used before.`);
    return;
  }
  if (!('capOwners' in operation)) return;
  const known = references.get(operation.chargeId);
  if (!known) return;
  const same =
    known.capOwners.join() === operation.capOwners.join() &&
    known.idempotency?.scope === operation.idempotency?.scope &&
    known.idempotency?.key === operation.idempotency?.key;
  if (!same) throw new Error(`${operation.type} does not name what its charge touches.`);
}
