import type { ServerResponse } from 'node:http';

/** Anything larger is written at once instead of being gathered. */
const gatheredMax = 16_384;

/**
 * Writes text to a reply; everything within one event loop turn is sent in one piece. Otherwise Node wraps every single write in
 * an HTTP/1.1 chunk, which costs as much as producing the text.
 */
export class TurnWriter {
  readonly #raw: ServerResponse;
  #gathered = '';

  constructor(raw: ServerResponse) {
    this.#raw = raw;
  }

  /** False when the caller reads more slowly than we write: wait for the reply's `drain` before the next write. */
  write(text: string): boolean {
    if (this.#gathered === '') process.nextTick(this.#flush);
    this.#gathered += text;
    if (this.#gathered.length >= gatheredMax) this.#flush();
    return !this.#raw.writableNeedDrain;
  }

  /** Writes what is left, then `text`, and ends the reply. */
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
