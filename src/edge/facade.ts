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
  /** There when the request was read and made one of ours: where its fields stand in what the caller sent. */
  placeOf: PlaceOf | undefined;
}

/** What every facade of another API is given. */
export interface FacadeOptions {
  gate: Gate;
  pathPrefix: string;
  /** Largest body of a chat, after decompression. */
  bodyBytes: number;
  /** Ends the calls that still run; its reason is a `FailureError`, and what they hear. */
  shutdownSignal: AbortSignal;
}

/** A refusal in an API's own shape. */
export interface PrintedRefusal {
  status: number;
  body: object;
  /** What that API says in headers. */
  headers?: Record<string, string>;
}

/** Prints a refusal in the API's own shape. `error`: what was thrown. `placeOf`: as `FacadeCall` has it. */
export type PrintRefusal = (
  refusal: Refusal,
  requestId: string | undefined,
  error: unknown,
  placeOf: PlaceOf | undefined,
) => PrintedRefusal;

/**
 * Runs the requests of a facade: bodies are read by the facade itself, each call ends, whatever becomes of it, and what is
 * thrown is answered as that API prints its errors.
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

/** Sends a JSON body, given as an object, or as its text in pieces. */
export async function sendJson(reply: FastifyReply, http: FacadeCall, body: object | Readable): Promise<void> {
  if (http.isGone) reply.hijack();
  // A text in pieces is too large to be compressed at once.
  else if ('pipe' in body) reply.headers(http.replyHeaders).type(jsonType).send(body);
  else await sendText(reply.headers(http.replyHeaders), jsonType, JSON.stringify(body));
}
