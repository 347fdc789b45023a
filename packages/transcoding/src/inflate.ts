import { promisify } from 'node:util';
import { brotliDecompress, gunzip } from 'node:zlib';

const open = { gzip: promisify(gunzip), 'x-gzip': promisify(gunzip), br: promisify(brotliDecompress) };

export type Encoding = keyof typeof open;

/** JSON compresses to a tenth or a twentieth; anything that compresses to less than a hundredth is meant to expand. */
const ratioMax = 100;
/** Any input may expand to this much. */
const freeBytes = 1024 * 1024;
const chunkSize = 64 * 1024;

export type Inflated =
  | { ok: true; bytes: Buffer }
  /** `too_large` exceeds the limit; `too_dense` what its compressed size allows. */
  | { ok: false; problem: 'too_large' | 'too_dense' | 'malformed' };

/** Decompresses on other threads, piece by piece, and stops as soon as the output exceeds `bytesMax`, or is far larger than the input. */
export async function inflate(compressed: Uint8Array, encoding: Encoding, bytesMax: number): Promise<Inflated> {
  const dense = densest(compressed.length);
  const maxOutputLength = Math.min(bytesMax, dense);
  await turn();
  try {
    return { ok: true, bytes: await open[encoding](compressed, { maxOutputLength, chunkSize }) };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_BUFFER_TOO_LARGE') return { ok: false, problem: 'malformed' };
    return { ok: false, problem: dense < bytesMax ? 'too_dense' : 'too_large' };
  } finally {
    running -= 1;
    waiting.shift()?.();
  }
}

/** The number of threads for it. More at a time would be no faster, and all would be half finished at once. */
const atOnce = 4;
const waiting: (() => void)[] = [];
let running = 0;

async function turn(): Promise<void> {
  if (running >= atOnce) await new Promise<void>((begin) => waiting.push(begin));
  running += 1;
}

/** Whether the output exceeds what the input size allows. */
export function isTooDense(bytes: number, compressedBytes: number): boolean {
  return bytes > densest(compressedBytes);
}

function densest(compressedBytes: number): number {
  return Math.max(freeBytes, compressedBytes * ratioMax);
}

export function isEncoding(name: string): name is Encoding {
  return Object.hasOwn(open, name);
}

/** The error message for bytes that are too dense. */
export const tooDense = `opens to more than ${ratioMax} times its size`;
