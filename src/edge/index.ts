import type { IncomingMessage } from 'node:http';
import type { DescService } from '@bufbuild/protobuf';
import { MethodOptions_IdempotencyLevel as IdempotencyLevel } from '@bufbuild/protobuf/wkt';
import { takeTurnsFrom } from '@intelligence-api/transcoding/parts';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { ServedService } from '../api/handlers.ts';
import { FailureError, invalid } from '../base/failure.ts';
import { ownTurn } from '../base/turn.ts';
import { Health } from '../gen/grpc/health/v1/health_pb.ts';
import { ServerReflection } from '../gen/grpc/reflection/v1/reflection_pb.ts';
import { ServerReflection as ServerReflectionAlpha } from '../gen/grpc/reflection/v1alpha/reflection_pb.ts';
import { ChatService } from '../gen/intelligence/chat/v1/chat_service_pb.ts';
import { EmbeddingService } from '../gen/intelligence/embedding/v1/embedding_service_pb.ts';
import { RerankService } from '../gen/intelligence/rerank/v1/rerank_service_pb.ts';
import type { AnonymousBudget } from '../limits/index.ts';
import { type AllowedMethods, allowMethods, pathOf } from './allowed-methods.ts';
import { limitAnonymousRequests, showsCredential } from './anonymous.ts';
import { anthropic, messagesPaths, namesVersion } from './anthropic/index.ts';
import { registerConnect } from './connect.ts';
import { sessionSecretOf } from './console/index.ts';
import { registerPreflight } from './cors.ts';
import type { Gate } from './gate.ts';
import { createGrpcLane } from './grpc/index.ts';
import { defaultListenerLimits, type ListenerLimits } from './listener.ts';
import { registerMcp } from './mcp/index.ts';
import { models, modelsPaths } from './models/index.ts';
import { openAi, rerankPaths } from './openai/index.ts';
import { registerOpenApi } from './openapi/index.ts';
import { healthService, watchLifeMs } from './operations/health.ts';
import { registerProbes } from './operations/probes.ts';
import type { ReadinessMonitor } from './operations/readiness.ts';
import { defaultReflectionLimits, type ReflectionLimits, reflectionServices } from './operations/reflection.ts';
import { refusedAt } from './others-errors.ts';
import { streamPeers } from './proxies.ts';
import { headersOf } from './refusal.ts';
import { requestIdOf } from './request-id.ts';
import { responses } from './responses/index.ts';
import { registerRest } from './rest-lane.ts';
import { registerSecurityHeaders, securityHeaders } from './security-headers.ts';
import { type RunningServer, startServer } from './server.ts';
import { namesOneHost } from './strict-http.ts';
import { answerUnknownRpcs } from './unknown-rpcs.ts';

export { limitAdmission } from './admission.ts';
export type { CallTrace, TraceCall } from './admitted-call.ts';
export { createAuthenticator, type OperatorToken } from './authenticate.ts';
export type { FinishedCall } from './call-log.ts';
export { createSessionCallers, registerConsole } from './console/index.ts';
export { type Admission, createGate, type Gate } from './gate.ts';
export { createItems } from './items.ts';
export { registerOauth } from './oauth/index.ts';
export { registerMetrics } from './operations/metrics.ts';
export { monitorReadiness, type ReadinessMonitor } from './operations/readiness.ts';
export { createRevocations } from './revocations.ts';
export { PortTakenError, type RunningServer } from './server.ts';
export { registerWebhooks, type WebhookReceiver } from './webhooks/index.ts';

export interface EdgeOptions {
  http: {
    host: string;
    port: number;
    pathPrefix: string;
    trustedProxies: readonly string[];
    tls: { certFile: string; keyFile: string } | null;
  };
  services: readonly ServedService[];
  gate: Gate;
  /** The service's public address, without a trailing slash; absent if it is not published. */
  issuer?: () => string;
  readiness: ReadinessMonitor;
  log: Logger;
  limits?: ListenerLimits;
  /** Limits for callers without a credential; absent if there are none. */
  anonymous?: AnonymousBudget;
  /** Whether gRPC's server reflection is served. Default: yes. */
  reflection?: boolean;
  /** Limits on the streams of operations; each has a default. */
  operations?: { watchLifeMs?: number; reflection?: ReflectionLimits };
  /** An agent tool that is silent for this long reports that it is working. Default: 3 s. */
  keepAliveMs?: number;
  /** Where `/` redirects; default: the documentation. */
  home?: string;
  /** Whether the JSON paths accept console sessions. */
  takesSessions?: boolean;
  /** Registers everything that is neither a service nor an operation: OAuth, facades. */
  routes?(app: FastifyInstance): void;
}

