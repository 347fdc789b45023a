import type { Readable } from 'node:stream';
import { create, type DescMethod } from '@bufbuild/protobuf';
import { RestError } from '@intelligence-api/transcoding';
import { FastifyCall, RunningCalls, sendStream } from '@intelligence-api/transcoding/parts';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { FailureError, invalid } from '../../base/failure.ts';
import {
  type ChatResponse,
  ChatService,
  ListModelsRequestSchema,
  type ListModelsResponse,
  type StreamChatResponse,
} from '../../gen/intelligence/chat/v1/chat_service_pb.ts';
import {
  EmbeddingService,
  type EmbedResponse,
  ListEmbeddingModelsRequestSchema,
  type ListEmbeddingModelsResponse,
} from '../../gen/intelligence/embedding/v1/embedding_service_pb.ts';
import { sendText } from '../compression.ts';
import { headersOf } from '../failures.ts';
import type { AdmittedCall, Gate } from '../gate.ts';
import { HttpIncomingCall } from '../incoming-call.ts';
import { readJson } from '../json-body.ts';
import { noteIgnored, untakenNames } from '../shapes.ts';
import { embeddingList, readEmbeddingsRequest } from './embeddings.ts';
import { chunkFraming } from './framing.ts';
import { ParameterError } from './parameters.ts';
import { completionOf, modelList, modelNamed, openAiError, statusOf } from './reply.ts';
import { type CompletionRequest, readCompletionRequest } from './request.ts';

export { openAiError, statusOf } from './reply.ts';

type HttpCall = FastifyCall<AdmittedCall>;

const heartbeatMs = 15_000;

export interface OpenAiOptions {
  gate: Gate;
  pathPrefix: string;
  /** Largest body of a chat, after decompression. */
  bodyBytes: number;
  /** The same of texts to embed. */
  textsBytes: number;
  /** Ends the calls that still run; its reason is a `FailureError`, and what they hear. */
  shutdownSignal: AbortSignal;
}

/**
 * The OpenAI-compatible facade: `POST /v1/chat/completions`, `POST /v1/embeddings`, `GET /v1/models` and
 * `GET /v1/models/{model}`, so that clients of that API work by changing base URL and key. It is ChatService and
 * EmbeddingService in other clothes: the same gate, limits, flows and ledger.
 */
