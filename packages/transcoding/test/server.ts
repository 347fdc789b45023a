import { setTimeout as pause } from 'node:timers/promises';
import { create, createRegistry, type DescMethod, type Message } from '@bufbuild/protobuf';
import { DurationSchema } from '@bufbuild/protobuf/wkt';
import Fastify, { type FastifyInstance } from 'fastify';
import { HttpBodySchema } from '../../../test/gen/google/api/httpbody_pb.ts';
import {
  EchoService,
  file_intelligence_test_v1_echo,
  TalkReplySchema,
  type TalkRequest,
} from '../../../test/gen/intelligence/test/v1/echo_pb.ts';
import { type FastifyTranscodingOptions, fastifyTranscoding, routableUrl } from '../src/fastify.ts';
import { type CallContext, createTranscoding, RestError, type TranscodingOptions } from '../src/index.ts';
import { serveFetch } from './web-server.ts';

/** What the handlers saw, for tests that look behind the reply. */
export interface Observed {
  aborted: number;
  finished: number;
  sent: number;
  lastTimeoutMs: number | undefined;
}

export interface EchoServer {
  app: FastifyInstance;
  port: number;
  url: string;
  observed: Observed;
}

type EchoOptions = TranscodingOptions<void, CallContext>;

/** The same handlers by each adapter, on a port of its own. */
export const adapters = {
  Fastify: async (overrides: Partial<EchoOptions> = {}) => {
    const { app, port, observed } = await startEchoServer(overrides);
    return { port, observed, close: () => app.close() };
  },
  'Request and Response': async (overrides: Partial<EchoOptions> = {}) => {
    const observed = nothingYet();
    const { handle } = createTranscoding({ ...echoOptions(observed), ...overrides });
    return { ...(await serveFetch(handle)), observed };
  },
};

const statuses: Record<string, number> = {
  invalid_argument: 400,
  route_not_found: 404,
  method_not_allowed: 405,
  payload_too_large: 413,
  unsupported_media_type: 415,
  deadline_exceeded: 504,
  cancelled: 499,
};

export const echoRegistry = createRegistry(file_intelligence_test_v1_echo, DurationSchema);

/** A server whose handlers send back what they were given, in the shape of errors that the product has. */
export async function startEchoServer(
  overrides: Partial<FastifyTranscodingOptions> = {},
  prepare: (app: FastifyInstance) => void = () => undefined,
  http2 = false,
): Promise<EchoServer> {
  const observed = nothingYet();
  const app = (http2
    ? Fastify({ rewriteUrl: routableUrl as never, http2: true })
    : Fastify({ rewriteUrl: routableUrl })) as unknown as FastifyInstance;
  prepare(app);
  app.register(fastifyTranscoding, { ...echoOptions(observed), ...overrides });
  await app.listen({ port: 0, host: '127.0.0.1' });
  const address = app.server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  return { app, port, url: `http://127.0.0.1:${port}`, observed };
}

function nothingYet(): Observed {
  return { aborted: 0, finished: 0, sent: 0, lastTimeoutMs: undefined };
}

function echoOptions(observed: Observed): EchoOptions {
  return {
    methods: EchoService.methods,
    registry: echoRegistry,
    limits: { bodyBytes: 200_000, timeoutMsMax: 60_000, heartbeatMs: 40, unreadMs: 1_500 },
    admit: () => undefined,
    async unary(method: DescMethod, request: Message, context): Promise<Message> {
      observed.lastTimeoutMs = context.timeoutMs;
      const note = (request as { note?: string }).note ?? '';
      if (note === 'fail') throw new Error('secret cause');
      if (note === 'headers') context.replyHeaders['x-echo'] = 'yes';
      if (note === 'hang') await hang(context.signal, observed);
      if (method.localName === 'talk') return create(TalkReplySchema, { index: -1, text: 'unary' });
      return request.$typeName === method.output.typeName
        ? request
        : create(method.output, { text: (request as { text?: string }).text });
    },
    serverStreaming: (method, request, context) =>
      talk(method.localName === 'streamRaw', request as TalkRequest, context.signal, observed),
    renderError(error) {
      if (!(error instanceof RestError)) return { status: 500, body: '{"error":{"reason":"internal"}}' };
      const { problem } = error;
      const violations = problem.kind === 'invalid_argument' ? problem.violations : undefined;
      return {
        status: statuses[problem.kind] ?? 500,
        body: JSON.stringify({ error: { reason: problem.kind, violations } }),
      };
    },
  };
}

async function hang(signal: AbortSignal, observed: Observed): Promise<void> {
  await pause(5000, undefined, { signal }).catch(() => observed.aborted++);
}

async function* talk(
  isRaw: boolean,
  { count, failAfter, pauseMs, padding }: TalkRequest,
  signal: AbortSignal,
  observed: Observed,
): AsyncGenerator<Message> {
  signal.addEventListener('abort', () => observed.aborted++);
  try {
    for (let index = 0; index < count; index++) {
      if (index === failAfter) throw new Error('secret cause');
      if (pauseMs > 0 && index > 0) await pause(pauseMs, undefined, { signal });
      observed.sent++;
      if (isRaw) yield create(HttpBodySchema, { contentType: 'text/csv', data: Buffer.from(`row ${index}\n`) });
      else yield create(TalkReplySchema, { index, text: 'x'.repeat(padding) });
    }
  } finally {
    observed.finished++;
  }
}