/** Chat messages, which may contain images, after decompression. */
const largeMessageBytes = 20 * 1024 * 1024;
/** Texts to embed or to rank, after decompression. */
const textsBytes = 4 * 1024 * 1024;
/** All other messages, after decompression. */
const messageBytes = 1024 * 1024;
const defaultKeepAliveMs = 3_000;
/** The longest deadline a caller can set; longer ones are shortened to this. */
const maxTimeoutMs = 600_000;

/** Serves all protocols on one port. */
export async function serveEdge(options: EdgeOptions): Promise<RunningServer> {
  const { services, gate, readiness, http, log } = options;
  takeTurnsFrom(ownTurn);
  const shutdown = new AbortController();
  const { anonymousMs, requestTimeoutMs } = options.limits ?? defaultListenerLimits;
  const grpc = createGrpcLane({
    ...{ services, gate, anonymous: options.anonymous, anonymousMs, requestTimeoutMs, maxTimeoutMs },
    messageBytes: messageBytesOf,
    peerOf: streamPeers(http.trustedProxies),
    replyHeaders: securityHeaders({ tls: http.tls !== null }),
  });
  const server = await startServer({
    ...http,
    log,
    ...(options.limits && { limits: options.limits }),
    ...(options.anonymous && { anonymous: options.anonymous }),
    takeStream: (stream, headers) => namesOneHost(headers) && grpc.take(stream, headers),
    routes: (app) => {
      registerSecurityHeaders(app, { tls: http.tls !== null });
      if (options.anonymous) limitAnonymous(app, options, options.anonymous);
      answerUnknownRpcs(app, gate);
      registerPreflight(app);
      const allowed = allowMethods(app, {
        rpcs: methodsOfRpcs([...services, ...operationsOf(options)]),
        transcoded: { methods: services.flatMap(({ service }) => service.methods), pathPrefix: http.pathPrefix },
      });
      answerUnknown(app, gate, { allowed, pathPrefix: http.pathPrefix });
      options.routes?.(app);
      app.get('/', async (_request, reply) => reply.redirect(options.home ?? '/docs'));
      registerProbes(app, readiness);
      registerOpenApi(app, { services: services.map(({ service }) => service), pathPrefix: http.pathPrefix });
      registerConnect(app, {
        services,
        gate,
        messageBytes: messageBytesOf,
        maxTimeoutMs,
        shutdownSignal: shutdown.signal,
        operations: (router) => {
          const described = [...services, ...operationsOf(options)].map(({ service }) => service);
          router.service(Health, healthService(readiness, described, options.operations?.watchLifeMs));
          if (options.reflection === false) return;
          const reflection = reflectionServices(described, options.operations?.reflection);
          router.service(ServerReflection, reflection.v1);
          router.service(ServerReflectionAlpha, reflection.v1alpha);
        },
      });
      const facade = {
        gate,
        pathPrefix: http.pathPrefix,
        shutdownSignal: shutdown.signal,
        bodyBytes: largeMessageBytes,
      };
      if (gate.serves(ChatService.method.chat)) {
        app.register(openAi, { ...facade, textsBytes });
        app.register(responses, facade);
        app.register(anthropic, facade);
        app.register(models, facade);
      }
      registerMcp(app, {
        ...{ gate, services, pathPrefix: http.pathPrefix, shutdownSignal: shutdown.signal },
        issuer: options.issuer ?? (() => ''),
        keepAliveMs: options.keepAliveMs ?? defaultKeepAliveMs,
      });
      registerRest(app, {
        services,
        gate,
        anonymous: options.anonymous,
        pathPrefix: http.pathPrefix,
        bodyBytes: ({ parent }) => messageBytesOf(parent),
        maxTimeoutMs,
        allowed,
        showsCredential: (request) => showsCredential(request.headers) || showsSession(options, request),
        shutdownSignal: shutdown.signal,
      });
    },
  });
  return {
    url: server.url,
    connections: server.connections,
    close: async (drainMs) => {
      readiness.shutDown();
      // What is still streaming at the deadline ends with an explanatory error rather than a broken connection.
      const deadline = setTimeout(
        () => {
          grpc.shutDown();
          shutdown.abort(new FailureError({ kind: 'shutting_down' }));
        },
        Math.max(0, drainMs - 500),
      );
      await server.close(drainMs);
      clearTimeout(deadline);
    },
  };
}

