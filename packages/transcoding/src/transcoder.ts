import { gzip } from 'node:zlib';
import { createRegistry, type DescFile, type DescMethod, type Message, type Registry } from '@bufbuild/protobuf';
import type { Binding, RequestParts } from './binding.ts';
import { checkJson } from './body.ts';
import { type Call, type CallContext, type Head, RunningCalls } from './context.ts';
import { invalidArgument, RestError, RuleError } from './errors.ts';
import { framingOf } from './framing.ts';
import { defaultJsonBounds } from './json-bounds.ts';
import type { Match, Matcher } from './matcher.ts';
import {
  acceptsGzip,
  isJson,
  parseTimeoutMs,
  preferredStream,
  type StreamFormat,
  streamFormat,
} from './negotiation.ts';
import { defaultBodyBytes, defaultLimits, type TranscodingOptions } from './options.ts';
import { ownTurn } from './own-turn.ts';
import type { Received } from './pieces.ts';
import { jsonType, type Printed } from './printing.ts';
import { renderStatus } from './status.ts';
import { sendStream } from './stream.ts';
import { buildTable, type Route, type StreamingMethod, type UnaryMethod } from './table.ts';
import { Upload } from './upload.ts';

/** Turns requests into calls and their results into replies, whatever the transport. */
export class Transcoder<Admitted, Context extends CallContext> {
  private readonly table: Matcher<Route>;
  private readonly options: TranscodingOptions<Admitted, Context>;
  private readonly limits: typeof defaultLimits;
  private readonly running: RunningCalls;

  constructor(options: TranscodingOptions<Admitted, Context>) {
    const { methods, rules, pathPrefix = '' } = options;
    const { bodyBytes = defaultBodyBytes, ...limits } = options.limits ?? {};
    this.options = options;
    this.running = new RunningCalls(options.shutdownSignal);
    this.limits = { ...defaultLimits, ...limits };
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
      // The caller left in the middle of its answer; there is no one to tell.
      .catch(() => call.destroy());
  }

  fail(error: unknown, call: Call<Admitted> & Context): void {
    call.finish();
    // Every end is rendered, even if nobody is left to read it.
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
    const { target, format } = choose(route, call);
    call.method = target.method;
    const timeout = headers['grpc-timeout'];
    if (timeout !== undefined) call.startDeadline(this.timeoutMs(String(timeout)));

    const admitting = this.options.admit?.(target.method, call);
    // Without `admit`, the result is undefined: its type is void.
    const admitted = (admitting instanceof Promise ? await admitting : admitting) as Admitted;
    call.admitted = admitted;
    const query = queryStart < 0 ? undefined : url.slice(queryStart + 1);
    const parts = { segments, query, contentType: text(headers['content-type']), body: undefined };
    await this.answer(target, format, parts, call, admitted);
  }

  private async answer(
    { method, binding }: Target,
    format: StreamFormat | undefined,
    parts: RequestParts,
    call: Call<Admitted> & Context,
    admitted: Admitted,
  ): Promise<void> {
    const upload = binding.isUpload ? new Upload(call, binding, parts, this.limits.uploadChunkBytes) : undefined;
    const input = upload ? upload.messages : await readMessage(call, binding, parts, this.receiver(admitted));
    try {
      if (format)
        await this.stream(this.replies(method as StreamingMethod, input, call, admitted), binding, call, format);
      else await this.unary(this.reply(method as UnaryMethod, input, call, admitted), binding, call, upload);
    } catch (error) {
      // The upload's own fault, whatever the handler made of it.
      throw upload?.failure ?? error;
    } finally {
      upload?.close();
    }
  }

  private receiver(admitted: Admitted): Received | undefined {
    const { received } = this.options;
    return received && ((bytes) => received(bytes, admitted));
  }

  private reply(method: UnaryMethod, input: Input, call: Context, admitted: Admitted): Promise<Message> {
    const { unary = unserved, clientStreaming = unserved } = this.options;
    if (method.methodKind === 'unary') return unary(method, input as Message, call, admitted);
    return clientStreaming(method, input as AsyncIterable<Message>, call, admitted);
  }

