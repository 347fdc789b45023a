import type { IncomingMessage } from 'node:http';
import type { DescMethod } from '@bufbuild/protobuf';
import { RestError } from '@intelligence-api/transcoding';
import { fastifyTranscoding, type RestContext } from '@intelligence-api/transcoding/fastify';
import type { FastifyInstance } from 'fastify';
import type { ServedService } from '../api/handlers.ts';
import { FailureError, unwrap } from '../base/failure.ts';
import type { AnonymousBudget } from '../limits/index.ts';
import type { AdmittedCall } from './admitted-call.ts';
import { type AllowedMethods, pathOf } from './allowed-methods.ts';
import { keepBriefly } from './carrier.ts';
import { connectionOf } from './connections.ts';
import type { Gate } from './gate.ts';
import { HttpIncomingCall } from './incoming-call.ts';
import { registryOf } from './message-types.ts';
import { refusedAt } from './others-errors.ts';
import { headersOf } from './refusal.ts';
import { requestIdOf } from './request-id.ts';
import { eventId, isSilence } from './silence.ts';

export interface RestLaneOptions {
  services: readonly ServedService[];
  gate: Gate;
  anonymous?: AnonymousBudget | undefined;
  pathPrefix: string;
  /** The largest body of a method, after decompression. */
  bodyBytes(method: DescMethod): number;
  maxTimeoutMs: number;
  /** Whether a request's counting was left to the gate. */
  showsCredential(request: IncomingMessage): boolean;
  /** For the paths served by others, too. */
  allowed: AllowedMethods;
  /** Ends the calls still running; its reason is a `FailureError`, which their callers receive. */
  shutdownSignal: AbortSignal;
}

/** JSON over HTTP at the documented paths: the transcoder finds the method and its message, the gate does the rest. */
export function registerRest(app: FastifyInstance, { services, gate, ...options }: RestLaneOptions): void {
  app.register(fastifyTranscoding<AdmittedCall>, {
    methods: services.flatMap(({ service }) => service.methods),
    registry: registryOf(services.map(({ service }) => service)),
    pathPrefix: options.pathPrefix,
    shutdownSignal: options.shutdownSignal,
    limits: { bodyBytes: options.bodyBytes, timeoutMsMax: options.maxTimeoutMs },
    admit: (method, context) => gate.admit(method, new HttpIncomingCall('rest', context)),
    received: (bytes, call) => unwrap(call.receive(bytes)),
    unary: (_method, request, _context, call) => gate.unary(call, request),
    isSilence,
    eventId,
    serverStreaming: (_method, request, _context, call) => gate.stream(call, request),
    renderError: (thrown, context, call) => {
      const error = thrown instanceof RestError ? (unknownFrom(context, call) ?? failureOf(thrown, context)) : thrown;
      if (call) gate.abandon(call, error);
      const requestId =
        call?.requestId ?? context.replyHeaders['x-request-id'] ?? requestIdOf(context.headers['x-request-id']);
      const refusal = gate.refuse(error, requestId);
      const asked = { path: pathOf(context.url), headers: context.headers, pathPrefix: options.pathPrefix };
      const printed = refusedAt(asked, refusal, requestId);
      const headers = { ...headersOf(refusal), ...printed.headers };
      return { status: refusal.status, headers, body: printed.body };
    },
  });

  /** A path that the transcoder does not know may be served elsewhere. */
  function failureOf({ problem }: RestError, { url }: RestContext): FailureError {
    return new FailureError(problem.kind === 'route_not_found' ? options.allowed.missing(pathOf(url)) : problem);
  }

  /** A caller whose credential is not checked here counts as anonymous. Returns why it may not continue, if so. */
  function unknownFrom(context: RestContext, call: AdmittedCall | undefined): FailureError | undefined {
    if (call || !options.anonymous || !options.showsCredential(context.raw)) return undefined;
    keepBriefly(context.carrier, connectionOf(context.raw));
    const entered = options.anonymous.enter(context.remoteAddress, undefined);
    if (!entered.ok) return new FailureError(entered.failure);
    entered.value();
    return undefined;
  }
}
