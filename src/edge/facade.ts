import type { Readable } from 'node:stream';
import { RestError } from '@intelligence-api/transcoding';
import { FastifyCall, RunningCalls } from '@intelligence-api/transcoding/parts';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { FailureError } from '../base/failure.ts';
import type { AdmittedCall } from './admitted-call.ts';
import { sendText } from './compression.ts';
import type { Gate } from './gate.ts';
import type { PlaceOf } from './places.ts';
import { headersOf, type Refusal } from './refusal.ts';

/** One request to a facade. */
export class FacadeCall extends FastifyCall<AdmittedCall> {
  /** Set once the request has been read and converted to ours: maps our fields to the caller's. */
  placeOf: PlaceOf | undefined;
}

/** What every facade of another API receives. */
export interface FacadeOptions {
  gate: Gate;
  pathPrefix: string;
  /** The largest chat body, after decompression. */
  bodyBytes: number;
  /** Ends the calls still running; its reason is a `FailureError`, which their callers receive. */
  shutdownSignal: AbortSignal;
}

/** A refusal in another API's own format. */
export interface PrintedRefusal {
  status: number;
  body: object;
  /** Headers that the API adds. */
  headers?: Record<string, string>;
}

/** Prints a refusal in the API's own format. `error`: what was thrown. `placeOf`: as in `FacadeCall`. */
export type PrintRefusal = (
  refusal: Refusal,
  requestId: string | undefined,
  error: unknown,
  placeOf: PlaceOf | undefined,
) => PrintedRefusal;

/**
 * Runs a facade's requests: the facade reads bodies itself, each call ends whatever happens, and errors are answered in that
 * API's format.
 */
export function createFacade(
  instance: FastifyInstance,
  {
    gate,
    shutdownSignal,
    printRefusal,
  }: Pick<FacadeOptions, 'gate' | 'shutdownSignal'> & { printRefusal: PrintRefusal },
): (
  request: FastifyRequest,
  reply: FastifyReply,
  answer: (http: FacadeCall) => Promise<void>,
) => Promise<FastifyReply> {
  const running = new RunningCalls(shutdownSignal);
  instance.removeAllContentTypeParsers();
  instance.addContentTypeParser('*', (_request, _payload, parsed) => parsed(null, undefined));

  async function refuse(thrown: unknown, http: FacadeCall, reply: FastifyReply): Promise<void> {
    const error = thrown instanceof RestError ? new FailureError(thrown.problem) : thrown;
    const { admitted } = http;
    if (admitted) gate.abandon(admitted, error);
    const requestId = admitted?.requestId ?? http.replyHeaders['x-request-id'];
    const refusal = gate.refuse(error, requestId);
    if (reply.sent) return;
    const { status, body, headers } = printRefusal(refusal, requestId, error, http.placeOf);
    reply.code(status).headers({ ...headersOf(refusal), ...headers });
    await sendJson(reply, http, body);
  }

  return (request, reply, answer) => {
    const http = new FacadeCall(request, reply);
    running.add(http);
    return answer(http)
      .catch((error: unknown) => refuse(error, http, reply))
      .finally(() => {
        http.finish();
        running.delete(http);
      })
      .then(() => reply);
  };
}

const jsonType = 'application/json; charset=utf-8';

/** Sends a JSON body, given as an object or as a stream of its text. */
export async function sendJson(reply: FastifyReply, http: FacadeCall, body: object | Readable): Promise<void> {
  if (http.isGone) reply.hijack();
  // Streamed text is too large to be compressed in one go.
  else if ('pipe' in body) reply.headers(http.replyHeaders).type(jsonType).send(body);
  else await sendText(reply.headers(http.replyHeaders), jsonType, JSON.stringify(body));
}
