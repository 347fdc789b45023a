import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import { fail, type Result, succeed } from '../../base/failure.ts';
import { newId } from '../../base/ids.ts';
import { maxOf, minOf, type NanoUsd } from '../../base/money.ts';
import type { Seal } from '../../base/seal.ts';
import type { Database } from '../../db/index.ts';
import { checkAmount, checkHold, checkOutcome, checkText, checkUsage, evidenceBytesMax } from '../validate.ts';
import { findReply, findWallet } from '../wallets/wallets-store.ts';
import { createAdmissionForecast } from './admission-forecast.ts';
import { type Committer, createCommitter } from './committer.ts';
import { createDeferredHolds } from './deferred-holds.ts';
import type { Hold, HoldOutcome, HoldRequest, Ledger, Receipt } from './ledger.ts';
import type { HoldDecision, HoldOperation, SettleOperation } from './operation.ts';
import { packReply, unpackReply } from './packed-reply.ts';
import { createGroupStore, type GroupStore } from './store/group-store.ts';

export interface LedgerSettings {
  /** How many holds this node may have open at once; each reserves a place for its settlement. Default 20,000. */
  openHoldsMax?: number;
  /** How many new holds may wait for a group. Default 4,000. */
  waitingMax?: number;
  /** How long a hold lasts unless its request says otherwise. Default 120,000. */
  holdTtlMs?: number;
  /** How long replies are kept for retries; 0 keeps receipts only. Default 24 h. */
  replyRetentionMs?: number;
  /** Larger replies are kept only if they fit when compressed. Default 1 MiB. */
  replyBytesMax?: number;
  /** How long `close` waits. Default 10,000. */
  closeMs?: number;
  /** How long the database may take to answer one packet. Default 10,000. */
  answerTimeoutMs?: number;
  /** How long new holds wait for a wallet that is locked elsewhere before they are refused. Default 2,000. */
  lockedMaxMs?: number;
}

/** Where a ledger stores its data. */
export interface LedgerBackend {
  groups: GroupStore;
  /** The id of an account's API wallet. */
  findWallet(accountId: string): Promise<string | undefined>;
  findReply(chargeId: string): Promise<Uint8Array | undefined>;
}

export type LedgerDependencies = LedgerOptions & { db: Database };

export interface LedgerOptions {
  /** Encrypts stored replies, binding each to its charge. */
  seal: Seal;
  log: Logger;
  /** Identifies this process in its holds; default a new id. */
  nodeId?: string;
  settings?: LedgerSettings;
  /** Called for each durable group with its number of operations, its duration, and what it collected for use. */
  onGroup?: (operations: number, durationMs: number, collected: NanoUsd) => void;
  /** A monotonic clock in milliseconds, used to age knowledge about wallets; default `performance.now`. */
  now?: () => number;
}

/** The ledger and, for the surrounding rooms, access to its groups. */
export interface RunningLedger extends Ledger {
  readonly committer: Committer;
  readonly openHolds: number;
}

const operationsPerGroupMax = 400;
const bytesPerGroupMax = 4 * 1_024 * 1_024;
const walletIdsMax = 100_000;

/** Creates a ledger in a database, on its own connection. */
export function createLedger({ db, ...options }: LedgerDependencies): RunningLedger {
  const backend: LedgerBackend = {
    groups: createGroupStore({ ...options.settings, url: db.url }),
    findWallet: async (accountId) => (await findWallet(db, accountId, 'api'))?.id,
    findReply: (chargeId) => findReply(db, chargeId),
  };
  return createLedgerOver(backend, options);
}

