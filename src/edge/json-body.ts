import type { IncomingMessage } from 'node:http';
import { checkJson, readBody, readJsonValue } from '@intelligence-api/transcoding/parts';
import { FailureError, invalid, unwrap } from '../base/failure.ts';
import { ownTurn } from '../base/turn.ts';
import type { AdmittedCall } from './admitted-call.ts';

const largeBytes = 1024 * 1024;

/** Reads the JSON body of a call, decompressed, up to `bytesMax`. */
export async function readJson(raw: IncomingMessage, bytesMax: number, call: AdmittedCall): Promise<unknown> {
  const type = raw.headers['content-type'] ?? 'application/json';
  if (!/^application\/([\w.+-]+\+)?json\s*(;|$)/i.test(type))
    throw new FailureError({ kind: 'unsupported_media_type', accepted: ['application/json'] });
  const body = (await readBody(raw, bytesMax, (bytes) => unwrap(call.receive(bytes)))) ?? Buffer.alloc(0);
  if (body.length === 0) throw new FailureError(invalid('body', 'is empty: send the request as JSON'));
  await checkJson(body);
  const text = decode(body);
  // With images, decoding and parsing each take a while.
  if (body.length > largeBytes) await ownTurn();
  // The engine's parser keeps the last of two members with one name and drops the first silently.
  const read = readJsonValue(text);
  if ('fault' in read) throw new FailureError(invalid('body', `can not be read as JSON: ${read.fault}`));
  // As does what its reader makes of them.
  if (body.length > largeBytes) await ownTurn();
  return read.value;
}

function decode(body: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body);
  } catch {
    throw new FailureError(invalid('body', 'can not be read as JSON: it is not UTF-8'));
  }
}
