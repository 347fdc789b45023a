import type { DescMessage } from '@bufbuild/protobuf';
import { type Encoding, inflate, tooDense } from '@intelligence-api/transcoding/parts';
import { type Failure, fail, invalid, type Result, succeed } from '../base/failure.ts';
import { fieldsMax, hasTooManyFields } from './binary-bounds.ts';
import { findKindlessValue } from './binary-values.ts';
import { brief } from './brief.ts';

/** Decompresses a message of at most `bytesMax` bytes; fails for one that expands far beyond its size. */
export async function openMessage(message: Buffer, encoding: Encoding, bytesMax: number): Promise<Result<Buffer>> {
  if (message.length === 0) return succeed(message);
  const inflated = await inflate(message, encoding, bytesMax);
  if (inflated.ok) return succeed(inflated.bytes);
  switch (inflated.problem) {
    case 'too_large':
      return fail({ kind: 'payload_too_large', limitBytes: bytesMax });
    case 'too_dense':
      return fail(invalid('body', tooDense));
    case 'malformed':
      return fail(invalid('body', 'is not compressed as its headers say'));
  }
}

/** Why a binary message must not be parsed, if it must not. */
export function checkBinary(message: Uint8Array, desc: DescMessage): Failure | undefined {
  if (hasTooManyFields(message, desc)) return invalid('body', `has more than ${fieldsMax} fields and elements`);
  const place = findKindlessValue(message, desc);
  return place === undefined ? undefined : invalid(brief(place), 'must have a value; null is one');
}
