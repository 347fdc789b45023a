import { InvalidResponseDataError } from '@ai-sdk/provider';
import { ownTurn } from '../base/turn.ts';

/** The most objects and arrays in a reply: more than a model writes in 64k tokens. */
export const containersMax = 65_536;
/** The same in one event of a stream, which has a piece of a reply, or the whole input of a call. */
export const eventContainersMax = 16_384;
/** Callers' own JSON may have 100 levels; a provider puts a few around it. */
export const levelsMax = 128;
/** The most tool calls in a reply. No provider makes more than some hundred, and each is an object of its own up to the caller. */
export const toolCallsMax = 1_024;
/** One is asked for. */
export const choicesMax = 128;

const openingBrackets = [0x5b, 0x7b];
const quote = 0x22;
const backslash = 0x5c;
const newline = 0x0a;
const carriageReturn = 0x0d;

/**
 * Measures a reply's JSON as its bytes arrive. What reading a reply costs depends on its objects and arrays, of which 200,000 take
 * over a second of CPU, and too many levels overflow the parser's stack. So replies are bounded before they are parsed.
 */
export class ReplyStructure {
  readonly #isEvents: boolean;
  readonly #max: number;
  #containers = 0;
  #levels = 0;
  #inString = false;
  #escaped = false;
  #isLineEmpty = true;

  /** Each event is bounded by itself; it ends with an empty line. */
  constructor({ isEvents }: { isEvents: boolean }) {
    this.#isEvents = isEvents;
    this.#max = isEvents ? eventContainersMax : containersMax;
  }

  /** Whether the reply is within its bounds with these bytes, too. */
  fits(bytes: Uint8Array): boolean {
    // Fields are written at the end only: in the loop they would take most of the time.
    let containers = this.#containers;
    let levels = this.#levels;
    let inString = this.#inString;
    let escaped = this.#escaped;
    let isLineEmpty = this.#isLineEmpty;
    for (let at = 0; at < bytes.length; at++) {
      const byte = bytes[at];
      if (byte === newline) {
        // No string goes beyond its line, and lines that are no JSON may have single quotation marks.
        inString = false;
        escaped = false;
        if (isLineEmpty && this.#isEvents) {
          containers = 0;
          levels = 0;
        }
        isLineEmpty = true;
        continue;
      }
      if (byte !== carriageReturn) isLineEmpty = false;
      if (inString) {
        if (escaped) escaped = false;
        else if (byte === backslash) escaped = true;
        else if (byte === quote) inString = false;
      } else if (byte === quote) inString = true;
      else if (byte === 0x5b || byte === 0x7b) {
        containers++;
        levels++;
        if (containers > this.#max || levels > levelsMax) return false;
      } else if (byte === 0x5d || byte === 0x7d) levels--;
    }
    this.#containers = containers;
    this.#levels = levels;
    this.#inString = inString;
    this.#escaped = escaped;
    this.#isLineEmpty = isLineEmpty;
    return true;
  }
}

/**
 * Bytes that are measured in one turn of the event loop: one to two milliseconds, also beside other work. A fast socket gives several
 * megabytes in one turn.
 */
const bytesInTurn = 262_144;

/** Whether a reply certainly has few parts and levels: it has few opening brackets, in strings or not. Most replies have ten. */
export function hasFewParts(bytes: Uint8Array): boolean {
  let found = 0;
  for (const bracket of openingBrackets)
    for (let at = bytes.indexOf(bracket); at >= 0; at = bytes.indexOf(bracket, at + 1))
      if (++found > levelsMax) return false;
  return true;
}

/** Measures a reply that has come whole, in as many turns as that takes, before anything parses it. */
export async function checkStructure(bytes: Uint8Array): Promise<void> {
  const structure = new ReplyStructure({ isEvents: false });
  for (let at = 0; at < bytes.byteLength; at += bytesInTurn) {
    if (at > 0) await ownTurn();
    if (!structure.fits(bytes.subarray(at, at + bytesInTurn))) throw tooManyParts();
  }
}

export function tooManyParts(): InvalidResponseDataError {
  return tooMany('objects, arrays or levels');
}

/** A provider's reply that is above one of these bounds. */
export function tooMany(what: string): InvalidResponseDataError {
  return new InvalidResponseDataError({ data: undefined, message: `The reply has too many ${what}.` });
}
