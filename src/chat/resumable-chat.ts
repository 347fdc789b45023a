import type { Caller } from '../base/caller.ts';
import { type Failure, FailureError, fail, invalid, type Result, succeed } from '../base/failure.ts';
import { payerOf, replyScope } from '../wallet/index.ts';
import { type CachedChatDeps, streamCached } from './cached-chat.ts';
import type { ChatCall } from './deps.ts';
import { type BegunStream, type KeptStreams, notKept, type StreamReader } from './kept-streams.ts';
import type { StreamLog } from './stream-log.ts';
import type { ChatEvent, ChatRequest, StreamedEvent } from './types.ts';

export interface ResumableChatDeps extends CachedChatDeps {
  /** Keeps the replies of requests that ask for it; absent: such requests are refused. */
  streams?: KeptStreams | undefined;
}

/**
 * Like `streamCached`, but a resumable request's reply is generated and settled to its end even if nobody is listening, unless
 * the credential that asked is revoked, and its events are numbered. A repeated request gets the same events, including those
 * still to come. A cached reply, or a stored one that is no longer kept, arrives at once, without numbers.
 */
export async function streamResumable(
  deps: ResumableChatDeps,
  caller: Caller,
  { resumable, ...request }: ChatRequest,
  call: ChatCall,
  track: (work: Promise<unknown>) => void,
): Promise<Result<AsyncGenerator<StreamedEvent, void>>> {
  if (!resumable) return streamCached(deps, caller, request, call, track);
  const { streams } = deps;
  if (!streams) return fail(invalid('resumable', 'Replies are not kept here. Send the request without it.'));
  const reader = readerOf(caller, call.guard?.outputDigest);
  if (!reader.ok) return reader;
  const room = await streams.admit(reader.value.accountId);
  if (!room.ok) return room;

  const left = new AbortController();
  const leave = () => left.abort(new FailureError(revoked));
  call.revoked?.addEventListener('abort', leave, { once: true });
  if (call.revoked?.aborted) leave();
  const begun: { reply?: BegunStream; repeats?: string } = {};
  const charged = (chargeId: string, isRepeat: boolean) => {
    if (isRepeat) begun.repeats = chargeId;
    else begun.reply = streams.begin(chargeId, reader.value, () => left.abort(new FailureError(unattended)));
    call.charged?.(chargeId, isRepeat);
  };
  try {
    const opened = await streamCached(deps, caller, request, { ...call, signal: left.signal, charged }, track);
    if (!begun.reply) {
      const earlier = begun.repeats ?? atWorkOn(opened);
      return (earlier && (await joined(streams, reader.value, earlier, call))) || opened;
    }
    const { events, findable } = begun.reply;
    if (opened.ok) {
      track(fill(events, opened.value, left.signal));
      // The caller may be cut off as soon as it has the charge id, and ask another node for the reply.
      await findable;
      return succeed(events.read(0, call.signal));
    }
    events.fail(left.signal.aborted ? left.signal.reason : new FailureError(opened.failure));
    return opened;
  } catch (error) {
    begun.reply?.events.fail(error);
    throw error;
  }
}

/**
 * Resumes a streamed reply after a given sequence. `outputDigest` says what the caller's replies are judged by. Fails like
 * `KeptStreams.resume`.
 */
export async function resumeChat(
  { streams }: ResumableChatDeps,
  caller: Caller,
  { chargeId, after, outputDigest }: { chargeId: string; after: number; outputDigest: string | undefined },
  signal: AbortSignal,
): Promise<Result<AsyncGenerator<StreamedEvent, void>>> {
  const reader = readerOf(caller, outputDigest);
  if (!reader.ok) return reader;
  if (!streams) return fail(notKept(0));
  return streams.resume(chargeId, reader.value, { after, signal });
}

/** The charge of the request with the same key that is still in progress. */
function atWorkOn(opened: Result<unknown>): string | undefined {
  return !opened.ok && opened.failure.kind === 'idempotency_in_flight' ? opened.failure.chargeId : undefined;
}

/** The answer to a repeated request: the reply that it started, while that is kept. */
async function joined(
  streams: KeptStreams,
  reader: StreamReader,
  chargeId: string,
  { after = 0, charged, signal }: ChatCall,
): Promise<Result<AsyncGenerator<StreamedEvent, void>> | undefined> {
  const kept = await streams.resume(chargeId, reader, { after, signal });
  if (!kept.ok && kept.failure.kind !== 'invalid_argument') return undefined;
  charged?.(chargeId, true);
  return kept;
}

/**
 * A kept stream holds events as the guardrails of the key that asked for it let them through. A key whose replies are judged by
 * others is another reader: it gets the whole reply by its `Idempotency-Key`, which is judged for it.
 */
function readerOf(caller: Caller, outputDigest: string | undefined): Result<StreamReader> {
  const payer = payerOf(caller, 'chat');
  if (!payer.ok) return payer;
  const scope = replyScope(payer.value);
  return succeed({
    accountId: payer.value.accountId,
    scope: outputDigest === undefined ? scope : `${scope}\0${outputDigest}`,
  });
}

async function fill(events: StreamLog, reply: AsyncGenerator<ChatEvent, void>, left: AbortSignal): Promise<void> {
  try {
    for await (const event of reply) events.append(event);
  } catch (error) {
    events.fail(left.aborted ? left.reason : error);
  }
}

const unattended: Failure = {
  kind: 'precondition_failed',
  description: 'The reply was ended because nobody read it for too long. The part that had arrived is charged.',
};

const revoked: Failure = {
  kind: 'precondition_failed',
  description:
    'The credential that asked for this reply was revoked, its session ended, or its account was suspended. The part that had arrived is charged.',
};
