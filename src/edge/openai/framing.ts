import { eventOf, eventStreamType, type Framing, keepAlive } from '@intelligence-api/transcoding/parts';
import type { StreamChatResponse } from '../../gen/intelligence/chat/v1/chat_service_pb.ts';
import { isSilence } from '../silence.ts';
import { CompletionChunks } from './reply.ts';

/** A stream as server-sent chunks. A failure is the last event, without a `[DONE]` after it. `printError`: prints an error's body. */
export function chunkFraming(
  options: ConstructorParameters<typeof CompletionChunks>[0] & { printError: (error: unknown) => string },
): Framing<StreamChatResponse> {
  const chunks = new CompletionChunks(options);
  const event = (chunk: object) => eventOf(JSON.stringify(chunk));
  return {
    contentType: () => eventStreamType,
    opening: event(chunks.first()),
    frame: (message) => (isSilence(message) ? keepAlive : chunks.of(message).map(event).join('')),
    closing: eventOf('[DONE]'),
    failure: (error) => eventOf(options.printError(error)),
    hasHeartbeat: true,
  };
}
