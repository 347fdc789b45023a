import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { constants, Http2ServerRequest } from 'node:http2';
import type { FastifyInstance } from 'fastify';
import { type Failure, FailureError } from '../base/failure.ts';
import type { AnonymousBudget } from '../limits/index.ts';
import { refusedLifeMs } from './carrier.ts';
import { connectionOf } from './connections.ts';

export interface AnonymousRequestOptions {
  budget: AnonymousBudget;
  /** Whether the request shows a credential that this route checks; if so, it is counted there. */
  checksCredential(path: string, request: IncomingMessage): boolean;
  /** RPC paths refuse in their protocol's own framing, after asking `refusalOf`. */
  isRpc(path: string): boolean;
  /** The total time, in milliseconds, that a request to a path may take: sending, answering and reading. */
  lifeMs(path: string | undefined): number;
}

/** Whether there is a non-empty `Authorization` header; an empty one does not count. */
export function showsCredential({ authorization }: Pick<IncomingHttpHeaders, 'authorization'>): boolean {
  return authorization !== undefined && authorization !== '';
}

const refusals = new WeakMap<IncomingMessage, Failure>();

/** Why a request without a credential must not be served; undefined if it may be. */
export function refusalOf(request: IncomingMessage): Failure | undefined {
  return refusals.get(request);
}

/** Counts requests without a credential, on every path, before any of their body is read. */
export function limitAnonymousRequests(app: FastifyInstance, options: AnonymousRequestOptions): void {
  const { budget, checksCredential, isRpc, lifeMs } = options;
  app.addHook('onRequest', (request, reply, done) => {
    const { raw, routeOptions } = request;
    const path = routeOptions.url;
    if (path !== undefined && checksCredential(path, raw)) {
      done();
      return;
    }
    const entered = budget.enter(request.ip, connectionOf(raw));
    if (!entered.ok) {
      boundLife(raw, reply.raw, refusedLifeMs);
      if (path === undefined || !isRpc(path)) {
        done(new FailureError(entered.failure));
        return;
      }
      refusals.set(raw, entered.failure);
      done();
      return;
    }
    boundLife(raw, reply.raw, lifeMs(path));
    reply.raw.once('close', entered.value);
    done();
  });
}

function boundLife(request: IncomingMessage, response: ServerResponse, ms: number): void {
  const ending = setTimeout(end, ms, request);
  ending.unref();
  response.once('close', () => clearTimeout(ending));
}

function end(request: IncomingMessage): void {
  const message: object = request;
  if (message instanceof Http2ServerRequest) message.stream.close(constants.NGHTTP2_CANCEL);
  else request.socket.destroy();
}
