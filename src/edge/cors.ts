import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Call } from '../api/call.ts';
import type { Caller } from '../base/caller.ts';
import { fail, type Result, succeed } from '../base/failure.ts';

/** The response headers that a page may read. */
const exposedHeaders = [
  'x-request-id',
  'x-charge-id',
  'x-charge-usd',
  'x-balance-usd',
  'x-ignored-parameters',
  'retry-after',
  'ratelimit',
  'ratelimit-policy',
  'grpc-status',
  'grpc-message',
  'grpc-status-details-bin',
].join(', ');

type Headers = Pick<Call, 'header' | 'setReplyHeader'>;

const allowed = succeed(undefined);

/**
 * Whether a browser may make this call (Fetch standard, CORS protocol). Pages of other sites may only use access tokens whose key
 * lists their origin: a key sent from a page has leaked to its readers. Clients other than browsers send no `Sec-Fetch-Site` and
 * are not checked.
 */
export function checkOrigin(known: Result<Caller>, incoming: Headers): Result<void> {
  const origin = incoming.header('origin');
  if (origin === undefined) return allowed;
  const site = incoming.header('sec-fetch-site');
  const isOtherSite = site === 'cross-site' || site === 'same-site';
  if (!known.ok) {
    // The page may read why its token was refused; the refusal reveals nothing else.
    if (isOtherSite) letRead(origin, incoming);
    return allowed;
  }
  const caller = known.value;
  if (caller.credential === 'none' || caller.token?.allowedOrigins?.includes(origin)) {
    letRead(origin, incoming);
    return allowed;
  }
  if (!isOtherSite) return allowed;
  letRead(origin, incoming);
  return fail({ kind: 'scope_missing', scope: caller.token ? `origin ${origin}` : '', credential: caller.credential });
}

function letRead(origin: string, incoming: Headers): void {
  incoming.setReplyHeader('access-control-allow-origin', origin);
  incoming.setReplyHeader('access-control-expose-headers', exposedHeaders);
  incoming.setReplyHeader('vary', 'Origin');
}

/**
 * Answers preflights. They carry no credential, so the allowed origins are not known yet: the call itself is checked before
 * anything is done for it.
 */
export function registerPreflight(app: FastifyInstance): void {
  app.addHook('onRequest', async (request: FastifyRequest, reply: FastifyReply) => {
    const { origin, 'access-control-request-method': method } = request.headers;
    if (request.method !== 'OPTIONS' || origin === undefined || method === undefined) return;
    const headers = request.headers['access-control-request-headers'];
    reply
      .code(204)
      .header('access-control-allow-origin', origin)
      .header('access-control-allow-methods', 'GET, POST, PATCH, DELETE')
      .header('access-control-max-age', '600')
      .header('vary', 'Origin, Access-Control-Request-Headers');
    if (headers !== undefined) reply.header('access-control-allow-headers', headers);
    await reply.send();
  });
}