export async function openAi(instance: FastifyInstance, options: OpenAiOptions): Promise<void> {
  const { gate, pathPrefix, bodyBytes, textsBytes } = options;
  const running = new RunningCalls(options.shutdownSignal);
  instance.removeAllContentTypeParsers();
  instance.addContentTypeParser('*', (_request, _payload, parsed) => parsed(null, undefined));

  instance.post(`${pathPrefix}/v1/chat/completions`, (request, reply) =>
    answering(request, reply, async (http) => {
      // Whether it streams stands in the body; nobody gets to send one whose call would be refused.
      const call = await admit(http, ChatService.method.chat);
      const json = await http.untilStopped(readJson(request.raw, bodyBytes));
      const body = readCompletionRequest(json, http.headers['cache-control']);
      noteIgnored(http.replyHeaders, body.ignored);
      return body.stream ? stream(http, body, call) : unary(http, reply, body, call);
    }),
  );
  if (gate.serves(EmbeddingService.method.embed))
    instance.post(`${pathPrefix}/v1/embeddings`, (request, reply) =>
      answering(request, reply, async (http) => {
        const call = await admit(http, EmbeddingService.method.embed);
        const body = readEmbeddingsRequest(await http.untilStopped(readJson(request.raw, textsBytes)));
        noteIgnored(http.replyHeaders, body.ignored);
        const answer = (await http.untilStopped(gate.unary(call, body.message))) as EmbedResponse;
        await sendBody(reply, http, embeddingList(answer, body.asBase64));
      }),
    );
  instance.get(`${pathPrefix}/v1/models`, (request, reply) =>
    answering(request, reply, async (http) => send(reply, http, modelList(await models(http)))),
  );
  instance.get<{ Params: { '*': string } }>(`${pathPrefix}/v1/models/*`, (request, reply) =>
    answering(request, reply, async (http) => {
      const model = modelNamed(request.params['*'], await models(http));
      if (!model) throw new FailureError(invalid('model', 'There is no such model.', 'MODEL_NOT_FOUND'));
      await send(reply, http, model);
    }),
  );

  async function admit(http: HttpCall, method: DescMethod): Promise<AdmittedCall> {
    http.admitted = await gate.admit(method, new HttpIncomingCall('openai', http));
    return http.admitted;
  }

  async function unary(
    http: HttpCall,
    reply: FastifyReply,
    request: CompletionRequest,
    call: AdmittedCall,
  ): Promise<void> {
    const answer = (await http.untilStopped(gate.unary(call, request.unary()))) as ChatResponse;
    noteIgnored(http.replyHeaders, [...request.ignored, ...untakenNames(answer.ignored)]);
    await send(reply, http, completionOf(answer));
  }

  async function stream(http: HttpCall, request: CompletionRequest, admitted: AdmittedCall): Promise<void> {
    const call = await gate.asStream(admitted, ChatService.method.streamChat);
    const { requestId } = call;
    await sendStream({
      messages: gate.stream(call, request.streamed()) as AsyncIterable<StreamChatResponse>,
      framing: chunkFraming({
        ...{ requestId, model: request.model, includeUsage: request.includeUsage },
        printError: (error) => JSON.stringify(openAiError(gate.refuse(error, requestId))),
      }),
      ...{ call: http, heartbeatMs },
    });
  }

  /** The models of conversations, then those that make vectors. */
  async function models(http: HttpCall): Promise<{ id: string; provider: string }[]> {
    const call = await admit(http, ChatService.method.listModels);
    const listed = await http.untilStopped(gate.unary(call, create(ListModelsRequestSchema, { pageSize: 1_000 })));
    const { models: chat } = listed as ListModelsResponse;
    if (!gate.serves(EmbeddingService.method.listEmbeddingModels)) return chat;
    const more = gate.alongside(call, EmbeddingService.method.listEmbeddingModels);
    const found = await http.untilStopped(gate.unary(more, create(ListEmbeddingModelsRequestSchema)));
    return [...chat, ...(found as ListEmbeddingModelsResponse).models];
  }

  function answering(
    request: FastifyRequest,
    reply: FastifyReply,
    answer: (http: HttpCall) => Promise<void>,
  ): Promise<FastifyReply> {
    const http: HttpCall = new FastifyCall(request, reply);
    running.add(http);
    return answer(http)
      .catch((error: unknown) => refuse(error, http, reply))
      .finally(() => {
        http.finish();
        running.delete(http);
      })
      .then(() => reply);
  }

  async function refuse(thrown: unknown, http: HttpCall, reply: FastifyReply): Promise<void> {
    const error = thrown instanceof RestError ? new FailureError(thrown.problem) : thrown;
    const { admitted } = http;
    if (admitted) gate.abandon(admitted, error);
    const refusal = gate.refuse(error, admitted?.requestId);
    if (reply.sent) return;
    reply.code(statusOf(refusal)).headers(headersOf(refusal));
    await send(reply, http, openAiError(refusal, error instanceof ParameterError ? error.violation : undefined));
  }
}

async function send(reply: FastifyReply, http: HttpCall, body: object): Promise<void> {
  await sendBody(reply, http, JSON.stringify(body));
}

const jsonType = 'application/json; charset=utf-8';

async function sendBody(reply: FastifyReply, http: HttpCall, body: string | Readable): Promise<void> {
  if (http.isGone) reply.hijack();
  else if (typeof body === 'string') await sendText(reply.headers(http.replyHeaders), jsonType, body);
  // Vectors hardly compress.
  else reply.headers(http.replyHeaders).type(jsonType).send(body);
}
