import type { ServerHttp2Stream } from 'node:http2';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { type DescMessage, type Message, toBinary } from '@bufbuild/protobuf';
import { encodeInTurns, listOf } from './long-message.ts';
import { prefixBytes } from './message-in.ts';

/** Shorter messages are not compressed, as that would make them longer, or nearly so. */
export const gzipBytesMin = 1024;

const compress = promisify(gzip);

/** A message with its prefix, as sent. */
export function frameOf(desc: DescMessage, message: Message): Buffer {
  return prefixed([toBinary(desc, message)], 0);
}

/** The same for a message whose lists may be long: a promise if it has one. */
export function longFrameOf(desc: DescMessage, message: Message): Buffer | Promise<Buffer> {
  const list = listOf(desc, message);
  if (!list) return frameOf(desc, message);
  return encodeInTurns(desc, message, list).then((parts) => prefixed(parts, 0));
}

export function isWorthGzip(frame: Buffer): boolean {
  return frame.length >= prefixBytes + gzipBytesMin;
}

/** The same frame with its message compressed. */
export async function gzipped(frame: Buffer): Promise<Buffer> {
  return prefixed([await compress(frame.subarray(prefixBytes))], 1);
}

function prefixed(parts: readonly Uint8Array[], flag: 0 | 1): Buffer {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  const frame = Buffer.allocUnsafe(prefixBytes + length);
  frame[0] = flag;
  frame.writeUInt32BE(length, 1);
  let at = prefixBytes;
  for (const part of parts) {
    frame.set(part, at);
    at += part.length;
  }
  return frame;
}

/** Anything larger is written at once instead of being gathered. */
const gatheredMax = 16_384;

/** Writes frames; those of one event loop turn are sent together, as each write costs as much as many messages. */
export class FrameWriter {
  readonly #stream: ServerHttp2Stream;
  #frames: Buffer[] = [];
  #bytes = 0;

  constructor(stream: ServerHttp2Stream) {
    this.#stream = stream;
  }

  /** False when the caller reads more slowly than we write: wait for the stream's `drain` before the next frame. */
  write(frame: Buffer): boolean {
    if (this.#bytes === 0) process.nextTick(this.#flush);
    this.#frames.push(frame);
    this.#bytes += frame.length;
    if (this.#bytes >= gatheredMax) this.#flush();
    return !this.#stream.writableNeedDrain;
  }

  /** Writes what is left, before the trailers. */
  end(): void {
    this.#flush();
    if (!this.#stream.writableEnded) this.#stream.end();
  }

  #flush = (): void => {
    if (this.#bytes === 0) return;
    const frames = this.#frames;
    this.#frames = [];
    this.#bytes = 0;
    if (!this.#stream.destroyed && !this.#stream.writableEnded)
      this.#stream.write(frames.length === 1 ? (frames[0] as Buffer) : Buffer.concat(frames));
  };
}
