import { create } from '@bufbuild/protobuf';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { FailureError } from '../../base/failure.ts';
import {
  type ChatResponse,
  ChatService,
  ListModelsRequestSchema,
  type ListModelsResponse,
  type StreamChatResponse,
} from '../../gen/intelligence/chat/v1/chat_service_pb.ts';
import { headersOf } from '../failures.ts';
import type { AdmittedCall, Gate } from '../gate.ts';
import { RestError } from '../rest/index.ts';
import { OpenAiArrival } from './arrival.ts';
import { readJson } from './body.ts';
import { completionOf, modelList, modelNamed, openAiError } from './reply.ts';
import { type CompletionRequest, readCompletionRequest } from './request.ts';
import { sendChunks } from './stream.ts';

export interface OpenAiOptions {
  gate: Gate;
  pathPrefix: string;
  /** Largest body, after decompression. */
  bodyBytes: number;
}

/**
 * The OpenAI-compatible facade: `POST /v1/chat/completions`, `GET /v1/models` and `GET /v1/models/{model}`, so that clients of
 * that API work by changing base URL and key. It is ChatService in other clothes: the same gate, limits, flow and ledger.
 */
export async function openAi(instance: FastifyInstance, { gate, pathPrefix, bodyBytes }: OpenAiOptions): Promise<void> {
  instance.removeAllContentTypeParsers();
  instance.addContentTypeParser('*', (_request, _payload, parsed) => parsed(null, undefined));

  instance.post(`${pathPrefix}/v1/chat/completions`, (request, reply) =>
    answering(request, reply, async (arrival) => {
      // Whether it streams stands in the body; nobody without a credential gets to send one.
      if (arrival.header('authorization') === undefined) await arrival.admitted(gate, ChatService.method.chat);
      const body = readCompletionRequest(await readJson(request.raw, bodyBytes), arrival.header('cache-control'));
      return body.stream ? stream(arrival, reply, body) : unary(arrival, reply, body);
    }),
  );
  instance.get(`${pathPrefix}/v1/models`, (request, reply) =>
    answering(request, reply, async (arrival) => send(reply, arrival, modelList((await models(arrival)).models))),
  );
  instance.get<{ Params: { '*': string } }>(`${pathPrefix}/v1/models/*`, (request, reply) =>
    answering(request, reply, async (arrival) => {
      const model = modelNamed(request.params['*'], (await models(arrival)).models);
      if (!model) throw new FailureError({ kind: 'not_found', resource: 'model' });
      send(reply, arrival, model);
    }),
  );

  async function unary(arrival: OpenAiArrival, reply: FastifyReply, request: CompletionRequest): Promise<void> {
    const call = await arrival.admitted(gate, ChatService.method.chat);
    send(reply, arrival, completionOf((await gate.unary(call, request.unary())) as ChatResponse));
  }

  async function stream(arrival: OpenAiArrival, reply: FastifyReply, request: CompletionRequest): Promise<void> {
    const call = await arrival.admitted(gate, ChatService.method.streamChat);
    await sendChunks({
      messages: gate.stream(call, request.streamed()) as AsyncIterable<StreamChatResponse>,
      request,
      requestId: call.requestId,
      arrival,
      reply,
      printError: (error) => JSON.stringify(openAiError(gate.refuse(error, call.requestId))),
    });
  }

  async function models(arrival: OpenAiArrival): Promise<ListModelsResponse> {
    const call = await arrival.admitted(gate, ChatService.method.listModels);
    return (await gate.unary(call, create(ListModelsRequestSchema, { pageSize: 1_000 }))) as ListModelsResponse;
  }

  function answering(
    request: FastifyRequest,
    reply: FastifyReply,
    answer: (arrival: OpenAiArrival) => Promise<void>,
  ): Promise<FastifyReply> {
    const arrival = new OpenAiArrival(request, reply);
    return answer(arrival)
      .catch((error: unknown) => refuse(error, arrival, reply))
      .finally(() => arrival.finish())
      .then(() => reply);
  }

  function refuse(thrown: unknown, arrival: OpenAiArrival, reply: FastifyReply): void {
    const error = thrown instanceof RestError ? new FailureError(thrown.problem) : thrown;
    const { call }: { call?: AdmittedCall | undefined } = arrival;
    if (call) gate.abandon(call, error);
    const refusal = gate.refuse(error, call?.requestId);
    if (reply.sent) return;
    reply.code(refusal.status).headers(headersOf(refusal));
    send(reply, arrival, openAiError(refusal));
  }
}

function send(reply: FastifyReply, arrival: OpenAiArrival, body: object): void {
  if (arrival.isGone) reply.hijack();
  else reply.headers(arrival.replyHeaders).type('application/json; charset=utf-8').send(JSON.stringify(body));
}
