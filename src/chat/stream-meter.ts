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

/** The first hold of a stream pays for this many tokens of reply; each extension for twice as many as the one before. */
const streamStepTokens = 1_024;
const streamStepTokensMax = 16_384;
/** The hold grows this many tokens before it is used up. */
const aheadTokens = 64;
const piecesBetweenCounts = 32;
const progressEveryMs = 15_000;

/** Why a reply can't go on: the wallet or a cap pays for no more, or it is as long as was asked for. */
export type Shortage = 'credit' | 'length';

/** Whether there are tokens that we do not see come, so that only the upstream's count says what it took. */
export function hasHiddenTokens({ hiddenTokens }: QuotedRoute): boolean {
  return hiddenTokens;
}

/** What a stream holds at first: for the input and the first tokens; for all of it where some of the tokens are hidden. */
export function firstStep(route: QuotedRoute, measure: InputMeasure): NanoUsd {
  if (hasHiddenTokens(route)) return route.worst;
  const inputTokens = inputTokensAtMost(measure, route.model);
  const outputTokens = Math.min(route.outputTokensCap, streamStepTokens);
  return worstCost(route, { inputTokens, outputTokens, ...inputKindsOf(measure) });
}

/**
 * Counts a stream against its charge while it runs, and lets the hold grow in steps. Tokens that were received count,
 * delivered or not.
 */
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

  /** What of it is at most there, and of which kinds. */
  get #input(): InputKinds & { inputTokens: number } {
    return { inputTokens: this.#inputTokens, ...inputKindsOf(this.#run.prepared.measure) };
  }

  /** Counts a piece of the reply; `of` is the call that it belongs to, or what else it is of. */
  received(text: string, of: string): void {
    this.#reply.add(text, of);
    // A long piece is counted roughly, so that an exact count may soon be worth its time.
    this.#piecesSinceCount += text.length > streamedUnits ? piecesBetweenCounts : 1;
    // A piece is hardly ever less than a token; where it is, the exact count before the end corrects it.
    this.#outputTokens += text.length <= 4 ? 1 : Math.max(countTokensNow(text), 1);
  }

  /**
   * Makes sure that what was received is paid for, growing the hold when it runs low. A failure is one of the ledger's.
   */
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
   * How much of a piece that has come may leave, growing the hold for it: undefined for all of it. Before it everything was
   * covered, so that a token may leave of which the last of the credit pays a part.
   */
  async roomFor(text: string): Promise<{ tokens: number; shortage: Shortage } | undefined | Failure> {
    const room = () => this.#affordable - this.#outputTokens + 1;
    // No tokenizer in use gives more tokens than there are bytes.
    if (Buffer.byteLength(text) <= room()) return undefined;
    const tokens = await this.#run.prepared.count([text]);
    while (tokens > room()) {
      const outcome = await this.#grow(tokens);
      if (outcome === 'grown' || (await this.#countsLess())) continue;
      return outcome === 'exhausted' ? { tokens: room(), shortage: this.#shortage } : outcome;
    }
    return undefined;
  }

  /** What the reply used: as the provider states it, else as received. Nothing is counted after this. */
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
    const usage = await countedUsage(stated, message, terms, () => this.#reply.tokens());
    // The pieces hold what the message does not show: what was thought aloud.
    if (usage.estimated) usage.outputTokens = Math.max(usage.outputTokens, await this.#countPieces());
    return boundUsage(usage, bounds);
  }

  /** Why a reply ends that is longer than what is held for it. */
  get #shortage(): Shortage {
    return this.#run.charge.amount - this.#run.fee < this.#route.worst ? 'credit' : 'length';
  }

  /** By a step, or by as much as the next piece needs. */
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
    // The input was bounded from above so far; counted for real it leaves more for the reply.
    const counted = await countInput(request, prepared.measure, this.#route.model, prepared.count);
    if (counted >= this.#inputTokens) return 'exhausted';
    this.#inputTokens = counted;
    this.#recount();
    return 'grown';
  }

  /** Replaces the sum over pieces by an exact count; whether that was less. */
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

  /** All that was received as one text: pieces by themselves may be far less than a token. */
  async #countPieces(): Promise<number> {
    return Math.min(await this.#reply.tokens(), this.#outputTokens);
  }

  /** A count may take longer than the time between two of them: where many long replies come at once, they would pile up. */
  async #recordInTurn(): Promise<void> {
    if (this.#isRecording) return;
    this.#isRecording = true;
    try {
      await this.#recordProgress();
    } finally {
      this.#isRecording = false;
    }
  }

  /** What was received, counted for real: a hold that expires is charged what was recorded, not its worst case. */
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
