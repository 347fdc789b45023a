import { promisify } from 'node:util';
import { brotliDecompress, gunzip } from 'node:zlib';

const open = { gzip: promisify(gunzip), 'x-gzip': promisify(gunzip), br: promisify(brotliDecompress) };

export type Encoding = keyof typeof open;

/** JSON shrinks to a tenth or a twentieth; what shrinks to less than a hundredth is there to grow. */
const ratioMax = 100;
/** So much may come out of anything. */
const freeBytes = 1024 * 1024;
const chunkSize = 64 * 1024;

export type Inflated =
  | { ok: true; bytes: Buffer }
  /** `too_large` is over the bound; `too_dense` over what its compressed size allows. */
  | { ok: false; problem: 'too_large' | 'too_dense' | 'malformed' };

/** Decompresses on other threads, piece by piece, and stops as soon as more than `bytesMax` comes out, or far more than went in. */
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

/** As many as there are threads for it. More at one time would be no faster, and all half open at once. */
const atOnce = 4;
const waiting: (() => void)[] = [];
let running = 0;

async function turn(): Promise<void> {
  if (running >= atOnce) await new Promise<void>((begin) => waiting.push(begin));
  running += 1;
}

/** Whether more came out than what went in allows. */
export function isTooDense(bytes: number, compressedBytes: number): boolean {
  return bytes > densest(compressedBytes);
}

function densest(compressedBytes: number): number {
  return Math.max(freeBytes, compressedBytes * ratioMax);
}

export function isEncoding(name: string): name is Encoding {
  return Object.hasOwn(open, name);
}

/** What to say of bytes that are too dense. */
export const tooDense = `opens to more than ${ratioMax} times its size`;
