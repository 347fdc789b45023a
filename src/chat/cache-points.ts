import type { ChatCachePoint, ChatRequest, Ignored } from './types.ts';

/** A request's cache points with their paths, in the order in which providers read them: tools, system, the rest. */
export function cachePointsOf(request: ChatRequest): Iterable<[ChatCachePoint, string]> {
  return hasCachePoints(request) ? everyCachePointOf(request) : none;
}

// Most requests have none, and each is asked three times.
const none: readonly [ChatCachePoint, string][] = [];

function hasCachePoints({ tools, messages }: ChatRequest): boolean {
  const isMarked = ({ cachePoint }: { cachePoint?: ChatCachePoint | undefined }) => cachePoint !== undefined;
  return (
    messages.some((message) => isMarked(message) || message.parts?.some(isMarked)) || tools?.some(isMarked) === true
  );
}

function* everyCachePointOf(request: ChatRequest): Generator<[ChatCachePoint, string]> {
  for (const [index, { cachePoint }] of (request.tools ?? []).entries())
    if (cachePoint) yield [cachePoint, `tools[${index}].cachePoint`];
  for (const isSystem of [true, false])
    for (const [index, message] of request.messages.entries()) {
      if ((message.role === 'system') !== isSystem) continue;
      for (const [place, part] of (message.parts ?? []).entries())
        if (part.cachePoint) yield [part.cachePoint, `messages[${index}].parts[${place}].cachePoint`];
      if (message.cachePoint) yield [message.cachePoint, `messages[${index}].cachePoint`];
    }
}

/**
 * Splits a request's one-hour cache points into those kept and those ignored. A point is ignored if the model has no one-hour
 * rate, or if it follows a five-minute point: longer TTLs must come first
 * (https://docs.claude.com/en/docs/build-with-claude/prompt-caching, "Mixing different TTLs").
 */
export function hourLongPoints(
  request: ChatRequest,
  hasRate: boolean,
): { kept: ReadonlySet<ChatCachePoint>; ignored: Ignored[] } {
  const kept = new Set<ChatCachePoint>();
  const ignored: Ignored[] = [];
  let isShort = false;
  for (const [point, field] of cachePointsOf(request)) {
    if (point.ttl === '5m') isShort = true;
    else if (hasRate && !isShort) kept.add(point);
    else ignored.push({ field: `${field}.ttl`, reason: hasRate ? afterShort : unpriced });
  }
  return { kept, ignored };
}

const unpriced = 'It is kept for five minutes: an hour has no price.';
const afterShort = 'It is kept for five minutes: one-hour points must come before all five-minute points.';
