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
  /** Earlier replies, for requests that ask for them; absent: every look-up is a miss. */
  cache?: ReplyCache;
}

type Track = (work: Promise<unknown>) => void;

/**
 * Like `runChat`; a request that asks for it may be answered by an earlier reply, which costs nothing, or has its own reply
 * kept for later ones. Keeping goes on after the answer.
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

/** Like `streamChat`, in the same way; an earlier reply comes as one piece and its end. */
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
 * An earlier reply, when its model is one that the caller may use now: still offered, and allowed to the token. Without one,
 * `missed` keeps the reply that is made instead, and says so in it.
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
    // What the account's own packs look for may have changed since it was kept.
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
