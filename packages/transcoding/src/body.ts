import type { IncomingMessage } from 'node:http';
import { invalidArgument, RestError } from './errors.ts';
import { inflate, isEncoding, tooDense } from './inflate.ts';
import { findJsonFault, positionInBytes } from './json-bounds.ts';
import { Pieces, type Received, tooLarge } from './pieces.ts';

/**
 * Reads a request's body, decompressed; undefined if there is none. A body over `bytesMax`, before or after decompression, or
 * over `piecesMax` is refused as soon as that shows; memory never holds more. `received`: called with the bytes, including
 * decompressed ones.
 */
export async function readBody(
  raw: IncomingMessage,
  bytesMax: number,
  received?: Received,
): Promise<Buffer | undefined> {
  const { headers } = raw;
  const length = headers['content-length'];
  if (
    raw.httpVersionMajor === 1 &&
    headers['transfer-encoding'] === undefined &&
    (length === undefined || length === '0')
  )
    return undefined;
  if (length !== undefined && Number(length) > bytesMax) throw tooLarge(bytesMax);
  const pieces = await collect(raw, bytesMax, received);
  return inflated(await pieces.whole(), headers['content-encoding'], bytesMax, received);
}

/** As `readBody`, for a `fetch` request. */
export async function readWebBody(
  request: Request,
  bytesMax: number,
  received?: Received,
): Promise<Buffer | undefined> {
  if (!request.body) return undefined;
  if (Number(request.headers.get('content-length') ?? 0) > bytesMax) throw tooLarge(bytesMax);
  const pieces = new Pieces(bytesMax, received);
  let refused: unknown;
  const add = (piece: Buffer) => {
    try {
      pieces.add(piece);
    } catch (error) {
      refused = error;
      throw error;
    }
  };
  try {
    for await (const { buffer, byteOffset, byteLength } of request.body)
      add(Buffer.from(buffer, byteOffset, byteLength));
  } catch {
    throw refused ?? new RestError({ kind: 'cancelled' });
  }
  return inflated(await pieces.whole(), request.headers.get('content-encoding') ?? undefined, bytesMax, received);
}

async function inflated(
  body: Buffer,
  encoding: string | undefined,
  bytesMax: number,
  received?: Received,
): Promise<Buffer> {
  if (encoding === undefined || encoding === 'identity' || body.length === 0) return body;
  const name = encoding.toLowerCase();
  if (name === 'br' || !isEncoding(name))
    throw new RestError({ kind: 'unsupported_media_type', accepted: ['gzip', 'identity'] });
  const opened = await inflate(body, name, bytesMax);
  if (opened.ok) {
    received?.(opened.bytes.length);
    return opened.bytes;
  }
  if (opened.problem === 'too_large') throw tooLarge(bytesMax);
  throw invalidArgument('body', opened.problem === 'too_dense' ? tooDense : 'is not valid gzip');
}

/** Refuses JSON that would take long to read, with the place. Depth may be left to a reader that enforces it itself. */
export async function checkJson(body: Buffer, { depth }: { depth: boolean } = { depth: true }): Promise<void> {
  const fault = await findJsonFault(body);
  if (!fault || (fault.kind === 'depth' && !depth)) return;
  throw invalidArgument('body', `${fault.description} (${positionInBytes(body, fault.at)})`);
}

function collect(raw: IncomingMessage, bytesMax: number, received?: Received): Promise<Pieces> {
  return new Promise((resolve, reject) => {
    const pieces = new Pieces(bytesMax, received);
    const onData = (piece: Buffer): void => {
      try {
        pieces.add(piece);
      } catch (error) {
        settle();
        reject(error);
      }
    };
    const onEnd = (): void => {
      settle();
      resolve(pieces);
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
