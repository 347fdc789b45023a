import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

const methods = ['DELETE', 'GET', 'HEAD', 'PATCH', 'POST', 'PUT'] as const;

/**
 * Answers OPTIONS (RFC 9110, section 9.3.7) for paths that are not the transcoder's, which answers for its own: what may
 * be asked of a path is no secret. RPCs take any method of HTTP and refuse all but theirs, which `rpcs` knows.
 */
export function registerOptions(app: FastifyInstance, rpcs: ReadonlyMap<string, readonly string[]>): void {
  app.addHook('onRequest', async (request: FastifyRequest, reply: FastifyReply) => {
    if (request.method !== 'OPTIONS' || reply.sent) return undefined;
    const path = request.originalUrl.split('?', 1)[0] ?? '';
    const allow = rpcs.get(path) ?? methods.filter((method) => app.hasRoute({ url: path, method }));
    // The service as a whole (RFC 9110, section 9.3.7): reachable, and no more to say.
    if (path === '*') return reply.code(204).send();
    if (allow.length === 0) return undefined;
    return reply
      .code(204)
      .header('allow', [...allow, 'OPTIONS'].sort().join(', '))
      .send();
  });
}
