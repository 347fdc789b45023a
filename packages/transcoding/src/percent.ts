const percent = 37;

/**
 * Decodes percent-escapes as UTF-8, once. Returns undefined for a bad escape or bytes that are not UTF-8.
 * `+` is not a space here.
 */
export function percentDecode(text: string): string | undefined {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** Like `percentDecode`, but leaves `%2F` as it is, since a slash would begin another segment here. */
export function percentDecodeKeepingSlashes(text: string): string | undefined {
  if (!text.includes('%')) return text;
  const parts = text.split(/(%2[Ff])/);
  for (let index = 0; index < parts.length; index += 2) {
    const decoded = percentDecode(parts[index] ?? '');
    if (decoded === undefined) return undefined;
    parts[index] = decoded;
  }
  return parts.join('');
}

/**
 * The path with escapes of unreserved characters decoded, which is equivalent (RFC 3986, section 6.2.2.2). All other escapes are
 * unchanged.
 */
export function withPlainUnreserved(path: string): string {
  if (!path.includes('%')) return path;
  return path.replace(/%[2-7][0-9A-Fa-f]/g, (escaped) => {
    const character = String.fromCharCode(Number.parseInt(escaped.slice(1), 16));
    return /[A-Za-z0-9\-._~]/.test(character) ? character : escaped;
  });
}

/**
 * For Fastify's `rewriteUrl`. Fastify's router answers a path with a bad escape itself, with its own message; with this, such a
 * path reaches the routes, as text that no route matches literally. The transcoder reads `originalUrl`.
 */
export function routableUrl({ url = '/' }: { url?: string | undefined }): string {
  const queryStart = url.indexOf('?');
  const path = queryStart < 0 ? url : url.slice(0, queryStart);
  if (percentDecode(path) !== undefined) return url;
  let routable = '';
  for (let at = 0; at < path.length; at++) routable += path.charCodeAt(at) === percent ? '%25' : path[at];
  return queryStart < 0 ? routable : routable + url.slice(queryStart);
}
