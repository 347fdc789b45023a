import type { IncomingMessage } from 'node:http';
import { RestError } from '@intelligence-api/transcoding';
import { readBody } from '@intelligence-api/transcoding/parts';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { FailureError } from '../../base/failure.ts';

/** Takes one signed message from another service. Rejects if it could not be stored; the sender then retries. */
export interface WebhookReceiver {
  /** For example `/webhooks/stripe`. */
  path: string;
  /** The header that holds the signature. */
  signatureHeader: string;
  receive(body: Buffer, signature: string): Promise<'accepted' | 'refused'>;
}

/** Far more than any event that we subscribe to. */
const bodyBytesMax = 512 * 1024;

/**
 * `POST` routes for signed messages from other services. The body is kept as the bytes that were signed; their meaning is up to
 * the receiver. Answers 200 when the message is stored, 400 when its signature is invalid, 503 otherwise.
 */
export function registerWebhooks(app: FastifyInstance, receivers: readonly WebhookReceiver[], log: Logger): void {
  app.register(async (instance) => {
    instance.removeAllContentTypeParsers();
    instance.addContentTypeParser('*', (_request, _payload, parsed) => parsed(null, undefined));
    for (const { path, signatureHeader, receive } of receivers)
      instance.post(path, async (request, reply) => {
        const signature = request.headers[signatureHeader];
        if (typeof signature !== 'string') return reply.code(400).send({ error: 'The signature is missing.' });
        const body = await bytesOf(request.raw);
        try {
          const outcome = await receive(body, signature);
          if (outcome === 'accepted') return reply.send({ received: true });
          log.warn({ path }, 'a webhook with a bad signature was refused');
          return reply.code(400).send({ error: 'The signature is not valid.' });
        } catch (error) {
          log.error({ err: error, path }, 'a webhook could not be kept; its sender will try again');
          return reply.code(503).send({ error: 'Send it again later.' });
        }
      });
  });
}

async function bytesOf(raw: IncomingMessage): Promise<Buffer> {
  try {
    return (await readBody(raw, bodyBytesMax)) ?? Buffer.alloc(0);
  } catch (error) {
    throw error instanceof RestError ? new FailureError(error.problem) : error;
  }
}
