import type { FastifyInstance } from 'fastify';

/**
 * Headers on every reply: no MIME sniffing and, over TLS, TLS from now on. What a page needs beyond these (content security
 * policy, framing, referrer) is set where the page is served.
 */
export function securityHeaders({ tls }: { tls: boolean }): Readonly<Record<string, string>> {
  return { 'x-content-type-options': 'nosniff', ...(tls && { 'strict-transport-security': 'max-age=31536000' }) };
}

export function registerSecurityHeaders(app: FastifyInstance, { tls }: { tls: boolean }): void {
  const headers = Object.entries(securityHeaders({ tls }));
  app.addHook('onRequest', (_request, reply, done) => {
    // Set on Fastify's reply: with even one header set on Node's response, Node would process all the others one by one.
    for (const [name, value] of headers) reply.header(name, value);
    done();
  });
}
