import type { FastifyInstance } from 'fastify';
import { FailureError } from '../base/failure.ts';
import type { Gate } from './gate.ts';
import { statusOf } from './grpc/index.ts';
import { requestIdOf } from './request-id.ts';

/** gRPC clients get the answer for an unknown method in gRPC's own framing, whatever else is served at that path. */
export function answerUnknownRpcs(app: FastifyInstance, gate: Gate): void {
  app.addHook('onRequest', async (request, reply) => {
    const contentType = request.headers['content-type'];
    if (!contentType?.startsWith('application/grpc') || request.routeOptions.url === request.url.split('?')[0])
      return undefined;
    const requestId = requestIdOf(request.headers['x-request-id']);
    const refusal = gate.refuse(new FailureError({ kind: 'unimplemented', description: unknownMethod }), requestId);
    const headers = { 'content-type': contentType, 'x-request-id': requestId, ...statusOf(refusal, requestId) };
    reply.hijack();
    // Not writeHead: headers that end() sends together with the end of the stream are the "Trailers-Only" that gRPC requires.
    for (const [name, value] of Object.entries({ ...reply.getHeaders(), ...headers }))
      if (value !== undefined) reply.raw.setHeader(name, value);
    reply.raw.end();
    return reply;
  });
}

const unknownMethod = 'There is no such method. The reflection service lists all methods.';
