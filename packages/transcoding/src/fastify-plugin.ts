import type { FastifyInstance } from 'fastify';
import { RestError } from './errors.ts';
import { FastifyCall, type RestContext } from './fastify-call.ts';
import type { TranscodingOptions } from './options.ts';
import { servedMethods } from './table.ts';
import { Transcoder } from './transcoder.ts';

/** The plugin's options. `Admitted` is the result of `admit`, which the rest of the call receives. */
export type FastifyTranscodingOptions<Admitted = void> = TranscodingOptions<Admitted, RestContext>;

/**
 * Serves protobuf methods as JSON over HTTP by their `google.api.http` rules (google/api/http.proto, AIP-127).
 *
 * A Fastify plugin with one route, `<prefix>/*`: paths of the instance's other routes go to those. Its body parser is
 * encapsulated, so that other plugins keep theirs. Fastify must be created with `rewriteUrl: routableUrl`, or it answers paths
 * with a bad escape itself. Replies are written to the raw response: `onSend` hooks do not see them, but headers that earlier
 * hooks set on Fastify's reply are included.
 */
export async function fastifyTranscoding<Admitted = void>(
  instance: FastifyInstance,
  options: FastifyTranscodingOptions<Admitted>,
): Promise<void> {
  const transcoder = new Transcoder(options);
  instance.removeAllContentTypeParsers();
  instance.addContentTypeParser('*', (_request, _payload, parsed) => parsed(null, undefined));
  instance.setErrorHandler((error, request, reply) =>
    transcoder.fail(asRestError(error), new FastifyCall<Admitted>(request, reply)),
  );
  instance.route({
    method: servedMethods,
    url: `${options.pathPrefix ?? ''}/*`,
    exposeHeadRoute: false,
    handler: (request, reply) => {
      transcoder.handle(new FastifyCall<Admitted>(request, reply));
    },
  });
}

function asRestError(error: unknown): unknown {
  const code = (error as { code?: unknown } | undefined)?.code;
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE')
    return new RestError({ kind: 'unsupported_media_type', accepted: ['application/json'] });
  return error;
}