  private replies(method: StreamingMethod, input: Input, call: Context, admitted: Admitted): AsyncIterable<Message> {
    const { serverStreaming = unserved, bidiStreaming = unserved } = this.options;
    if (method.methodKind === 'server_streaming') return serverStreaming(method, input as Message, call, admitted);
    return bidiStreaming(method, input as AsyncIterable<Message>, call, admitted);
  }

  private async unary(
    answer: Promise<Message>,
    binding: Binding,
    call: Call<Admitted>,
    upload: Upload | undefined,
  ): Promise<void> {
    const output = await call.untilStopped(answer);
    const { printer } = binding;
    const printed = printer.hasList(output)
      ? await call.untilStopped(printer.printInTurns(output))
      : printer.print(output);
    call.finish();
    if (call.isGone) call.drop();
    else {
      upload?.close();
      this.send(call, { status: 200, ...printed });
    }
  }

  private async stream(
    messages: AsyncIterable<Message>,
    binding: Binding,
    call: Call<Admitted> & Context,
    format: StreamFormat,
  ): Promise<void> {
    const { isSilence = () => false, eventId = () => undefined } = this.options;
    const framing = framingOf(binding.printer, format, (error) => this.render(error, call).body, {
      isSilence,
      eventId,
    });
    await sendStream({ messages, framing, call, heartbeatMs: this.limits.heartbeatMs, unreadMs: this.limits.unreadMs });
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
    if (!acceptsGzip(text(call.headers['accept-encoding']))) {
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

/** A message, or those of an upload. */
type Input = Message | AsyncIterable<Message>;

type Target = NonNullable<Route['unary'] | Route['streaming']>;

/** Which of a route's methods is meant; `format` is the format of its reply stream. */
function choose({ unary, streaming }: Route, call: Call): { target: Target; format?: StreamFormat } {
  const accept = text(call.headers.accept);
  if (unary && streaming) call.replyHeaders.vary = 'accept';
  const format = streaming && (unary ? preferredStream(accept) : streamFormat(accept));
  if (streaming && format) return { target: streaming, format };
  if (unary) return { target: unary };
  throw new RestError({ kind: 'route_not_found' });
}

// The table contains no method of a kind without a handler.
function unserved(method: DescMethod): never {
  throw new RuleError(method.toString(), 'has no handler');
}

async function readMessage(
  call: Call,
  binding: Binding,
  parts: RequestParts,
  received: Received | undefined,
): Promise<Message> {
  const reading = hasNoBody(call.httpMethod) ? undefined : call.readBody(binding.bodyBytesMax, received);
  const body = await (reading && call.untilStopped(reading));
  // A smaller body cannot have more values than that; its reader checks the depth.
  if (!body || body.length <= defaultJsonBounds.valuesMax || !isJson(parts.contentType ?? ''))
    return binding.bind({ ...parts, body });
  await checkJson(body, { depth: false });
  if (body.length < decodedAloneMin) return binding.bind({ ...parts, body });
  const text = decoder.decode(body);
  await ownTurn();
  return binding.bind({ ...parts, body, text });
}

/** Decoding and reading a longer body each take a turn of the event loop: 19 MB take 5 and 30 ms. */
const decodedAloneMin = 1_048_576;
// For long bodies it takes a fifth of the time of `toString`, for short ones more.
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

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

/** The request target in the form most clients send; a server must also accept the absolute form (RFC 9112, section 3.2.2). */
function originForm(target: string): string {
  const slash = 47;
  return target.charCodeAt(0) === slash ? target : target.replace(/^https?:\/\/[^/?#]*/i, '') || '/';
}

function hasNoBody(httpMethod: string): boolean {
  return httpMethod === 'GET' || httpMethod === 'HEAD';
}

function text(header: string | string[] | undefined): string | undefined {
  return typeof header === 'object' ? header.join(', ') : header;
}

// Headers that the protocol itself requires, whatever the product prints.
function addProtocolHeaders({ problem }: RestError, call: Call): void {
  if (problem.kind === 'method_not_allowed') call.replyHeaders.allow = problem.allow.join(', ');
  if (problem.kind === 'payload_too_large') call.refuseRest();
}

/** The types in the methods' files and in all files that these import. */
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
