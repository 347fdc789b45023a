import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { FailureError, invalid, unwrap } from '../../base/failure.ts';
import type { Session, Sessions } from '../../sessions/index.ts';
import { cookieFor, sessionSecretOf } from './cookies.ts';
import { checkFromConsole } from './from-console.ts';

const bodyBytesMax = 16_384;

/** A part of the server for the console's own routes: bodies are JSON, and no answer may be cached. */
export function registerConsoleRoutes(app: FastifyInstance, register: (routes: FastifyInstance) => void): void {
  app.register(async (routes) => {
    acceptJson(routes);
    routes.addHook('onRequest', async (_request, reply) => {
      reply.header('cache-control', 'no-store');
    });
    register(routes);
  });
}

/** The session of a request sent by a page of this service. Throws when there is none. */
export async function signedIn(
  request: FastifyRequest,
  sessions: Pick<Sessions, 'verify'>,
): Promise<{ session: Session; secret: string }> {
  unwrap(checkFromConsole(browserRequest(request)));
  const secret = secretOf(request) ?? '';
  return { session: unwrap(await sessions.verify(secret, { peer: request.ip })), secret };
}

/** Accepts only JSON bodies in this part of the server. */
function acceptJson(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'string', bodyLimit: bodyBytesMax },
    (_request, body, done) => {
      try {
        done(null, body === '' ? undefined : JSON.parse(String(body)));
      } catch {
        done(new FailureError(invalid('body', 'is no JSON')));
      }
    },
  );
  app.setErrorHandler((error) => {
    if ((error as { code?: unknown }).code === 'FST_ERR_CTP_BODY_TOO_LARGE')
      throw new FailureError({ kind: 'payload_too_large', limitBytes: bodyBytesMax });
    throw error;
  });
}

export function forgetCookie(request: FastifyRequest, reply: FastifyReply): void {
  const cookie = cookieFor(isSecure(request), request.headers);
  if (cookie) reply.header('set-cookie', `${cookie.name}=; ${cookie.attributes}; Max-Age=0`);
}

/** Whether the request came over TLS to this service, or to a trusted proxy that says so. */
export function isSecure({ protocol }: FastifyRequest): boolean {
  return protocol === 'https';
}

export function secretOf({ raw }: FastifyRequest): string | undefined {
  return sessionSecretOf(raw);
}

export function browserRequest({ method, headers }: FastifyRequest) {
  return { httpMethod: method, header: (name: string) => headers[name]?.toString() };
}

export function agentOf({ headers }: FastifyRequest): string {
  return (headers['user-agent'] ?? '').replace(/[^\x20-\x7e]/g, '?');
}

export function timestamp(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
