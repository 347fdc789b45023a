import { RestError } from '@intelligence-api/transcoding';
import { FastifyCall, RunningCalls, sendStream } from '@intelligence-api/transcoding/parts';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { FailureError } from '../../base/failure.ts';
import {
  type ChatResponse,
  ChatService,
  type StreamChatResponse,
} from '../../gen/intelligence/chat/v1/chat_service_pb.ts';
import { sendText } from '../compression.ts';
import { headersOf } from '../failures.ts';
import type { AdmittedCall } from '../gate.ts';
import { HttpIncomingCall } from '../incoming-call.ts';
import { readJson } from '../json-body.ts';
import { type OpenAiOptions, openAiError, statusOf } from '../openai/index.ts';
import { noteIgnored, untakenNames } from '../shapes.ts';
import { responseFraming } from './events.ts';
import { responseOf } from './reply.ts';
import { type ReadResponses, readResponses } from './request.ts';

type HttpCall = FastifyCall<AdmittedCall>;

const heartbeatMs = 15_000;

/**
 * `POST /v1/responses`: OpenAI's Responses API without its memory. Each request brings its whole conversation, and what a
 * provider needs to go on is in the reply's reasoning item, sealed. It is ChatService in other clothes: the same gate,
 * limits, flow and ledger.
 */
export async function responses(instance: FastifyInstance, options: Omit<OpenAiOptions, 'textsBytes'>): Promise<void> {
  const { gate, pathPrefix, bodyBytes } = options;
  const running = new RunningCalls(options.shutdownSignal);
  instance.removeAllContentTypeParsers();
  instance.addContentTypeParser('*', (_request, _payload, parsed) => parsed(null, undefined));

  instance.post(`${pathPrefix}/v1/responses`, (request, reply) => {
    const http: HttpCall = new FastifyCall(request, reply);
    running.add(http);
    return answer(http, request, reply)
      .catch((error: unknown) => refuse(error, http, reply))
      .finally(() => {
        http.finish();
        running.delete(http);
      })
      .then(() => reply);
  });

  async function answer(http: HttpCall, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    // Whether it streams stands in the body; nobody gets to send one whose call would be refused.
    const call = await gate.admit(ChatService.method.chat, new HttpIncomingCall('openai', http));
    http.admitted = call;
    const body = readResponses(await http.untilStopped(readJson(request.raw, bodyBytes)));
    noteIgnored(http.replyHeaders, body.ignored);
    if (body.stream) return stream(http, body, call);
    const answered = (await http.untilStopped(gate.unary(call, body.unary()))) as ChatResponse;
    noteIgnored(http.replyHeaders, [...body.ignored, ...untakenNames(answered.ignored)]);
    await send(reply, http, responseOf(answered, call.requestId, body.asked));
  }

  async function stream(http: HttpCall, body: ReadResponses, admitted: AdmittedCall): Promise<void> {
    const call = await gate.asStream(admitted, ChatService.method.streamChat);
    const { requestId } = call;
    await sendStream({
      messages: gate.stream(call, body.streamed()) as AsyncIterable<StreamChatResponse>,
      framing: responseFraming({
        ...{ requestId, asked: body.asked },
        errorOf: (error) => openAiError(gate.refuse(error, requestId)).error,
      }),
      ...{ call: http, heartbeatMs },
    });
  }

  async function refuse(thrown: unknown, http: HttpCall, reply: FastifyReply): Promise<void> {
    const error = thrown instanceof RestError ? new FailureError(thrown.problem) : thrown;
    const { admitted } = http;
    if (admitted) gate.abandon(admitted, error);
    const refusal = gate.refuse(error, admitted?.requestId);
    if (reply.sent) return;
    reply.code(statusOf(refusal)).headers(headersOf(refusal));
    await send(reply, http, openAiError(refusal));
  }
}

async function send(reply: FastifyReply, http: HttpCall, body: object): Promise<void> {
  if (http.isGone) reply.hijack();
  else await sendText(reply.headers(http.replyHeaders), 'application/json; charset=utf-8', JSON.stringify(body));
}
