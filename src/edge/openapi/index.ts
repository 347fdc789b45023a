import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import type { DescService } from '@bufbuild/protobuf';
import { acceptsGzip } from '@intelligence-api/transcoding/parts';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { readProtoComments } from '../../base/proto-comments.ts';
import { addVary } from '../compression.ts';
import { isNoneMatch } from '../conditional.ts';
import { openApiDocument } from './document.ts';

export { openApiDocument } from './document.ts';

export interface OpenApiRoutesOptions {
  services: readonly DescService[];
  pathPrefix: string;
}

/**
 * `GET /openapi.json`: the contract as OpenAPI 3.1, made once from the descriptors. `GET /docs`: a page that shows it
 * and sends requests. The page loads nothing from elsewhere and runs no inline script.
 */
export function registerOpenApi(app: FastifyInstance, { services, pathPrefix }: OpenApiRoutesOptions): void {
  const comments = readProtoComments(readFileSync(new URL('../../gen/descriptors.binpb', import.meta.url)));
  const { version } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'));
  const document = openApiDocument({ services, comments, version, serverUrl: pathPrefix || '/' });
  serve(app, '/openapi.json', 'application/json; charset=utf-8', JSON.stringify(document));
  serve(app, '/docs', 'text/html; charset=utf-8', page('docs.html'), contentSecurityPolicy);
  serve(app, '/docs/app.js', 'text/javascript; charset=utf-8', page('docs-app.js'));
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
].join('; ');

function page(name: string): string {
  return readFileSync(new URL(`page/${name}`, import.meta.url), 'utf8');
}

function serve(app: FastifyInstance, path: string, type: string, body: string, policy?: string): void {
  const digest = createHash('sha256').update(body).digest('base64url').slice(0, 22);
  const packed = gzipSync(body, { level: 9 });
  app.get(path, async (request, reply): Promise<FastifyReply> => {
    const isPacked = acceptsGzip(request.headers['accept-encoding']);
    // Strong tags differ where the bytes do (RFC 9110, section 8.8.3.3).
    const etag = isPacked ? `"${digest}-gzip"` : `"${digest}"`;
    addVary(reply);
    reply.header('etag', etag).header('cache-control', 'no-cache').header('x-content-type-options', 'nosniff');
    if (policy !== undefined) reply.header('content-security-policy', policy).header('referrer-policy', 'no-referrer');
    if (isNoneMatch(request.headers['if-none-match'], etag)) return reply.code(304).send();
    reply.type(type);
    return isPacked ? reply.header('content-encoding', 'gzip').send(packed) : reply.send(body);
  });
}
