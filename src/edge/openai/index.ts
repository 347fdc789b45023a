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
import { sendText } from '../compression.ts';
import { headersOf } from '../failures.ts';
import type { AdmittedCall, Gate } from '../gate.ts';
import { HttpIncomingCall } from '../incoming-call.ts';
import { readJson } from './body.ts';
import { chunkFraming } from './framing.ts';
import { ParameterError } from './parameters.ts';
import { completionOf, modelList, modelNamed, openAiError, statusOf } from './reply.ts';
import { type CompletionRequest, readCompletionRequest } from './request.ts';

type HttpCall = FastifyCall<AdmittedCall>;

const heartbeatMs = 15_000;

export interface OpenAiOptions {
  gate: Gate;
  pathPrefix: string;
  /** Largest body, after decompression. */
  bodyBytes: number;
  /** Ends the calls that still run; its reason is a `FailureError`, and what they hear. */
  shutdownSignal: AbortSignal;
}

/**
 * The OpenAI-compatible facade: `POST /v1/chat/completions`, `GET /v1/models` and `GET /v1/models/{model}`, so that clients of
 * that API work by changing base URL and key. It is ChatService in other clothes: the same gate, limits, flow and ledger.
 */
export async function openAi(instance: FastifyInstance, options: OpenAiOptions): Promise<void> {
  const { gate, pathPrefix, bodyBytes } = options;
  const running = new RunningCalls(options.shutdownSignal);
  instance.removeAllContentTypeParsers();
  instance.addContentTypeParser('*', (_request, _payload, parsed) => parsed(null, undefined));

  instance.post(`${pathPrefix}/v1/chat/completions`, (request, reply) =>
    answering(request, reply, async (http) => {
      // Whether it streams stands in the body; nobody gets to send one whose call would be refused.
      const call = await admit(http, ChatService.method.chat);
      const json = await http.untilStopped(readJson(request.raw, bodyBytes));
      const body = readCompletionRequest(json, http.headers['cache-control']);
      if (body.ignored.length > 0) http.replyHeaders['x-ignored-parameters'] = body.ignored.join(', ');
      return body.stream ? stream(http, body, call) : unary(http, reply, body, call);
    }),
  );
  instance.get(`${pathPrefix}/v1/models`, (request, reply) =>
    answering(request, reply, async (http) => send(reply, http, modelList((await models(http)).models))),
  );
  instance.get<{ Params: { '*': string } }>(`${pathPrefix}/v1/models/*`, (request, reply) =>
    answering(request, reply, async (http) => {
      const model = modelNamed(request.params['*'], (await models(http)).models);
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
    const answer = await http.untilStopped(gate.unary(call, request.unary()));
    await send(reply, http, completionOf(answer as ChatResponse));
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

  async function models(http: HttpCall): Promise<ListModelsResponse> {
    const call = await admit(http, ChatService.method.listModels);
    const listing = gate.unary(call, create(ListModelsRequestSchema, { pageSize: 1_000 }));
    return (await http.untilStopped(listing)) as ListModelsResponse;
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
  if (http.isGone) reply.hijack();
  else await sendText(reply.headers(http.replyHeaders), 'application/json; charset=utf-8', JSON.stringify(body));
}
