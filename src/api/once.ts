import {
  create,
  type DescMessage,
  type DescMethodUnary,
  fromBinary,
  type MessageInitShape,
  type MessageShape,
  toBinary,
} from '@bufbuild/protobuf';
import type { Caller } from '../base/caller.ts';
import { unwrap } from '../base/failure.ts';
import type { Transactional } from '../db/index.ts';
import type { IdempotentWrites } from '../idempotency/index.ts';
import type { Call } from './call.ts';
import { requestIdentity } from './idempotency.ts';

/** A write of a method that charges nothing: what it does first, outside any transaction, and what it then writes. */
export interface MethodWrite<Output extends DescMessage, Prepared> {
  prepare?(): Promise<Prepared>;
  write(within: Transactional | undefined, prepared: Prepared): Promise<MessageInitShape<Output>>;
}

/**
 * Performs a write, and only once per `Idempotency-Key`: a retry gets the same reply. Without a key, `write` gets no transaction,
 * and each room uses its own.
 */
export type Once = <Input extends DescMessage, Output extends DescMessage, Prepared = undefined>(
  method: DescMethodUnary<Input, Output>,
  request: MessageShape<Input>,
  call: Call,
  write: MethodWrite<Output, Prepared>,
) => Promise<MessageInitShape<Output>>;

export function createOnce(options: { writes: Pick<IdempotentWrites, 'once'>; fingerprintKey: Uint8Array }): Once {
  return async (method, request, call, { prepare = async () => undefined as never, write }) => {
    const identity = requestIdentity(options.fingerprintKey, method, request, call);
    if (!identity) return write(undefined, await prepare());
    const { output } = method;
    const name = `${method.parent.typeName}/${method.name}`;
    const done = await options.writes.once(
      { ...identity, ...whoseKey(call.caller), method: name },
      { prepare, write: async (tx, prepared) => toBinary(output, create(output, await write(tx, prepared))) },
    );
    return fromBinary(output, unwrap(done)) as MessageInitShape<typeof output>;
  };
}

/**
 * Whose a request's idempotency key is: an operator's, an account's across all of its management keys, or that of one API key or
 * one of its end users, whose replies nobody else may see.
 */
function whoseKey({ accountId, credential, key, token, name }: Caller): { owner: string; scope: string } {
  if (accountId === undefined) return { owner: `operator:${name}`, scope: `operator:${name}` };
  const parts = credential === 'management_key' ? [] : [key?.id, token?.subject];
  return { owner: accountId, scope: [accountId, ...parts.filter((part) => part !== undefined)].join('/') };
}
