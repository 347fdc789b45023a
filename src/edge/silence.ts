import { isMessage, type Message } from '@bufbuild/protobuf';
import {
  type ResumeChatResponse,
  ResumeChatResponseSchema,
  type StreamChatResponse,
  StreamChatResponseSchema,
} from '../gen/intelligence/chat/v1/chat_service_pb.ts';

/** Whether a stream message carries no content and only says that the model is working. */
export function isSilence(message: Message): boolean {
  return isPiece(message) && message.event.case === undefined;
}

/** The id of a message's event, from which its reply can be resumed. */
export function eventId(message: Message): string | undefined {
  return isPiece(message) && message.sequence !== undefined ? String(message.sequence) : undefined;
}

function isPiece(message: Message): message is ResumeChatResponse | StreamChatResponse {
  return isMessage(message, StreamChatResponseSchema) || isMessage(message, ResumeChatResponseSchema);
}
