import { sendStream } from '@intelligence-api/transcoding/parts';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import {
  type ChatResponse,
  ChatService,
  type StreamChatResponse,
} from '../../gen/intelligence/chat/v1/chat_service_pb.ts';
import type { AdmittedCall } from '../admitted-call.ts';
import { createFacade, type FacadeCall, type FacadeOptions, sendJson } from '../facade.ts';
import { HttpIncomingCall } from '../incoming-call.ts';
import { readJson } from '../json-body.ts';
import { openAiError, statusOf } from '../openai/index.ts';
import { snakeCase } from '../places.ts';
import { noteIgnored, untakenNames } from '../shapes.ts';
import { responseFraming } from './events.ts';
import { responseOf } from './reply.ts';
import { type ReadResponses, readResponses } from './request.ts';

const heartbeatMs = 15_000;

/**
 * `POST /v1/responses`: OpenAI's Responses API without its memory. Each request carries its whole conversation, and what a
 * provider needs to continue is in the reply's reasoning item, sealed. It maps to ChatService, with the same gate, limits, flow
 * and ledger.
 */
export async function responses(instance: FastifyInstance, options: FacadeOptions): Promise<void> {
  const { gate, pathPrefix, bodyBytes } = options;
  const answering = createFacade(instance, {
    ...options,
    printRefusal: (refusal, _requestId, _error, placeOf) => ({
      status: statusOf(refusal),
      body: openAiError(refusal, undefined, placeOf ?? snakeCase),
    }),
  });

  instance.post(`${pathPrefix}/v1/responses`, (request, reply) =>
    answering(request, reply, (http) => answer(http, request, reply)),
  );

  async function answer(http: FacadeCall, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    // Whether it streams is only known from the body, but callers whose call would be refused must not get to send one.
    const call = await gate.admit(ChatService.method.chat, new HttpIncomingCall('openai', http));
    http.admitted = call;
    const body = readResponses(await http.untilStopped(readJson(request.raw, bodyBytes, call)));
    http.placeOf = body.placeOf;
    noteIgnored(http.replyHeaders, body.ignored);
    if (body.stream) return stream(http, body, call);
    const answered = (await http.untilStopped(gate.unary(call, body.unary()))) as ChatResponse;
    noteIgnored(http.replyHeaders, [...body.ignored, ...untakenNames(answered.ignored)]);
    await sendJson(reply, http, responseOf(answered, call.requestId, body.asked));
  }

  async function stream(http: FacadeCall, body: ReadResponses, admitted: AdmittedCall): Promise<void> {
    const call = await gate.asStream(admitted, ChatService.method.streamChat);
    const { requestId } = call;
    await sendStream({
      messages: gate.stream(call, body.streamed()) as AsyncIterable<StreamChatResponse>,
      framing: responseFraming({
        ...{ requestId, asked: body.asked },
        errorOf: (error) => openAiError(gate.refuse(error, requestId), undefined, body.placeOf).error,
      }),
      ...{ call: http, heartbeatMs },
    });
  }
}
