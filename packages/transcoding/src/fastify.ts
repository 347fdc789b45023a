// The adapter for Fastify.
export type { RestContext } from './fastify-call.ts';
export { type FastifyTranscodingOptions, fastifyTranscoding } from './fastify-plugin.ts';
export { routableUrl } from './percent.ts';
