import type { DescMethod } from '@bufbuild/protobuf';
import { sendStream } from '@intelligence-api/transcoding/parts';
import type { FastifyInstance, FastifyReply } from 'fastify';
import {
  type ChatResponse,
  ChatService,
  type StreamChatResponse,
} from '../../gen/intelligence/chat/v1/chat_service_pb.ts';
import { EmbeddingService, type EmbedResponse } from '../../gen/intelligence/embedding/v1/embedding_service_pb.ts';
import { type RerankResponse, RerankService } from '../../gen/intelligence/rerank/v1/rerank_service_pb.ts';
import type { AdmittedCall } from '../admitted-call.ts';
import { createFacade, type FacadeCall, type FacadeOptions, sendJson } from '../facade.ts';
import { HttpIncomingCall } from '../incoming-call.ts';
import { readJson } from '../json-body.ts';
import { noteIgnored, untakenNames } from '../shapes.ts';
import { embeddingList, readEmbeddingsRequest } from './embeddings.ts';
import { chunkFraming } from './framing.ts';
import { ParameterError } from './parameters.ts';
import { completionOf, openAiError, statusOf } from './reply.ts';
import { type CompletionRequest, readCompletionRequest } from './request.ts';
import { rankingOf, readRerankRequest } from './rerank.ts';

export { openAiError, statusOf } from './reply.ts';

const heartbeatMs = 15_000;

export interface OpenAiOptions extends FacadeOptions {
  /** The largest body of texts to embed or rank, after decompression. */
  textsBytes: number;
}

export function rerankPaths(pathPrefix: string): readonly string[] {
  return [`${pathPrefix}/v1/rerank`, `${pathPrefix}/v2/rerank`];
}

/**
 * The OpenAI-compatible facade: `POST /v1/chat/completions`, `POST /v1/embeddings` and `POST /v1/rerank` (Cohere's and Jina's),
 * so that clients of those APIs work with just a new base URL and key. It maps to ChatService, EmbeddingService and
 * RerankService, with the same gate, limits, flows and ledger.
 */
export async function openAi(instance: FastifyInstance, options: OpenAiOptions): Promise<void> {
  const { gate, pathPrefix, bodyBytes, textsBytes } = options;
  const answering = createFacade(instance, {
    ...options,
    printRefusal: (refusal, _requestId, error, placeOf) => ({
      status: statusOf(refusal),
      body: openAiError(refusal, error instanceof ParameterError ? error.violation : undefined, placeOf),
    }),
  });

  instance.post(`${pathPrefix}/v1/chat/completions`, (request, reply) =>
    answering(request, reply, async (http) => {
      // Whether it streams is only known from the body, but callers whose call would be refused must not get to send one.
      const call = await admit(http, ChatService.method.chat);
      const json = await http.untilStopped(readJson(request.raw, bodyBytes, call));
      const body = readCompletionRequest(json, http.headers['cache-control']);
      http.placeOf = body.placeOf;
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
  // The second version of Cohere's API has its own path for the same.
  for (const path of gate.serves(RerankService.method.rerank) ? rerankPaths(pathPrefix) : [])
    instance.post(path, (request, reply) =>
      answering(request, reply, async (http) => {
        const call = await admit(http, RerankService.method.rerank);
        const body = readRerankRequest(await http.untilStopped(readJson(request.raw, textsBytes, call)));
        noteIgnored(http.replyHeaders, body.ignored);
        const answer = (await http.untilStopped(gate.unary(call, body.message))) as RerankResponse;
        await sendJson(reply, http, rankingOf(answer));
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
    noteIgnored(http.replyHeaders, [...request.ignored, ...untakenNames(answer.ignored, request.placeOf)]);
    await sendJson(reply, http, completionOf(answer));
  }

  async function stream(http: FacadeCall, request: CompletionRequest, admitted: AdmittedCall): Promise<void> {
    const call = await gate.asStream(admitted, ChatService.method.streamChat);
    const { requestId } = call;
    await sendStream({
      messages: gate.stream(call, request.streamed()) as AsyncIterable<StreamChatResponse>,
      framing: chunkFraming({
        ...{ requestId, model: request.model, includeUsage: request.includeUsage },
        printError: (error) => JSON.stringify(openAiError(gate.refuse(error, requestId), undefined, request.placeOf)),
      }),
      ...{ call: http, heartbeatMs },
    });
  }
}
