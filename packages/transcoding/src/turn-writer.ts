import type { ServerResponse } from 'node:http';

/** More than this is not gathered, but written at once. */
const gatheredMax = 16_384;

/**
 * Writes text to a reply; what comes in one turn of the event loop goes out in one piece. By itself Node puts a chunk of
 * HTTP/1.1 around every single write, which costs as much as making the text.
 */
export class TurnWriter {
  readonly #raw: ServerResponse;
  #gathered = '';

  constructor(raw: ServerResponse) {
    this.#raw = raw;
  }

  /** False when the caller reads more slowly than we write: wait for the reply's `drain` before the next one. */
  write(text: string): boolean {
    if (this.#gathered === '') process.nextTick(this.#flush);
    this.#gathered += text;
    if (this.#gathered.length >= gatheredMax) this.#flush();
    return !this.#raw.writableNeedDrain;
  }

  /** Writes what is left, and `text`, and ends the reply. */
  end(text = ''): void {
    const last = this.#gathered + text;
    this.#gathered = '';
    this.#raw.end(last === '' ? undefined : last);
  }

  #flush = (): void => {
    const text = this.#gathered;
    this.#gathered = '';
    if (text !== '') this.#raw.write(text);
  };
}
