import type { LanguageModelV4FinishReason, LanguageModelV4StreamPart, LanguageModelV4Usage } from '@ai-sdk/provider';
import { type Failure, FailureError, type Result, succeed, unwrap } from '../base/failure.ts';
import { toolCallsMax, tooMany } from '../providers/index.ts';
import { dueOf, endingCharge, type OpenCharge, settleInFull } from '../wallet/index.ts';
import { type AttemptReply, finishReasonOf, noted } from './attempt.ts';
import { type CountedUsage, reportOverruns } from './bounded.ts';
import type { ChatRun } from './chat-run.ts';
import { Citations } from './citations.ts';
import type { GuardedStream } from './guard/index.ts';
import { failureIn, type OpenStream, StreamedError } from './open-stream.ts';
import { attemptCost, type QuotedRoute } from './quote.ts';
import { ReplyState } from './reply-state.ts';
import { hasHiddenTokens, type Shortage, StreamMeter } from './stream-meter.ts';
import { TokenBound } from './token-bound.ts';
import { type Answered, attemptOf, failureOf } from './try-routes.ts';
import type { ChatEvent, ChatReply, FinishReason, Ignored } from './types.ts';
import { withWarnings } from './unsupported.ts';

/** How much longer than a whole request a reply with hidden tokens may still be read when nothing more of it is sent. */
const readOnFactor = 5;

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
  readonly #meter: StreamMeter;
  readonly #bound: TokenBound;
  /** How much of the last piece is paid for; undefined: all of it. */
  #room: { bound: TokenBound; shortage: Shortage } | undefined;
  readonly #track: (work: Promise<unknown>) => void;
  /** Pieces that came before there was a reader. */
  readonly #unread: LanguageModelV4StreamPart[];
  readonly #texts: string[] = [];
  readonly #thoughts: string[] = [];
  /** The reasoning part that the last piece belongs to. */
  #thought: string | undefined;
  readonly #state: ReplyState;
  readonly #citations = new Citations();
  #ignored: readonly Ignored[];
  readonly #toolCalls: ChatReply['message']['toolCalls'] = [];
  /** Where each call is among them, by its id. */
  readonly #places = new Map<string, number>();
  readonly #guarded: GuardedStream | undefined;
  #hasHiddenTokens: boolean;
  #usage: LanguageModelV4Usage | undefined;
  #finished: LanguageModelV4FinishReason | undefined;
  /** Why we ended it ourselves. */
  #cut: 'credit' | 'length' | 'content_filter' | undefined;
  /** Why nothing more is sent, while the upstream is read on for its count of hidden tokens. */
  #full: Shortage | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** Whether a piece has been sent. */
  #delivered = false;
  #over = false;
  /** What broke it off. */
  #broken: string | undefined;
  #left = false;
  readonly #settled = Promise.withResolvers<void>();
  #step: Promise<unknown> | undefined;
  #stopWaiting: (() => void) | undefined;

  constructor(
    run: ChatRun<OpenCharge>,
    { route, answer }: Answered<OpenStream>,
    track: (work: Promise<unknown>) => void,
  ) {
    this.#run = run;
    this.#route = route;
    this.#stream = answer;
    this.#track = track;
    track(this.#settled.promise);
    this.#hasHiddenTokens = hasHiddenTokens(route);
    this.#state = new ReplyState(answer.terms.dialect);
    this.#ignored = answer.terms.ignored;
    this.#guarded = run.guard?.stream();
    this.#meter = new StreamMeter(run, route);
    this.#bound = new TokenBound(answer.outputTokensCap);
    this.#unread = [...answer.first];
    run.signal.addEventListener('abort', this.#leave, { once: true });
    if (run.signal.aborted) this.#leave();
  }

  /** The pieces as they arrive, then the end, which comes after the settlement is durable. */
  async *events(): AsyncGenerator<ChatEvent, void> {
    try {
      while (!this.#isComplete && !this.#left) {
        const event = await this.#next();
        const leaving = event ? await this.#leaving(event) : [];
        for (const left of leaving) if (!this.#left) yield this.#sent(left);
      }
      for (const left of this.#left ? [] : ((await this.#guarded?.end(this.#finishReason)) ?? []))
        if (!this.#left) yield this.#sent(left);
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
      const { owner } = this.#stream.terms;
      const providerState = owner && event.kind === 'delta' ? this.#state.ofThoughts(owner) : undefined;
      return providerState === undefined ? [event] : [{ kind: 'state', providerState }, event];
    }
    const leaving = await this.#guarded.push(event);
    // Hidden reasoning is only counted at the end, so wait for that.
    if (this.#guarded.refused && !this.#hasHiddenTokens) this.#cut ??= 'content_filter';
    return leaving;
  }

  get #isComplete(): boolean {
    return this.#finished !== undefined || this.#cut !== undefined;
  }

  /** Why it ended, as far as it has. */
  get #finishReason(): FinishReason {
    return this.#cut ?? (this.#finished ? finishReasonOf(this.#finished) : 'stop');
  }

  #sent(event: ChatEvent): ChatEvent {
    this.#delivered = true;
    return event;
  }

  /** The next piece. Rejects as soon as the caller leaves: the upstream is then stopped, or read on without them. */
  #next(): Promise<ChatEvent | undefined> {
    const step = this.#takeNext();
    this.#step = step;
    if (!this.#hasHiddenTokens) return step;
    return new Promise((resolve, reject) => {
      this.#stopWaiting = () => reject(new FailureError({ kind: 'cancelled' }));
      step.then(resolve, reject);
    });
  }

  async #takeNext(): Promise<ChatEvent | undefined> {
    const coverage = this.#full ? 'ok' : await this.#meter.covered();
    if (coverage === 'credit' || coverage === 'length') this.#endFor(coverage);
    else if (coverage !== 'ok') throw new FailureError(coverage);
    if (this.#cut) return undefined;
    const part = this.#unread.shift() ?? (await this.#nextPart());
    if (!part) return undefined;
    const text = this.#full ? '' : this.#textIn(part);
    const room = text === '' ? undefined : await this.#meter.roomFor(text);
    if (room && 'kind' in room) throw new FailureError(room);
    this.#room = room && { bound: new TokenBound(room.tokens), shortage: room.shortage };
    return this.#receive(part);
  }

  /** The next piece from the upstream; undefined if it ends or fails after all that may be sent has been. */
  async #nextPart(): Promise<LanguageModelV4StreamPart | undefined> {
    try {
      const part = await this.#stream.next();
      if (part) return part;
      throw new StreamedError({ type: 'ended early' });
    } catch (error) {
      if (!this.#full) throw error;
      this.#cut = this.#full;
      return undefined;
    }
  }

  /** The part of a piece that counts as reply. */
  #textIn(part: LanguageModelV4StreamPart): string {
    if (part.type === 'tool-input-start') return part.toolName;
    if (part.type === 'tool-call') return this.#places.has(part.toolCallId) ? '' : part.input;
    return 'delta' in part ? part.delta : '';
  }

  /** Takes in pieces that have arrived but that nobody will see any more, so that they count. */
  #receiveUnread(): void {
    for (const part of this.#unread.splice(0)) if (!this.#isComplete) this.#receive(part);
  }

  /** Takes in one piece; returns what the caller is to see of it. */
  #receive(part: LanguageModelV4StreamPart): ChatEvent | undefined {
    this.#state.piece(part);
    this.#citations.piece(part);
    switch (part.type) {
      case 'stream-start':
        this.#ignored = withWarnings(this.#ignored, part.warnings);
        return undefined;
      case 'text-delta':
        return this.#receiveText(this.#within(part.delta));
      case 'reasoning-delta':
        this.#hasHiddenTokens = true;
        return this.#receiveThought(part.id, this.#within(part.delta));
      case 'tool-input-start':
        return this.#receiveCall(part.id, part.toolName, '', part.toolName);
      case 'tool-input-delta': {
        const index = this.#places.get(part.id) ?? -1;
        const call = this.#toolCalls[index];
        const delta = call ? this.#within(part.delta) : '';
        if (!call || delta === '') return undefined;
        this.#meter.received(delta, call.id);
        call.arguments += delta;
        return { kind: 'delta', toolCall: { index, id: call.id, name: call.name, arguments: delta } };
      }
      case 'tool-call':
        // Some providers stream a call in pieces and then repeat it whole; others send it only whole.
        if (this.#places.has(part.toolCallId)) return this.#receiveState(part.toolCallId);
        return this.#receiveCall(part.toolCallId, part.toolName, part.input, part.input);
      case 'finish':
        if (part.finishReason.unified === 'error') throw new StreamedError({});
        this.#usage = part.usage;
        this.#finished = part.finishReason;
        this.#cut ??= this.#full;
        return undefined;
      case 'error':
        throw new StreamedError(part.error);
      default:
        return undefined;
    }
  }

  /** As much of a text as the upstream was asked for and is paid for; if the text goes beyond that, the reply ends here. */
  #within(text: string): string {
    if (this.#full) return '';
    const paid = this.#room ? this.#room.bound.take(text) : text;
    if (this.#room?.bound.full) this.#endFor(this.#room.shortage);
    const fitting = this.#bound.take(paid);
    if (this.#bound.full)
      this.#endFor(this.#stream.outputTokensCap < this.#route.outputTokensCap ? 'credit' : 'length');
    return fitting;
  }

  /** Sends nothing more, and stops the upstream. One with hidden tokens is read to its end instead: only there it says what it used. */
  #endFor(shortage: Shortage): void {
    if (!this.#hasHiddenTokens) this.#cut ??= shortage;
    else if (this.#full === undefined) this.#readOnForAWhile();
    this.#full ??= shortage;
  }

  /** For longer than a slow model takes for its longest reply. A reply that is stopped before its end is not charged for hidden tokens. */
  #readOnForAWhile(): void {
    this.#timer ??= setTimeout(() => this.#stream.stop(), readOnFactor * this.#run.deps.deadlineMs);
  }

  #receiveText(content: string): ChatEvent | undefined {
    if (content === '') return undefined;
    this.#meter.received(content, 'text');
    this.#texts.push(content);
    return { kind: 'delta', content };
  }

  #receiveThought(id: string, delta: string): ChatEvent | undefined {
    if (delta === '') return undefined;
    this.#meter.received(delta, 'thought');
    if (!this.#run.request.reasoning?.summary) return undefined;
    const isAnother = this.#thought !== undefined && this.#thought !== id;
    this.#thought = id;
    const summary = isAnother ? `\n\n${delta}` : delta;
    this.#thoughts.push(summary);
    return { kind: 'reasoning', summary };
  }

  /** What the provider wants back for a call that is now complete. */
  #receiveState(callId: string): ChatEvent | undefined {
    const { owner } = this.#stream.terms;
    const index = this.#places.get(callId) ?? -1;
    const call = this.#toolCalls[index];
    const providerState = owner && this.#state.ofCall(callId, owner);
    if (!call || !providerState) return undefined;
    call.providerState = providerState;
    return { kind: 'delta', toolCall: { index, id: call.id, name: call.name, arguments: '', providerState } };
  }

  #receiveCall(id: string, name: string, args: string, counted: string): ChatEvent | undefined {
    if (this.#toolCalls.length === toolCallsMax) throw new StreamedError(tooMany('tool calls'));
    // A call that does not fit is dropped entirely: half of it would not tell what the model meant.
    if (this.#full || this.#within(counted) !== counted) return undefined;
    this.#meter.received(counted, id);
    const { owner } = this.#stream.terms;
    const providerState = owner && this.#state.ofCall(id, owner);
    const call = { id, name, arguments: args, ...(providerState ? { providerState } : {}) };
    if (!this.#places.has(id)) this.#places.set(id, this.#toolCalls.length);
    this.#toolCalls.push(call);
    return { kind: 'delta', toolCall: { index: this.#toolCalls.length - 1, ...call } };
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
    this.#receiveUnread();
    if (this.#hasHiddenTokens) this.#readOnForAWhile();
    else this.#stream.stop();
    try {
      await this.#step;
      while (this.#hasHiddenTokens && !this.#isComplete) await this.#takeNext();
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
      return await guard.reply(answer, !this.#isComplete);
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
    clearTimeout(this.#timer);
    this.#receiveUnread();
    if (this.#finished) this.#stream.succeeded(this.#meter.outputTokens);
    else this.#stream.stop();
    const message = { role: 'assistant' as const, content: this.#texts.join(''), toolCalls: this.#toolCalls };
    const { outputTokensCap } = this.#stream;
    const usage = await this.#meter.usage(this.#usage, message, outputTokensCap);
    reportOverruns(
      { input: this.#usage?.inputTokens.total, output: this.#usage?.outputTokens.total },
      this.#bound.full,
      { route: this.#route, measure: this.#run.prepared.measure, outputTokensCap },
      this.#run.deps.overran,
    );
    const outcome = this.#isComplete ? 'ok' : (this.#broken ?? 'cancelled');
    const finishReason = this.#finishReason;
    const cost = attemptCost(this.#route, usage);
    this.#stream.concluded({ outcome, usage, cost, ...(this.#isComplete ? { finishReason } : {}) });
    if (this.#isComplete) attempts.push(attemptOf(this.#route, 'ok', this.#stream.latencyMs()));
    await this.#cover(usage);
    const { owner } = this.#stream.terms;
    const answer = {
      message: owner && !this.#cut ? this.#state.withMessageState(message, owner) : message,
      ...{ finishReason, usage },
      ...(this.#thoughts.length > 0 ? { reasoningSummary: this.#thoughts.join('') } : {}),
      ...(this.#citations.list.length > 0 ? { citations: this.#citations.list } : {}),
      ...noted(this.#ignored),
    };
    // Judging it as a whole gives the same result as piece by piece.
    const judged = await this.#judged(answer);
    const by = this.#broken === undefined ? 'cancelled' : 'error';
    const cut = this.#isComplete ? undefined : ({ by, latencyMs: this.#stream.latencyMs() } as const);
    const { reply, settlement } = this.#run.concluded(this.#route, judged, cut);
    const paid = this.#delivered
      ? succeed(await charge.settle({ ...settlement, delivered: true }))
      : await settleInFull(charge, settlement);
    if (!paid.ok) return paid;
    reply.usage.cost = dueOf(paid.value);
    return succeed({ ...reply, balance: paid.value.balance, capLeft: paid.value.capLeft });
  }
}
