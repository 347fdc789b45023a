import { type Failure, FailureError, type Result, succeed, unwrap } from '../base/failure.ts';
import { dueOf, endingCharge, type OpenCharge, settleInFull } from '../wallet/index.ts';
import type { AttemptReply } from './attempt.ts';
import type { CountedUsage } from './bounded.ts';
import type { ChatRun } from './chat-run.ts';
import type { GuardedStream } from './guard/index.ts';
import { IncomingReply } from './incoming-reply.ts';
import { failureIn, type OpenStream } from './open-stream.ts';
import { attemptCost, type QuotedRoute } from './quote.ts';
import { type Answered, attemptOf, failureOf } from './try-routes.ts';
import type { ChatEvent, ChatReply } from './types.ts';

/**
 * A reply on its way from an upstream to the caller, piece by piece. It is always settled: at its end, if the upstream breaks
 * it off, and if the caller leaves. In that last case the upstream is stopped at once and what was received is charged; but if
 * tokens are hidden, as with unseen reasoning or a document, only the upstream's own count says what it used, so its reply is
 * read to the end.
 */
export class StreamedReply {
  readonly #run: ChatRun<OpenCharge>;
  readonly #route: QuotedRoute;
  readonly #stream: OpenStream;
  readonly #incoming: IncomingReply;
  readonly #track: (work: Promise<unknown>) => void;
  readonly #guarded: GuardedStream | undefined;
  /** Whether a piece has been sent. */
  #delivered = false;
  #over = false;
  /** What broke it off. */
  #broken: string | undefined;
  #left = false;
  readonly #settled = Promise.withResolvers<void>();
  #step: Promise<unknown> | undefined;
  #stopWaiting: (() => void) | undefined;

