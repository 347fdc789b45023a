import type { LanguageModelV4Usage } from '@ai-sdk/provider';
import type { Failure } from '../base/failure.ts';
import { minOf, type NanoUsd } from '../base/money.ts';
import type { InputKinds } from '../catalog/index.ts';
import type { OpenCharge } from '../wallet/index.ts';
import { countedUsage } from './attempt.ts';
import { boundUsage, type CountedUsage } from './bounded.ts';
import { type ChatRun, routeOf } from './chat-run.ts';
import { affordableOutputTokens, attemptCost, type QuotedRoute, worstCost } from './quote.ts';
import { RunningCount } from './running-count.ts';
import {
  countInput,
  countTokensNow,
  type InputMeasure,
  inputKindsOf,
  inputTokensAtMost,
  streamedUnits,
} from './tokens.ts';
import type { ChatReply } from './types.ts';

/** A stream's first hold pays for this many reply tokens; each extension for twice as many as the one before. */
const streamStepTokens = 1_024;
const streamStepTokensMax = 16_384;
/** The hold is extended this many tokens before it runs out. */
const aheadTokens = 64;
const piecesBetweenCounts = 32;
const progressEveryMs = 15_000;

/** Why a reply can't continue: the wallet or a cap does not pay for more, or the requested length is reached. */
export type Shortage = 'credit' | 'length';

/** Whether there are tokens that we never see, so that only the upstream's count says what it used. */
export function hasHiddenTokens({ hiddenTokens }: QuotedRoute): boolean {
  return hiddenTokens;
}

/** A stream's first hold: for the input and the first tokens, or for everything if some tokens are hidden. */
export function firstStep(route: QuotedRoute, measure: InputMeasure): NanoUsd {
  if (hasHiddenTokens(route)) return route.worst;
  const inputTokens = inputTokensAtMost(measure, route.model);
  const outputTokens = Math.min(route.outputTokensCap, streamStepTokens);
  return worstCost(route, { inputTokens, outputTokens, ...inputKindsOf(measure) });
}

/** Counts a stream against its charge as it runs, and extends the hold in steps. Received tokens count, whether delivered or not. */
export class StreamMeter {
  readonly #run: ChatRun<OpenCharge>;
  readonly #route: QuotedRoute;
  readonly #timer: NodeJS.Timeout;
  #inputTokens: number;
  readonly #reply: RunningCount;
  #piecesSinceCount = 0;
  #outputTokens = 0;
  #affordable: number;
  #step = streamStepTokens * 2;
  #inputCounted: Promise<number> | undefined;
  #isRecording = false;

  constructor(run: ChatRun<OpenCharge>, route: QuotedRoute) {
    this.#run = run;
    this.#route = route;
    this.#reply = new RunningCount(run.prepared.count);
    this.#inputTokens = inputTokensAtMost(run.prepared.measure, route.model);
    this.#affordable = affordableOutputTokens(route, this.#input, run.charge.amount - run.fee);
    this.#timer = setInterval(() => void this.#recordInTurn(), progressEveryMs);
    this.#timer.unref();
  }

  /** Tokens received so far, by our own count. */
  get outputTokens(): number {
    return this.#outputTokens;
  }

  /** The most input there can be, and of which kinds. */
  get #input(): InputKinds & { inputTokens: number } {
    return { inputTokens: this.#inputTokens, ...inputKindsOf(this.#run.prepared.measure) };
  }

  /** Counts a piece of the reply; `of` is the call, or other text, that it belongs to. */
  received(text: string, of: string): void {
    this.#reply.add(text, of);
    // A long piece is only counted roughly, so an exact count may soon be worthwhile.
    this.#piecesSinceCount += text.length > streamedUnits ? piecesBetweenCounts : 1;
    // A piece is rarely less than a token; if it is, the exact count before the end corrects it.
    this.#outputTokens += text.length <= 4 ? 1 : Math.max(countTokensNow(text), 1);
  }

