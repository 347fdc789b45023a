import type { Caller } from '../base/caller.ts';
import { type Result, succeed } from '../base/failure.ts';
import type { ChatCall, ChatDeps } from './deps.ts';
import { offeredModels } from './own-keys.ts';
import { mayUseModel } from './prepare.ts';
import type { ReplyCache } from './reply-cache.ts';
import { runChat } from './run-chat.ts';
import { asStream, streamChat } from './stream-chat.ts';
import type { ChatEvent, ChatReply, ChatRequest } from './types.ts';

export interface CachedChatDeps extends ChatDeps {
  /** Earlier replies, for requests that allow them; absent: every lookup is a miss. */
  cache?: ReplyCache;
}

type Track = (work: Promise<unknown>) => void;

/**
 * Like `runChat`, but a request that opts in may be answered with an earlier reply, which is free, or have its own reply cached
 * for later ones. Caching continues after the answer is sent.
 */
export async function runCached(
  deps: CachedChatDeps,
  caller: Caller,
  request: ChatRequest,
  call: ChatCall,
  track: Track,
): Promise<Result<ChatReply>> {
  if (!request.cache) return runChat(deps, caller, request, call);
  const { found, missed } = await lookUp(deps, caller, request, call, track);
  if (found) return succeed(found);
  const answered = await runChat(deps, caller, request, call);
  return answered.ok ? succeed(missed(answered.value)) : answered;
}

/** Like `streamChat`, with the same caching; an earlier reply arrives as one piece, then its end. */
export async function streamCached(
  deps: CachedChatDeps,
  caller: Caller,
  request: ChatRequest,
  call: ChatCall,
  track: Track,
): Promise<Result<AsyncGenerator<ChatEvent, void>>> {
  if (!request.cache) return streamChat(deps, caller, request, call, track);
  const { found, missed } = await lookUp(deps, caller, request, call, track);
  if (found) return succeed(asStream(found));
  const opened = await streamChat(deps, caller, request, call, track);
  return opened.ok ? succeed(withEnd(opened.value, missed)) : opened;
}

/**
 * Finds an earlier reply whose model the caller may use now: still offered, and allowed for the token. If there is none,
 * `missed` caches the new reply and marks it as a miss.
 */
async function lookUp(
  deps: CachedChatDeps,
  caller: Caller,
  request: ChatRequest,
  call: ChatCall,
  track: Track,
): Promise<{ found: ChatReply | undefined; missed(reply: ChatReply): ChatReply }> {
  const { cache } = deps;
  const place = await cache?.placeOf(caller, request, call);
  const offered = place ? await offeredModels(deps, caller.accountId ?? '', request.routing?.ownKey) : [];
  const found = place && (await cache?.find(place, (reply) => mayUseModel(offered, caller, request, reply)));
  return {
    // What the account's own packs look for may have changed since the reply was cached.
    found: found && ((await call.guard?.kept(found)) ?? found),
    missed(reply) {
      if (place && cache) track(cache.keep(place, reply));
      return { ...reply, cache: { hit: false } };
    },
  };
}

async function* withEnd(
  events: AsyncGenerator<ChatEvent, void>,
  change: (reply: ChatReply) => ChatReply,
): AsyncGenerator<ChatEvent, void> {
  for await (const event of events) yield event.kind === 'end' ? { ...event, reply: change(event.reply) } : event;
}
