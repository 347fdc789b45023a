import type { MessageInitShape } from '@bufbuild/protobuf';
import { FailureError, invalid } from '../base/failure.ts';
import { isRoutingMode, routingModes } from '../base/routing-mode.ts';
import type { RoutingSchema } from '../gen/intelligence/chat/v1/chat_pb.ts';

/**
 * Reads routing from the model name, for APIs with no other place for it: `auto`, `auto:economy` and the other modes let the
 * service choose; anything else names a model.
 */
export function routingOf(name: string): { model?: string; routing?: MessageInitShape<typeof RoutingSchema> } {
  if (name === 'auto') return {};
  const mode = /^auto:(.*)$/s.exec(name)?.[1];
  if (mode === undefined) return { model: name };
  if (isRoutingMode(mode)) return { routing: { mode } };
  throw new FailureError(invalid('model', `must be auto, or auto: and one of ${routingModes.join(', ')}`));
}
