import { type Dispatcher, errors, Pool } from 'undici';
import { endOfTurn, ownTurn } from '../base/turn.ts';
import { type EventChange, EventStreamBody } from './event-stream.ts';
import { checkStructure, hasFewParts, ReplyStructure, tooManyParts } from './reply-structure.ts';
import { makeUsageReadable, type UsageShape } from './stated-usage.ts';
import { UsageInEvents } from './usage-in-events.ts';

/** Limits on every upstream call. Times in milliseconds. */
export interface UpstreamLimits {
  /** The most connections per origin. */
  connectionsMax: number;
  /** Until the connection is established. */
  connectMs: number;
  /** Until the response headers; a unary completion sends them only when it is done. */
  headersMs: number;
  /** Between two pieces of a reply's body. */
  bodyIdleMs: number;
  /** The largest body to read. */
  responseBytesMax: number;
}

export const defaultUpstreamLimits: UpstreamLimits = {
  connectionsMax: 256,
  connectMs: 5_000,
  headersMs: 120_000,
  bodyIdleMs: 60_000,
  responseBytesMax: 32 * 1024 * 1024,
};

/** Where calls of one kind go, and their request headers: created once, used for all of them. */
export interface UpstreamTarget {
  origin: string;
  path: string;
  /** Alternating names and values. */
  headers: string[];
}

/** A complete reply. */
export interface UpstreamReply {
  status: number;
  /** Names in lower case. */
  headers: IncomingHeaders;
  body: Uint8Array;
}

/** The ways to call an upstream over shared connections, and to close these. */
export interface UpstreamFetch {
  /** For the provider packages. */
  fetch: typeof globalThis.fetch;
  /** The same for replies whose usage has this shape, made readable for the package. */
  fetchStating(shape: UsageShape): typeof globalThis.fetch;
  /** The same for whole replies, each of which `change` shortens before the package reads it. */
  fetchWith(change: (reply: UpstreamReply) => Promise<Uint8Array>): typeof globalThis.fetch;
  /** For callers that only need the whole reply, and no imitation of a `Response`. */
  post(target: UpstreamTarget, body: string, signal: AbortSignal | undefined): Promise<UpstreamReply>;
  /** Closes all connections; calls in flight fail. */
  close(): Promise<void>;
}

/**
 * A thin `fetch` over undici's `Pool.dispatch`, with one pool per origin. `Pool.request` takes a third more CPU per call, and
 * does not fail at once if a call is ended while it waits for a connection. It supports only what the provider packages use:
 * POST with a text body and a signal, and a reply whose body is read once. It does not follow redirects, so that a key is never
 * sent elsewhere.
 */
export function createUpstreamFetch(limits: UpstreamLimits = defaultUpstreamLimits): UpstreamFetch {
  const pools = new Map<string, Pool>();

  function poolOf(origin: string): Pool {
    let pool = pools.get(origin);
    if (!pool) {
      pool = new Pool(origin, {
        connections: limits.connectionsMax,
        connect: { timeout: limits.connectMs },
        headersTimeout: limits.headersMs,
        bodyTimeout: limits.bodyIdleMs,
        maxResponseSize: limits.responseBytesMax,
        // A server that closes idle connections must not win the race against a request.
        keepAliveTimeout: 4_000,
        keepAliveTimeoutThreshold: 1_000,
      });
      pools.set(origin, pool);
    }
    return pool;
  }

  async function send<Body>(
    origin: string,
    options: Dispatcher.DispatchOptions,
    signal: AbortSignal | undefined,
    bodyOfReply: BodyOfReply<Body>,
  ): Promise<Incoming<Body>> {
    signal?.throwIfAborted();
    const pool = poolOf(origin);
    await endOfTurn();
    // A signal that has been aborted in the meantime fires no more events.
    signal?.throwIfAborted();
    const reply = await new Promise<Incoming<Body>>((resolve, reject) => {
      pool.dispatch(options, new IncomingReply(signal, bodyOfReply, resolve, reject));
    });
    // Short replies that arrive in one turn are read as a batch, and long ones get a turn each: the numbers of embeddings take
    // 50 ms. The first event of a stream is not delayed.
    const { status, whole } = reply;
    if (whole) await (whole.byteLength > longBytes ? ownTurn() : endOfTurn());
    if (whole && status <= 299 && !hasFewParts(whole)) await checkStructure(whole);
    return reply;
  }

  function request<Body>(
    input: string | URL | Request,
    init: RequestInit,
    bodyOfReply: BodyOfReply<Body>,
  ): Promise<Incoming<Body>> {
    const url = input instanceof URL ? input : new URL(typeof input === 'string' ? input : input.url);
    const options: Dispatcher.DispatchOptions = {
      method: (init.method ?? 'GET') as Dispatcher.HttpMethod,
      path: url.pathname + url.search,
      headers: plainHeaders(init.headers),
      body: bodyOf(init.body),
    };
    return send(url.origin, options, init.signal ?? undefined, bodyOfReply);
  }

  return {
    fetch: async (input, init = {}) => responseOf(await request(input, init, wholeOrEvents)),
    fetchStating: (shape) => {
      const { events } = wholeOrEvents;
      const changeEvents = () => new UsageInEvents(shape);
      const bodyOf = {
        whole: (bytes: Uint8Array) => singleChunk(withReadableUsage(bytes, shape)),
        events,
        changeEvents,
      };
      return async (input, init = {}) => responseOf(await request(input, init, bodyOf));
    },
    fetchWith:
      (change) =>
      async (input, init = {}) => {
        const reply = await request(input, init, wholeBody);
        return responseOf({ ...reply, body: singleChunk(await change(reply)) });
      },
    post: ({ origin, path, headers }, body, signal) =>
      send(origin, { method: 'POST', path, headers, body }, signal, wholeBody),
    close: async () => {
      const closing = [...pools.values()].map((pool) => pool.destroy());
      pools.clear();
      await Promise.all(closing);
    },
  };
}