  constructor(run: ChatRun<OpenCharge>, opened: Answered<OpenStream>, track: (work: Promise<unknown>) => void) {
    this.#run = run;
    this.#route = opened.route;
    this.#stream = opened.answer;
    this.#track = track;
    track(this.#settled.promise);
    this.#guarded = run.guard?.stream();
    this.#incoming = new IncomingReply(run, opened);
    run.signal.addEventListener('abort', this.#leave, { once: true });
    if (run.signal.aborted) this.#leave();
  }

  /** The pieces as they arrive, then the end, which comes after the settlement is durable. */
  async *events(): AsyncGenerator<ChatEvent, void> {
    try {
      while (!this.#incoming.isComplete && !this.#left) {
        const event = await this.#next();
        const leaving = event ? await this.#leaving(event) : [];
        for (const left of leaving) if (!this.#left) yield this.#sent(left);
      }
      const rest = async () => (await this.#guarded?.end(this.#incoming.finishReason)) ?? [];
      for (const left of this.#left ? [] : await judging(rest)) if (!this.#left) yield this.#sent(left);
      if (this.#left) throw new FailureError({ kind: 'cancelled' });
      yield await this.#end();
    } catch (error) {
      if (this.#left) throw new FailureError({ kind: 'cancelled' }, { cause: error });
      throw this.#over ? error : new FailureError(await this.#breakOff(error), { cause: error });
    } finally {
      this.#run.signal.removeEventListener('abort', this.#leave);
      this.#leave();
    }
  }

  /**
   * What may be sent of an event now, by the guardrails of the caller's key. The reasoning state that the provider wants back
   * comes before a text or a call; if guardrails may change those, it comes at the end.
   */
  async #leaving(event: ChatEvent): Promise<ChatEvent[]> {
    if (!this.#guarded) {
      const providerState = event.kind === 'delta' ? this.#incoming.stateOfThoughts() : undefined;
      return providerState === undefined ? [event] : [{ kind: 'state', providerState }, event];
    }
    const guarded = this.#guarded;
    const leaving = await judging(async () => guarded.push(event));
    if (guarded.refused) this.#incoming.refuse();
    return leaving;
  }

  #sent(event: ChatEvent): ChatEvent {
    this.#delivered = true;
    return event;
  }

  /** The next piece. Rejects as soon as the caller leaves: the upstream is then stopped, or read on without them. */
  #next(): Promise<ChatEvent | undefined> {
    const step = this.#incoming.next();
    this.#step = step;
    if (!this.#incoming.hasHiddenTokens) return step;
    return new Promise((resolve, reject) => {
      this.#stopWaiting = () => reject(new FailureError({ kind: 'cancelled' }));
      step.then(resolve, reject);
    });
  }

  async #end(): Promise<ChatEvent> {
    this.#over = true;
    return { kind: 'end', reply: unwrap(await this.#settle()) };
  }

  /** The upstream, or our ledger, failed midway: what was received is paid for, then the caller gets the error. */
  async #breakOff(error: unknown): Promise<Failure> {
    this.#over = true;
    const failure = failureIn(error);
    this.#broken = error instanceof FailureError ? error.failure.kind : failure.outcome;
    if (!(error instanceof FailureError)) this.#stream.failed(failure);
    await this.#settle();
    if (error instanceof FailureError) return error.failure;
    const { attempts } = this.#run;
    attempts.push(attemptOf(this.#route, failure.outcome, this.#stream.latencyMs()));
    return failureOf(failure, attempts, this.#run.request);
  }

  #leave = (): void => {
    if (this.#over) return;
    this.#over = true;
    this.#left = true;
    this.#stopWaiting?.();
    this.#track(this.#abandon());
  };

  async #abandon(): Promise<void> {
    const incoming = this.#incoming;
    incoming.leave();
    try {
      await this.#step;
      while (incoming.hasHiddenTokens && !incoming.isComplete) await incoming.next();
    } catch {
      // It was stopped or failed; what arrived is settled.
    }
    await this.#settle();
  }

  /**
   * Extends the hold to what the reply costs, as far as credit allows. While pieces arrive it grows by our own count, which
   * does not yet cover what the provider counts beyond that, nor a last piece that the caller left behind.
   */
  async #cover(usage: CountedUsage): Promise<void> {
    const { charge } = this.#run;
    const missing = this.#run.costOf(this.#route, usage) - charge.amount;
    // If the ledger can't do it now, the settlement that follows will report it.
    if (missing > 0n) await charge.extend(missing).catch(() => undefined);
  }

  /** A failure to judge what has been delivered does not make it free. */
  async #judged(answer: AttemptReply): Promise<AttemptReply> {
    const { guard } = this.#run;
    if (!guard) return answer;
    try {
      return await guard.reply(answer, !this.#incoming.isComplete);
    } catch (error) {
      if (!this.#delivered) throw error;
      return answer;
    }
  }

  /** Ends the charge. If no piece has been sent, the reply is paid in full, or fails and is not charged. */
  #settle(): Promise<Result<ChatReply>> {
    return endingCharge(this.#run.charge, () => this.#charge()).finally(this.#settled.resolve);
  }

  async #charge(): Promise<Result<ChatReply>> {
    const { attempts, charge } = this.#run;
    const answer = await this.#incoming.end();
    const { isComplete } = this.#incoming;
    const { finishReason, usage } = answer;
    const outcome = isComplete ? 'ok' : (this.#broken ?? 'cancelled');
    const cost = attemptCost(this.#route, usage);
    this.#stream.concluded({ outcome, usage, cost, ...(isComplete ? { finishReason } : {}) });
    if (isComplete) attempts.push(attemptOf(this.#route, 'ok', this.#stream.latencyMs()));
    await this.#cover(usage);
    // Judging it as a whole gives the same result as piece by piece.
    const judged = await this.#judged(answer);
    const by = this.#broken === undefined ? 'cancelled' : 'error';
    const cut = isComplete ? undefined : ({ by, latencyMs: this.#stream.latencyMs() } as const);
    const { reply, settlement } = this.#run.concluded(this.#route, judged, cut);
    const paid = this.#delivered
      ? succeed(await charge.settle({ ...settlement, delivered: true }))
      : await settleInFull(charge, settlement);
    if (!paid.ok) return paid;
    reply.usage.cost = dueOf(paid.value);
    return succeed({ ...reply, balance: paid.value.balance, capLeft: paid.value.capLeft });
  }
}

/** A fault while a reply is judged is ours, and nothing that its model did. */
async function judging<T>(judge: () => Promise<T>): Promise<T> {
  try {
    return await judge();
  } catch (error) {
    throw error instanceof FailureError ? error : new FailureError({ kind: 'internal' }, { cause: error });
  }
}
