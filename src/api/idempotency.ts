import { createHash, createHmac } from 'node:crypto';
import { type DescMessage, type DescMethod, type JsonValue, type MessageShape, toJson } from '@bufbuild/protobuf';
import { canonicalJson } from '../base/canonical-json.ts';
import { FailureError, invalid } from '../base/failure.ts';
import type { Call } from './call.ts';

/** What identifies a repeated request. The flow knows from the caller whose key it is. */
export interface RequestIdentity {
  key: string;
  /** HMAC-SHA-256 of the method and the canonical message. */
  fingerprint: Uint8Array;
}

/** 1 to 255 visible ASCII characters; quotes, as in a structured field, are part of the key. */
const form = /^[\x21-\x7e]{1,255}$/;

/** The call's `Idempotency-Key`; undefined if it has none. */
export function idempotencyKeyOf(call: Call): string | undefined {
  const key = call.header('idempotency-key');
  if (key !== undefined && !form.test(key))
    throw new FailureError(invalid('Idempotency-Key', 'must be 1 to 255 visible ASCII characters, without blanks'));
  return key;
}

/** The request's identity if it came with an `Idempotency-Key`; otherwise undefined. */
export function requestIdentity<Input extends DescMessage>(
  secret: Uint8Array,
  method: DescMethod & { input: Input },
  request: MessageShape<Input>,
  call: Call,
): RequestIdentity | undefined {
  const key = idempotencyKeyOf(call);
  return key === undefined ? undefined : identityOf(secret, method, request, key);
}

/** A request's identity under a key. */
export function identityOf<Input extends DescMessage>(
  secret: Uint8Array,
  method: DescMethod & { input: Input },
  request: MessageShape<Input>,
  key: string,
): RequestIdentity {
  const fingerprint = createHmac('sha256', secret)
    .update(`${method.parent.typeName}/${method.name}\n`)
    .update(canonicalJson(asJson(method.input, request)))
    .digest();
  return { key, fingerprint };
}

/** Over gRPC, a number in a `google.protobuf.Value` can be one that JSON cannot express. */
function asJson<Input extends DescMessage>(input: Input, request: MessageShape<Input>): JsonValue {
  try {
    return toJson(input, request);
  } catch {
    throw new FailureError(invalid('', 'a number is NaN or infinite, which JSON cannot say'));
  }
}

/** The key of an item without its own, derived from the batch's key and the item's position. Its length is the same for every batch. */
export function itemKeyOf(batchKey: string, index: number): string {
  return `batch:${createHash('sha256').update(batchKey).digest('base64url')}:${index}`;
}
