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
  /** Largest body of a method, after decompression. */
  bodyBytes(method: DescMethod): number;
  maxTimeoutMs: number;
  /** Whether a request was left to the gate to be counted. */
  showsCredential(request: IncomingMessage): boolean;
  /** Of the paths that others serve, too. */
  allowed: AllowedMethods;
  /** Ends the calls that still run; its reason is a `FailureError`, and what they hear. */
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

  /** What the transcoder does not know may be somebody else's. */
  function failureOf({ problem }: RestError, { url }: RestContext): FailureError {
    return new FailureError(problem.kind === 'route_not_found' ? options.allowed.missing(pathOf(url)) : problem);
  }

  /** Who shows a credential where nothing looks at it counts as anybody; why it may not go on, if it may not. */
  function unknownFrom(context: RestContext, call: AdmittedCall | undefined): FailureError | undefined {
    if (call || !options.anonymous || !options.showsCredential(context.raw)) return undefined;
    keepBriefly(context.carrier, connectionOf(context.raw));
    const entered = options.anonymous.enter(context.remoteAddress, undefined);
    if (!entered.ok) return new FailureError(entered.failure);
    entered.value();
    return undefined;
  }
}
