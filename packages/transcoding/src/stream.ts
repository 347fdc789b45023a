import type { Call, Head, StreamSink } from './context.ts';
import { RestError } from './errors.ts';
import { type Framing, keepAlive } from './framing.ts';
import { gzipSink, packsFile } from './gzip-sink.ts';
import { defaultLimits } from './options.ts';
import { longBytes, ownTurn } from './own-turn.ts';

export interface StreamOptions<Sent> {
  messages: AsyncIterable<Sent>;
  framing: Framing<Sent>;
  call: Call;
  heartbeatMs: number;
  /** Like `RestLimits.unreadMs`. */
  unreadMs?: number;
}

/**
 * Sends a stream of messages. Rejects, with nothing sent, if it fails before the first message; after that, an error is the
 * stream's last event. Waits for the caller to read, but not for ever: a caller who stays away is taken to be gone. Stops the
 * source when the call is stopped.
 */
export async function sendStream<Sent>({
  messages,
  framing,
  call,
  heartbeatMs,
  unreadMs = defaultLimits.unreadMs,
}: StreamOptions<Sent>): Promise<void> {
  const source = messages[Symbol.asyncIterator]();
  // Wakes the waiter when the call is stopped.
  let interrupt: ((reason: Error) => void) | undefined;
  let stopped: Error | undefined;
  let isUnread = false;
  call.whenStopped((reason) => {
    stopped = reason;
    interrupt?.(reason);
  });
  call.watch();
  const next = () => interruptible(() => source.next());

  let first: IteratorResult<Sent>;
  try {
    first = await next();
  } catch (error) {
    leave(source);
    throw error;
  }
  const contentType = framing.contentType(first.done ? undefined : first.value);
  const isPacked = framing.isFile === true && packsFile(contentType, call);
  const opened = call.openStream(headOf(call, contentType));
  const sink = isPacked ? gzipSink(opened) : opened;
  // If there is a first message, the headers go in the same packet.
  if (first.done && framing.opening === undefined) sink.flushHead();
  const heartbeat = framing.hasHeartbeat ? setInterval(() => sink.beat(keepAlive), heartbeatMs) : undefined;
  try {
    if (framing.opening !== undefined) sink.write(framing.opening);
    let written = 0;
    for (let result = first; !result.done; result = await next()) {
      heartbeat?.refresh();
      const frame = framing.frame(result.value);
      if (!sink.write(frame)) await untilRead(sink);
      written += frame.length;
      // A source that has everything ready, and a caller who reads it, would otherwise not leave the turn to anybody.
      if (written > longBytes) {
        written = 0;
        await interruptible(ownTurn);
      }
      // Node sends everything written in one turn together; the first message must not wait for later ones that are already
      // there.
      if (result === first) await interruptible(nextTurn);
    }
    sink.end(framing.closing);
  } catch (error) {
    leave(source);
    if (call.isGone || isUnread) {
      sink.destroy();
      return;
    }
    const failure = framing.failure(error);
    if (failure === undefined) sink.destroy();
    else sink.end(failure);
  } finally {
    clearInterval(heartbeat);
  }

  async function untilRead(sink: StreamSink): Promise<void> {
    const waiting = setTimeout(() => {
      isUnread = true;
      call.stop(new RestError({ kind: 'cancelled' }));
    }, unreadMs);
    try {
      await interruptible(() => sink.drained());
    } finally {
      clearTimeout(waiting);
    }
  }

  function interruptible<T>(start: () => Promise<T>): Promise<T> {
    if (stopped) return Promise.reject(stopped);
    return new Promise<T>((resolve, reject) => {
      interrupt = reject;
      start().then(resolve, reject);
    });
  }
}

function headOf(call: Call, contentType: string): Head {
  return {
    ...call.headSoFar(),
    ...call.replyHeaders,
    'content-type': contentType,
    'cache-control': 'no-store',
    // For proxies that would buffer the stream before passing it on.
    'x-accel-buffering': 'no',
  };
}

// Nobody is left to receive the source's own errors; the handler's `finally` blocks run all the same.
function leave(source: AsyncIterator<unknown>): void {
  source.return?.().then(undefined, () => undefined);
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
