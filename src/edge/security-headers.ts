import type { FastifyInstance } from 'fastify';

/**
 * Headers that every reply has: no guessing of types, and over TLS, TLS from now on. What a page needs beyond these
 * (content security policy, framing, referrer) is set where the page is served.
 */
export function registerSecurityHeaders(app: FastifyInstance, { tls }: { tls: boolean }): void {
  app.addHook('onRequest', (_request, reply, done) => {
    // On Fastify's reply: a single header of Node's own would make it take all others one by one.
    reply.header('x-content-type-options', 'nosniff');
    if (tls) reply.header('strict-transport-security', 'max-age=31536000');
    done();
  });
}
