import type { Logger } from 'pino';
import type { Caller } from '../base/caller.ts';
import type { Clock } from '../base/clock.ts';
import { fail, type Result, succeed } from '../base/failure.ts';
import { maxOf, type NanoUsd } from '../base/money.ts';
import { present } from '../base/present.ts';
import { priceOf, type Rates } from '../catalog/index.ts';
import { isConnectionLost } from '../db/index.ts';
import type { Hold, HoldRequest, IdempotencyKey, Ledger, Receipt } from '../wallet/index.ts';
import { dueOf, payerOf, replyScope } from '../wallet/index.ts';
import { bytesOf, untilTomorrowMs } from './daily-bytes.ts';
import type { Digests } from './digest.ts';
import { type CheckedEvent, checkEvent, type IncomingEvent, type Rejection } from './event.ts';
import type { Recorder } from './recorder.ts';
import type { Settlements } from './settlements.ts';
import { type Batch, identify, type Written } from './write-group.ts';

/** The outcome for a request's events; accepted + duplicates + rejected is their number. */
export interface Recorded {
  accepted: number;
  duplicates: number;
  rejected: Rejection[];
  cost: NanoUsd;
  /** Absent if no event was good enough to be charged. */
  charge?: { chargeId: string; balance: NanoUsd; capLeft: NanoUsd | undefined };
}

/** The reply to a retry with the same idempotency key. */
type StoredReply = Pick<Recorded, 'accepted' | 'duplicates' | 'rejected'>;

/** The price of a thousand events, and the version of the price book that sets it. */
export interface PulsePrice extends Pick<Rates, 'perThousandEvents'> {
  version: HoldRequest['priceVersion'];
}

export interface RecordDeps {
  recorder: Recorder;
  digests: Digests;
  ledger: Pick<Ledger, 'hold' | 'settle' | 'release'>;
  /** What an account pays now for `pulse`; undefined if the operator has set no price for it. */
  price(accountId: string): PulsePrice | undefined;
  settlements: Settlements;
  clock: Clock;
  log: Logger;
  /** Events that occurred longer ago are rejected. */
  retentionMs: number;
  /** The most bytes of properties and error messages that an account's events may carry per day. */
  bytesPerDayMax: number;
}

export interface RecordCall {
  /** The request's id, as returned in its reply. */
  requestId?: string | undefined;
  idempotency?: Omit<IdempotencyKey, 'scope'> | undefined;
}

const retryAfterMs = 1_000;

/**
 * Records a request's events and charges for the new ones: check each on its own, hold the price of all, write, settle the
 * price of those accepted.
 */
export async function recordEvents(
  deps: RecordDeps,
  caller: Caller,
  events: readonly IncomingEvent[],
  call: RecordCall = {},
): Promise<Result<Recorded>> {
  const payer = payerOf(caller, 'pulse');
  if (!payer.ok) return payer;
  const { accountId } = payer.value;
  const { good, rejected } = checkAll(deps, events);
  if (good.length === 0) return succeed({ accepted: 0, duplicates: 0, rejected, cost: 0n });
  const price = deps.price(accountId);
  if (price?.perThousandEvents === undefined) {
    return fail({ kind: 'precondition_failed', description: 'Pulse events have no price yet; the operator sets one.' });
  }
  // A retry of an answered request must get its answer again.
  if (!call.idempotency && deps.recorder.isOverDay(accountId, bytesOf(good))) return overDay(deps);
  if (call.idempotency && !(await deps.settlements.caughtUp()))
    return fail({ kind: 'ledger_unavailable', retryAfterMs });
  const free = deps.recorder.reserve(accountId, good.length);
  if (!free) return fail({ kind: 'overloaded', retryAfterMs });
  try {
    // Free events pass through the ledger like all other use: nothing is recorded for an empty wallet.
    const ceiling = maxOf(costOf(good.length, price), 1n);
    const askedAt = deps.clock.monotonic();
    const held = await deps.ledger.hold({
      ...payer.value,
      operation: 'pulse',
      priceVersion: price.version,
      ceiling,
      minimum: ceiling,
      ...present({ requestId: call.requestId }),
      ...(call.idempotency ? { idempotency: { scope: replyScope(payer.value), ...call.idempotency } } : {}),
    });
    if (!held.ok) return held;
    if (held.value.kind === 'replayed') return replay(held.value.receipt, held.value.reply);
    return await writeAndSettle(deps, accountId, { hold: held.value.hold, askedAt, price, good, rejected });
  } finally {
    free();
  }
}