/** Reading anything shorter takes less than a millisecond. */
const longBytes = 65_536;

/** How to hand over a reply's body. */
interface BodyOfReply<Body> {
  whole(bytes: Uint8Array): Body;
  /** Hands over an event stream as soon as its head is there; absent: event streams come whole, too. */
  events?(stream: ReadableStream<Uint8Array>): Body;
  /** What changes the bytes of an event stream; absent: nothing. */
  changeEvents?(): EventChange;
}

/** A reply as handed over: all of it, or its head with the rest still to come. */
interface Incoming<Body> {
  status: number;
  headers: IncomingHeaders;
  body: Body;
  /** A body that arrived whole. */
  whole: Uint8Array | undefined;
}

const wholeBody: BodyOfReply<Uint8Array> = { whole: (bytes) => bytes };
const wholeOrEvents = {
  whole: singleChunk,
  events: (stream: ReadableStream<Uint8Array>) => stream,
} satisfies BodyOfReply<ReadableStream<Uint8Array>>;

function withReadableUsage(bytes: Uint8Array, shape: UsageShape): Uint8Array {
  try {
    const reply: unknown = JSON.parse(utf8.decode(bytes));
    return makeUsageReadable(reply, shape) ? Buffer.from(JSON.stringify(reply)) : bytes;
  } catch {
    // What is not JSON is the package's to refuse.
    return bytes;
  }
}

const utf8 = new TextDecoder();

/** An incoming reply: handed over whole, or, for an event stream, as a stream as soon as its head is there. */
class IncomingReply<Body> implements Dispatcher.DispatchHandler {
  readonly #signal: AbortSignal | undefined;
  readonly #bodyOf: BodyOfReply<Body>;
  readonly #resolve: (reply: Incoming<Body>) => void;
  readonly #reject: (error: unknown) => void;
  #controller: Dispatcher.DispatchController | undefined;
  #status = 0;
  #headers: IncomingHeaders = {};
  #chunks: Uint8Array[] = [];
  #bytes = 0;
  #structure: ReplyStructure | undefined;
  #stream: EventStreamBody | undefined;
  /** Abandoned: nobody is listening any more. */
  #over = false;

