/**
 * Whether `If-None-Match` matches a representation with this strong entity tag: by weak comparison, in a list, or as `*` (RFC
 * 9110, section 13.1.2). Anything that is not an entity tag matches nothing.
 */
export function isNoneMatch(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  if (header.trim() === '*') return true;
  // A tag may contain a comma, so the list cannot be split at commas.
  for (const [, opaque] of header.matchAll(/(?:W\/)?("[\x21\x23-\x7e\x80-\xff]*")/g)) if (opaque === etag) return true;
  return false;
}
