import type {
  AdjustmentRow,
  AuditEventRow,
  CapRow,
  ChargeCapRow,
  ChargeRow,
  CredentialRow,
  EvidenceRow,
  IdempotencyRow,
  MetadataRow,
  NewChargeRow,
  PostingRow,
  ReceivableRow,
  ReplyRow,
  TopUpRow,
  WalletRow,
} from '../../tables.ts';

/** A row as a group's operations change it, and as it was read; `before` is absent for a new row. */
export interface Entry<Row> {
  row: Row;
  before: Readonly<Row> | undefined;
}

/** Rows of one table under a key that the group chooses. Changed and new rows are written at the end. */
export class Rows<Row extends object> {
  readonly #entries = new Map<string, Entry<Row>>();

  get(key: string): Row | undefined {
    return this.#entries.get(key)?.row;
  }

  /** Adds a row as it was read. The first read wins, as the row may have been changed since. */
  read(key: string, row: Row): void {
    if (!this.#entries.has(key)) this.#entries.set(key, { row, before: { ...row } });
  }

  add(key: string, row: Row): void {
    this.#entries.set(key, { row, before: undefined });
  }

  delete(key: string): void {
    this.#entries.delete(key);
  }

  *values(): Generator<Row> {
    for (const { row } of this.#entries.values()) yield row;
  }

  added(): Row[] {
    return [...this.#entries.values()].filter(({ before }) => before === undefined).map(({ row }) => row);
  }

  changed(): (Entry<Row> & { before: Readonly<Row> })[] {
    return [...this.#entries.values()].filter(isChanged);
  }
}

function isChanged<Row extends object>(entry: Entry<Row>): entry is Entry<Row> & { before: Readonly<Row> } {
  const { row, before } = entry;
  if (before) for (const property in before) if (before[property] !== row[property]) return true;
  return false;
}

/** The rows that one group locked, as its operations change them one after another. */
export class GroupState {
  readonly nodeId: string;
  /** Database time, read after the locks, in microseconds. */
  nowUs = 0n;
  readonly wallets = new Rows<WalletRow>();
  /** Existing charges, and this group's new ones, which `newCharges` holds with their fixed columns. */
  readonly charges = new Rows<ChargeRow>();
  readonly idempotency = new Rows<IdempotencyRow>();
  readonly caps = new Rows<CapRow>();
  readonly credentials = new Rows<CredentialRow>();
  readonly topUps = new Rows<TopUpRow>();
  readonly receivables = new Rows<ReceivableRow>();
  readonly adjustments = new Rows<AdjustmentRow>();
  readonly newCharges: NewChargeRow[] = [];
  readonly newChargeCaps: ChargeCapRow[] = [];
  readonly newMetadata: MetadataRow[] = [];
  readonly newPostings: PostingRow[] = [];
  readonly newReplies: ReplyRow[] = [];
  readonly newEvidence: EvidenceRow[] = [];
  readonly newAuditEvents: AuditEventRow[] = [];
  /** Keys that a release frees, but only if they still belong to that charge. */
  readonly freedKeys: { scope: string; key: string; chargeId: string }[] = [];

  constructor(nodeId: string) {
    this.nodeId = nodeId;
  }
}

/** The reference of the receivable of a charge that could not be collected in full; a charge owes once. */
export const debtReference = 'use';

/** Joins two texts into one map key; neither can contain NUL (the door refuses it). */
export function pairKey(first: string, second: string): string {
  return `${first}\0${second}`;
}

export function walletOf(state: GroupState, walletId: string): WalletRow {
  const wallet = state.wallets.get(walletId);
  if (!wallet) throw new Error(`The wallet ${walletId} does not exist.`);
  return wallet;
}

/** The credit that no open hold has reserved. */
export function freeOf({ posted, held }: WalletRow): bigint {
  return posted - held;
}
