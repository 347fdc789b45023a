/**
 * Makes the trailers of a call spell `grpc-message` as gRPC does: only what is not printable ASCII, and `%`, is escaped (its
 * HTTP/2 protocol, "Responses"; gRPC-Web's trailers are the same). Connect escapes it as a part of a URI, and @grpc/grpc-js
 * undoes only half of that, others nothing at all: their callers would read `text%3A must be`.
 */
export function spellMessage(trailers: Headers): void {
  const set = trailers.set.bind(trailers);
  Object.assign(trailers, {
    set: (name: string, value: string) => set(name, name.toLowerCase() === 'grpc-message' ? spelled(value) : value),
  });
}

/** From the escapes of `encodeURIComponent` to those of gRPC. A blank at either end stays escaped, for HTTP drops it there. */
export function spelled(message: string): string {
  return message.replace(/%[2-7][0-9A-F]/g, (escaped, at: number) => {
    const isAtEnd = at === 0 || at + escaped.length === message.length;
    if (escaped === '%25' || escaped === '%7F' || (escaped === '%20' && isAtEnd)) return escaped;
    return String.fromCharCode(Number.parseInt(escaped.slice(1), 16));
  });
}

/** How messages may be compressed, both ways of a call but that replies of the lane for HTTP/2's streams are never `br`. */
export const acceptedEncodings = 'identity,gzip,br';

const known = acceptedEncodings.split(',');

/** Whether a message may be compressed so, by `grpc-encoding`. */
export function isKnownEncoding(encoding: string): boolean {
  return known.includes(encoding);
}

/** For an unknown encoding, UNIMPLEMENTED comes with the list of supported ones (gRPC's compression.md). */
export function offerEncodings(request: Headers, reply: Headers): void {
  const encoding = request.get('grpc-encoding');
  if (encoding !== null && !isKnownEncoding(encoding)) reply.set('grpc-accept-encoding', acceptedEncodings);
}
