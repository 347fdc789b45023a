import { longBytes, ownTurn } from './own-turn.ts';

/** Limits on a JSON text (RFC 8259, section 9), enforced before anything is built from it. */
export interface JsonBounds {
  /** For nested objects and arrays. */
  depthMax: number;
  /** For names and for values within objects and arrays, in total. */
  valuesMax: number;
  /** For everything but long strings: names, numbers, white space, texts. Only images need more. */
  shortBytesMax: number;
  /** For escapes within strings, in total. */
  escapesMax: number;
}

export interface JsonFault {
  kind: 'depth' | 'size';
  description: string;
  /** The position, in bytes. */
  at: number;
}

export const defaultJsonBounds: JsonBounds = {
  depthMax: 100,
  valuesMax: 65_536,
  shortBytesMax: 4 * 1024 * 1024,
  escapesMax: 2_000_000,
};

/** Strings beyond this count as long: reading one costs little per byte. */
const shortStringMax = 65_536;

/** From here on, the end of a string is searched for. */
const jumpBytes = 256;

/** Bytes scanned in one turn of the event loop: about 4 ms. */
const sliceBytes = 2 * 1024 * 1024;

const [quote, comma, colon, backslash] = [0x22, 0x2c, 0x3a, 0x5c];
const [openArray, closeArray, openObject, closeObject] = [0x5b, 0x5d, 0x7b, 0x7d];

/**
 * Looks for anything that would make a parser slow or its result large; whether the text is valid JSON is left to the parser.
 * Parsers take a microsecond per small value, so limiting their number limits the time. Yields to other work in between, and
 * resolves in a turn that handles no other long text: so whoever reads it then has the turn to itself.
 */
export async function findJsonFault(bytes: Uint8Array, bounds = defaultJsonBounds): Promise<JsonFault | undefined> {
  if (bytes.length > longBytes) await ownTurn();
  const scan = new Scan(bytes, bounds);
  while (!scan.look()) await ownTurn();
  return scan.fault;
}

class Scan {
  fault: JsonFault | undefined;
  readonly #bytes: Uint8Array;
  readonly #bounds: JsonBounds;
  #at = 0;
  /** Where the current string began; -1 outside a string. */
  #string = -1;
  #longBytes = 0;
  /** The next backslash: known once for all strings before it. */
  #backslash = -1;
  #depth = 0;
  #values = 0;
  #escapes = 0;

  constructor(bytes: Uint8Array, bounds: JsonBounds) {
    this.#bytes = bytes;
    this.#bounds = bounds;
  }

  /** Scans one slice. True: the result is decided. */
  look(): boolean {
    const end = Math.min(this.#bytes.length, this.#at + sliceBytes);
    while (this.#at < end) {
      if (this.#string >= 0) this.#readString(end);
      else this.#readStructure(end);
      if (this.fault) return true;
    }
    return this.#at >= this.#bytes.length;
  }

  #readString(end: number): void {
    const bytes = this.#bytes;
    let at = this.#at;
    let escapes = this.#escapes;
    while (at < end) {
      const byte = bytes[at];
      at += 1;
      if (byte === quote) {
        if (at - this.#string > shortStringMax) this.#longBytes += at - this.#string;
        this.#string = -1;
        break;
      }
      if (byte === backslash) {
        escapes += 1;
        at += 1;
      } else if (at - this.#string === jumpBytes) {
        const close = this.#closeWithoutEscape(at);
        if (close >= 0) at = close;
      }
    }
    this.#at = at;
    this.#escapes = escapes;
    if (escapes > this.#bounds.escapesMax)
      this.#fail(`has more than ${this.#bounds.escapesMax} escapes in its strings`);
  }

  /** The next quote, or the end of the text, if no escape comes before it; otherwise -1. Searching takes a tenth of looking at each byte. */
  #closeWithoutEscape(from: number): number {
    const bytes = this.#bytes;
    const { length } = bytes;
    const next = (byte: number) => {
      const at = bytes.indexOf(byte, from);
      return at < 0 ? length : at;
    };
    if (this.#backslash < from) this.#backslash = next(backslash);
    const close = next(quote);
    return close <= this.#backslash ? close : -1;
  }

  #readStructure(end: number): void {
    const bytes = this.#bytes;
    const { depthMax, valuesMax } = this.#bounds;
    while (this.#at < end) {
      const byte = bytes[this.#at];
      this.#at += 1;
      switch (byte) {
        case quote:
          this.#string = this.#at - 1;
          this.#checkShort();
          return;
        case openArray:
        case openObject:
          this.#depth += 1;
          this.#values += 1;
          if (this.#depth > depthMax) this.#fail(`is nested deeper than ${depthMax} levels`, 'depth');
          break;
        case closeArray:
        case closeObject:
          this.#depth -= 1;
          break;
        case comma:
        case colon:
          this.#values += 1;
      }
      if (this.#values > valuesMax) this.#fail(`has more than ${valuesMax} names and values`);
      if (this.fault) return;
    }
    this.#checkShort();
  }

  #checkShort(): void {
    const { shortBytesMax } = this.#bounds;
    if (this.#at - this.#longBytes > shortBytesMax)
      this.#fail(`has more than ${shortBytesMax} bytes outside of strings that are longer than ${shortStringMax}`);
  }

  #fail(description: string, kind: JsonFault['kind'] = 'size'): void {
    this.fault = { kind, description, at: Math.min(this.#at, this.#bytes.length) - 1 };
  }
}

/** The position of an offset, counting lines and columns from 1; columns in bytes. */
export function positionInBytes(bytes: Uint8Array, offset: number): string {
  let line = 1;
  let start = 0;
  // Byte by byte: searching for each of millions of line ends takes a second, this 20 ms for the longest body.
  for (let at = 0; at < offset; at++)
    if (bytes[at] === 10) {
      line += 1;
      start = at + 1;
    }
  return `line ${line}, column ${offset - start + 1}`;
}
