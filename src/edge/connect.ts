import type { DescMethod, DescService, Message } from '@bufbuild/protobuf';
import {
  Code,
  ConnectError,
  type ConnectRouter,
  createContextKey,
  createContextValues,
  type HandlerContext,
  type ServiceImpl,
} from '@connectrpc/connect';
import { fastifyConnectPlugin } from '@connectrpc/connect-fastify';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Protocol } from '../api/call.ts';
import type { ServedService } from '../api/handlers.ts';
import { connectError } from './error-body.ts';
import type { AdmittedCall, Arrival, Gate } from './gate.ts';

export interface ConnectLaneOptions {
  services: readonly ServedService[];
  gate: Gate;
  /** Largest message in of a service's methods, after decompression. */
  messageBytes(service: DescService): number;
  /** A caller's longer deadline is taken as this. */
  maxTimeoutMs: number;
  shutdownSignal: AbortSignal;
  /** Services of operations (health, reflection), which anybody may call and nothing charges. */
  operations?: (router: ConnectRouter) => void;
}

/** gRPC, gRPC-Web and Connect: their framing is Connect's, what passes is the gate's. */
export function registerConnect(app: FastifyInstance, options: ConnectLaneOptions): void {
  const { gate, services, operations } = options;
  const plugin = (readMaxBytes: number, routes: (router: ConnectRouter) => void) =>
    app.register(fastifyConnectPlugin, {
      readMaxBytes,
      maxTimeoutMs: longestTimeoutMs,
      shutdownSignal: options.shutdownSignal,
      contextValues: (request: FastifyRequest) => createContextValues().set(peerKey, request.ip),
      // Runs once the headers are in and before any message is read: who may not call, sends no megabytes.
      requestGate: async (context) => {
        if (gate.serves(context.method)) context.values.set(callKey, await admit(gate, context, options.maxTimeoutMs));
      },
      jsonOptions: { alwaysEmitImplicit: true, ignoreUnknownFields: false },
      routes,
    });

  if (operations) plugin(operationsMessageBytes, operations);
  // One plugin a service: options given to a single service would switch disabled protocols on again.
  for (const { service } of services)
    plugin(options.messageBytes(service), (router) => {
      router.service(service, implementations(gate, service));
    });
}

/** Requests of health and reflection are a few names. */
const operationsMessageBytes = 65_536;

/** Callers may state longer deadlines than the service keeps; they are clamped rather than refused. */
const longestTimeoutMs = 2 ** 31 - 1;

const peerKey = createContextKey('', { description: 'the caller’s address' });
const callKey = createContextKey<AdmittedCall | undefined>(undefined, { description: 'the admitted call' });

async function admit(gate: Gate, context: HandlerContext, maxTimeoutMs: number): Promise<AdmittedCall> {
  const arrival = new ConnectArrival(context, maxTimeoutMs);
  try {
    return await gate.admit(context.method, arrival);
  } catch (error) {
    throw refused(gate, error, context.responseHeader.get('x-request-id') ?? undefined);
  }
}

function implementations(gate: Gate, service: DescService): Partial<ServiceImpl<DescService>> {
  // A service known only by its descriptor has no typed methods: the gate's own types hold here.
  return Object.fromEntries(service.methods.map((method) => [method.localName, implementation(gate, method)])) as never;
}

function implementation(gate: Gate, method: DescMethod) {
  if (method.methodKind === 'unary')
    return async (request: Message, context: HandlerContext) => {
      const call = admittedCall(context);
      try {
        return await gate.unary(call, request);
      } catch (error) {
        throw refused(gate, error, call.requestId);
      }
    };
  return async function* (request: Message, context: HandlerContext) {
    const call = admittedCall(context);
    try {
      yield* gate.stream(call, request);
    } catch (error) {
      throw refused(gate, error, call.requestId);
    }
  };
}

function admittedCall(context: HandlerContext): AdmittedCall {
  const call = context.values.get(callKey);
  if (!call) throw new ConnectError('internal error', Code.Internal);
  return call;
}

function refused(gate: Gate, error: unknown, requestId: string | undefined): ConnectError {
  return connectError(gate.refuse(error, requestId), requestId);
}

class ConnectArrival implements Arrival {
  readonly protocol: Protocol;
  readonly peer: string;
  readonly deadline: number | undefined;
  readonly #context: HandlerContext;

  constructor(context: HandlerContext, maxTimeoutMs: number) {
    this.#context = context;
    this.protocol = context.protocolName as Protocol;
    this.peer = context.values.get(peerKey);
    const timeoutMs = context.timeoutMs();
    this.deadline = timeoutMs === undefined ? undefined : Date.now() + Math.min(timeoutMs, maxTimeoutMs);
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
