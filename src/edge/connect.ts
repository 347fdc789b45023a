import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { DescMethod, DescService, Message } from '@bufbuild/protobuf';
import { base64Decode } from '@bufbuild/protobuf/wire';
import {
  Code,
  ConnectError,
  type ConnectRouter,
  type ConnectRouterOptions,
  createContextKey,
  createContextValues,
  type HandlerContext,
  type ServiceImpl,
} from '@connectrpc/connect';
import { fastifyConnectPlugin } from '@connectrpc/connect-fastify';
import { compressionBrotli, compressionGzip } from '@connectrpc/connect-node';
import { carrierOf, createJsonCodecs } from '@intelligence-api/transcoding/parts';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Protocol } from '../api/call.ts';
import type { ServedService } from '../api/handlers.ts';
import { FailureError, invalid } from '../base/failure.ts';
import { endOfTurn } from '../base/turn.ts';
import type { OpenConnection } from '../limits/index.ts';
import type { AdmittedCall } from './admitted-call.ts';
import { refusalOf } from './anonymous.ts';
import { boundMessages } from './bounded-messages.ts';
import type { Carrier } from './carrier.ts';
import { withJson } from './connect-json.ts';
import { connectionOf } from './connections.ts';
import { connectError } from './error-body.ts';
import type { Gate } from './gate.ts';
import { offerEncodings, spellMessage } from './grpc-message.ts';
import { speakText } from './grpc-web-text.ts';
import type { IncomingCall } from './incoming-call.ts';
import { interruptedBy } from './interrupt.ts';
import { nameLeaving } from './left-replies.ts';
import { registryOf } from './message-types.ts';
import { reword, unreadableFailure } from './unreadable.ts';

export interface ConnectLaneOptions {
  services: readonly ServedService[];
  gate: Gate;
  /** The largest incoming message of a service's methods, after decompression. */
  messageBytes(service: DescService): number;
  /** Longer deadlines set by callers are shortened to this. */
  maxTimeoutMs: number;
  /** Ends the calls still running; its reason is a `FailureError`, which their callers receive. */
  shutdownSignal: AbortSignal;
  /** Operations services (health, reflection), which anyone may call for free. */
  operations?: (router: ConnectRouter) => void;
}

/** gRPC, gRPC-Web and Connect: Connect does the framing, and the gate decides which calls pass. */
export function registerConnect(app: FastifyInstance, options: ConnectLaneOptions): void {
  const { gate, services, operations, shutdownSignal } = options;
  const codecOf = createJsonCodecs(registryOf(services.map(({ service }) => service)));
  const plugin = (
    lane: FastifyInstance,
    readMaxBytes: number,
    routes: (router: ConnectRouter) => void,
    stopping = shutdownSignal,
  ) => {
    const routerOptions: ConnectRouterOptions = {
      readMaxBytes,
      acceptCompression: [compressionGzip, compressionBrotli],
      shutdownSignal: stopping,
      // Runs once the headers are in and before any message is read, so that callers without permission cannot send megabytes.
      requestGate: async (context) => {
        const raw = context.values.get(rawKey);
        const refusal = raw && refusalOf(raw);
        if (context.protocolName !== 'connect') {
          spellMessage(context.responseTrailer);
          offerEncodings(context.requestHeader, context.responseHeader);
        }
        if (refusal) throw refused(gate, new FailureError(refusal), undefined);
        const method = methods.get(pathOf(context.method));
        if (!method) return;
        const call = await admit(gate, context, method, readMaxBytes);
        context.values.set(callKey, call);
        const exchange = context.values.get(exchangeKey);
        if (exchange) exchange.call = call;
        const fault = raw && queryFault(raw);
        if (fault) throw refuseMessage(fault, context);
      },
      // For error details.
      jsonOptions: { alwaysEmitImplicit: true },
    };
    return lane.register(fastifyConnectPlugin, {
      ...routerOptions,
      contextValues: (request: FastifyRequest) =>
        createContextValues()
          .set(peerKey, request.ip)
          .set(rawKey, request.raw)
          .set(exchangeKey, request.getDecorator<Exchange>('exchange')),
      routes: (router) => routes(withJson(router, routerOptions, { codecOf, refuse: refuseMessage })),
    });
  };
  const refuseMessage = (error: unknown, context: HandlerContext) => {
    const call = context.values.get(callKey);
    if (call) gate.abandon(call, error);
    return refused(gate, error, call?.requestId);
  };
  const methods = new Map(services.flatMap(({ service }) => service.methods).map((method) => [pathOf(method), method]));
  app.addHook('onRequest', async ({ raw }) => clampTimeouts(raw.headers, options.maxTimeoutMs));
  app.register(async (lane) => {
    // Fastify's own parsers would read bodies of other types before the call reaches the gate.
    lane.removeAllContentTypeParsers();
    lane.decorateRequest('exchange');
    lane.addHook('onRequest', async (request, reply) => {
      const { raw, routeOptions } = request;
      const exchange: Exchange = { carrier: carrierOf(reply.raw), call: undefined };
      request.setDecorator('exchange', exchange);
      leaveOpen(raw);
      nameLeaving(reply.raw);
      const method = methods.get(routeOptions.url ?? '');
      if (method) endReading(raw, shutdownSignal, () => refused(gate, shutdownSignal.reason, exchange.call?.requestId));
      speakText(raw, reply.raw);
      if (method) {
        const bytesMax = options.messageBytes(method.parent);
        const receive = (bytes: number) => exchange.call?.receive(bytes);
        boundMessages(raw, method, { bytesMax, jsonBytesMax: Math.min(bytesMax, jsonBytesMax), receive });
      }
    });
    // These services bypass the gate, so the reason is already in Connect's wording.
    if (operations) plugin(lane, operationsMessageBytes, operations, inConnectsWords(gate, shutdownSignal));
    // One plugin per service: options given to a single service would re-enable the disabled protocols.
    for (const { service } of services)
      plugin(lane, options.messageBytes(service), (router) => {
        router.service(service, implementations(gate, service, shutdownSignal));
      });
  });
}