  constructor(
    signal: AbortSignal | undefined,
    bodyOf: BodyOfReply<Body>,
    resolve: (reply: Incoming<Body>) => void,
    reject: (error: unknown) => void,
  ) {
    this.#signal = signal;
    this.#bodyOf = bodyOf;
    this.#resolve = resolve;
    this.#reject = reject;
    signal?.addEventListener('abort', this.#leave, { once: true });
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#signal?.aborted) this.#leave();
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: IncomingHeaders): void {
    // The last head counts: an irrelevant one may come first (103 Early Hints).
    this.#status = status;
    this.#headers = headers;
    const { events } = this.#bodyOf;
    if (!events || !String(headers['content-type'] ?? '').startsWith('text/event-stream')) return;
    this.#structure = new ReplyStructure({ isEvents: true });
    this.#stream = this.#openStream();
    this.#handOver(events(this.#stream.stream), undefined);
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Uint8Array): void {
    if (this.#over) return;
    this.#bytes += chunk.byteLength;
    if (this.#status > 299) {
      // The beginning of an error's body is enough: it has a code, or is no use.
      if (this.#bytes > errorBytesMax) return;
    } else if (this.#structure && !this.#structure.fits(chunk)) {
      const error = tooManyParts();
      this.#fail(error);
      controller.abort(error);
      return;
    }
    if (this.#stream) this.#stream.push(chunk);
    else this.#chunks.push(chunk);
  }

  onResponseEnd(): void {
    this.#signal?.removeEventListener('abort', this.#leave);
    if (this.#over) return;
    if (this.#stream) this.#stream.end();
    else {
      const bytes = this.#whole();
      this.#handOver(this.#bodyOf.whole(bytes), bytes);
    }
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#signal?.removeEventListener('abort', this.#leave);
    this.#fail(error);
  }

  #fail(error: unknown): void {
    this.#over = true;
    this.#chunks = [];
    this.#stream?.error(error);
    this.#reject(error);
  }

  // This also abandons a call that is still waiting for its connection at once.
  #leave = (): void => {
    const reason: unknown = this.#signal?.reason;
    this.#controller?.abort(reason instanceof Error ? reason : new errors.RequestAbortedError());
    this.#fail(reason);
  };

  #handOver(body: Body, whole: Uint8Array | undefined): void {
    this.#resolve({ status: this.#status, headers: this.#headers, body, whole });
  }

  #openStream(): EventStreamBody {
    const source = {
      pause: () => this.#controller?.pause(),
      resume: () => this.#controller?.resume(),
      cancel: () => {
        this.#over = true;
        this.#controller?.abort(new errors.RequestAbortedError());
      },
    };
    return new EventStreamBody(source, this.#bodyOf.changeEvents?.());
  }

  #whole(): Uint8Array {
    const [only] = this.#chunks;
    return only && this.#chunks.length === 1 ? only : Buffer.concat(this.#chunks);
  }
}

/** How much of an error's body is read. */
const errorBytesMax = 65_536;

export type IncomingHeaders = Dispatcher.ResponseData['headers'];

/** The part of a `Response` that the provider packages read: building a full one costs more than the request itself. */
class UpstreamResponse {
  readonly status: number;
  readonly statusText = '';
  readonly ok: boolean;
  readonly headers: Map<string, string>;
  readonly body: ReadableStream<Uint8Array>;

  constructor(status: number, headers: IncomingHeaders, body: ReadableStream<Uint8Array>) {
    this.status = status;
    this.ok = status >= 200 && status < 300;
    this.headers = new Map();
    for (const name in headers) {
      const value = headers[name];
      if (value !== undefined) this.headers.set(name, Array.isArray(value) ? value.join(', ') : value);
    }
    this.body = body;
  }
}

function responseOf({
  status,
  headers,
  body,
}: Omit<UpstreamReply, 'body'> & { body: ReadableStream<Uint8Array> }): Response {
  return new UpstreamResponse(status, headers, body) as unknown as Response;
}

// The first read returns the bytes and the next says that it is done: a real stream costs as much as the HTTP parsing.
function singleChunk(bytes: Uint8Array): ReadableStream<Uint8Array> {
  let pending: Uint8Array | undefined = bytes.byteLength > 0 ? bytes : undefined;
  const reader = {
    read() {
      const value = pending;
      pending = undefined;
      return Promise.resolve(value ? { done: false, value } : { done: true, value: undefined });
    },
    cancel: () => Promise.resolve(),
    releaseLock() {},
  };
  return { getReader: () => reader, cancel: () => Promise.resolve() } as unknown as ReadableStream<Uint8Array>;
}

function plainHeaders(headers: RequestInit['headers']): Record<string, string> {
  if (!headers) return {};
  if (headers instanceof Headers || Array.isArray(headers)) return Object.fromEntries(headers);
  const plain: Record<string, string> = {};
  for (const name in headers) {
    const value = (headers as Record<string, string | undefined>)[name];
    if (value !== undefined) plain[name] = value;
  }
  return plain;
}

function bodyOf(body: RequestInit['body']): string | Uint8Array | null {
  if (body === undefined || body === null) return null;
  if (typeof body === 'string' || body instanceof Uint8Array) return body;
  throw new TypeError('An upstream request carries text or bytes only.');
}
