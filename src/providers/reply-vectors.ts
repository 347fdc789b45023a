import { unitsOfATurn } from '../base/slices.ts';
import { createPace } from '../base/turn.ts';

const quote = 0x22;
const backslash = 0x5c;
const opening = 0x5b;
const closing = 0x5d;
const brace = 0x7b;
/**
 * Reading two to six bytes of numbers takes as long as one unit of a turn: the parser, the check and the copy of 600 KB took 6 ms of
 * processor time alone, and 48 beside other work.
 */
const bytesOfAUnit = 2;

/** A reply without its vectors. */
export interface LiftedReply {
  /** The same JSON, with `[3]` in the place of the fourth vector. */
  text: Buffer;
  vectors: Float32Array[];
}

/**
 * Reads all arrays of numbers in a JSON text, in as many turns of the event loop as that takes, and leaves their positions in
 * it. A provider's package parses a whole reply in one turn, and then checks and copies each of its numbers: 131,072 of them
 * took 20 to 50 ms. Text that is no JSON stays as it is.
 */
export async function liftVectors(bytes: Uint8Array): Promise<LiftedReply> {
  const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const pace = createPace(unitsOfATurn);
  const kept: Buffer[] = [];
  const vectors: Float32Array[] = [];
  /** Where the text begins that was not kept yet, and where the innermost array did if it may be one of numbers. */
  let from = 0;
  let opened = -1;
  for (let at = 0; at < body.length; at++) {
    const byte = body[at];
    if (byte === quote) {
      at = endOfString(body, at);
      opened = -1;
    } else if (byte === brace) opened = -1;
    else if (byte === opening) opened = at;
    else if (byte === closing && opened >= 0) {
      const end = at + 1;
      await pace((end - opened) / bytesOfAUnit);
      const numbers = numbersIn(body.toString('latin1', opened, end));
      if (numbers) {
        kept.push(body.subarray(from, opened), Buffer.from(`[${vectors.length}]`));
        vectors.push(numbers);
        from = end;
      }
      opened = -1;
    }
  }
  kept.push(body.subarray(from));
  return { text: Buffer.concat(kept), vectors };
}

/** The index of its closing quote. */
function endOfString(body: Buffer, start: number): number {
  for (let at = start + 1; ; at++) {
    at = body.indexOf(quote, at);
    if (at < 0) return body.length;
    let escapes = 0;
    while (body[at - 1 - escapes] === backslash) escapes += 1;
    if (escapes % 2 === 0) return at;
  }
}

function numbersIn(text: string): Float32Array | undefined {
  let values: unknown[];
  try {
    values = JSON.parse(text) as unknown[];
  } catch {
    return undefined;
  }
  return values.length > 0 && values.every((value) => typeof value === 'number')
    ? Float32Array.from(values as number[])
    : undefined;
}
