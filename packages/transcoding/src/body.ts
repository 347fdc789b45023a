import type { IncomingMessage } from 'node:http';
import { invalidArgument, RestError } from './errors.ts';
import { inflate, isEncoding, tooDense } from './inflate.ts';
import { findJsonFault, positionInBytes } from './json-bounds.ts';

/**
 * Reads a request's body, decompressed; undefined when there is none. More than `bytesMax`, before or after
 * decompression, is refused as soon as it shows; memory never holds more.
 */
export async function readBody(raw: IncomingMessage, bytesMax: number): Promise<Buffer | undefined> {
  const { headers } = raw;
  const length = headers['content-length'];
  if (
    raw.httpVersionMajor === 1 &&
    headers['transfer-encoding'] === undefined &&
    (length === undefined || length === '0')
  )
    return undefined;
  if (length !== undefined && Number(length) > bytesMax) throw tooLarge(bytesMax);
  const encoding = headers['content-encoding'];
  const body = await collect(raw, bytesMax);
  if (encoding === undefined || encoding === 'identity' || body.length === 0) return body;
  const name = encoding.toLowerCase();
  if (name === 'br' || !isEncoding(name))
    throw new RestError({ kind: 'unsupported_media_type', accepted: ['gzip', 'identity'] });
  const inflated = await inflate(body, name, bytesMax);
  if (inflated.ok) return inflated.bytes;
  if (inflated.problem === 'too_large') throw tooLarge(bytesMax);
  throw invalidArgument('body', inflated.problem === 'too_dense' ? tooDense : 'is not valid gzip');
}

/** Refuses JSON that would take long to read, with the place. Its depth may be left to a reader that stops there by itself. */
export async function checkJson(body: Buffer, { depth }: { depth: boolean } = { depth: true }): Promise<void> {
  const fault = await findJsonFault(body);
  if (!fault || (fault.kind === 'depth' && !depth)) return;
  throw invalidArgument('body', `${fault.description} (${positionInBytes(body, fault.at)})`);
}

function tooLarge(limitBytes: number): RestError {
  return new RestError({ kind: 'payload_too_large', limitBytes });
}

function collect(raw: IncomingMessage, bytesMax: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    let first: Buffer | undefined;
    let chunks: Buffer[] | undefined;
    let bytes = 0;
    const onData = (chunk: Buffer): void => {
      bytes += chunk.length;
      if (bytes > bytesMax) {
        settle();
        reject(tooLarge(bytesMax));
      } else if (first === undefined) first = chunk;
      else if (chunks) chunks.push(chunk);
      else chunks = [first, chunk];
    };
    const onEnd = (): void => {
      settle();
      resolve(chunks ? Buffer.concat(chunks, bytes) : (first ?? Buffer.alloc(0)));
    };
    const onGone = (): void => {
      settle();
      reject(new RestError({ kind: 'cancelled' }));
    };
    function settle(): void {
      raw.off('data', onData).off('end', onEnd).off('error', onGone).off('close', onGone);
    }
    raw.on('data', onData).on('end', onEnd).on('error', onGone).on('close', onGone);
  });
}
