import { countTokensNow } from './tokens.ts';

/** The size of each slice, and of the text kept before it, in UTF-16 units: together short enough to count exactly and synchronously. */
const sliceLength = 256;
const tailLengthMax = 768;
/** From this share of the limit on, in bytes, some of what waits to be counted is counted with each slice: all of it takes 0.1 s. */
const shareUncounted = 0.5;
/** How much of it at most: more than a slice, so that little is left when the limit comes near. */
const settledAtOnce = 3;

/**
 * Cuts text that arrives in pieces at a token limit, by our own count. Nothing is counted while the text has fewer bytes than
 * the limit has tokens, and near the limit only the last words are.
 */
export class TokenBound {
  /** Tokens left for what is not yet in the tail. */
  #left: number;
  /** Text taken whose count is not final, because a token may continue in the next piece. */
  #tail = '';
  #tailBytes = 0;
  #full = false;

  constructor(tokens: number) {
    this.#left = tokens;
  }

  /** Whether something did not fit; then nothing more does. */
  get full(): boolean {
    return this.#full;
  }

  /** The longest prefix of the text that still fits. */
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
      this.#catchUp();
      start = end;
    }
    return this.#full ? '' : text;
  }

  #fits(slice: string): boolean {
    // No tokenizer in use produces more tokens than bytes.
    const bytes = Buffer.byteLength(slice);
    if (this.#tailBytes + bytes <= this.#left) return true;
    while (this.#tail.length > tailLengthMax) this.#settle(tailLengthMax);
    this.#settle(this.#tail.length - 1);
    return this.#tailBytes + bytes <= this.#left || countTokensNow(this.#tail + slice) <= this.#left;
  }

  #catchUp(): void {
    for (let settled = 0; settled < settledAtOnce; settled++) {
      if (this.#tail.length <= tailLengthMax || this.#tailBytes < this.#left * shareUncounted) return;
      this.#settle(tailLengthMax);
    }
  }

  /** Finalizes the count of the tail up to its last blank before `end`: a token rarely contains a blank except at its start. */
  #settle(end: number): void {
    const blank = this.#tail.lastIndexOf(' ', end);
    const cut = blank > 0 ? blank : this.#tail.length > tailLengthMax ? sliceEnd(this.#tail, end) : 0;
    if (cut <= 0) return;
    const counted = this.#tail.slice(0, cut);
    this.#left -= countTokensNow(counted);
    this.#tail = this.#tail.slice(cut);
    this.#tailBytes -= Buffer.byteLength(counted);
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

/** Avoids cutting a surrogate pair in half. */
function sliceEnd(text: string, end: number): number {
  if (end >= text.length) return text.length;
  const before = text.charCodeAt(end - 1);
  return before >= 0xd800 && before <= 0xdbff ? end - 1 : end;
}
