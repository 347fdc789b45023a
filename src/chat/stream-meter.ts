import type { LanguageModelV4Usage } from '@ai-sdk/provider';
import type { Failure } from '../base/failure.ts';
import { minOf, type NanoUsd } from '../base/money.ts';
import type { Hold, Ledger, Receipt } from '../wallet/index.ts';
import { type CountedUsage, countedUsage } from './attempt.ts';
import type { PreparedChat } from './prepare.ts';
import { affordableOutputTokens, attemptCost, type QuotedRoute, worstCost } from './quote.ts';
import { countInput, countTokens, countTokensNow, inputTokensAtMost } from './tokens.ts';
import type { ChatReply, ChatRequest } from './types.ts';

/** The first hold of a stream pays for this many tokens of reply; each extension for twice as many as the one before. */
export const streamStepTokens = 1_024;
const streamStepTokensMax = 16_384;
/** The hold grows this many tokens before it is used up. */
const aheadTokens = 64;
const piecesBetweenCounts = 32;
const progressEveryMs = 15_000;

/**
 * Counts a stream against its hold while it runs, lets the hold grow in steps, and settles it exactly once. Tokens that
 * were received count, delivered or not.
 */
export class StreamMeter {
  readonly #ledger: Ledger;
  readonly #route: QuotedRoute;
  readonly #prepared: PreparedChat;
  readonly #request: ChatRequest;
  readonly #timer: NodeJS.Timeout;
  #hold: Hold;
  #inputTokens: number;
  readonly #pieces: string[] = [];
  #piecesSinceCount = 0;
  #outputTokens = 0;
  #affordable: number;
  #step = streamStepTokens * 2;
  #settling: Promise<Receipt> | undefined;

  constructor(options: {
    ledger: Ledger;
    hold: Hold;
    route: QuotedRoute;
    prepared: PreparedChat;
    request: ChatRequest;
  }) {
    this.#ledger = options.ledger;
    this.#hold = options.hold;
    this.#route = options.route;
    this.#prepared = options.prepared;
    this.#request = options.request;
    this.#inputTokens = inputTokensAtMost(options.prepared.measure, options.route.model.imageTokens);
    this.#affordable = affordableOutputTokens(options.route, this.#inputTokens, this.#hold.amount);
    this.#timer = setInterval(() => this.#recordProgress(), progressEveryMs);
    this.#timer.unref();
  }

  get hold(): Hold {
    return this.#hold;
  }

  /** Tokens received so far, by our own count. */
  get outputTokens(): number {
    return this.#outputTokens;
  }

  /** Counts a piece of the reply. */
  received(text: string): void {
    this.#pieces.push(text);
    this.#piecesSinceCount++;
    // A piece is hardly ever less than a token; where it is, the exact count before the end corrects it.
    this.#outputTokens += text.length <= 4 ? 1 : Math.max(countTokensNow(text), 1);
  }

  /**
   * Makes sure that what was received is paid for, growing the hold when it runs low. `credit`: the wallet or a cap pays
   * for no more. `length`: the upstream goes on beyond the length that it was asked for. A failure is one of the ledger's.
   */
  async covered(): Promise<'ok' | 'credit' | 'length' | Failure> {
    while (this.#outputTokens + aheadTokens > this.#affordable) {
      const outcome = await this.#grow();
      if (outcome === 'grown') continue;
      if (this.#outputTokens <= this.#affordable) return 'ok';
      if (await this.#countsLess()) continue;
      if (outcome !== 'exhausted') return outcome;
      return this.#hold.amount < this.#route.worst ? 'credit' : 'length';
    }
    return 'ok';
  }

  /** What the reply used: as the provider states it, else as received. */
  async usage(stated: LanguageModelV4Usage | undefined, message: ChatReply['message']): Promise<CountedUsage> {
    const { measure } = this.#prepared;
    const usage = await countedUsage(stated, message, { request: this.#request, measure, route: this.#route });
    if (usage.estimated) usage.outputTokens = Math.max(usage.outputTokens, this.#outputTokens);
    return usage;
  }

  /** Settles once; later calls answer with the same receipt. */
  settle(usage: CountedUsage, replyOf?: (charged: NanoUsd) => Uint8Array): Promise<Receipt> {
    clearInterval(this.#timer);
    const cost = attemptCost(this.#route, usage);
    this.#settling ??= this.#ledger.settle(this.#hold, {
      cost,
      usage: { ...usage, requests: 1 },
      provider: this.#route.model.provider,
      model: this.#route.model.id,
      ...(replyOf ? { reply: replyOf(minOf(cost, this.#hold.amount)) } : {}),
    });
    return this.#settling;
  }

  async #grow(): Promise<'grown' | 'exhausted' | Failure> {
    const outputTokens = this.#affordable + this.#step;
    const wanted = worstCost(this.#route, { inputTokens: this.#inputTokens, outputTokens });
    const more = minOf(wanted, this.#route.worst) - this.#hold.amount;
    if (more > 0n) {
      const extended = await this.#ledger.extend(this.#hold, more);
      if (extended.ok) {
        this.#hold = extended.value;
        this.#step = Math.min(this.#step * 2, streamStepTokensMax);
        this.#recount();
        return 'grown';
      }
      const { kind } = extended.failure;
      if (kind !== 'insufficient_credit' && kind !== 'spending_cap_reached') return extended.failure;
    }
    // The input was bounded from above so far; counted for real it leaves more for the reply.
    const { measure } = this.#prepared;
    const counted = await countInput(this.#request, measure, this.#route.model.imageTokens);
    if (counted >= this.#inputTokens) return 'exhausted';
    this.#inputTokens = counted;
    this.#recount();
    return 'grown';
  }

  /** Replaces the sum over pieces by an exact count, now and then; whether that was less. */
  async #countsLess(): Promise<boolean> {
    if (this.#piecesSinceCount < piecesBetweenCounts) return false;
    this.#piecesSinceCount = 0;
    const counted = await countTokens(this.#pieces.join(''));
    if (counted >= this.#outputTokens) return false;
    this.#outputTokens = counted;
    return true;
  }

  #recount(): void {
    this.#affordable = affordableOutputTokens(this.#route, this.#inputTokens, this.#hold.amount);
  }

  #recordProgress(): void {
    if (this.#settling) return;
    const usage = { inputTokens: this.#inputTokens, outputTokens: this.#outputTokens, estimated: true };
    void this.#ledger.recordProgress(this.#hold, {
      cost: minOf(attemptCost(this.#route, usage), this.#hold.amount),
      usage: { ...usage, requests: 1 },
    });
  }
}
