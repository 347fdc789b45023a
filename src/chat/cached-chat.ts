import type { Caller } from '../base/caller.ts';
import { type Result, succeed } from '../base/failure.ts';
import type { ChatCall, ChatDeps } from './deps.ts';
import { mayUseModel } from './prepare.ts';
import type { CachePlace, ReplyCache } from './reply-cache.ts';
import { runChat } from './run-chat.ts';
import { asStream, streamChat } from './stream-chat.ts';
import type { ChatEvent, ChatReply, ChatRequest } from './types.ts';

type Track = (work: Promise<unknown>) => void;

/**
 * Like `runChat`; a request that asks for it may be answered by an earlier reply, which costs nothing, or has its own reply
 * kept for later ones. Keeping goes on after the answer.
 */
export async function runCached(
  deps: ChatDeps & { cache?: ReplyCache },
  caller: Caller,
  request: ChatRequest,
  call: ChatCall,
  track: Track,
): Promise<Result<ChatReply>> {
  if (!request.cache) return runChat(deps, caller, request, call);
  const place = await deps.cache?.placeOf(caller, request, call);
  const found = place && (await findUsable(deps, place, caller, request));
  if (found) return succeed(found);
  const answered = await runChat(deps, caller, request, call);
  return answered.ok ? succeed(missed(deps.cache, place, answered.value, track)) : answered;
}

/** Like `streamChat`, in the same way; an earlier reply comes as one piece and its end. */
export async function streamCached(
  deps: ChatDeps & { cache?: ReplyCache },
  caller: Caller,
  request: ChatRequest,
  call: ChatCall,
  track: Track,
): Promise<Result<AsyncGenerator<ChatEvent, void>>> {
  if (!request.cache) return streamChat(deps, caller, request, call, track);
  const place = await deps.cache?.placeOf(caller, request, call);
  const found = place && (await findUsable(deps, place, caller, request));
  if (found) return succeed(asStream(found));
  const opened = await streamChat(deps, caller, request, call, track);
  if (!opened.ok) return opened;
  return succeed(
    withEnd(opened.value, ({ reply }) => ({ kind: 'end', reply: missed(deps.cache, place, reply, track) })),
  );
}

/** An earlier reply, when its model is one that the caller may use now: still offered, and allowed to the token. */
function findUsable(
  deps: ChatDeps & { cache?: ReplyCache },
  place: CachePlace,
  caller: Caller,
  request: ChatRequest,
): Promise<ChatReply | undefined> | undefined {
  return deps.cache?.find(place, (reply) => mayUseModel(deps, caller, request, reply));
}

function missed(
  cache: ReplyCache | undefined,
  place: CachePlace | undefined,
  reply: ChatReply,
  track: Track,
): ChatReply {
  if (cache && place) track(cache.keep(place, reply));
  return { ...reply, cache: { hit: false } };
}

async function* withEnd(
  events: AsyncGenerator<ChatEvent, void>,
  change: (end: Extract<ChatEvent, { kind: 'end' }>) => ChatEvent,
): AsyncGenerator<ChatEvent, void> {
  for await (const event of events) yield event.kind === 'end' ? change(event) : event;
}
