import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { acceptsGzip } from '@intelligence-api/transcoding/parts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { addVary } from './compression.ts';
import { isNoneMatch } from './conditional.ts';

/** A file served from memory, in precomputed encodings. */
export interface StaticFile {
  readonly type: string;
  readonly body: Buffer;
  readonly gzip: Buffer;
  readonly brotli?: Buffer | undefined;
  /** Of the body, for entity tags. */
  readonly digest: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** `gzip` is computed here unless it is given. */
export function makeStaticFile(
  type: string,
  body: Buffer | string,
  { gzip, brotli, headers = {} }: { gzip?: Buffer; brotli?: Buffer; headers?: Record<string, string> } = {},
): StaticFile {
  const bytes = Buffer.from(body);
  return {
    ...{ type, body: bytes, brotli, headers },
    gzip: gzip ?? gzipSync(bytes, { level: 9 }),
    digest: createHash('sha256').update(bytes).digest('base64url').slice(0, 22),
  };
}

/** Sends a file, or 304 if the caller already has it. */
export function sendStaticFile(request: FastifyRequest, reply: FastifyReply, file: StaticFile): FastifyReply {
  const accepted = request.headers['accept-encoding'];
  const [encoding, bytes] =
    file.brotli && acceptsBrotli(accepted)
      ? (['br', file.brotli] as const)
      : acceptsGzip(accepted)
        ? (['gzip', file.gzip] as const)
        : ([undefined, file.body] as const);
  // Strong tags differ wherever the bytes do (RFC 9110, section 8.8.3.3).
  const etag = encoding === undefined ? `"${file.digest}"` : `"${file.digest}-${encoding}"`;
  addVary(reply);
  reply.headers(file.headers).header('etag', etag);
  if (isNoneMatch(request.headers['if-none-match'], etag)) return reply.code(304).send();
  if (encoding !== undefined) reply.header('content-encoding', encoding);
  return reply.type(file.type).send(bytes);
}

/** Whether the caller names Brotli and does not refuse it (RFC 9110, section 12.5.3). */
function acceptsBrotli(accepted: string | undefined): boolean {
  return (accepted ?? '').split(',').some((entry) => {
    const [name = '', ...parameters] = entry.split(';').map((part) => part.trim().toLowerCase());
    return name === 'br' && !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter));
  });
}
