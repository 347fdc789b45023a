import type { IncomingHttpHeaders } from 'node:http2';
import { isEncoding } from '@intelligence-api/transcoding/parts';
import { type Failure, invalid } from '../../base/failure.ts';
import { brief } from '../brief.ts';
import { isKnownEncoding } from '../grpc-message.ts';

/**
 * What is wrong with an admitted call's headers: an unknown encoding (gRPC compression: UNIMPLEMENTED), or binary metadata that
 * is not base64.
 */
export function problemOf(headers: IncomingHttpHeaders): Failure | undefined {
  const encoding = headers['grpc-encoding'];
  if (encoding !== undefined && !isKnownEncoding(String(encoding)))
    return {
      kind: 'unimplemented',
      description: 'The compression of the message is not supported. Send it uncompressed, or as gzip or br.',
    };
  for (const name in headers)
    if (name.endsWith('-bin') && !isBinary(headers[name]))
      return invalid(brief(name), 'is not base64, as gRPC asks of metadata whose name ends with -bin');
  return undefined;
}

/** Base64 in the standard alphabet, with or without padding; values of the same name are joined by commas. */
function isBinary(value: string | string[] | undefined): boolean {
  return String(value)
    .split(',')
    .every((each) => base64.test(each.trim()));
}

const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}(?:==)?|[A-Za-z0-9+/]{3}=?)?$/;

export function encodingOf(headers: IncomingHttpHeaders): string | undefined {
  const encoding = headers['grpc-encoding'];
  return typeof encoding === 'string' && isEncoding(encoding) ? encoding : undefined;
}

/** Whether replies may be gzip-compressed. */
export function takesGzip(headers: IncomingHttpHeaders): boolean {
  const accepted = headers['grpc-accept-encoding'];
  return typeof accepted === 'string' && accepted.split(',').some((each) => each.trim() === 'gzip');
}
