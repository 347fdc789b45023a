import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { constants, Http2ServerRequest } from 'node:http2';
import type { FastifyInstance } from 'fastify';
import { type Failure, FailureError } from '../base/failure.ts';
import type { AnonymousBudget } from '../limits/index.ts';
import { refusedLifeMs } from './carrier.ts';
import { connectionOf } from './connections.ts';

export interface AnonymousRequestOptions {
  budget: AnonymousBudget;
  /** Whether the request shows a credential that what is served at the route's path looks at: it is counted there. */
  checksCredential(path: string, request: IncomingMessage): boolean;
  /** RPCs refuse in the framing of their protocol, once `refusalOf` tells them. */
  isRpc(path: string): boolean;
  /** How long a request to a path may take in all: to send, to answer and to read; in milliseconds. */
  lifeMs(path: string | undefined): number;
}

/** Whether there is an `Authorization` that says something: an empty one is none. */
export function showsCredential({ authorization }: Pick<IncomingHttpHeaders, 'authorization'>): boolean {
  return authorization !== undefined && authorization !== '';
}

const refusals = new WeakMap<IncomingMessage, Failure>();

/** Why a request without a credential must not be served; undefined: it may be. */
export function refusalOf(request: IncomingMessage): Failure | undefined {
  return refusals.get(request);
}

/** Counts requests without a credential, on every path, before anything of them is read. */
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
