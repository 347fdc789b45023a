import { create, type DescMethod } from '@bufbuild/protobuf';
import { sendStream } from '@intelligence-api/transcoding/parts';
import type { FastifyInstance, FastifyReply } from 'fastify';
import {
  type ChatResponse,
  ChatService,
  CountChatTokensRequestSchema,
  type CountChatTokensResponse,
  type StreamChatResponse,
} from '../../gen/intelligence/chat/v1/chat_service_pb.ts';
import type { AdmittedCall } from '../admitted-call.ts';
import { createFacade, type FacadeCall, type FacadeOptions, sendJson } from '../facade.ts';
import { readJson } from '../json-body.ts';
import { noteIgnored, untakenNames } from '../shapes.ts';
import { eventFraming } from './framing.ts';
import { KeyHeaderCall } from './key-header-call.ts';
import { anthropicError, messageOf, refusedReply } from './reply.ts';
import { type ReadMessages, readCount, readMessages } from './request.ts';

export { KeyHeaderCall, namesVersion } from './key-header-call.ts';
export { refusedReply } from './reply.ts';

const heartbeatMs = 15_000;

/** The paths that also accept a key as `x-api-key`. */
export function messagesPaths(pathPrefix: string): readonly string[] {
  return [`${pathPrefix}/v1/messages`, `${pathPrefix}/v1/messages/count_tokens`];
}

/**
 * The facade of Anthropic's Messages API: `POST /v1/messages` and `POST /v1/messages/count_tokens`, so that clients of that API
 * work with just a new base URL and key. It maps to ChatService, with the same gate, limits, flow and ledger.
 */
export async function anthropic(instance: FastifyInstance, options: FacadeOptions): Promise<void> {
  const { gate, bodyBytes } = options;
  const [messages = '', countTokens = ''] = messagesPaths(options.pathPrefix);
  const answering = createFacade(instance, {
    ...options,
    printRefusal: (refusal, requestId, _error, placeOf) => refusedReply(refusal, requestId, placeOf),
  });

  instance.post(messages, (request, reply) =>
    answering(request, reply, async (http) => {
      // Whether it streams is only known from the body, but callers whose call would be refused must not get to send one.
      const call = await admit(http, ChatService.method.chat);
      const body = readMessages(await http.untilStopped(readJson(request.raw, bodyBytes, call)));
      http.placeOf = body.placeOf;
      noteIgnored(http.replyHeaders, body.ignored);
      return body.stream ? stream(http, body, call) : unary(http, reply, body, call);
    }),
  );
  instance.post(countTokens, (request, reply) =>
    answering(request, reply, async (http) => {
      const call = await admit(http, ChatService.method.countChatTokens);
      const counted = readCount(await http.untilStopped(readJson(request.raw, bodyBytes, call)));
      http.placeOf = (field) => counted.placeOf(field.replace(/^request\./, ''));
      const counting = gate.unary(call, create(CountChatTokensRequestSchema, { request: counted.message }));
      const { inputTokens } = (await http.untilStopped(counting)) as CountChatTokensResponse;
      await sendJson(reply, http, { input_tokens: inputTokens });
    }),
  );

  async function admit(http: FacadeCall, method: DescMethod): Promise<AdmittedCall> {
    http.admitted = await gate.admit(method, new KeyHeaderCall('anthropic', http));
    // Anthropic's clients look for the id under this name.
    http.replyHeaders['request-id'] = http.admitted.requestId;
    return http.admitted;
  }

  async function unary(
    http: FacadeCall,
    reply: FastifyReply,
    request: ReadMessages,
    call: AdmittedCall,
  ): Promise<void> {
    const answer = (await http.untilStopped(gate.unary(call, request.unary()))) as ChatResponse;
    noteIgnored(http.replyHeaders, [...request.ignored, ...untakenNames(answer.ignored, request.placeOf)]);
    await sendJson(reply, http, messageOf(answer, request.documents));
  }

  async function stream(http: FacadeCall, request: ReadMessages, admitted: AdmittedCall): Promise<void> {
    const call = await gate.asStream(admitted, ChatService.method.streamChat);
    const { requestId } = call;
    await sendStream({
      messages: gate.stream(call, request.streamed()) as AsyncIterable<StreamChatResponse>,
      framing: eventFraming({
        ...{ requestId, model: request.model, placeOf: request.placeOf, documents: request.documents },
        printError: (error) =>
          JSON.stringify(anthropicError(gate.refuse(error, requestId), requestId, request.placeOf)),
      }),
      ...{ call: http, heartbeatMs },
    });
  }
}
