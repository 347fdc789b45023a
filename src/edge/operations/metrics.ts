import { carrierOf } from '@intelligence-api/transcoding/parts';
import type { FastifyInstance } from 'fastify';
import type { Caller } from '../../base/caller.ts';
import type { Failure, Result } from '../../base/failure.ts';
import type { AnonymousBudget } from '../../limits/index.ts';
import type { Authenticate } from '../authenticate.ts';
import { keepBriefly } from '../carrier.ts';
import { connectionOf } from '../connections.ts';
import { errorBody } from '../error-body.ts';
import type { RefusalTexts } from '../failures.ts';
import { refusalOf } from '../failures.ts';
import { headersOf } from '../refusal.ts';

export interface MetricsRouteOptions {
  text(): Promise<string>;
  authenticate: Authenticate;
  /** Counts refused credentials. */
  anonymous: AnonymousBudget;
  texts: RefusalTexts;
}

/** `GET /metrics`, for operators only: what the service does and earns is confidential. */
export function registerMetrics(
  app: FastifyInstance,
  { text, authenticate, anonymous, texts }: MetricsRouteOptions,
): void {
  app.get('/metrics', async (request, reply) => {
    const known = await authenticate(request.headers.authorization, { peer: request.ip });
    const isOperator = known.ok && known.value.credential === 'operator';
    if (isOperator) return reply.type('text/plain; version=0.0.4; charset=utf-8').send(await text());
    keepBriefly(carrierOf(reply.raw), connectionOf(request.raw));
    const refusal = refusalOf(failureOf(known, request.ip), texts);
    return reply
      .code(refusal.status)
      .headers(headersOf(refusal))
      .type('application/json')
      .send(errorBody(refusal, undefined));
  });

  function failureOf(known: Result<Caller>, peer: string): Failure {
    if (known.ok) return { kind: 'scope_missing', scope: '', credential: known.value.credential };
    if (known.failure.kind !== 'credential_invalid') return known.failure;
    const counted = anonymous.countRefused(peer);
    return counted.ok ? known.failure : counted.failure;
  }
}