interface Admitted {
  hold: Hold;
  /** When the hold was requested, by the monotonic clock. */
  askedAt: number;
  price: PulsePrice;
  good: CheckedEvent[];
  rejected: Rejection[];
}

async function writeAndSettle(deps: RecordDeps, accountId: string, admitted: Admitted): Promise<Result<Recorded>> {
  const { hold, askedAt, price, good, rejected } = admitted;
  const costOfWritten = ({ accepted }: Written) => (accepted === 0 ? 0n : costOf(accepted, price));
  const batch: Batch = {
    events: identify(accountId, good, deps.digests),
    unsettled: (written) =>
      written.accepted === 0
        ? undefined
        : deps.settlements.rowOf(hold, costOfWritten(written), written.accepted, replyOf(written, rejected)),
  };
  let written: Written;
  try {
    written = await deps.recorder.write(accountId, batch);
  } catch (error) {
    return notWritten(deps, hold, error);
  }
  if (written.tooManyBytes) {
    await deps.ledger.release(hold, 'too_many_bytes');
    return overDay(deps);
  }
  const reply = replyOf(written, rejected);
  const cost = costOfWritten(written);
  const receipt = await deps.ledger.settle(hold, {
    cost,
    usage: { events: written.accepted },
    outcome: { latencyMs: Math.round(deps.clock.monotonic() - askedAt) },
    // The events are stored.
    delivered: true,
    reply: Buffer.from(JSON.stringify(reply)),
  });
  if (written.accepted > 0) deps.settlements.done(hold.chargeId);
  return succeed({
    ...reply,
    cost: dueOf(receipt),
    charge: { chargeId: receipt.chargeId, balance: receipt.balance, capLeft: receipt.capLeft },
  });
}

/**
 * If the connection was lost, the events may have been stored: then the row in `pulse_unsettled` exists too and will be
 * settled; otherwise the hold expires. A rejected transaction has stored nothing.
 */
async function notWritten(deps: RecordDeps, hold: Hold, error: unknown): Promise<Result<Recorded>> {
  if (!isConnectionLost(error)) {
    await deps.ledger.release(hold, 'events_not_written');
    throw error;
  }
  deps.log.error({ err: error, chargeId: hold.chargeId }, 'the database went away while events were written');
  return fail({ kind: 'ledger_unavailable', retryAfterMs });
}

function overDay({ clock, bytesPerDayMax }: RecordDeps): Result<never> {
  const limit = `${bytesPerDayMax} bytes that the account's events carry a day (UTC) as properties and error messages`;
  return fail({ kind: 'rate_limited', limit, retryAfterMs: untilTomorrowMs(clock.now()) });
}

function checkAll(deps: RecordDeps, events: readonly IncomingEvent[]): { good: CheckedEvent[]; rejected: Rejection[] } {
  const nowMs = deps.clock.now();
  const window = { nowMs, oldestMs: nowMs - deps.retentionMs };
  const good: CheckedEvent[] = [];
  const rejected: Rejection[] = [];
  for (const [index, event] of events.entries()) {
    const checked = checkEvent(event, index, window);
    if ('reason' in checked) rejected.push(checked);
    else good.push(checked);
  }
  return { good, rejected };
}

function costOf(events: number, price: PulsePrice): NanoUsd {
  return priceOf({ events }, price);
}

function replyOf({ accepted, duplicates, rejected: late }: Written, early: readonly Rejection[]): StoredReply {
  const rejected = [...early, ...late].sort((a, b) => a.index - b.index);
  return { accepted, duplicates, rejected };
}

function replay(receipt: Receipt, reply: Uint8Array | undefined): Result<Recorded> {
  if (!reply) return fail({ kind: 'reply_purged', chargeId: receipt.chargeId });
  const stored = JSON.parse(Buffer.from(reply).toString()) as StoredReply;
  const { chargeId, balance, capLeft } = receipt;
  return succeed({ ...stored, cost: dueOf(receipt), charge: { chargeId, balance, capLeft } });
}
