import { piecesOf } from '../sandbox/index.ts';
import type { CountTokens } from './tokens.ts';

/**
 * Counts the tokens of a text while it grows. Texts are counted in pieces from their beginning, so that a piece behind which
 * there is more comes to the same number whenever it is counted, and is counted once.
 */
export class RunningCount {
  readonly #count: CountTokens;
  /** From the beginning of the last piece on. */
  readonly #open: string[] = [];
  #tokensBefore = 0;
  #last: Promise<unknown> = Promise.resolve();

  constructor(count: CountTokens) {
    this.#count = count;
  }

  add(text: string): void {
    this.#open.push(text);
  }

  /** The tokens of all that there is when its turn comes: one count at a time, as each keeps the text that it is about. */
  tokens(): Promise<number> {
    const counting = this.#last.then(() => this.#countOn());
    this.#last = counting.catch(() => undefined);
    return counting;
  }

  async #countOn(): Promise<number> {
    const taken = this.#open.length;
    const pieces = [...piecesOf(this.#open.join(''))];
    const last = pieces.pop() ?? '';
    const tokens = this.#tokensBefore + (await this.#count(pieces));
    this.#tokensBefore = tokens;
    this.#open.splice(0, taken, last);
    return tokens + (await this.#count([last]));
  }
}
