import type { FastifyInstance } from 'fastify';

/**
 * Headers that every reply has: no guessing of types, and over TLS, TLS from now on. What a page needs beyond these
 * (content security policy, framing, referrer) is set where the page is served.
 */
export function registerSecurityHeaders(app: FastifyInstance, { tls }: { tls: boolean }): void {
  app.addHook('onRequest', (_request, reply, done) => {
    reply.raw.setHeader('x-content-type-options', 'nosniff');
    if (tls) reply.raw.setHeader('strict-transport-security', 'max-age=31536000');
    done();
  });
}