/**
 * Connect stops reading a body that is too long. That alone would end the request and leave the rest unreceived, although an
 * HTTP/1.1 caller may have to send it all before it reads the answer.
 */
function leaveOpen(request: IncomingMessage): void {
  if (request.httpVersionMajor === 1)
    request[Symbol.asyncIterator] = () => request.iterator({ destroyOnReturn: false });
}

const shortBytes = 4_096;
/** A message in a few short pieces does not wait. */
const shortPiecesAtOnce = 16;

/**
 * Tells a caller whose message is still arriving that the service is stopping. Many short pieces are read once in a turn of the event
 * loop, joined: each takes a dozen steps on its way to Connect.
 */
function endReading(request: IncomingMessage, shutdownSignal: AbortSignal, reason: () => ConnectError): void {
  const read = request[Symbol.asyncIterator].bind(request);
  request[Symbol.asyncIterator] = async function* pieces() {
    const source = read();
    const untilShutdown = interruptedBy(shutdownSignal);
    let shortPieces = 0;
    try {
      for (;;) {
        const { done, value } = await untilShutdown.wait(source.next());
        if (done) return undefined;
        yield value;
        if (value.length < shortBytes) shortPieces += 1;
        if (shortPieces > shortPiecesAtOnce) await endOfTurn();
      }
    } catch (error) {
      throw error === shutdownSignal.reason ? reason() : error;
    } finally {
      untilShutdown.stop();
      // Not awaited: the next piece may never come.
      source.return?.().catch(() => {});
    }
  };
}

function inConnectsWords(gate: Gate, shutdownSignal: AbortSignal): AbortSignal {
  const controller = new AbortController();
  shutdownSignal.addEventListener('abort', () => controller.abort(refused(gate, shutdownSignal.reason, undefined)));
  return controller.signal;
}

const grpcUnitsMs: Record<string, number> = { H: 3_600_000, M: 60_000, S: 1_000, m: 1, u: 1e-3, n: 1e-6 };

/** Shortens a caller's deadline to the service's longest; Connect would refuse a longer one or ignore it. */
function clampTimeouts(headers: IncomingHttpHeaders, maxTimeoutMs: number): void {
  const grpc = /^([0-9]{1,8})([HMSmun])$/.exec(String(headers['grpc-timeout'] ?? ''));
  if (grpc && Number(grpc[1]) * (grpcUnitsMs[grpc[2] ?? ''] ?? 0) > maxTimeoutMs)
    headers['grpc-timeout'] = `${maxTimeoutMs}m`;
  const connect = headers['connect-timeout-ms'];
  if (typeof connect === 'string' && /^[0-9]{1,10}$/.test(connect) && Number(connect) > maxTimeoutMs)
    headers['connect-timeout-ms'] = String(maxTimeoutMs);
}

/**
 * The largest JSON message over Connect, gRPC and gRPC-Web: parsing takes some 15 ms per megabyte, in one go. Larger ones, with
 * images, must be sent in binary form, or as JSON over REST.
 */
const jsonBytesMax = 4 * 1024 * 1024;

/** Health and reflection requests contain just a few names. */
const operationsMessageBytes = 65_536;

const peerKey = createContextKey('', { description: 'the caller’s address' });
const rawKey = createContextKey<IncomingMessage | undefined>(undefined, { description: 'the request as Node made it' });
/** A request and its reply. Not in a weak map: it would retain all of them for long (docs/decisions/2026-11-21-what-a-call-leaves.md). */
interface Exchange {
  readonly carrier: Carrier;
  /** Once it is admitted. */
  call: AdmittedCall | undefined;
}

