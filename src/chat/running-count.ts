import { piecesOf } from '../sandbox/index.ts';
import type { CountTokens } from './tokens.ts';

/**
 * Counts the tokens of texts while they grow, one after another. Texts are counted in pieces from their beginning, so that a
 * piece behind which there is more comes to the same number whenever it is counted, and is counted once.
 */
export class RunningCount {
  readonly #count: CountTokens;
  /** Of the texts that are not counted for good, the last of which grows: it from the beginning of its last piece on. */
  readonly #open: string[][] = [[]];
  /** What the last text belongs to. */
  #of: string | undefined;
  #tokensBefore = 0;
  #last: Promise<unknown> = Promise.resolve();

  constructor(count: CountTokens) {
    this.#count = count;
  }

  /** More of the text of this, or the beginning of another one. */
  add(text: string, of?: string): void {
    if (of !== this.#of) this.#open.push([]);
    this.#of = of;
    this.#open.at(-1)?.push(text);
  }

  /** Counts the tokens of everything received when its turn comes: one count at a time, because each keeps its text in memory. */
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
