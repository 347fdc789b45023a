import type { FastifyReply } from 'fastify';
import type { StreamChatResponse } from '../../gen/intelligence/chat/v1/chat_service_pb.ts';
import { TurnWriter } from '../rest/index.ts';
import type { OpenAiArrival } from './arrival.ts';
import { CompletionChunks } from './reply.ts';
import type { CompletionRequest } from './request.ts';

const heartbeatMs = 15_000;

/**
 * Sends a reply as server-sent chunks, as fast as the caller reads. Rejects, with nothing sent, when it fails before its
 * first piece; later an error is the last event, and `[DONE]` does not follow.
 */
export async function sendChunks(options: {
  messages: AsyncIterable<StreamChatResponse>;
  request: CompletionRequest;
  requestId: string;
  arrival: OpenAiArrival;
  reply: FastifyReply;
  printError: (error: unknown) => string;
}): Promise<void> {
  const { arrival, reply, request, requestId } = options;
  const source = options.messages[Symbol.asyncIterator]();
  const first = await source.next();
  const chunks = new CompletionChunks({ requestId, model: request.model, includeUsage: request.includeUsage });
  const { raw } = reply;
  begin(reply, arrival);
  const writer = new TurnWriter(raw);
  const heartbeat = setInterval(() => {
    if (!raw.writableNeedDrain) raw.write(': keep-alive\n\n');
  }, heartbeatMs);
  try {
    writer.write(event(chunks.first()));
    for (let result = first; !result.done; result = await source.next()) {
      heartbeat.refresh();
      const text = chunks.of(result.value).map(event).join('');
      if (!writer.write(text)) await drained(arrival, reply);
    }
    writer.end('data: [DONE]\n\n');
  } catch (error) {
    if (!arrival.isGone) writer.end(`data: ${options.printError(error)}\n\n`);
  } finally {
    clearInterval(heartbeat);
    source.return?.().then(undefined, () => undefined);
  }
}

function begin(reply: FastifyReply, arrival: OpenAiArrival): void {
  // From here on the raw reply is ours; what hooks have set on Fastify's goes along.
  reply.hijack();
  const { raw } = reply;
  for (const [name, value] of Object.entries({ ...reply.getHeaders(), ...arrival.replyHeaders }))
    if (value !== undefined) raw.setHeader(name, value);
  raw.setHeader('content-type', 'text/event-stream; charset=utf-8');
  raw.setHeader('cache-control', 'no-store');
  raw.setHeader('x-accel-buffering', 'no');
  raw.writeHead(200);
}

function drained(arrival: OpenAiArrival, { raw }: FastifyReply): Promise<void> {
  return new Promise((resolve, reject) => {
    const go = () => {
      arrival.signal.removeEventListener('abort', leave);
      resolve();
    };
    const leave = () => {
      raw.off('drain', go);
      reject(arrival.signal.reason);
    };
    raw.once('drain', go);
    arrival.signal.addEventListener('abort', leave, { once: true });
  });
}

function event(chunk: object): string {
  return `data: ${JSON.stringify(chunk)}\n\n`;
}
