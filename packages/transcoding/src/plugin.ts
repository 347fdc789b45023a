import type { OutgoingHttpHeaders } from 'node:http';
import { gzip } from 'node:zlib';
import type { DescMethod, DescMethodServerStreaming, DescMethodUnary, Message, Registry } from '@bufbuild/protobuf';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Binding } from './binding.ts';
import { checkJson, readBody } from './body.ts';
import { Call, type RestContext } from './context.ts';
import { invalidArgument, RestError } from './errors.ts';
import { framingOf } from './framing.ts';
import { defaultJsonBounds } from './json-bounds.ts';
import type { Match, Matcher } from './matcher.ts';
import { acceptsGzip, isJson, parseTimeoutMs, preferredStream, streamFormat } from './negotiation.ts';
import { jsonType, type Printed } from './printing.ts';
import { sendStream } from './stream.ts';
import { buildTable, type Route, servedMethods } from './table.ts';

/** The plugin's options. `Admitted` is what `admit` makes of a call and the rest of the call is handed. */
export interface RestOptions<Admitted = void> {
  /** Those with a `google.api.http` option are served. A rule that cannot be makes the start fail, naming the method. */
  methods: readonly DescMethod[];
  /** For what stands in a `google.protobuf.Any`. */
  registry: Registry;
  /** Called once the method is known and before the body is read; throws to refuse the call. */
  admit(method: DescMethod, context: RestContext): Admitted | Promise<Admitted>;
  unary(method: DescMethodUnary, request: Message, context: RestContext, admitted: Admitted): Promise<Message>;
  serverStreaming(
    method: DescMethodServerStreaming,
    request: Message,
    context: RestContext,
    admitted: Admitted,
  ): AsyncIterable<Message>;
  /**
   * Turns anything thrown, a `RestError` or whatever a handler threw, into what the caller may read; `admitted` is
   * undefined when the call was not let in. Must not throw.
   */
  renderError(error: unknown, context: RestContext, admitted: Admitted | undefined): RenderedError;
  limits: RestLimits;
  /** Stands in front of every path: `/something`, or nothing. */
  pathPrefix?: string;
}

/** A JSON body; inside of streams it is the last event. */
export interface RenderedError {
  status: number;
  headers?: Record<string, string>;
  body: string;
}

export interface RestLimits {
  /** Of a body, after decompression. */
  bodyBytes: number | ((method: DescMethod) => number);
  /** Of objects and arrays within each other. Default 100. */
  depthMax?: number;
  /** A longer `Grpc-Timeout` is taken as this. */
  timeoutMsMax: number;
  /** An event stream that is silent for so long gets a comment. Default 15 s. */
  heartbeatMs?: number;
  /** Shorter replies are not compressed. Default 1024. */
  gzipBytesMin?: number;
}

/**
 * Serves protobuf methods as JSON over HTTP by their `google.api.http` rules (google/api/http.proto, AIP-127).
 *
 * A Fastify plugin with one route, `<prefix>/*`: the paths of other routes of the same instance go to them. Its
 * body parser is its own (encapsulated), so that other plugins keep theirs. Fastify must be made with
 * `rewriteUrl: routableUrl`, or it answers paths with a bad escape itself. Replies are written to the raw response: `onSend`
 * hooks do not see them, but headers that earlier hooks set on Fastify's reply go along.
 */
export async function rest<Admitted>(instance: FastifyInstance, options: RestOptions<Admitted>): Promise<void> {
  const { bodyBytes, depthMax = 100 } = options.limits;
  const pathPrefix = options.pathPrefix ?? '';
  const table = buildTable({
    ...{ methods: options.methods, registry: options.registry, pathPrefix, depthMax },
    bodyBytes: typeof bodyBytes === 'number' ? () => bodyBytes : bodyBytes,
  });
  const transcoder = new Transcoder(table, options);
  instance.removeAllContentTypeParsers();
  instance.addContentTypeParser('*', (_request, _payload, parsed) => parsed(null, undefined));
  instance.setErrorHandler((error, request, reply) =>
    transcoder.fail(asRestError(error), new Call<Admitted>(request, reply), reply),
  );
  instance.route({
    method: servedMethods,
    url: `${pathPrefix}/*`,
    exposeHeadRoute: false,
    handler: (request, reply) => {
      transcoder.handle(request, reply);
    },
  });
}

