import { createGzip } from 'node:zlib';
import type { Call, StreamSink } from './context.ts';
import { acceptsGzip } from './negotiation.ts';

const worthPacking = /^(?:text\/|application\/(?:json|jsonl|x-ndjson|xml)\b|[\w.+-]+\/[\w.-]+\+(?:json|xml)\b)/;

/** Whether a file of this type is sent compressed; sets the headers that say so. */
export function packsFile(contentType: string, { headers, httpMethod, replyHeaders }: Call): boolean {
  if (!worthPacking.test(contentType)) return false;
  replyHeaders.vary = replyHeaders.vary === undefined ? 'accept-encoding' : `${replyHeaders.vary}, accept-encoding`;
  if (httpMethod === 'HEAD' || !acceptsGzip(headers['accept-encoding'] as string | undefined)) return false;
  replyHeaders['content-encoding'] = 'gzip';
  return true;
}

/** A sink that compresses the bytes on their way to another. */
export function gzipSink(to: StreamSink): StreamSink {
  const gzip = createGzip();
  gzip.on('data', (piece: Buffer) => {
    if (to.write(piece)) return;
    gzip.pause();
    to.drained().then(() => gzip.resume());
  });
  gzip.once('end', () => to.end());
  gzip.once('error', () => to.destroy());
  return {
    write: (piece) => gzip.write(piece),
    drained: () => new Promise((resolve) => void gzip.once('drain', resolve)),
    flushHead: () => to.flushHead(),
    // A comment inside would have to be compressed, too; files have none.
    beat: () => {},
    end: (text) => void gzip.end(text),
    destroy: () => {
      gzip.destroy();
      to.destroy();
    },
  };
}
