/**
 * Escapes `grpc-message` in a call's trailers as gRPC does: only non-printable ASCII and `%` (its HTTP/2 protocol, "Responses";
 * gRPC-Web's trailers are the same). Connect escapes it like a URI component; @grpc/grpc-js undoes only half of that and others
 * none, so their callers would read `text%3A must be`.
 */
export function spellMessage(trailers: Headers): void {
  const set = trailers.set.bind(trailers);
  Object.assign(trailers, {
    set: (name: string, value: string) => set(name, name.toLowerCase() === 'grpc-message' ? spelled(value) : value),
  });
}

/** Converts the escapes of `encodeURIComponent` to gRPC's. A space at either end stays escaped, because HTTP strips it there. */
export function spelled(message: string): string {
  return message.replace(/%[2-7][0-9A-F]/g, (escaped, at: number) => {
    const isAtEnd = at === 0 || at + escaped.length === message.length;
    if (escaped === '%25' || escaped === '%7F' || (escaped === '%20' && isAtEnd)) return escaped;
    return String.fromCharCode(Number.parseInt(escaped.slice(1), 16));
  });
}

/** The message compressions accepted in both directions of a call, except that the native HTTP/2 lane never replies with `br`. */
export const acceptedEncodings = 'identity,gzip,br';

const known = acceptedEncodings.split(',');

/** Whether `grpc-encoding` names a supported compression. */
export function isKnownEncoding(encoding: string): boolean {
  return known.includes(encoding);
}

/** For an unknown encoding, UNIMPLEMENTED comes with the list of supported ones (gRPC's compression.md). */
export function offerEncodings(request: Headers, reply: Headers): void {
  const encoding = request.get('grpc-encoding');
  if (encoding !== null && !isKnownEncoding(encoding)) reply.set('grpc-accept-encoding', acceptedEncodings);
}
