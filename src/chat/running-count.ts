import { piecesOf } from '../sandbox/index.ts';
import type { CountTokens } from './tokens.ts';

/**
 * Counts the tokens of growing texts, one after another. Texts are counted in pieces from their beginning, so that a piece
 * followed by more text has the same count whenever it is counted, and is counted only once.
 */
export class RunningCount {
  readonly #count: CountTokens;
  /** Texts whose count is not final. The last one is still growing; of that, only what starts at its last piece is kept. */
  readonly #open: string[][] = [[]];
  /** The key of the last text. */
  #of: string | undefined;
  #tokensBefore = 0;
  #last: Promise<unknown> = Promise.resolve();

  constructor(count: CountTokens) {
    this.#count = count;
  }

  /** Adds to the text with this key, or starts another one. */
  add(text: string, of?: string): void {
    if (of !== this.#of) this.#open.push([]);
    this.#of = of;
    this.#open.at(-1)?.push(text);
  }

  /** Counts the tokens of everything received by the time its turn comes: one count at a time, because each keeps its text in memory. */
  tokens(): Promise<number> {
    const counting = this.#last.then(() => this.#countOn());
    this.#last = counting.catch(() => undefined);
    return counting;
  }

  async #countOn(): Promise<number> {
    const whole = this.#open.slice(0, -1);
    const growing = this.#open.at(-1) ?? [];
    const taken = growing.length;
    const pieces = [...piecesOf(growing.join(''))];
    const last = pieces.pop() ?? '';
    pieces.unshift(...whole.flatMap((text) => [...piecesOf(text.join(''))]));
    const tokens = this.#tokensBefore + (await this.#count(pieces));
    this.#tokensBefore = tokens;
    growing.splice(0, taken, last);
    this.#open.splice(0, whole.length);
    return tokens + (await this.#count([last]));
  }
}
