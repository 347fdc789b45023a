import { type ApiFailure, failureOf, isApiFailure, openRpcStream, type RpcReply, type RpcRequest } from '../../api.ts';
import type { Payer } from '../../paying/payer.ts';
import { readEvents } from './event-stream.ts';

export type ChatRequest = RpcRequest<'ChatService.StreamChat'>;
export type ChatPiece = RpcReply<'ChatService.StreamChat'>;

/** A request on its way: what is needed to go on with its reply, and to pay for it once. */
export interface Attempt {
  readonly key: string;
  resumable: boolean;
  /** Empty: not known yet. */
  chargeId: string;
  /** The event that arrived last; empty: none. */
  lastId: string;
}

export function newAttempt(): Attempt {
  return { key: crypto.randomUUID(), resumable: true, chargeId: '', lastId: '' };
}

/** Whether the same request, asked again after it failed, goes on with what may be paid already. What the service ended is over. */
export function canGoOn({ resumable, chargeId }: Attempt, { reason }: ApiFailure): boolean {
  return chargeId === '' ? reason !== 'REPLY_PURGED' : resumable && reason === 'NO_ANSWER';
}

export interface AskOptions {
  payer: Payer;
  /** Goes on with it, where it was begun before. */
  attempt: Attempt;
  /** Told of the charge as soon as it is known. */
  onCharge: (chargeId: string) => void;
  /** Told that the connection was lost, and that it is there again. */
  onConnection: (state: 'lost' | 'there') => void;
  /** Waits before a new try; tests hand in their own. */
  pause?: (ms: number) => Promise<void>;
}

const triesMax = 8;
const lost: ApiFailure = {
  ...{ status: 0, code: 'UNAVAILABLE', reason: 'NO_ANSWER', violations: [] },
  message: 'The connection was lost.',
};

/**
 * Streams a reply. When the connection is lost it goes on after the last piece that arrived: the reply is made meanwhile, and charged
 * once. Throws an `ApiFailure` when the service refuses, or does not answer for a minute.
 */
export async function* ask(
  request: ChatRequest,
  { payer, attempt, onCharge, onConnection, pause = sleep }: AskOptions,
): AsyncGenerator<ChatPiece, void> {
  for (let tries = 0; ; ) {
    try {
      const response = await open(request, attempt, payer);
      const chargeId = response.headers.get('x-charge-id');
      if (chargeId !== null && attempt.chargeId === '') onCharge(chargeId);
      attempt.chargeId ||= chargeId ?? '';
      onConnection('there');
      for await (const event of eventsOf(response)) {
        if (event.name === 'error') throw await failureOf(new Response(event.data, { status: statusIn(event.data) }));
        tries = 0;
        attempt.lastId = event.id ?? attempt.lastId;
        const piece = JSON.parse(event.data) as ChatPiece;
        yield piece;
        if (piece.end) return;
      }
      throw lost;
    } catch (thrown) {
      if (!isApiFailure(thrown)) throw thrown;
      if (attempt.resumable && thrown.violations.some(({ field }) => field === 'resumable')) {
        attempt.resumable = false;
        continue;
      }
      tries += 1;
      if (thrown.reason !== 'NO_ANSWER' || !attempt.resumable || tries > triesMax) throw thrown;
      onConnection('lost');
      await pause(Math.min(250 * 2 ** tries, 10_000));
    }
  }
}

async function open(
  request: ChatRequest,
  { key, resumable, chargeId, lastId }: Attempt,
  payer: Payer,
): Promise<Response> {
  const headers = { ...(await payer.headers()), ...(lastId !== '' && { 'last-event-id': lastId }) };
  // The same key again is the same request: what was lost before its name arrived goes on, too.
  if (chargeId === '')
    return openRpcStream(
      'ChatService.StreamChat',
      { ...request, ...(resumable && { resumable }) },
      { headers: { ...headers, 'idempotency-key': key } },
    );
  return openRpcStream('ChatService.ResumeChat', { chargeId }, { headers });
}

async function* eventsOf({ body }: Response) {
  if (!body) throw lost;
  try {
    yield* readEvents(body);
  } catch {
    throw lost;
  }
}

function statusIn(data: string): number {
  const { error }: { error?: { code?: unknown } } = JSON.parse(data);
  const status = Number(error?.code);
  return status >= 400 && status <= 599 ? status : 500;
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
