import { readWebBody } from './body.ts';
import { Call, type CallContext, type Head, type RequestHeaders, type StreamSink } from './context.ts';
import type { Received } from './pieces.ts';

/** What is known about a `fetch` request. `url` is absolute, as in `Request`. */
export interface WebContext extends CallContext {
  readonly request: Request;
}

/** A call that came as a `Request`; `respond` is called once. */
export class WebCall<Admitted = unknown> extends Call<Admitted> implements WebContext {
  readonly request: Request;
  readonly headers: RequestHeaders;
  readonly url: string;
  private readonly respond: (response: Response) => void;
  private reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  private sink: WebSink | undefined;
  private isCancelled = false;
  private goneListener: (() => void) | undefined;

  constructor(request: Request, respond: (response: Response) => void) {
    super();
    this.request = request;
    this.headers = Object.fromEntries(request.headers);
    // A fragment is not sent, but remains in the URL of a request created in this process.
    this.url = request.url.replace(/#.*$/s, '');
    this.respond = respond;
  }

  get httpMethod(): string {
    return this.request.method;
  }

  get isGone(): boolean {
    return this.isCancelled || this.request.signal.aborted;
  }

  headSoFar(): Head {
    return {};
  }

  readBody(bytesMax: number, received?: Received): Promise<Buffer | undefined> {
    return readWebBody(this.request, bytesMax, received);
  }

  readPieces(): AsyncIterator<Uint8Array> {
    const reader = this.request.body?.getReader();
    this.reader = reader;
    return {
      next: async () => ((await reader?.read()) ?? { done: true, value: undefined }) as IteratorResult<Uint8Array>,
    };
  }

  refuseRest(): void {
    const { body } = this.request;
    const cancelled = this.reader ? this.reader.cancel() : body && !body.locked ? body.cancel() : undefined;
    cancelled?.catch(() => undefined);
  }

  write(status: number, head: Head, body: string | Uint8Array): void {
    if (status !== 204) head['content-length'] = Buffer.byteLength(body);
    const content = status === 204 || this.httpMethod === 'HEAD' ? null : (body as string | Uint8Array<ArrayBuffer>);
    this.respond(new Response(content, { status, headers: headersOf(head) }));
  }

  openStream(head: Head): StreamSink {
    this.sink = new WebSink(this.cancelled);
    this.respond(new Response(this.sink.body, { status: 200, headers: headersOf(head) }));
    return this.sink;
  }

  /** Whatever serves the request still waits for an answer. */
  drop(): void {
    this.respond(new Response(null, { status: 499 }));
  }

  destroy(): void {
    if (this.sink) this.sink.destroy();
    else this.respond(new Response(null, { status: 500 }));
  }

  protected onGone(listener: () => void): void {
    this.goneListener = listener;
    this.request.signal.addEventListener('abort', listener);
  }

  protected offGone(listener: () => void): void {
    this.goneListener = undefined;
    this.request.signal.removeEventListener('abort', listener);
  }

  // Nobody reads the reply any more.
  private readonly cancelled = (): void => {
    this.isCancelled = true;
    this.goneListener?.();
  };
}

/** Anything beyond this waits for the reader. */
const waitingBytesMax = 16_384;

const encoder = new TextEncoder();

class WebSink implements StreamSink {
  readonly body: ReadableStream<Uint8Array>;
  private controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  private wake: (() => void) | undefined;

  constructor(onCancel: () => void) {
    this.body = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.controller = controller;
        },
        pull: () => this.wake?.(),
        cancel: () => {
          this.controller = undefined;
          onCancel();
        },
      },
      new ByteLengthQueuingStrategy({ highWaterMark: waitingBytesMax }),
    );
  }

  write(piece: string | Uint8Array): boolean {
    if (piece.length > 0) this.controller?.enqueue(typeof piece === 'string' ? encoder.encode(piece) : piece);
    return (this.controller?.desiredSize ?? 1) > 0;
  }

  drained(): Promise<void> {
    return new Promise((resolve) => {
      this.wake = resolve;
    });
  }

  /** The headers were sent with the `Response`. */
  flushHead(): void {}

  beat(text: string): void {
    if ((this.controller?.desiredSize ?? 0) > 0) this.write(text);
  }

  end(text?: string): void {
    if (text !== undefined) this.write(text);
    this.controller?.close();
    this.controller = undefined;
  }

  destroy(): void {
    this.controller?.error(new Error('The stream broke off.'));
    this.controller = undefined;
  }
}

function headersOf(head: Head): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(head))
    for (const each of Array.isArray(value) ? value : value === undefined ? [] : [value])
      headers.append(name, String(each));
  return headers;
}
