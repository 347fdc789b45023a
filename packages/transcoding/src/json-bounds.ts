import { longBytes, ownTurn } from './own-turn.ts';

/** Bounds of a JSON text (RFC 8259, section 9), which hold before anything is made of it. */
export interface JsonBounds {
  /** Of objects and arrays within each other. */
  depthMax: number;
  /** Of names, and of values within objects and arrays, all together. */
  valuesMax: number;
  /** Of everything but long strings: names, numbers, white space, texts. Only images need more. */
  shortBytesMax: number;
  /** Of escapes within strings, all together. */
  escapesMax: number;
}

export interface JsonFault {
  kind: 'depth' | 'size';
  description: string;
  /** Where, in bytes. */
  at: number;
}

export const defaultJsonBounds: JsonBounds = {
  depthMax: 100,
  valuesMax: 65_536,
  shortBytesMax: 4 * 1024 * 1024,
  escapesMax: 2_000_000,
};

/** Longer strings are long: reading one takes little for each byte. */
const shortStringMax = 65_536;

/** Bytes that are looked at in one turn of the event loop: about 4 ms. */
const sliceBytes = 2 * 1024 * 1024;

const [quote, comma, colon, backslash] = [0x22, 0x2c, 0x3a, 0x5c];
const [openArray, closeArray, openObject, closeObject] = [0x5b, 0x5d, 0x7b, 0x7d];

/**
 * Looks for what would make a parser slow or its result large; whether the text is JSON at all, the parser says. Parsers
 * take a microsecond for a small value, so a bound of their number bounds the time. Lets other work go on in between, and
 * resolves in a turn where no other long text is looked at: whoever reads it then reads it alone.
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
  /** Where the string began that is being read; -1 outside of one. */
  #string = -1;
  #longBytes = 0;
  #depth = 0;
  #values = 0;
  #escapes = 0;

  constructor(bytes: Uint8Array, bounds: JsonBounds) {
    this.#bytes = bytes;
    this.#bounds = bounds;
  }

  /** Goes on for one slice. True: it is decided. */
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
      }
    }
    this.#at = at;
    this.#escapes = escapes;
    if (escapes > this.#bounds.escapesMax)
      this.#fail(`has more than ${this.#bounds.escapesMax} escapes in its strings`);
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

/** Where an offset is, counting lines and columns from 1; columns in bytes. */
export function positionInBytes(bytes: Uint8Array, offset: number): string {
  let line = 1;
  let start = 0;
  // Byte by byte: a search for each of millions of line ends takes a second, this 20 ms for the longest body.
  for (let at = 0; at < offset; at++)
    if (bytes[at] === 10) {
      line += 1;
      start = at + 1;
    }
  return `line ${line}, column ${offset - start + 1}`;
}
