import type { MessageInitShape } from '@bufbuild/protobuf';
import type { CacheSchema } from '../../gen/intelligence/chat/v1/chat_pb.ts';

/** The longest age that a request may ask for, as limited by the contract. */
const maxAgeMax = 2_592_000;

/**
 * What a request's `Cache-Control` asks of the reply cache (RFC 9111, section 5.2.1). Only a `max-age` with a time opts in: many
 * clients send `no-cache` or `max-age=0` of their own accord and do not want the cache.
 */
export function cacheOf(cacheControl: string | undefined): MessageInitShape<typeof CacheSchema> | undefined {
  if (cacheControl === undefined) return undefined;
  const directives = cacheControl.split(',').map((directive) => directive.trim().toLowerCase());
  if (directives.includes('no-store')) return undefined;
  const seconds = directives.flatMap((directive) => /^max-age="?(\d{1,10})"?$/.exec(directive)?.[1] ?? []).map(Number);
  const maxAgeSeconds = Math.min(...seconds, maxAgeMax);
  if (seconds.length === 0 || maxAgeSeconds === 0) return undefined;
  return { maxAgeSeconds, noCache: directives.includes('no-cache') };
}
