import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { acceptsGzip } from '@intelligence-api/transcoding/parts';
import type { FastifyReply } from 'fastify';

/** Shorter bodies are sent as they are. */
const gzipBytesMin = 1024;
const compress = promisify(gzip);

/** Sends text that may differ from reply to reply, compressed if the caller accepts that and it is worthwhile. */
export async function sendText(reply: FastifyReply, type: string, text: string): Promise<void> {
  reply.type(type);
  if (text.length < gzipBytesMin) return void reply.send(text);
  addVary(reply);
  if (!acceptsGzip(reply.request.headers['accept-encoding'])) return void reply.send(text);
  const compressed = await compress(text);
  if (!reply.sent) reply.header('content-encoding', 'gzip').send(compressed);
}

/** Adds `Accept-Encoding` to what the reply varies by. */
export function addVary(reply: FastifyReply): void {
  const vary = reply.getHeader('vary');
  reply.header('vary', vary === undefined ? 'accept-encoding' : `${String(vary)}, accept-encoding`);
}
