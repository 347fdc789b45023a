import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { makeStaticFile, type StaticFile, sendStaticFile } from '../static-file.ts';
import { aheadFile, readAhead } from './ahead.ts';

/** The page's own policy: nothing from other origins, no inline scripts or styles, no framing, no markup made from text. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

const fileHeaders = { 'cross-origin-resource-policy': 'same-origin' };
const pageHeaders = {
  ...fileHeaders,
  'cache-control': 'no-cache',
  'content-security-policy': contentSecurityPolicy,
  'cross-origin-opener-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'permissions-policy':
    'accelerometer=(), camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()',
};

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.webmanifest': 'application/manifest+json',
  '.txt': 'text/plain; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
};

const unbuilt =
  'The console is not built: run "npm run build:console" and start the service again. The API works without it.\n';

const gone = 'This file belongs to another build of the console. Reload the page.\n';

/**
 * The console's files, read into memory once and served at fixed paths: no request path ever reaches the file system. Any other
 * path below `/console/` is a place in the console, so it is answered with its page.
 */
export function registerConsoleFiles(app: FastifyInstance, folder: string): void {
  const files = readFiles(folder);
  const page = files.get('index.html');
  const ahead = readAhead(folder);
  app.get('/console', async (_request, reply) => reply.redirect('/console/'));
  app.get('/console/*', async (request, reply) => {
    const path = (request.params as { '*': string })['*'];
    if (!page)
      return reply.code(503).header('cache-control', 'no-store').type('text/plain; charset=utf-8').send(unbuilt);
    const file = files.get(path);
    // A page from an earlier build requests files that no longer exist: the answer must not be a page.
    if (!file && path.startsWith('assets/'))
      return reply.code(404).header('cache-control', 'no-store').type('text/plain; charset=utf-8').send(gone);
    if (file) return sendStaticFile(request, reply, file);
    const link = ahead(path, request.headers['accept-language']);
    if (link !== undefined) reply.headers({ link, vary: 'accept-language' });
    return sendStaticFile(request, reply, page);
  });
}

/** By path below `/console/`. Empty without a build. */
function readFiles(folder: string): Map<string, StaticFile> {
  const files = new Map<string, StaticFile>();
  if (!existsSync(folder)) return files;
  const names = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(folder.length).replace(/^\/+/, ''));
  for (const name of names) {
    const type = types[extname(name)];
    if (type === undefined || name === aheadFile) continue;
    const packed = (suffix: string) =>
      names.includes(name + suffix) ? readFileSync(join(folder, name + suffix)) : undefined;
    const [gzip, brotli] = [packed('.gz'), packed('.br')];
    files.set(
      name,
      makeStaticFile(type, readFileSync(join(folder, name)), {
        ...(gzip && { gzip }),
        ...(brotli && { brotli }),
        headers: headersOf(name),
      }),
    );
  }
  return files;
}

function headersOf(name: string): Record<string, string> {
  if (extname(name) === '.html') return pageHeaders;
  // Their names change with their content.
  const forGood = name.startsWith('assets/');
  return { ...fileHeaders, 'cache-control': forGood ? 'public, max-age=31536000, immutable' : 'no-cache' };
}
