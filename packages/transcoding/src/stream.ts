import type { FastifyReply } from 'fastify';
import type { Call } from './context.ts';
import type { RestError } from './errors.ts';
import type { Framing } from './framing.ts';
import { TurnWriter } from './turn-writer.ts';

export interface StreamOptions<Sent> {
  messages: AsyncIterable<Sent>;
  framing: Framing<Sent>;
  call: Call;
  reply: FastifyReply;
  heartbeatMs: number;
}

/**
 * Sends a stream of messages. Rejects, with nothing sent, when it fails before the first message; afterwards an error
 * is the stream's last event. Waits for the caller to read; stops the source when the caller goes away or the
 * deadline passes.
 */
export async function sendStream<Sent>({
  messages,
  framing,
  call,
  reply,
  heartbeatMs,
}: StreamOptions<Sent>): Promise<void> {
  const source = messages[Symbol.asyncIterator]();
  // Whoever waits is woken by this when the call is stopped.
  let interrupt: ((reason: RestError) => void) | undefined;
  let stopped: RestError | undefined;
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
  begin(reply, call, framing.contentType(first.done ? undefined : first.value));
  const { raw } = reply;
  // With a first message the head goes in the same packet.
  if (first.done && framing.opening === undefined) raw.flushHeaders?.();
  const text = new TurnWriter(raw);
  const write = (piece: string | Uint8Array) => (typeof piece === 'string' ? text.write(piece) : raw.write(piece));
  const heartbeat = framing.hasHeartbeat ? setInterval(() => beat(reply), heartbeatMs) : undefined;
  try {
    if (framing.opening !== undefined) text.write(framing.opening);
    for (let result = first; !result.done; result = await next()) {
      heartbeat?.refresh();
      if (!write(framing.frame(result.value))) await interruptible(() => drained(reply));
      // Node sends what is written in one turn together; the first message must not wait for those that are there already.
      if (result === first) await interruptible(nextTurn);
    }
    text.end(framing.closing);
  } catch (error) {
    leave(source);
    if (call.isGone) return;
    const failure = framing.failure(error);
    if (failure === undefined) raw.destroy();
    else text.end(failure);
  } finally {
    clearInterval(heartbeat);
  }

  function interruptible<T>(start: () => Promise<T>): Promise<T> {
    if (stopped) return Promise.reject(stopped);
    return new Promise<T>((resolve, reject) => {
      interrupt = reject;
      start().then(resolve, reject);
    });
  }
}

function begin(reply: FastifyReply, call: Call, contentType: string): void {
  const { raw } = reply;
  // From here on the raw reply is ours; what hooks have set on Fastify's goes along.
  reply.hijack();
  for (const [name, value] of Object.entries({ ...reply.getHeaders(), ...call.replyHeaders }))
    if (value !== undefined) raw.setHeader(name, value);
  raw.setHeader('content-type', contentType);
  raw.setHeader('cache-control', 'no-store');
  // Proxies that would collect the stream before they pass it on.
  raw.setHeader('x-accel-buffering', 'no');
  raw.writeHead(200);
}

function beat({ raw }: FastifyReply): void {
  if (!raw.writableNeedDrain && !raw.writableEnded) raw.write(': keep-alive\n\n');
}

function drained({ raw }: FastifyReply): Promise<void> {
  return new Promise((resolve) => raw.once('drain', resolve));
}

// Its own failures on the way out have no one to hear them; the handler's `finally` blocks run all the same.
function leave(source: AsyncIterator<unknown>): void {
  source.return?.().then(undefined, () => undefined);
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
