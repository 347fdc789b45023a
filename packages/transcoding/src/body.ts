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
  return inflated(await collect(raw, bytesMax), headers['content-encoding'], bytesMax);
}

/** As `readBody`, of a request as `fetch` has it. */
export async function readWebBody(request: Request, bytesMax: number): Promise<Buffer | undefined> {
  if (!request.body) return undefined;
  if (Number(request.headers.get('content-length') ?? 0) > bytesMax) throw tooLarge(bytesMax);
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const chunk of request.body) {
      bytes += chunk.length;
      if (bytes > bytesMax) throw tooLarge(bytesMax);
      chunks.push(chunk);
    }
  } catch (error) {
    throw error instanceof RestError ? error : new RestError({ kind: 'cancelled' });
  }
  return inflated(Buffer.concat(chunks, bytes), request.headers.get('content-encoding') ?? undefined, bytesMax);
}

async function inflated(body: Buffer, encoding: string | undefined, bytesMax: number): Promise<Buffer> {
  if (encoding === undefined || encoding === 'identity' || body.length === 0) return body;
  const name = encoding.toLowerCase();
  if (name === 'br' || !isEncoding(name))
    throw new RestError({ kind: 'unsupported_media_type', accepted: ['gzip', 'identity'] });
  const opened = await inflate(body, name, bytesMax);
  if (opened.ok) return opened.bytes;
  if (opened.problem === 'too_large') throw tooLarge(bytesMax);
  throw invalidArgument('body', opened.problem === 'too_dense' ? tooDense : 'is not valid gzip');
}

/** Refuses JSON that would take long to read, with the place. Its depth may be left to a reader that stops there by itself. */
export async function checkJson(body: Buffer, { depth }: { depth: boolean } = { depth: true }): Promise<void> {
  const fault = await findJsonFault(body);
  if (!fault || (fault.kind === 'depth' && !depth)) return;
  throw invalidArgument('body', `${fault.description} (${positionInBytes(body, fault.at)})`);
}

export function tooLarge(limitBytes: number): RestError {
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
