import type { LanguageModelV4FinishReason, LanguageModelV4StreamPart, LanguageModelV4Usage } from '@ai-sdk/provider';
import { FailureError } from '../base/failure.ts';
import { toolCallsMax, tooMany } from '../providers/index.ts';
import type { OpenCharge } from '../wallet/index.ts';
import { type AttemptReply, finishReasonOf, noted } from './attempt.ts';
import { reportOverruns } from './bounded.ts';
import type { ChatRun } from './chat-run.ts';
import { Citations } from './citations.ts';
import { type OpenStream, StreamedError } from './open-stream.ts';
import type { QuotedRoute } from './quote.ts';
import { ReplyState } from './reply-state.ts';
import { hasHiddenTokens, type Shortage, StreamMeter } from './stream-meter.ts';
import { TokenBound } from './token-bound.ts';
import type { Answered } from './try-routes.ts';
import type { ChatEvent, ChatReply, FinishReason, Ignored } from './types.ts';
import { withWarnings } from './unsupported.ts';

/** How much longer than a whole request a reply with hidden tokens may still be read when nothing more of it is sent. */
const readOnFactor = 5;

/**
 * What an upstream sends, made into a reply piece by piece: as much of it as was asked for, and as the charge, which grows with
 * it, pays for. Who reads it, and what it costs in the end, is up to `StreamedReply`.
 */
export class IncomingReply {
  readonly #run: ChatRun<OpenCharge>;
  readonly #route: QuotedRoute;
  readonly #stream: OpenStream;
  readonly #meter: StreamMeter;
  readonly #bound: TokenBound;
  /** How much of the last piece is paid for; undefined: all of it. */
  #room: { bound: TokenBound; shortage: Shortage } | undefined;
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
  #hasHiddenTokens: boolean;
  #usage: LanguageModelV4Usage | undefined;
  #finished: LanguageModelV4FinishReason | undefined;
  /** Why we ended it ourselves. */
  #cut: 'credit' | 'length' | 'content_filter' | undefined;
  /** Why nothing more is sent, while the upstream is read on for its count of hidden tokens. */
  #full: Shortage | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(run: ChatRun<OpenCharge>, { route, answer }: Answered<OpenStream>) {
    this.#run = run;
    this.#route = route;
    this.#stream = answer;
    this.#hasHiddenTokens = hasHiddenTokens(route);
    this.#state = new ReplyState(answer.terms.dialect);
    this.#ignored = answer.terms.ignored;
    this.#meter = new StreamMeter(run, route);
    this.#bound = new TokenBound(answer.outputTokensCap);
    this.#unread = [...answer.first];
  }

  /** Whether there are tokens that only the upstream's own count, at its end, tells of. */
  get hasHiddenTokens(): boolean {
    return this.#hasHiddenTokens;
  }

  get isComplete(): boolean {
    return this.#finished !== undefined || this.#cut !== undefined;
  }

  /** Why it ended, as far as it has. */
  get finishReason(): FinishReason {
    return this.#cut ?? (this.#finished ? finishReasonOf(this.#finished) : 'stop');
  }

  /** The reasoning state so far that the provider wants back; undefined if there is none, or none since the last time. */
  stateOfThoughts(): string | undefined {
    const { owner } = this.#stream.terms;
    return owner && this.#state.ofThoughts(owner);
  }

  /** Takes the next piece, and returns what the caller is to see of it. */
  async next(): Promise<ChatEvent | undefined> {
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

  /** Takes in pieces that have arrived but that nobody will see any more, so that they count. */
  receiveUnread(): void {
    for (const part of this.#unread.splice(0)) if (!this.isComplete) this.#receive(part);
  }

  /** Ends it, because the guardrails of the caller's key refuse it. Hidden reasoning is only counted at the end, so wait for that. */
  refuse(): void {
    if (!this.#hasHiddenTokens) this.#cut ??= 'content_filter';
  }

  /**
   * For when nobody hears any more of it. The upstream is stopped; but one with hidden tokens is read on, for longer than a slow
   * model takes for its longest reply. If that is stopped before its end as well, hidden tokens are not charged.
   */
  leave(): void {
    this.receiveUnread();
    if (this.#hasHiddenTokens) this.#readOnForAWhile();
    else this.#stream.stop();
  }

  /** What was received, with what it used. Nothing is read after this. */
  async end(): Promise<AttemptReply> {
    clearTimeout(this.#timer);
    this.receiveUnread();
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
    const { owner } = this.#stream.terms;
    return {
      message: owner && !this.#cut ? this.#state.withMessageState(message, owner) : message,
      ...{ finishReason: this.finishReason, usage },
      ...(this.#thoughts.length > 0 ? { reasoningSummary: this.#thoughts.join('') } : {}),
      ...(this.#citations.list.length > 0 ? { citations: this.#citations.list } : {}),
      ...noted(this.#ignored),
    };
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
}