/** Requests without a route, and errors raised before one is reached, get the same body as every other error. */
function answerUnknown(
  app: FastifyInstance,
  gate: Gate,
  { allowed, pathPrefix }: { allowed: AllowedMethods; pathPrefix: string },
): void {
  const answer = (error: unknown, { headers, originalUrl }: FastifyRequest, reply: FastifyReply) => {
    const path = pathOf(originalUrl);
    const requestId = requestIdOf(headers['x-request-id']);
    const refusal = gate.refuse(error, requestId);
    const printed = refusedAt({ path, headers, pathPrefix }, refusal, requestId);
    return reply
      .code(refusal.status)
      .headers({ ...headersOf(refusal), ...printed.headers })
      .type('application/json')
      .send(printed.body);
  };
  app.setNotFoundHandler((request, reply) =>
    answer(new FailureError(allowed.missing(pathOf(request.originalUrl))), request, reply),
  );
  app.setErrorHandler((error, request, reply) => answer(asFailure(error), request, reply));
}

/** What Fastify itself rejects in a request is not a fault of the service. */
function asFailure(error: unknown): unknown {
  const { code } = error as { code?: unknown };
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE')
    return new FailureError({ kind: 'unsupported_media_type', accepted: ['application/json'] });
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE')
    return new FailureError({ kind: 'payload_too_large', limitBytes: messageBytes });
  if (code === 'FST_ERR_CTP_INVALID_CONTENT_LENGTH')
    return new FailureError(invalid('body', 'is not as long as its Content-Length says'));
  // Its other complaints: lengths and types that are missing or make no sense.
  const { statusCode = 500 } = error as { statusCode?: number };
  if (typeof code === 'string' && code.startsWith('FST_') && statusCode < 500)
    return new FailureError({ kind: 'invalid_argument', violations: [] });
  return error;
}

const watchPath = `/${Health.typeName}/Watch`;
const reflectionName = '/ServerReflectionInfo';

/** Limits callers without a credential on every path. */
function limitAnonymous(app: FastifyInstance, options: EdgeOptions, budget: AnonymousBudget): void {
  const { services, http, operations: bounds } = options;
  const { anonymousMs } = options.limits ?? defaultListenerLimits;
  const watchMs = bounds?.watchLifeMs ?? watchLifeMs;
  const reflectionMs = (bounds?.reflection ?? defaultReflectionLimits).lifeMs;
  const rpcs = new Set(methodsOfRpcs(services).keys());
  const operations = new Set(methodsOfRpcs(operationsOf(options)).keys());
  const takesKeyHeader = new Set(messagesPaths(http.pathPrefix));
  const takesKeyOfVersion = new Set<string>(modelsPaths(http.pathPrefix));
  limitAnonymousRequests(app, {
    budget,
    checksCredential: (path, request) =>
      !showsCredential(request.headers)
        ? (request.headers['x-api-key'] !== undefined &&
            (takesKeyHeader.has(path) || (takesKeyOfVersion.has(path) && namesVersion(request.headers)))) ||
          (path === `${http.pathPrefix}/*` && showsSession(options, request))
        : rpcs.has(path) ||
          path === '/metrics' ||
          path === `${http.pathPrefix}/mcp` ||
          path === `${http.pathPrefix}/*` ||
          path.startsWith(`${http.pathPrefix}/v1/`) ||
          rerankPaths(http.pathPrefix).includes(path),
    isRpc: (path) => rpcs.has(path) || operations.has(path),
    // Watches and reflection end on their own, unless nobody reads their messages.
    lifeMs: (path) => anonymousMs + (path === watchPath ? watchMs : path?.endsWith(reflectionName) ? reflectionMs : 0),
  });
}

function showsSession({ takesSessions = false }: EdgeOptions, request: IncomingMessage): boolean {
  return takesSessions && sessionSecretOf(request) !== undefined;
}

/** gRPC's own services, served beside those of the gate. */
function operationsOf({ reflection }: EdgeOptions): { service: DescService }[] {
  const reflected = reflection === false ? [] : [ServerReflection, ServerReflectionAlpha];
  return [Health, ...reflected].map((service) => ({ service }));
}

/** The HTTP methods by which each RPC can be called; Connect also allows GET for methods without side effects. */
function methodsOfRpcs(services: readonly Pick<ServedService, 'service'>[]): Map<string, readonly string[]> {
  const rpcs = services.flatMap(({ service }) => service.methods);
  return new Map(
    rpcs.map((method) => {
      const isRead = method.methodKind === 'unary' && method.idempotency === IdempotencyLevel.NO_SIDE_EFFECTS;
      return [`/${method.parent.typeName}/${method.name}`, isRead ? ['GET', 'POST'] : ['POST']];
    }),
  );
}

const servicesOfTexts = new Set<string>([EmbeddingService.typeName, RerankService.typeName]);

function messageBytesOf(service: DescService): number {
  if (service.typeName === 'intelligence.chat.v1.ChatService') return largeMessageBytes;
  return servicesOfTexts.has(service.typeName) ? textsBytes : messageBytes;
}
