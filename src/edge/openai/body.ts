import type { IncomingMessage } from 'node:http';
import { FailureError, invalid } from '../../base/failure.ts';
import { readBody } from '../rest/index.ts';

/** Reads a JSON body, decompressed, of at most `bytesMax`. */
export async function readJson(raw: IncomingMessage, bytesMax: number): Promise<unknown> {
  const type = raw.headers['content-type'] ?? 'application/json';
  if (!/^application\/([\w.+-]+\+)?json\s*(;|$)/i.test(type))
    throw new FailureError({ kind: 'unsupported_media_type', accepted: ['application/json'] });
  const body = await readBody(raw, bytesMax);
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body ?? Buffer.alloc(0)));
  } catch (error) {
    // The parser quotes the text that it stumbles over; only its position is for the caller.
    const at = /position (\d+)/.exec((error as Error).message)?.[1];
    throw new FailureError(invalid('body', at ? `is not JSON (at character ${at})` : 'is not JSON in UTF-8'));
  }
}
