import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';

/**
 * Sends `grpc-message` as gRPC spells it: only what is not printable ASCII, and `%`, is escaped (its HTTP/2 protocol,
 * "Responses"). Connect escapes it as a part of a URI, and @grpc/grpc-js undoes only half of that: its callers would read
 * `text%3A must be`.
 */
export function spellMessage(response: Pick<ServerResponse, 'addTrailers'>): void {
  const addTrailers = response.addTrailers.bind(response);
  response.addTrailers = (trailers: OutgoingHttpHeaders) => {
    const message = trailers['grpc-message'];
    addTrailers(typeof message === 'string' ? { ...trailers, 'grpc-message': spelled(message) } : trailers);
  };
}

/** From the escapes of `encodeURIComponent` to those of gRPC. */
export function spelled(message: string): string {
  return message.replace(/%[2-7][0-9A-F]/g, (escaped) =>
    escaped === '%25' || escaped === '%7F' ? escaped : String.fromCharCode(Number.parseInt(escaped.slice(1), 16)),
  );
}
