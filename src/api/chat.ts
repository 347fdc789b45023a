import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { FailureError, invalid, unwrap } from '../base/failure.ts';
import { keptAlive } from '../base/keep-alive.ts';
import type { Chat, ChatCall } from '../chat/index.ts';
import {
  ChatRequestSchema,
  ChatService,
  type ResumeChatRequest,
  type ResumeChatResponseSchema,
  type StreamChatRequest,
  type StreamChatResponseSchema,
} from '../gen/intelligence/chat/v1/chat_service_pb.ts';
import { setChargeHeaders } from './balance.ts';
import type { Call } from './call.ts';
import { chatRequestOf, chatResponse } from './chat-messages.ts';
import { estimateMessage, modelMessage, streamMessage } from './chat-stream-messages.ts';
import { type ServedService, serve } from './handlers.ts';
import { requestIdentity } from './idempotency.ts';

interface ChatServiceOptions {
  chat: Chat;
  fingerprintKey: Uint8Array;
  /** A stream that is silent for this long sends a message saying so, repeatedly. */
  keepAliveMs: number;
}

/** A message without content: the model is working. */
const silence = () => ({});

/** The last event that an event stream client reports having seen (HTML, section 9.2); undefined if it reports none. */
function lastEventOf(call: Call): number | undefined {
  const id = call.header('last-event-id');
  if (id === undefined || id === '') return undefined;
  if (!/^[0-9]{1,9}$/.test(id))
    throw new FailureError(invalid('Last-Event-ID', 'must be the id of an event of this reply'));
  return Number(id);
}

/** ChatService: answers and charges conversations. */
export function chatService({ chat, fingerprintKey, keepAliveMs }: ChatServiceOptions): ServedService {
  function streamed(request: StreamChatRequest, call: Call) {
    let chargeId: string | undefined;
    const nameCharge = () => {
      if (chargeId !== undefined) call.setReplyHeader('x-charge-id', chargeId);
    };
    const charged = (id: string) => {
      chargeId = id;
      // A caller that loses the connection before the first piece may still learn it this way.
      if (request.resumable) nameCharge();
    };
    return keptAlive(pieces(request, call, charged, nameCharge), keepAliveMs, () => {
      // The headers go out with this message.
      nameCharge();
      return silence();
    });
  }

  async function* pieces(
    request: StreamChatRequest,
    call: Call,
    charged: (id: string) => void,
    nameCharge: () => void,
  ): AsyncGenerator<MessageInitShape<typeof StreamChatResponseSchema>> {
    const idempotency = requestIdentity(fingerprintKey, ChatService.method.streamChat, request, call);
    const after = request.resumable ? lastEventOf(call) : undefined;
    const more = { ...chatCall(call, idempotency), charged, after };
    const opened = await chat.stream(call.caller, chatRequestOf(request), more);
    const events = unwrap(opened);
    nameCharge();
    for await (const event of events) yield streamMessage(event, call.caller);
  }

  async function* resumed(
    { chargeId, after }: ResumeChatRequest,
    call: Call,
  ): AsyncGenerator<MessageInitShape<typeof ResumeChatResponseSchema>> {
    const from = { chargeId, after: lastEventOf(call) ?? after };
    const events = unwrap(await chat.resume(call.caller, from, call.signal));
    call.setReplyHeader('x-charge-id', chargeId);
    for await (const event of events) yield streamMessage(event, call.caller);
  }

  return serve(ChatService, {
    chat: async (request, call) => {
      const idempotency = requestIdentity(fingerprintKey, ChatService.method.chat, request, call);
      const reply = unwrap(await chat.run(call.caller, chatRequestOf(request), chatCall(call, idempotency)));
      const chargeId = reply.cache?.hit ? undefined : reply.id;
      setChargeHeaders(call, { cost: reply.usage.cost, chargeId, balance: reply.balance, capLeft: reply.capLeft });
      return chatResponse(reply, call.caller);
    },
    streamChat: streamed,
    resumeChat: (request, call) => keptAlive(resumed(request, call), keepAliveMs, silence),
    estimateChat: async ({ request }, { caller, signal }) =>
      estimateMessage(unwrap(await chat.estimate(caller, chatRequestOf(request ?? create(ChatRequestSchema)), signal))),
    countChatTokens: async ({ request }, { caller, signal }) => ({
      inputTokens: unwrap(await chat.countTokens(caller, chatRequestOf(request ?? create(ChatRequestSchema)), signal)),
    }),
    listModels: async ({ provider, pageSize, pageToken }, { caller }) => {
      const page = unwrap(await chat.listModels(caller, { provider, pageSize, pageToken }));
      return { models: page.items.map(modelMessage), nextPageToken: page.nextPageToken };
    },
  });
}

function chatCall(call: Call, idempotency: ChatCall['idempotency']): ChatCall {
  const { requestId, signal, revoked } = call;
  return { requestId, signal, revoked, idempotency, outlast: (work) => call.outlast(work) };
}