export function createLedgerOver(
  backend: LedgerBackend,
  { seal, log, nodeId = newId('nod'), settings = {}, onGroup, now }: LedgerOptions,
): RunningLedger {
  const { openHoldsMax = 20_000, holdTtlMs = 120_000, closeMs = 10_000, waitingMax = 4_000 } = settings;
  const { replyRetentionMs = 24 * 3_600_000, replyBytesMax = 1_024 * 1_024 } = settings;
  const walletIds = new LRUCache<string, string>({ max: walletIdsMax });
  const forecast = createAdmissionForecast(now);
  /** Open holds, each with the time this process stops counting it: after twice its TTL, whatever became of it. */
  const open = new Map<string, number>();
  const committer = createCommitter({
    store: backend.groups,
    limits: { waitingMax, operationsPerGroupMax, bytesPerGroupMax },
    log,
    nodeId,
    onWallets: forecast.sawWallets,
    ...(settings.lockedMaxMs !== undefined && { lockedMaxMs: settings.lockedMaxMs }),
    ...(onGroup && { onGroup }),
  });

  const deferred = createDeferredHolds(committer, forecast, heldBy);
  let closing = false;

  async function hold(request: Readonly<HoldRequest>): Promise<Result<HoldOutcome>> {
    checkHold(request);
    if (open.size >= openHoldsMax) forgetExpired();
    if (open.size >= openHoldsMax) return fail({ kind: 'overloaded', retryAfterMs: 1_000 });
    const walletId = walletIds.get(request.accountId) ?? (await resolveWallet(request.accountId));
    if (walletId === 'unavailable') return fail({ kind: 'ledger_unavailable', retryAfterMs: 1_000 });
    if (walletId === undefined)
      return fail({ kind: 'insufficient_credit', balance: 0n, held: 0n, needed: request.minimum });
    const chargeId = newId('chg');
    const ttlMs = request.ttlMs ?? holdTtlMs;
    open.set(chargeId, performance.now() + 2 * ttlMs);
    const operation = { type: 'hold', walletId, chargeId, request, ttlMs } as const;
    if (request.deferMs !== undefined && mayDefer(walletId, request))
      return succeed({ kind: 'held', hold: deferred.begin(operation, request.deferMs) });
    const decided = await submitHold(operation);
    if (!decided.ok) return decided;
    if (decided.value.kind === 'replayed') return replay(decided.value.receipt);
    return succeed({ kind: 'held', hold: heldBy(operation, decided.value) });
  }

  async function submitHold(operation: HoldOperation): Promise<Result<HoldDecision>> {
    let isHeld = false;
    try {
      const decided = await committer.submit(operation);
      forecast.sawHold(operation.request, decided);
      isHeld = decided.ok && decided.value.kind === 'held';
      return decided;
    } finally {
      // Also when the ledger itself failed: nothing will ever end a hold that was never granted.
      if (!isHeld) open.delete(operation.chargeId);
    }
  }

  // A queue that is half full may end up refusing the hold, and the work would be wasted.
  function mayDefer(walletId: string, request: Readonly<HoldRequest>): boolean {
    if (closing || !committer.up || committer.waiting + deferred.waiting >= waitingMax / 2) return false;
    return forecast.expects(walletId, request);
  }

  function renew({ chargeId, ttlMs }: Readonly<Hold>): void {
    if (open.has(chargeId)) open.set(chargeId, performance.now() + 2 * ttlMs);
  }

  // A hold that was never ended has expired and must not count forever.
  function forgetExpired(): void {
    const now = performance.now();
    for (const [chargeId, until] of open) if (until < now) open.delete(chargeId);
  }

  async function replay(receipt: Receipt): Promise<Result<HoldOutcome>> {
    if (replyRetentionMs === 0) return succeed({ kind: 'replayed', receipt, reply: undefined });
    let sealed: Uint8Array | undefined;
    try {
      sealed = await backend.findReply(receipt.chargeId);
    } catch (error) {
      log.warn({ err: error }, 'a stored reply could not be read');
      return fail({ kind: 'ledger_unavailable', retryAfterMs: 1_000 });
    }
    const { chargeId } = receipt;
    const reply = sealed && seal.open(sealed, replyContext(chargeId));
    if (reply) return succeed({ kind: 'replayed', receipt, reply: await unpackReply(reply) });
    if (sealed) log.error({ chargeId }, 'a stored reply does not open: its encryption key is gone, or it was changed');
    return fail({ kind: 'reply_purged', chargeId });
  }

  async function resolveWallet(accountId: string): Promise<string | undefined> {
    try {
      const walletId = await backend.findWallet(accountId);
      if (walletId) walletIds.set(accountId, walletId);
      return walletId;
    } catch (error) {
      log.warn({ err: error }, 'a wallet could not be read');
      return 'unavailable';
    }
  }

  function sealReply(
    hold: Readonly<Hold>,
    reply: Uint8Array | undefined,
  ): Uint8Array | undefined | Promise<Uint8Array | undefined> {
    if (!reply || !hold.idempotency || replyRetentionMs === 0) return undefined;
    if (reply.length > replyBytesMax) return sealPacked(hold, reply);
    return seal.seal(reply, replyContext(hold.chargeId));
  }

  async function sealPacked({ chargeId }: Readonly<Hold>, reply: Uint8Array): Promise<Uint8Array | undefined> {
    // What was delivered has to be settled, whether or not its repeat can be answered.
    const packed = await packReply(reply, replyBytesMax).catch(() => undefined);
    if (!packed) log.warn({ chargeId, bytes: reply.length }, 'a reply is too large to be kept for retries');
    return packed && seal.seal(packed, replyContext(chargeId));
  }

  return {
    committer,
    get openHolds() {
      return open.size;
    },
    hold,
    foresees(request) {
      const walletId = walletIds.get(request.accountId);
      return walletId !== undefined && forecast.affords(walletId, request);
    },
    async extend(hold, more, { minimum = 1n, raisesCeiling = false } = {}) {
      checkAmount('more', more);
      checkAmount('minimum', minimum);
      const pending = await hold.pending;
      if (pending?.ok === false) return pending;
      const { amount: from } = pending?.value ?? hold;
      const extended = await committer.submit({
        type: 'extend',
        ...referenceOf(hold),
        caps: hold.caps,
        total: from + more,
        minimum: from + minimum,
        ttlMs: hold.ttlMs,
      });
      if (!extended.ok) return extended;
      renew(hold);
      const { amount, balance, expiresAtUs } = extended.value;
      const { pending: _, ...committed } = hold;
      const mayPass = raisesCeiling && hold.caps.length === 0;
      return succeed({
        ...committed,
        amount,
        ceiling: maxOf(hold.ceiling, mayPass ? from + more : amount),
        balance,
        expiresAtMs: Number(expiresAtUs / 1_000n),
      });
    },
    async recordProgress(hold, progress) {
      renew(hold);
      try {
        checkUsage(progress.usage);
        if ((await hold.pending)?.ok === false) return;
        await committer.submit({ type: 'progress', ...referenceOf(hold), ...progress, ttlMs: hold.ttlMs });
      } catch (error) {
        log.warn({ err: error, chargeId: hold.chargeId }, 'the progress of a charge was not recorded');
      }
    },
    async settle(hold, { cost, usage, provider, model, providerKeyId, outcome, reply, evidence, delivered = false }) {
      checkUsage(usage);
      if (outcome) checkOutcome(outcome);
      if (evidence !== undefined) checkText('evidence', evidence, evidenceBytesMax);
      if (cost < 0n) throw new RangeError('A cost is never negative.');
      const sealed = sealReply(hold, reply);
      const sealedReply = sealed instanceof Promise ? await sealed : sealed;
      const settlement: SettleOperation = {
        type: 'settle',
        ...referenceOf(hold),
        // What nobody has seen yet can still be refused; what was delivered is paid up to what was asked for.
        cost: minOf(cost, delivered ? hold.ceiling : hold.amount),
        delivered,
        usage,
        provider,
        model,
        providerKeyId,
        outcome,
        sealedReply,
        replyTtlMs: replyRetentionMs,
        evidence,
      };
      try {
        return await (hold.pending ? deferred.settle(hold, settlement) : committer.submit(settlement));
      } finally {
        open.delete(hold.chargeId);
      }
    },
    async release(hold, reason) {
      log.debug({ chargeId: hold.chargeId, reason }, 'a hold is released');
      try {
        if (hold.pending && (deferred.forget(hold.chargeId) || !(await hold.pending).ok)) return;
        await committer.submit({ type: 'release', ...referenceOf(hold) });
      } finally {
        open.delete(hold.chargeId);
      }
    },
    async close() {
      closing = true;
      deferred.close();
      await committer.close(closeMs);
    },
  };
}

function referenceOf({ walletId, chargeId, caps, idempotency }: Readonly<Hold>) {
  return { walletId, chargeId, capOwners: caps.map(({ owner }) => owner), idempotency };
}

function heldBy(
  { walletId, chargeId, request, ttlMs }: HoldOperation,
  { amount, balance, expiresAtUs }: HoldDecision & { kind: 'held' },
): Hold {
  const { caps = [], idempotency } = request;
  // A cap is a promise to whoever set it: what a provider counts beyond our own count does not pass it.
  const ceiling = caps.length > 0 ? amount : request.ceiling;
  const held = { walletId, chargeId, amount, ceiling, balance, expiresAtMs: Number(expiresAtUs / 1_000n), ttlMs, caps };
  return idempotency ? { ...held, idempotency } : held;
}

function replyContext(chargeId: string): string {
  return `reply:${chargeId}`;
}
