import { eventStreamType, type Framing, keepAlive } from '@intelligence-api/transcoding/parts';
import type { StreamChatResponse } from '../../gen/intelligence/chat/v1/chat_service_pb.ts';
import { isSilence } from '../silence.ts';
import { MessageEvents } from './reply.ts';

/** A stream as named server-sent events. A failure is the last event. `printError`: prints an error's body. */
export function eventFraming(
  options: ConstructorParameters<typeof MessageEvents>[0] & { printError: (error: unknown) => string },
): Framing<StreamChatResponse> {
  const events = new MessageEvents(options);
  const named = (event: object) => `event: ${(event as { type: string }).type}\ndata: ${JSON.stringify(event)}\n\n`;
  return {
    contentType: () => eventStreamType,
    opening: named(events.first()),
    frame: (message) => (isSilence(message) ? keepAlive : events.of(message).map(named).join('')),
    closing: named({ type: 'message_stop' }),
    failure: (error) => `event: error\ndata: ${options.printError(error)}\n\n`,
    hasHeartbeat: true,
  };
}