  /** Makes sure that what was received is paid for, extending the hold when it runs low. A failure comes from the ledger. */
  async covered(): Promise<'ok' | Shortage | Failure> {
    while (this.#outputTokens + aheadTokens > this.#affordable) {
      const outcome = await this.#grow(0);
      if (outcome === 'grown') continue;
      if (this.#outputTokens <= this.#affordable) return 'ok';
      if (this.#piecesSinceCount >= piecesBetweenCounts && (await this.#countsLess())) continue;
      return outcome === 'exhausted' ? this.#shortage : outcome;
    }
    return 'ok';
  }

  /**
   * How much of a received piece may be sent, extending the hold for it; undefined for all of it. Everything before it was
   * covered, so one token may be sent that the last of the credit pays for only in part.
   */
  async roomFor(text: string): Promise<{ tokens: number; shortage: Shortage } | undefined | Failure> {
    const room = () => this.#affordable - this.#outputTokens + 1;
    // No tokenizer in use produces more tokens than bytes.
    if (Buffer.byteLength(text) <= room()) return undefined;
    const tokens = await this.#run.prepared.count([text]);
    while (tokens > room()) {
      const outcome = await this.#grow(tokens);
      if (outcome === 'grown' || (await this.#countsLess())) continue;
      return outcome === 'exhausted' ? { tokens: room(), shortage: this.#shortage } : outcome;
    }
    return undefined;
  }

  /** The reply's usage: as the provider reports it, or else as received. Ends the counting. */
  async usage(
    stated: LanguageModelV4Usage | undefined,
    message: ChatReply['message'],
    outputTokensCap: number,
  ): Promise<CountedUsage> {
    clearInterval(this.#timer);
    const { prepared, request } = this.#run;
    const bounds = { measure: prepared.measure, route: this.#route, outputTokensCap };
    const dialect = this.#run.deps.providers.dialect(this.#route.model.provider);
    const terms = { request, ...prepared, route: this.#route, dialect };
    // The pieces include what the message does not show: visible reasoning.
    const usage = await countedUsage(stated, message, terms, () => this.#reply.tokens());
    return boundUsage(usage, bounds);
  }

  /** Why a reply that outgrows its hold ends. */
  get #shortage(): Shortage {
    return this.#run.charge.amount - this.#run.fee < this.#route.worst ? 'credit' : 'length';
  }

  /** Extends the hold by a step, or by as much as the next piece needs. */
  async #grow(tokens: number): Promise<'grown' | 'exhausted' | Failure> {
    const { charge, prepared, request } = this.#run;
    const outputTokens = Math.max(this.#affordable + this.#step, this.#outputTokens + tokens + aheadTokens);
    const wanted = worstCost(this.#route, { ...this.#input, outputTokens });
    const more = minOf(wanted, this.#route.worst) + this.#run.fee - charge.amount;
    if (more > 0n) {
      const extended = await charge.extend(more);
      if (extended.ok) {
        this.#step = Math.min(this.#step * 2, streamStepTokensMax);
        this.#recount();
        return 'grown';
      }
      const { kind } = extended.failure;
      if (kind !== 'insufficient_credit' && kind !== 'spending_cap_reached') return extended.failure;
    }
    // So far the input was an upper bound; an actual count leaves more for the reply.
    const counted = await countInput(request, prepared.measure, this.#route.model, prepared.count);
    if (counted >= this.#inputTokens) return 'exhausted';
    this.#inputTokens = counted;
    this.#recount();
    return 'grown';
  }

  /** Replaces the sum over pieces with an exact count; returns whether that was lower. */
  async #countsLess(): Promise<boolean> {
    this.#piecesSinceCount = 0;
    const counted = await this.#countPieces();
    if (counted >= this.#outputTokens) return false;
    this.#outputTokens = counted;
    return true;
  }

  #recount(): void {
    this.#affordable = affordableOutputTokens(this.#route, this.#input, this.#run.charge.amount - this.#run.fee);
  }

  /** Counts everything received as one text: single pieces may be far less than a token. */
  async #countPieces(): Promise<number> {
    return Math.min(await this.#reply.tokens(), this.#outputTokens);
  }

  /** A count may take longer than the interval between two; with many long replies at once, counts would pile up. */
  async #recordInTurn(): Promise<void> {
    if (this.#isRecording) return;
    this.#isRecording = true;
    try {
      await this.#recordProgress();
    } finally {
      this.#isRecording = false;
    }
  }

  /** Records what was received, actually counted: an expired hold is charged what was recorded, not its worst case. */
  async #recordProgress(): Promise<void> {
    const { charge, prepared, request } = this.#run;
    this.#inputCounted ??= countInput(request, prepared.measure, this.#route.model, prepared.count);
    const [inputTokens, outputTokens] = await Promise.all([this.#inputCounted, this.#countPieces()]);
    const usage = { inputTokens, outputTokens, estimated: true };
    await charge.progress({
      cost: minOf(attemptCost(this.#route, usage) + this.#run.fee, charge.amount),
      usage: { ...usage, requests: 1 },
      ...routeOf(this.#route),
    });
  }
}
