import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { Message } from '@bufbuild/protobuf';
import type { Binding, RequestParts } from './binding.ts';
import type { Call } from './context.ts';
import { invalidArgument, RestError } from './errors.ts';
import { isTooDense, tooDense } from './inflate.ts';
import { tooLarge } from './pieces.ts';

/**
 * A body of any type as a stream of messages. The first has the fields from path and query, the content type and the first bytes;
 * the others only have bytes. A piece of the body is read when its message is requested, so a slow handler slows the caller.
 */
export class Upload {
  readonly messages: AsyncGenerator<Message>;
  /** What is wrong with the body, as soon as it shows. */
  failure: RestError | undefined;
  private readonly call: Call;
  private readonly binding: Binding;
  private readonly chunkBytes: number;
  private ended = false;

  /** Throws if the path, the query or the body's declared length is invalid. */
  constructor(call: Call, binding: Binding, parts: RequestParts, chunkBytes: number) {
    this.call = call;
    this.binding = binding;
    this.chunkBytes = chunkBytes;
    const declared = Number(call.headers['content-length'] ?? 0);
    if (declared > binding.bodyBytesMax && encodingOf(call) === 'identity') throw tooLarge(binding.bodyBytesMax);
    this.messages = this.read(binding.bind(parts));
  }

  /** Stops reading the body. Called before the reply, so that the reply can say that the connection closes. */
  close(): void {
    if (this.ended) return;
    this.ended = true;
    this.messages.return(undefined).catch(() => undefined);
    this.call.refuseRest();
  }

  private async *read(first: Message): AsyncGenerator<Message> {
    let next: Message | undefined = first;
    try {
      for await (const data of this.bounded()) {
        if (next) this.binding.setData(next, data);
        yield next ?? this.binding.dataMessage(data);
        next = undefined;
      }
      this.ended = true;
      if (next) yield next;
    } catch (error) {
      this.failure = error instanceof RestError ? error : new RestError({ kind: 'cancelled' });
      throw this.failure;
    }
  }

  private async *bounded(): AsyncGenerator<Uint8Array> {
    const { bodyBytesMax } = this.binding;
    let bytes = 0;
    for await (const piece of decoded(this.call)) {
      bytes += piece.length;
      if (bytes > bodyBytesMax) throw tooLarge(bodyBytesMax);
      for (let at = 0; at < piece.length; at += this.chunkBytes) yield piece.subarray(at, at + this.chunkBytes);
    }
  }
}

function encodingOf(call: Call): string {
  return String(call.headers['content-encoding'] ?? 'identity').toLowerCase();
}

function decoded(call: Call): AsyncIterable<Uint8Array> {
  switch (encodingOf(call)) {
    case 'identity':
      return received(call);
    case 'gzip':
    case 'x-gzip':
      return gunzipped(call);
    default:
      throw new RestError({ kind: 'unsupported_media_type', accepted: ['gzip', 'identity'] });
  }
}

/** The body as it arrives; ends with an error when the caller leaves or the deadline passes. */
async function* received(call: Call): AsyncGenerator<Uint8Array> {
  const pieces = call.readPieces();
  const { signal } = call;
  try {
    for (;;) {
      const piece = await unlessAborted(pieces.next(), signal);
      if (piece.done) return;
      yield piece.value;
    }
  } finally {
    pieces.return?.().catch(() => undefined);
  }
}

async function* gunzipped(call: Call): AsyncGenerator<Uint8Array> {
  let compressed = 0;
  let bytes = 0;
  let failure: unknown;
  const source = Readable.from(
    (async function* () {
      for await (const piece of received(call)) {
        compressed += piece.length;
        yield piece;
      }
    })(),
  );
  const gunzip = createGunzip();
  source.on('error', (error) => {
    failure = error;
    gunzip.destroy(error);
  });
  try {
    for await (const piece of source.pipe(gunzip) as AsyncIterable<Buffer>) {
      bytes += piece.length;
      if (isTooDense(bytes, compressed)) throw invalidArgument('body', tooDense);
      yield piece;
    }
  } catch (error) {
    if (failure !== undefined || error instanceof RestError) throw failure ?? error;
    throw invalidArgument('body', 'is not valid gzip');
  } finally {
    source.destroy();
  }
}

function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason);
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}
