import { isMessage, type Message } from '@bufbuild/protobuf';
import {
  type ResumeChatResponse,
  ResumeChatResponseSchema,
  type StreamChatResponse,
  StreamChatResponseSchema,
} from '../gen/intelligence/chat/v1/chat_service_pb.ts';

/** Whether a message of a stream brings nothing: it only says that the model is at work. */
export function isSilence(message: Message): boolean {
  return isPiece(message) && message.event.case === undefined;
}

/** The id of a message's event, by which its reply can be resumed. */
export function eventId(message: Message): string | undefined {
  return isPiece(message) && message.sequence !== undefined ? String(message.sequence) : undefined;
}

function isPiece(message: Message): message is ResumeChatResponse | StreamChatResponse {
  return isMessage(message, StreamChatResponseSchema) || isMessage(message, ResumeChatResponseSchema);
}
