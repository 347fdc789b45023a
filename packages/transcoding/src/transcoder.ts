import { gzip } from 'node:zlib';
import { createRegistry, type DescFile, type DescMethod, type Message, type Registry } from '@bufbuild/protobuf';
import type { Binding, RequestParts } from './binding.ts';
import { checkJson } from './body.ts';
import { type Call, type CallContext, type Head, RunningCalls } from './context.ts';
import { invalidArgument, RestError } from './errors.ts';
import { framingOf } from './framing.ts';
import { defaultJsonBounds } from './json-bounds.ts';
import type { Match, Matcher } from './matcher.ts';
import { acceptsGzip, isJson, parseTimeoutMs, preferredStream, streamFormat } from './negotiation.ts';
import { defaultLimits, type TranscodingOptions } from './options.ts';
import { jsonType, type Printed } from './printing.ts';
import { renderStatus } from './status.ts';
import { sendStream } from './stream.ts';
import { buildTable, type Route, type StreamingMethod, type UnaryMethod } from './table.ts';
import { Upload } from './upload.ts';

/** What a handler is given: a message, or those of an upload. */
type Input = { message: Message; upload?: undefined } | { message?: undefined; upload: Upload };

/** Turns requests into calls and what comes of them into replies, whatever they came by. */
export class Transcoder<Admitted, Context extends CallContext> {
  private readonly table: Matcher<Route>;
  private readonly options: TranscodingOptions<Admitted, Context>;
  private readonly limits: typeof defaultLimits;
  private readonly running: RunningCalls;

  constructor(options: TranscodingOptions<Admitted, Context>) {
    const { methods, rules, pathPrefix = '', limits = {} } = options;
    const { bodyBytes = defaultLimits.bodyBytes } = limits;
    this.options = options;
    this.running = new RunningCalls(options.shutdownSignal);
    this.limits = { ...defaultLimits, ...limits, bodyBytes: defaultLimits.bodyBytes };
    this.table = buildTable({
      ...{ methods, rules, pathPrefix, depthMax: this.limits.depthMax, handlers: options },
      registry: options.registry ?? registryOf(methods),
      bodyBytes: typeof bodyBytes === 'number' ? () => bodyBytes : bodyBytes,
    });
  }

  handle(call: Call<Admitted> & Context): void {
    this.running.add(call);
    this.serve(call)
      .finally(() => this.running.delete(call))
      .catch((error: unknown) => this.fail(error, call))
      // A caller that left in the middle of its answer; nobody is there to hear of it.
      .catch(() => call.destroy());
  }

  fail(error: unknown, call: Call<Admitted> & Context): void {
    call.finish();
    // Told of every end, also when nobody is left to read of it.
    const { status, headers, body } = this.render(error, call);
    if (call.isGone) {
      call.drop();
      return;
    }
    if (error instanceof RestError) addProtocolHeaders(error, call);
    this.send(call, { status, headers, contentType: jsonType, body });
  }

  private async serve(call: Call<Admitted> & Context): Promise<void> {
    const url = originForm(call.url);
    const queryStart = url.indexOf('?');
    const path = queryStart < 0 ? url : url.slice(0, queryStart);
    const match = this.table.find(call.httpMethod, path);
    if (match.kind === 'wrong_method' && call.httpMethod === 'OPTIONS') {
      call.write(204, { ...call.headSoFar(), allow: [...match.allow, 'OPTIONS'].sort().join(', ') }, '');
      return;
    }
    const { route, segments } = expectRoute(match);
    const { headers } = call;
    const { unary, streaming } = route;
    const accept = one(headers.accept);
    const format = streaming && (unary ? preferredStream(accept) : streamFormat(accept));
    const target = (format && streaming) ?? unary;
    if (!target) throw new RestError({ kind: 'route_not_found' });
    if (unary && streaming) call.replyHeaders.vary = 'accept';
    call.method = target.method;
    const timeout = headers['grpc-timeout'];
    if (timeout !== undefined) call.startDeadline(this.timeoutMs(String(timeout)));

    const admitting = this.options.admit?.(target.method, call);
    const admitted = (admitting instanceof Promise ? await admitting : admitting) as Admitted;
    call.admitted = admitted;
    const { binding } = target;
    const parts = {
      ...{ segments, body: undefined, contentType: one(headers['content-type']) },
      query: queryStart < 0 ? undefined : url.slice(queryStart + 1),
    };
    const input = binding.isUpload ? this.upload(call, binding, parts) : await readMessage(call, binding, parts);
    try {
      if (format && streaming) {
        await this.stream(this.replies(streaming.method, input, call, admitted), binding, call, format);
      } else if (unary) await this.unary(this.reply(unary.method, input, call, admitted), binding, call, input.upload);
    } catch (error) {
      // What was wrong with the upload, whatever the handler made of it.
      throw input.upload?.failure ?? error;
    } finally {
      input.upload?.close();
    }
  }

