import { readFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { join } from 'node:path';
import { createRegistry } from '@bufbuild/protobuf';
import { RestError } from '@intelligence-api/transcoding';
import { fastifyTranscoding, routableUrl } from '@intelligence-api/transcoding/fastify';
import { createJsonCodecs, type JsonCodec } from '@intelligence-api/transcoding/parts';
import Fastify from 'fastify';
import { file_intelligence_test_v1_gateway, GatewayService } from '../gen/intelligence/test/v1/gateway_pb.ts';

/** A request, and what grpc-gateway answered; only replies of 200 are kept. */
export interface Answer {
  request: string;
  body?: string;
  status: number;
  reply?: string;
}

/** Recorded from grpc-gateway 1.6.4 with gateway.proto, by requests written byte by byte. */
export function recordedAnswers(): Answer[] {
  const lines = readFileSync(join(import.meta.dirname, 'answers.jsonl'), 'utf8')
    .trimEnd()
    .split('\n');
  return lines.map((line) => JSON.parse(line) as Answer);
}

const registry = createRegistry(file_intelligence_test_v1_gateway);
const codec: JsonCodec = createJsonCodecs(registry)(GatewayService.method.echo);

export interface Transcoder {
  answer(request: Answer): Promise<Answer>;
  close(): Promise<void>;
}

/** Our transcoder, serving the same methods: they send back what they are sent. */
export async function startTranscoder(): Promise<Transcoder> {
  const app = Fastify({ rewriteUrl: routableUrl });
  await app.register(fastifyTranscoding<void>, {
    methods: GatewayService.methods,
    registry,
    limits: { bodyBytes: 1_000_000, timeoutMsMax: 60_000 },
    admit: () => undefined,
    unary: async (_method, request) => request,
    serverStreaming: () => {
      throw new Error('no method streams');
    },
    renderError: (error) => ({ status: error instanceof RestError ? statuses[error.problem.kind] : 500, body: '{}' }),
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.address() as { port: number };
  return { answer: (request) => send(port, request), close: () => app.close() };
}

const statuses: Record<RestError['problem']['kind'], number> = {
  ...{ invalid_argument: 400, route_not_found: 404, method_not_allowed: 405, payload_too_large: 413 },
  ...{ unsupported_media_type: 415, deadline_exceeded: 504, cancelled: 499 },
};

function send(port: number, { request, body = '' }: Answer): Promise<Answer> {
  const [method = '', path = ''] = request.split(' ', 2);
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
  return new Promise((resolve, reject) => {
    const sent = httpRequest({ host: '127.0.0.1', port, method, path, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () =>
        resolve({ request, status: response.statusCode ?? 0, reply: Buffer.concat(chunks).toString() }),
      );
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

/** How two answers differ; undefined: the same status and, if it is 200, the same message. */
export function difference(theirs: Answer, ours: Answer): string | undefined {
  if (theirs.status !== ours.status) return `${theirs.status} there, ${ours.status} here`;
  if (ours.status !== 200) return undefined;
  return normal(theirs) === normal(ours) ? undefined : `${theirs.reply} there, ${ours.reply} here`;
}

/** A reply as we would print its message: grpc-gateway leaves defaults out, and names fields in snake_case. */
function normal({ reply = '' }: Answer): string {
  return codec.print(codec.read(reply));
}