const exchangeKey = createContextKey<Exchange | undefined>(undefined, { description: 'the request and its reply' });
const callKey = createContextKey<AdmittedCall | undefined>(undefined, { description: 'the admitted call' });

function pathOf({ parent, name }: DescMethod): string {
  return `/${parent.typeName}/${name}`;
}

async function admit(
  gate: Gate,
  context: HandlerContext,
  method: DescMethod,
  limitBytes: number,
): Promise<AdmittedCall> {
  const incoming = new ConnectIncomingCall(context);
  try {
    const call = await gate.admit(method, incoming);
    // Aborted at the end of every call; a call whose message could not be read never reaches its handler.
    context.signal.addEventListener('abort', () => endUnread(gate, call, context.signal.reason, limitBytes), {
      once: true,
    });
    return call;
  } catch (error) {
    throw refused(gate, error, context.responseHeader.get('x-request-id') ?? undefined);
  }
}

/** Ends a call that no handler has answered; its error is worded like any other refusal. */
function endUnread(gate: Gate, call: AdmittedCall, reason: unknown, limitBytes: number): void {
  if (call.finished) return;
  const error = new FailureError(unreadableFailure(reason, call.method, limitBytes));
  gate.abandon(call, error);
  if (reason instanceof ConnectError) reword(reason, refused(gate, error, call.requestId));
}

function implementations(
  gate: Gate,
  service: DescService,
  shutdownSignal: AbortSignal,
): Partial<ServiceImpl<DescService>> {
  // A service known only by its descriptor has no typed methods; the gate's own types apply here.
  return Object.fromEntries(
    service.methods.map((method) => [method.localName, implementation(gate, method, shutdownSignal)]),
  ) as never;
}

/** Runs a method. When the service stops, the reply does not wait for a handler that ignores its signal. */
function implementation(gate: Gate, method: DescMethod, shutdownSignal: AbortSignal) {
  if (method.methodKind === 'unary')
    return async (request: Message, context: HandlerContext) => {
      const call = admittedCall(context);
      const untilShutdown = interruptedBy(shutdownSignal);
      try {
        return await untilShutdown.wait(gate.unary(call, request));
      } catch (error) {
        gate.abandon(call, error);
        throw refused(gate, error, call.requestId);
      } finally {
        untilShutdown.stop();
      }
    };
  return async function* (request: Message, context: HandlerContext) {
    const call = admittedCall(context);
    const untilShutdown = interruptedBy(shutdownSignal);
    const source = gate.stream(call, request)[Symbol.asyncIterator]();
    try {
      for (;;) {
        const { done, value } = await untilShutdown.wait(source.next());
        if (done) return;
        yield value;
      }
    } catch (error) {
      gate.abandon(call, error);
      throw refused(gate, error, call.requestId);
    } finally {
      untilShutdown.stop();
      // Ends the handler where it waits. Nobody is left to receive its error.
      source.return?.().catch(() => {});
    }
  };
}

function admittedCall(context: HandlerContext): AdmittedCall {
  const call = context.values.get(callKey);
  if (!call) throw new ConnectError('internal error', Code.Internal);
  return call;
}

/** What is wrong with the message of a GET. Connect decodes it outside of what it answers for, so it would be a fault of the service. */
function queryFault({ method, url = '' }: IncomingMessage): FailureError | undefined {
  if (method !== 'GET') return undefined;
  const query = new URLSearchParams(url.slice(url.indexOf('?') + 1));
  if (query.get('base64') !== '1') return undefined;
  try {
    base64Decode(query.get('message') ?? '');
    return undefined;
  } catch {
    return new FailureError(invalid('message', 'is not base64, as "base64=1" says'));
  }
}

function refused(gate: Gate, error: unknown, requestId: string | undefined): ConnectError {
  return connectError(gate.refuse(error, requestId), requestId);
}

class ConnectIncomingCall implements IncomingCall {
  readonly protocol: Protocol;
  readonly peer: string;
  readonly connection: OpenConnection | undefined;
  readonly carrier: Carrier | undefined;
  readonly deadline: number | undefined;
  readonly #context: HandlerContext;

  constructor(context: HandlerContext) {
    this.#context = context;
    this.protocol = context.protocolName as Protocol;
    this.peer = context.values.get(peerKey);
    const raw = context.values.get(rawKey);
    this.connection = raw && connectionOf(raw);
    this.carrier = context.values.get(exchangeKey)?.carrier;
    const timeoutMs = context.timeoutMs();
    this.deadline = timeoutMs === undefined ? undefined : Date.now() + timeoutMs;
  }
  get signal(): AbortSignal {
    return this.#context.signal;
  }
  header(name: string): string | undefined {
    return this.#context.requestHeader.get(name) ?? undefined;
  }
  setReplyHeader(name: string, value: string): void {
    this.#context.responseHeader.set(name, value);
  }
}
