import type { IncomingHttpHeaders } from 'node:http';
import { HttpIncomingCall } from '../incoming-call.ts';

/** A call whose key may be in `x-api-key`, where Anthropic's clients put it. */
export class KeyHeaderCall extends HttpIncomingCall {
  override header(name: string): string | undefined {
    const value = super.header(name);
    if (value || name !== 'authorization') return value;
    const key = super.header('x-api-key');
    return key === undefined ? undefined : `Bearer ${key}`;
  }
}

/** Whether a request comes from an Anthropic client: they all send the API version they use. */
export function namesVersion(headers: IncomingHttpHeaders): boolean {
  return headers['anthropic-version'] !== undefined;
}
