import { readFileSync } from 'node:fs';
import type { DescService } from '@bufbuild/protobuf';
import type { FastifyInstance } from 'fastify';
import { readProtoComments } from '../../base/proto-comments.ts';
import { makeStaticFile, sendStaticFile } from '../static-file.ts';
import { openApiDocument } from './document.ts';

export { openApiDocument } from './document.ts';

export interface OpenApiRoutesOptions {
  services: readonly DescService[];
  pathPrefix: string;
}

/**
 * `GET /openapi.json`: the contract as OpenAPI 3.1, generated once from the descriptors. `GET /docs`: a page that shows it and
 * lets users signed in to the console send requests. The page loads nothing from elsewhere and runs no inline script.
 */
export function registerOpenApi(app: FastifyInstance, { services, pathPrefix }: OpenApiRoutesOptions): void {
  const comments = readProtoComments(readFileSync(new URL('../../gen/descriptors.binpb', import.meta.url)));
  const { version } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'));
  const document = openApiDocument({ services, comments, version, serverUrl: pathPrefix || '/' });
  serve(app, '/openapi.json', 'application/json; charset=utf-8', JSON.stringify(document));
  serve(app, '/docs', 'text/html; charset=utf-8', page('docs.html'), contentSecurityPolicy);
  for (const name of ['app', 'dom', 'operation', 'schema', 'send'])
    serve(app, `/docs/${name}.js`, 'text/javascript; charset=utf-8', page(`${name}.js`));
  serve(app, '/docs/favicon.svg', 'image/svg+xml', page('favicon.svg'));
  serve(app, '/docs/style.css', 'text/css; charset=utf-8', page('docs-style.css'));
}

const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

function page(name: string): string {
  return readFileSync(new URL(`page/${name}`, import.meta.url), 'utf8');
}

function serve(app: FastifyInstance, path: string, type: string, body: string, policy?: string): void {
  const file = makeStaticFile(type, body, {
    headers: {
      'cache-control': 'no-cache',
      'x-content-type-options': 'nosniff',
      ...(policy !== undefined && { 'content-security-policy': policy, 'referrer-policy': 'no-referrer' }),
    },
  });
  app.get(path, async (request, reply) => sendStaticFile(request, reply, file));
}