class Transcoder<Admitted> {
  private readonly table: Matcher<Route>;
  private readonly options: RestOptions<Admitted>;
  private readonly heartbeatMs: number;
  private readonly gzipBytesMin: number;

  constructor(table: Matcher<Route>, options: RestOptions<Admitted>) {
    this.table = table;
    this.options = options;
    this.heartbeatMs = options.limits.heartbeatMs ?? 15_000;
    this.gzipBytesMin = options.limits.gzipBytesMin ?? 1024;
  }

  handle(request: FastifyRequest, reply: FastifyReply): void {
    const call = new Call<Admitted>(request, reply);
    this.serve(request, reply, call)
      .catch((error: unknown) => this.fail(error, call, reply))
      // A caller that left in the middle of its answer; nobody is there to hear of it.
      .catch(() => reply.raw.destroy());
  }

  fail(error: unknown, call: Call<Admitted>, reply: FastifyReply): void {
    call.finish();
    // Told of every end, also when nobody is left to read of it.
    const { status, headers, body } = this.options.renderError(error, call, call.admitted);
    if (call.isGone) {
      reply.hijack();
      return;
    }
    if (error instanceof RestError) addProtocolHeaders(error, call, reply);
    this.send(reply, call, { status, headers, contentType: jsonType, body });
  }

  private async serve(request: FastifyRequest, reply: FastifyReply, call: Call<Admitted>): Promise<void> {
    const url = originForm(request.originalUrl);
    const queryStart = url.indexOf('?');
    const path = queryStart < 0 ? url : url.slice(0, queryStart);
    const match = this.table.find(request.method, path);
    if (match.kind === 'wrong_method' && request.method === 'OPTIONS') {
      reply
        .code(204)
        .header('allow', [...match.allow, 'OPTIONS'].sort().join(', '))
        .send();
      return;
    }
    const { route, segments } = expectRoute(match);
    const { headers } = request.raw;
    const { unary, streaming } = route;
    const format = streaming && (unary ? preferredStream(headers.accept) : streamFormat(headers.accept));
    const target = (format && streaming) ?? unary;
    if (!target) throw new RestError({ kind: 'route_not_found' });
    if (unary && streaming) reply.header('vary', 'accept');
    call.method = target.method;
    const timeout = headers['grpc-timeout'];
    if (timeout !== undefined) call.startDeadline(this.timeoutMs(String(timeout)));

    const admitting = this.options.admit(target.method, call);
    const admitted = admitting instanceof Promise ? await admitting : admitting;
    call.admitted = admitted;
    const { binding } = target;
    const reading = hasNoBody(request.method) ? undefined : readBody(request.raw, binding.bodyBytesMax);
    const body = await (reading && call.timeoutMs !== undefined ? beforeStop(reading, call) : reading);
    // A smaller one can have no more values than that; how deep it is, its reader sees.
    if (body && body.length > defaultJsonBounds.valuesMax && isJson(headers['content-type'] ?? ''))
      await checkJson(body, { depth: false });
    const message = binding.bind({
      ...{ segments, body, contentType: headers['content-type'] },
      query: queryStart < 0 ? undefined : url.slice(queryStart + 1),
    });
    if (format && streaming) {
      const messages = this.options.serverStreaming(streaming.method, message, call, admitted);
      await this.stream(messages, binding, call, reply, format);
    } else if (unary) await this.unary(this.options.unary(unary.method, message, call, admitted), binding, call, reply);
  }

  private async unary(
    answer: Promise<Message>,
    binding: Binding,
    call: Call<Admitted>,
    reply: FastifyReply,
  ): Promise<void> {
    const output = call.timeoutMs === undefined ? await answer : await beforeStop(answer, call);
    const printed = binding.printer.print(output);
    call.finish();
    if (call.isGone) reply.hijack();
    else this.send(reply, call, { status: 200, ...printed });
  }

