/** A refusal of bytes or headers that never become a call: the body that every other error of JSON over HTTP has (AIP-193). */
export function rawRefusal(code: number, message: string): string {
  return JSON.stringify({
    error: {
      code,
      status: 'INVALID_ARGUMENT',
      message,
      details: [
        {
          '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
          reason: 'INVALID_ARGUMENT',
          domain: 'intelligence',
          metadata: {},
        },
      ],
    },
  });
}