  private upload(call: Call, binding: Binding, parts: RequestParts): Input {
    return { upload: new Upload(call, binding, parts, this.limits.uploadChunkBytes) };
  }

  // The table has only methods with a handler.
  private reply(
    method: UnaryMethod,
    { message, upload }: Input,
    call: Context,
    admitted: Admitted,
  ): Promise<Message> | undefined {
    if (method.methodKind === 'unary') return message && this.options.unary?.(method, message, call, admitted);
    return upload && this.options.clientStreaming?.(method, upload.messages, call, admitted);
  }

  private replies(
    method: StreamingMethod,
    { message, upload }: Input,
    call: Context,
    admitted: Admitted,
  ): AsyncIterable<Message> | undefined {
    if (method.methodKind === 'server_streaming')
      return message && this.options.serverStreaming?.(method, message, call, admitted);
    return upload && this.options.bidiStreaming?.(method, upload.messages, call, admitted);
  }

  private async unary(
    answer: Promise<Message> | undefined,
    binding: Binding,
    call: Call<Admitted>,
    upload: Upload | undefined,
  ): Promise<void> {
    if (!answer) throw new RestError({ kind: 'route_not_found' });
    const output = await call.untilStopped(answer);
    const printed = binding.printer.print(output);
    call.finish();
    if (call.isGone) call.drop();
    else {
      upload?.close();
      this.send(call, { status: 200, ...printed });
    }
  }

  private async stream(
    messages: AsyncIterable<Message> | undefined,
    binding: Binding,
    call: Call<Admitted> & Context,
    format: 'sse' | 'ndjson',
  ): Promise<void> {
    if (!messages) throw new RestError({ kind: 'route_not_found' });
    const { isSilence = () => false } = this.options;
    const framing = framingOf(binding.printer, format, (error) => this.render(error, call).body, isSilence);
    await sendStream({ messages, framing, call, heartbeatMs: this.limits.heartbeatMs });
    call.finish();
  }

  private render(error: unknown, call: Call<Admitted> & Context) {
    return this.options.renderError ? this.options.renderError(error, call, call.admitted) : renderStatus(error);
  }

  private send(
    call: Call,
    { status, headers, contentType, body }: Printed & { status: number; headers?: Record<string, string> | undefined },
  ): void {
    const head: Head = { ...call.headSoFar(), ...call.replyHeaders, ...headers, 'content-type': contentType };
    if (body.length < this.limits.gzipBytesMin) {
      call.write(status, head, body);
      return;
    }
    head.vary = head.vary === undefined ? 'accept-encoding' : `${String(head.vary)}, accept-encoding`;
    if (!acceptsGzip(one(call.headers['accept-encoding']))) {
      call.write(status, head, body);
      return;
    }
    gzip(body, (error, compressed) => {
      try {
        if (error) call.write(status, head, body);
        else call.write(status, { ...head, 'content-encoding': 'gzip' }, compressed);
      } catch {
        call.destroy();
      }
    });
  }

  private timeoutMs(header: string): number {
    const milliseconds = parseTimeoutMs(header);
    if (milliseconds === undefined)
      throw invalidArgument('Grpc-Timeout', 'must be at most 8 digits and one of the units H, M, S, m, u, n');
    return Math.min(milliseconds, this.limits.timeoutMsMax);
  }
}

async function readMessage(call: Call, binding: Binding, parts: RequestParts): Promise<Input> {
  const reading = hasNoBody(call.httpMethod) ? undefined : call.readBody(binding.bodyBytesMax);
  const body = await (reading && call.untilStopped(reading));
  // A smaller one can have no more values than that; how deep it is, its reader sees.
  if (body && body.length > defaultJsonBounds.valuesMax && isJson(parts.contentType ?? ''))
    await checkJson(body, { depth: false });
  return { message: binding.bind({ ...parts, body }) };
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

function hasNoBody(httpMethod: string): boolean {
  return httpMethod === 'GET' || httpMethod === 'HEAD';
}

function one(header: string | string[] | undefined): string | undefined {
  return typeof header === 'object' ? header.join(', ') : header;
}

// What the protocol itself asks for, whatever the product prints.
function addProtocolHeaders({ problem }: RestError, call: Call): void {
  if (problem.kind === 'method_not_allowed') call.replyHeaders.allow = problem.allow.join(', ');
  if (problem.kind === 'payload_too_large') call.refuseRest();
}

/** The types of the methods' files and of all files that these import. */
function registryOf(methods: readonly DescMethod[]): Registry {
  const files = new Set<DescFile>();
  const add = (file: DescFile): void => {
    if (files.has(file)) return;
    files.add(file);
    file.dependencies.forEach(add);
  };
  for (const method of methods) add(method.parent.file);
  return createRegistry(...files);
}
