// The adapter for Fastify.
export type { RestContext } from './fastify-call.ts';
export { type RestOptions, rest } from './fastify-plugin.ts';
export { routableUrl } from './percent.ts';
