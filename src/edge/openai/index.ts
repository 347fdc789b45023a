import { create, type DescMethod } from '@bufbuild/protobuf';
import { sendStream } from '@intelligence-api/transcoding/parts';
import type { FastifyInstance, FastifyReply } from 'fastify';
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
import {
  ListRerankModelsRequestSchema,
  type ListRerankModelsResponse,
  type RerankResponse,
  RerankService,
} from '../../gen/intelligence/rerank/v1/rerank_service_pb.ts';
import type { AdmittedCall } from '../admitted-call.ts';
import { createFacade, type FacadeCall, type FacadeOptions, sendJson } from '../facade.ts';
import { HttpIncomingCall } from '../incoming-call.ts';
import { readJson } from '../json-body.ts';
import { noteIgnored, untakenNames } from '../shapes.ts';
import { embeddingList, readEmbeddingsRequest } from './embeddings.ts';
import { chunkFraming } from './framing.ts';
import { ParameterError } from './parameters.ts';
import { completionOf, modelList, modelNamed, type NamedModel, openAiError, parameterOf, statusOf } from './reply.ts';
import { type CompletionRequest, readCompletionRequest } from './request.ts';
import { rankingOf, readRerankRequest } from './rerank.ts';

export { openAiError, statusOf } from './reply.ts';

const heartbeatMs = 15_000;

export interface OpenAiOptions extends FacadeOptions {
  /** Largest body of texts to embed or to rank, after decompression. */
  textsBytes: number;
}

/**
 * The OpenAI-compatible facade: `POST /v1/chat/completions`, `POST /v1/embeddings`, `POST /v1/rerank` (which is Cohere's and
 * Jina's), `GET /v1/models` and `GET /v1/models/{model}`, so that clients of those APIs work by changing base URL and key. It is
 * ChatService, EmbeddingService and RerankService in other clothes: the same gate, limits, flows and ledger.
 */
export async function openAi(instance: FastifyInstance, options: OpenAiOptions): Promise<void> {
  const { gate, pathPrefix, bodyBytes, textsBytes } = options;
  const answering = createFacade(instance, {
    ...options,
    printRefusal: (refusal, _requestId, error) => ({
      status: statusOf(refusal),
      body: openAiError(refusal, error instanceof ParameterError ? error.violation : undefined),
    }),
  });

  instance.post(`${pathPrefix}/v1/chat/completions`, (request, reply) =>
    answering(request, reply, async (http) => {
      // Whether it streams stands in the body; nobody gets to send one whose call would be refused.
      const call = await admit(http, ChatService.method.chat);
      const json = await http.untilStopped(readJson(request.raw, bodyBytes, call));
      const body = readCompletionRequest(json, http.headers['cache-control']);
      noteIgnored(http.replyHeaders, body.ignored);
      return body.stream ? stream(http, body, call) : unary(http, reply, body, call);
    }),
  );
  if (gate.serves(EmbeddingService.method.embed))
    instance.post(`${pathPrefix}/v1/embeddings`, (request, reply) =>
      answering(request, reply, async (http) => {
        const call = await admit(http, EmbeddingService.method.embed);
        const body = readEmbeddingsRequest(await http.untilStopped(readJson(request.raw, textsBytes, call)));
        noteIgnored(http.replyHeaders, body.ignored);
        const answer = (await http.untilStopped(gate.unary(call, body.message))) as EmbedResponse;
        await sendJson(reply, http, embeddingList(answer, body.asBase64));
      }),
    );
  if (gate.serves(RerankService.method.rerank))
    instance.post(`${pathPrefix}/v1/rerank`, (request, reply) =>
      answering(request, reply, async (http) => {
        const call = await admit(http, RerankService.method.rerank);
        const body = readRerankRequest(await http.untilStopped(readJson(request.raw, textsBytes, call)));
        noteIgnored(http.replyHeaders, body.ignored);
        const answer = (await http.untilStopped(gate.unary(call, body.message))) as RerankResponse;
        await sendJson(reply, http, rankingOf(answer));
      }),
    );
  instance.get(`${pathPrefix}/v1/models`, (request, reply) =>
    answering(request, reply, async (http) => sendJson(reply, http, modelList(await models(http)))),
  );
  instance.get<{ Params: { '*': string } }>(`${pathPrefix}/v1/models/*`, (request, reply) =>
    answering(request, reply, async (http) => {
      const model = modelNamed(request.params['*'], await models(http));
      if (!model) throw new FailureError(invalid('model', 'There is no such model.', 'MODEL_NOT_FOUND'));
      await sendJson(reply, http, model);
    }),
  );

  async function admit(http: FacadeCall, method: DescMethod): Promise<AdmittedCall> {
    http.admitted = await gate.admit(method, new HttpIncomingCall('openai', http));
    return http.admitted;
  }

  async function unary(
    http: FacadeCall,
    reply: FastifyReply,
    request: CompletionRequest,
    call: AdmittedCall,
  ): Promise<void> {
    const answer = (await http.untilStopped(gate.unary(call, request.unary()))) as ChatResponse;
    noteIgnored(http.replyHeaders, [...request.ignored, ...untakenNames(answer.ignored, parameterOf)]);
    await sendJson(reply, http, completionOf(answer));
  }

  async function stream(http: FacadeCall, request: CompletionRequest, admitted: AdmittedCall): Promise<void> {
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

  /** The models of conversations, then those that make vectors, then those that rank. */
  async function models(http: FacadeCall): Promise<NamedModel[]> {
    const call = await admit(http, ChatService.method.listModels);
    const listed = await http.untilStopped(gate.unary(call, create(ListModelsRequestSchema, { pageSize: 1_000 })));
    const named = typed((listed as ListModelsResponse).models, 'chat');
    for (const [type, method, request] of modelLists)
      if (gate.serves(method)) {
        const more = gate.unary(gate.alongside(call, method), create(request));
        const found = (await http.untilStopped(more)) as ListEmbeddingModelsResponse | ListRerankModelsResponse;
        named.push(...typed(found.models, type));
      }
    return named;
  }
}

const modelLists = [
  ['embedding', EmbeddingService.method.listEmbeddingModels, ListEmbeddingModelsRequestSchema],
  ['rerank', RerankService.method.listRerankModels, ListRerankModelsRequestSchema],
] as const;

function typed(models: readonly { id: string; provider: string }[], type: NamedModel['type']): NamedModel[] {
  return models.map(({ id, provider }) => ({ id, provider, type }));
}