  private async stream(
    messages: AsyncIterable<Message>,
    binding: Binding,
    call: Call<Admitted>,
    reply: FastifyReply,
    format: 'sse' | 'ndjson',
  ): Promise<void> {
    const printError = (error: unknown) => this.options.renderError(error, call, call.admitted).body;
    const framing = framingOf(binding.printer, format, printError);
    await sendStream({ messages, framing, call, reply, heartbeatMs: this.heartbeatMs });
    call.finish();
  }

  private send(
    reply: FastifyReply,
    call: Call,
    { status, headers, contentType, body }: Printed & { status: number; headers?: Record<string, string> | undefined },
  ): void {
    const head: Head = { ...reply.getHeaders(), ...call.replyHeaders, ...headers, 'content-type': contentType };
    if (body.length < this.gzipBytesMin) {
      write(reply, status, head, body);
      return;
    }
    head.vary = head.vary === undefined ? 'accept-encoding' : `${String(head.vary)}, accept-encoding`;
    if (!acceptsGzip(call.headers['accept-encoding'] as string | undefined)) {
      write(reply, status, head, body);
      return;
    }
    gzip(body, (error, compressed) => {
      try {
        if (error) write(reply, status, head, body);
        else write(reply, status, { ...head, 'content-encoding': 'gzip' }, compressed);
      } catch {
        reply.raw.destroy();
      }
    });
  }

  private timeoutMs(header: string): number {
    const milliseconds = parseTimeoutMs(header);
    if (milliseconds === undefined)
      throw invalidArgument('Grpc-Timeout', 'must be at most 8 digits and one of the units H, M, S, m, u, n');
    return Math.min(milliseconds, this.options.limits.timeoutMsMax);
  }
}

function expectRoute(match: Match<Route>): { route: Route; segments: string[] } {
  switch (match.kind) {
    case 'found':
      return match;
    case 'wrong_method':
      throw new RestError({ kind: 'method_not_allowed', allow: match.allow });
    case 'bad_escape':
      throw invalidArgument('path', 'has a bad percent-escape');
    case 'unknown':
      throw new RestError({ kind: 'route_not_found' });
  }
}

/** The request target as most clients send it; a server must take the absolute form, too (RFC 9112, section 3.2.2). */
function originForm(target: string): string {
  const slash = 47;
  return target.charCodeAt(0) === slash ? target : target.replace(/^https?:\/\/[^/?#]*/i, '') || '/';
}

// The reply must not wait for a handler that ignores its signal, nor for a body that never ends.
function beforeStop<T>(answer: Promise<T>, call: Call): Promise<T> {
  return new Promise((resolve, reject) => {
    call.whenStopped(reject);
    answer.then(resolve, reject);
  });
}

function hasNoBody(httpMethod: string): boolean {
  return httpMethod === 'GET' || httpMethod === 'HEAD';
}

// What the protocol itself asks for, whatever the product prints.
function addProtocolHeaders({ problem }: RestError, call: Call, reply: FastifyReply): void {
  if (problem.kind === 'method_not_allowed') reply.header('allow', problem.allow.join(', '));
  // The rest of the body is not worth receiving.
  const isHttp1 = reply.request.raw.httpVersionMajor === 1;
  if (problem.kind === 'payload_too_large' && isHttp1) call.replyHeaders.connection = 'close';
}

type Head = ReturnType<FastifyReply['getHeaders']>;

/** Writes a whole reply past Fastify, whose way through its hooks copies every header three times. */
function write(reply: FastifyReply, status: number, head: Head, body: string | Uint8Array): void {
  const { raw } = reply;
  reply.hijack();
  head['content-length'] = Buffer.byteLength(body);
  raw.writeHead(status, head as OutgoingHttpHeaders);
  // Over HTTP/2 Node would try to write it, and end the stream with an error.
  raw.end(reply.request.method === 'HEAD' ? undefined : body);
}

function asRestError(error: unknown): unknown {
  const code = (error as { code?: unknown } | undefined)?.code;
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE')
    return new RestError({ kind: 'unsupported_media_type', accepted: ['application/json'] });
  return error;
}
