import { parseUsd } from '../../base/money.ts';
import type { Routing } from '../../gen/intelligence/chat/v1/chat_pb.ts';
import type { ModelRouting } from '../assistant.ts';
import type { Plain } from '../family.ts';

/** A request's routing in the form that the assistant takes. */
export function routingOf(routing: Plain<Routing> | undefined): ModelRouting | undefined {
  if (routing === undefined) return undefined;
  return {
    mode: routing.mode === '' ? undefined : (routing.mode as ModelRouting['mode']),
    fallback: routing.fallback,
    maxCost: routing.maxCostUsd === undefined ? undefined : parseUsd(routing.maxCostUsd),
    allow: routing.allow,
    deny: routing.deny,
  };
}
