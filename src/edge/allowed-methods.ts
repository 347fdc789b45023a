import { METHODS } from 'node:http';
import type { DescMethod } from '@bufbuild/protobuf';
import { methodRules } from '@intelligence-api/transcoding';
import { Matcher } from '@intelligence-api/transcoding/parts';
import type { FastifyInstance } from 'fastify';
import { type Failure, FailureError } from '../base/failure.ts';

/** The HTTP methods served on at least one path. */
export const servedAnywhere = ['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT'] as const;

/** The HTTP methods that each path accepts. */
export interface AllowedMethods {
  /** Sorted, without OPTIONS, which every known path accepts; empty for an unknown path. */
  at(path: string): string[];
  /** Why a path has no route for a method: 405 if the path is known, otherwise 404. */
  missing(path: string): Failure;
}

export interface AllowedMethodsOptions {
  /** By path: RPC routes are registered for any HTTP method but accept only these. */
  rpcs: ReadonlyMap<string, readonly string[]>;
  /** The methods whose HTTP rules are served, and their path prefix. */
  transcoded: { methods: readonly DescMethod[]; pathPrefix: string };
}

/**
 * Knows the methods of every path, and answers OPTIONS and unlisted methods (RFC 9110, sections 9.3.7 and 15.5.6) wherever the
 * transcoder does not; the methods a path accepts are no secret. Must be called before any route is registered.
 */
export function allowMethods(app: FastifyInstance, { rpcs, transcoded }: AllowedMethodsOptions): AllowedMethods {
  const routes = routesOf(app, `${transcoded.pathPrefix}/*`);
  const rules = rulesOf(transcoded);
  const at = (path: string) => {
    const rpc = rpcs.get(path);
    if (rpc) return [...rpc];
    const match = rules.find('', path);
    return [...new Set([...routes(path), ...(match.kind === 'wrong_method' ? match.allow : [])])].sort();
  };
  const missing = (path: string): Failure => {
    const allow = at(path);
    if (allow.length > 0) return { kind: 'method_not_allowed', allow };
    const meant = nearPaths(path).find((near) => at(near).length > 0);
    return { kind: 'route_not_found', ...(meant !== undefined && { meant }) };
  };
  app.addHook('onRequest', async ({ method, originalUrl }, reply) => {
    if (reply.sent) return undefined;
    const path = pathOf(originalUrl);
    if (method !== 'OPTIONS') {
      if (!isServedAnywhere(method) || rpcs.get(path)?.includes(method) === false)
        throw new FailureError(missing(path));
      return undefined;
    }
    // The service as a whole: it is reachable, and that is all there is to say.
    if (path === '*') return reply.code(204).send();
    const allow = at(path);
    if (allow.length === 0) return undefined;
    return reply
      .code(204)
      .header('allow', [...allow, 'OPTIONS'].sort().join(', '))
      .send();
  });
  return { at, missing };
}

/** The path of a request target, as sent. */
export function pathOf(target: string): string {
  return target.split('?', 1)[0] ?? '';
}

/** Whether Node, and hence this service over HTTP/1.1, knows an HTTP method at all. */
export function isKnownMethod(method: string): boolean {
  return known.has(method);
}

const known: ReadonlySet<string> = new Set(METHODS);

function isServedAnywhere(method: string): boolean {
  return (servedAnywhere as readonly string[]).includes(method);
}

/** The methods of Fastify's routes for a path, excluding the catch-all route. */
function routesOf(app: FastifyInstance, leftOver: string): (path: string) => string[] {
  const exact = new Map<string, Set<string>>();
  const below = new Map<string, Set<string>>();
  app.addHook('onRoute', ({ method, url }) => {
    if (url === leftOver) return;
    const into = url.endsWith('/*') ? below : exact;
    const path = url.endsWith('/*') ? url.slice(0, -1) : url;
    const methods = into.get(path) ?? new Set<string>();
    into.set(path, methods);
    for (const each of [method].flat()) methods.add(each);
  });
  return (path) => [
    ...(exact.get(path) ?? []),
    ...[...below].filter(([start]) => path.startsWith(start)).flatMap(([, methods]) => [...methods]),
  ];
}

function rulesOf({ methods, pathPrefix }: AllowedMethodsOptions['transcoded']): Matcher<true> {
  const matcher = new Matcher<true>(pathPrefix);
  const seen = new Set<string>();
  for (const method of methods)
    for (const { httpMethod, template } of methodRules(method)) {
      // A unary and a streaming method may share a path.
      const key = `${httpMethod} ${template.segments.map(String).join('/')}:${template.verb}`;
      if (!seen.has(key)) matcher.add(httpMethod, template, method.name, true);
      seen.add(key);
    }
  return matcher;
}

/** The path with the other kind of base URL: OpenAI clients expect one that ends in `/v1`, Anthropic clients one that does not. */
function nearPaths(path: string): string[] {
  if (path.length > 100) return [];
  return path.includes('/v1/v1/')
    ? [path.replace('/v1/v1/', '/v1/')]
    : [path.replace(/\/(?=[a-z]+(\/[a-z_]+)?$)/, '/v1/')];
}
