import type { Message } from '@bufbuild/protobuf';
import type { FastifyReply } from 'fastify';
import type { Call } from './context.ts';
import type { RestError } from './errors.ts';
import type { StreamFormat } from './negotiation.ts';
import type { Printer } from './printing.ts';
import { TurnWriter } from './turn-writer.ts';

interface StreamOptions {
  messages: AsyncIterable<Message>;
  printer: Printer;
  format: StreamFormat;
  call: Call;
  reply: FastifyReply;
  heartbeatMs: number;
  /** The body of an error, as the product prints it. */
  printError: (error: unknown) => string;
}

/**
 * Sends a stream of messages. Rejects, with nothing sent, when it fails before the first message; afterwards an error
 * is the stream's last event. Waits for the caller to read; stops the source when the caller goes away or the
 * deadline passes.
 */
export async function sendStream(options: StreamOptions): Promise<void> {
  const { call, reply, printer, format } = options;
  const source = options.messages[Symbol.asyncIterator]();
  // Whoever waits is woken by this when the call is stopped.
  let interrupt: ((reason: RestError) => void) | undefined;
  let stopped: RestError | undefined;
  call.whenStopped((reason) => {
    stopped = reason;
    interrupt?.(reason);
  });
  call.watch();
  const next = () => interruptible(() => source.next());

  let first: IteratorResult<Message>;
  try {
    first = await next();
  } catch (error) {
    leave(source);
    throw error;
  }
  const writer = new StreamWriter(reply, printer, format);
  writer.begin(call.replyHeaders, first.done ? undefined : first.value);
  const heartbeat =
    format === 'sse' && !printer.isRaw ? setInterval(() => writer.beat(), options.heartbeatMs) : undefined;
  try {
    for (let result = first; !result.done; result = await next()) {
      heartbeat?.refresh();
      if (!writer.message(result.value)) await interruptible(() => writer.drained());
      // Node sends what is written in one turn together; the first message must not wait for those that are there already.
      if (result === first) await interruptible(nextTurn);
    }
    writer.end();
  } catch (error) {
    leave(source);
    if (call.isGone) return;
    writer.fail(options.printError(error));
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

// Its own failures on the way out have no one to hear them; the handler's `finally` blocks run all the same.
function leave(source: AsyncIterator<Message>): void {
  source.return?.().then(undefined, () => undefined);
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

class StreamWriter {
  private readonly reply: FastifyReply;
  private readonly printer: Printer;
  private readonly format: StreamFormat;
  private readonly text: TurnWriter;

  constructor(reply: FastifyReply, printer: Printer, format: StreamFormat) {
    this.reply = reply;
    this.printer = printer;
    this.format = format;
    this.text = new TurnWriter(reply.raw);
  }

  begin(headers: Record<string, string>, first: Message | undefined): void {
    const { reply } = this;
    // From here on the raw reply is ours; what hooks have set on Fastify's goes along.
    reply.hijack();
    for (const [name, value] of Object.entries(reply.getHeaders()))
      if (value !== undefined) reply.raw.setHeader(name, value);
    for (const [name, value] of Object.entries(headers)) reply.raw.setHeader(name, value);
    reply.raw.setHeader('content-type', this.contentType(first));
    reply.raw.setHeader('cache-control', 'no-store');
    // Proxies that would collect the stream before they pass it on.
    reply.raw.setHeader('x-accel-buffering', 'no');
    reply.raw.writeHead(200);
    // With a first message the head goes in the same packet.
    if (!first) reply.raw.flushHeaders?.();
  }

  /** False when the caller reads more slowly than we write. */
  message(message: Message): boolean {
    if (this.printer.isRaw) return this.reply.raw.write(this.printer.raw(message).body);
    const json = this.printer.json(message);
    return this.text.write(this.format === 'sse' ? `data: ${json}\n\n` : `{"result":${json}}\n`);
  }

  /** A comment that keeps proxies from closing a silent stream. */
  beat(): void {
    const { raw } = this.reply;
    if (!raw.writableNeedDrain && !raw.writableEnded) raw.write(': keep-alive\n\n');
  }

  drained(): Promise<void> {
    const { raw } = this.reply;
    return new Promise((resolve) => raw.once('drain', resolve));
  }

  end(): void {
    this.text.end();
  }

  fail(error: string): void {
    const { raw } = this.reply;
    // Bytes of the product's own type have no place for an error: break off, so that it does not look complete.
    if (this.printer.isRaw) raw.destroy();
    else if (this.format === 'sse') this.text.end(`event: error\n${error.replace(/^/gm, 'data: ')}\n\n`);
    else this.text.end(`${error.replaceAll('\n', ' ')}\n`);
  }

  private contentType(first: Message | undefined): string {
    if (this.printer.isRaw) return first ? this.printer.raw(first).contentType : 'application/octet-stream';
    return this.format === 'sse' ? 'text/event-stream; charset=utf-8' : 'application/x-ndjson; charset=utf-8';
  }
}
