import type { FastifyInstance } from 'fastify';
import type { Readiness } from './readiness.ts';

/** `GET /healthz`: the process is alive. `GET /readyz`: it can answer calls; 503 with the reason when it can't. */
export function registerProbes(app: FastifyInstance, readiness: Readiness): void {
  app.get('/healthz', async () => ({ status: 'ok' }));
  app.get('/readyz', async (_request, reply) => {
    const problem = readiness.problem();
    return reply
      .code(problem === undefined ? 200 : 503)
      .send(problem === undefined ? { status: 'ok' } : { status: problem });
  });
}
