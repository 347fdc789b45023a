import { countTokensNow } from './tokens.ts';

/** What is looked at next, and what is kept before it, in UTF-16 units: together short enough to be counted exactly and at once. */
const sliceLength = 256;
const tailLengthMax = 768;

/**
 * Cuts text that comes in pieces where it would be more than so many tokens, by our own count. Nothing is counted while
 * it has fewer bytes than that, and near the bound only its last words are.
 */
export class TokenBound {
  /** For what is not in the tail yet. */
  #left: number;
  /** Text that was taken and is not counted for good, as a token may go on in the next piece. */
  #tail = '';
  #tailBytes = 0;
  #full = false;

  constructor(tokens: number) {
    this.#left = tokens;
  }

  /** Whether something did not fit; nothing more does. */
  get full(): boolean {
    return this.#full;
  }

  /** The longest beginning of the text that still fits. */
  take(text: string): string {
    for (let start = 0; start < text.length && !this.#full; ) {
      const end = sliceEnd(text, start + sliceLength);
      const slice = text.slice(start, end);
      if (!this.#fits(slice)) {
        this.#full = true;
        return text.slice(0, start) + this.#longestOf(slice);
      }
      this.#tail += slice;
      this.#tailBytes += Buffer.byteLength(slice);
      start = end;
    }
    return this.#full ? '' : text;
  }

  #fits(slice: string): boolean {
    // No tokenizer in use gives more tokens than there are bytes.
    const bytes = Buffer.byteLength(slice);
    if (this.#tailBytes + bytes <= this.#left) return true;
    while (this.#tail.length > tailLengthMax) this.#settle(tailLengthMax);
    this.#settle(this.#tail.length - 1);
    return this.#tailBytes + bytes <= this.#left || countTokensNow(this.#tail + slice) <= this.#left;
  }

  /** Counts the tail up to its last blank before `end` for good: a token hardly ever holds a blank but at its beginning. */
  #settle(end: number): void {
    const blank = this.#tail.lastIndexOf(' ', end);
    const cut = blank > 0 ? blank : this.#tail.length > tailLengthMax ? sliceEnd(this.#tail, end) : 0;
    if (cut <= 0) return;
    this.#left -= countTokensNow(this.#tail.slice(0, cut));
    this.#tail = this.#tail.slice(cut);
    this.#tailBytes = Buffer.byteLength(this.#tail);
  }

  #longestOf(slice: string): string {
    let fitting = 0;
    let tooLong = slice.length;
    while (tooLong - fitting > 1) {
      const middle = (fitting + tooLong) >> 1;
      if (countTokensNow(this.#tail + slice.slice(0, middle)) <= this.#left) fitting = middle;
      else tooLong = middle;
    }
    return slice.slice(0, sliceEnd(slice, fitting));
  }
}

/** Not between the halves of a surrogate pair. */
function sliceEnd(text: string, end: number): number {
  if (end >= text.length) return text.length;
  const before = text.charCodeAt(end - 1);
  return before >= 0xd800 && before <= 0xdbff ? end - 1 : end;
}
