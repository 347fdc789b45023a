import { isMessage, type Message } from '@bufbuild/protobuf';
import { StreamChatResponseSchema } from '../gen/intelligence/chat/v1/chat_service_pb.ts';

/** Whether a message of a stream brings nothing: it only says that the model is at work. */
export function isSilence(message: Message): boolean {
  return isMessage(message, StreamChatResponseSchema) && message.event.case === undefined;
}
