import { type ApiFailure, failureOf, isApiFailure, openRpcStream, type RpcReply, type RpcRequest } from '../../api.ts';
import type { Payer } from '../../paying/payer.ts';
import { readEvents } from './event-stream.ts';

export type ChatRequest = RpcRequest<'ChatService.StreamChat'>;
export type ChatPiece = RpcReply<'ChatService.StreamChat'>;

/** A request in flight: what is needed to continue its reply, and to pay for it once. */
export interface Attempt {
  readonly key: string;
  resumable: boolean;
  /** Empty: unknown so far. */
  chargeId: string;
  /** The last event received; empty: none. */
  lastId: string;
}

export function newAttempt(): Attempt {
  return { key: crypto.randomUUID(), resumable: true, chargeId: '', lastId: '' };
}

/** Whether the same request, sent again after it failed, continues a reply that may already be paid for. A reply that the service ended is over. */
export function canGoOn({ resumable, chargeId }: Attempt, { reason }: ApiFailure): boolean {
  return chargeId === '' ? reason !== 'REPLY_PURGED' : resumable && reason === 'NO_ANSWER';
}

export interface AskOptions {
  payer: Payer;
  /** Continues the attempt if it was started before. */
  attempt: Attempt;
  /** Called with the charge as soon as it is known. */
  onCharge: (chargeId: string) => void;
  /** Called when the connection is lost, and when it is back. */
  onConnection: (state: 'lost' | 'there') => void;
  /** Waits before a retry; tests pass their own. */
  pause?: (ms: number) => Promise<void>;
}

const triesMax = 8;
const lost: ApiFailure = {
  ...{ status: 0, code: 'UNAVAILABLE', reason: 'NO_ANSWER', violations: [] },
  message: 'The connection was lost.',
};

/**
 * Streams a reply. If the connection is lost, it continues after the last piece that arrived: the reply is generated meanwhile, and charged
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
  // The same key means the same request: a reply whose name was lost before it arrived continues, too.
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
