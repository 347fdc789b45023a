import type { HandlerContext } from '@connectrpc/connect';

/**
 * Sends `grpc-message` as gRPC spells it: only what is not printable ASCII, and `%`, is escaped (its HTTP/2 protocol,
 * "Responses"; gRPC-Web has it from there). Connect escapes it as a part of a URI, and many clients undo only half of that, or
 * show it as it came: their callers would read `text%3A must be`.
 */
export function spellMessage({ responseTrailer }: Pick<HandlerContext, 'responseTrailer'>): void {
  const set = responseTrailer.set.bind(responseTrailer);
  Object.assign(responseTrailer, {
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
