/**
 * Whether a representation with this strong entity tag is one of those that `If-None-Match` names: compared weakly, in a list, or as
 * `*` (RFC 9110, section 13.1.2). What is no entity tag matches nothing.
 */
export function isNoneMatch(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  if (header.trim() === '*') return true;
  // A tag may hold a comma, so that the list cannot be split at them.
  for (const [, opaque] of header.matchAll(/(?:W\/)?("[\x21\x23-\x7e\x80-\xff]*")/g)) if (opaque === etag) return true;
  return false;
}
