/** A refusal of bytes or headers that never become a call, with the body of any other JSON-over-HTTP error (AIP-193). */
export function rawRefusal(code: number, message: string): string {
  const { status, reason } = words[code] ?? { status: 'INVALID_ARGUMENT', reason: 'INVALID_ARGUMENT' };
  return JSON.stringify({
    error: {
      code,
      status,
      message,
      details: [
        {
          '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
          reason,
          domain: 'intelligence',
          metadata: {},
        },
      ],
    },
  });
}

const words: Readonly<Record<number, { status: string; reason: string }>> = {
  405: { status: 'UNIMPLEMENTED', reason: 'METHOD_NOT_ALLOWED' },
  501: { status: 'UNIMPLEMENTED', reason: 'UNIMPLEMENTED' },
};

/** For a method unknown both to this service and to the HTTP parsers (RFC 9110, section 15.6.2). */
export const unknownMethod = 'There is no such method of HTTP.';

/** For CONNECT, whose target is another host. */
export const noProxy = 'This service is not a proxy.';
