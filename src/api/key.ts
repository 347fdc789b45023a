import type { MessageInitShape } from '@bufbuild/protobuf';
import { unwrap } from '../base/failure.ts';
import type { Guardrail, Guardrails } from '../base/guardrails.ts';
import { formatUsd } from '../base/money.ts';
import { present } from '../base/present.ts';
import type { GuardrailsSchema, KeySchema } from '../gen/intelligence/key/v1/key_pb.ts';
import { type CreateKeyRequest, KeyService } from '../gen/intelligence/key/v1/key_service_pb.ts';
import type { ApiKey, Keys, NewKey } from '../keys/index.ts';
import { accountOf } from './caller.ts';
import { type ServedService, serve } from './handlers.ts';
import { guardrailsOf, keyChangesOf, limitsOf } from './key-changes.ts';
import { amountOf, milliseconds, timestamp } from './mapping.ts';
import type { Once } from './once.ts';

/** KeyService: an account's API keys, for its owner. */
export function keyService({ keys, once }: { keys: Keys; once: Once }): ServedService {
  const { method } = KeyService;
  return serve(KeyService, {
    createKey: (request, call) =>
      once(method.createKey, request, call, {
        write: async (within) => {
          const { key, secret } = unwrap(await keys.create(newKeyOf(request, accountOf(call.caller)), within));
          return { key: keyMessage(key), secret };
        },
      }),
    listKeys: async ({ pageSize, pageToken }, { caller }) => {
      const page = unwrap(await keys.list(accountOf(caller), { pageSize, pageToken }));
      return { keys: page.items.map(keyMessage), nextPageToken: page.nextPageToken };
    },
    getKey: async ({ keyId }, { caller }) => ({ key: keyMessage(unwrap(await keys.get(accountOf(caller), keyId))) }),
    updateKey: async (request, { caller }) => ({
      key: keyMessage(unwrap(await keys.update(accountOf(caller), request.keyId, keyChangesOf(request)))),
    }),
    rotateKey: (request, call) =>
      once(method.rotateKey, request, call, {
        write: async (within) => {
          const { keyId, overlapSeconds } = request;
          const { key, secret } = unwrap(await keys.rotate(accountOf(call.caller), keyId, { overlapSeconds }, within));
          return { key: keyMessage(key), secret };
        },
      }),
    revokeKey: async ({ keyId }, { caller }) => ({
      key: keyMessage(unwrap(await keys.revoke(accountOf(caller), keyId))),
    }),
  });
}

function newKeyOf(request: CreateKeyRequest, accountId: string): NewKey {
  return {
    ...{ accountId, kind: 'live', displayName: request.displayName, purpose: request.purpose },
    ...present({
      scopes: request.scopes.length > 0 ? request.scopes : undefined,
      expireTime: milliseconds(request.expireTime),
      spendingCap:
        request.spendingCapUsd === undefined ? undefined : amountOf(request.spendingCapUsd, 'spendingCapUsd'),
      limits: limitsOf(request.limits),
      guardrails: guardrailsOf(request.guardrails),
      allowedOrigins: request.allowedOrigins.length > 0 ? request.allowedOrigins : undefined,
    }),
  };
}

function keyMessage(key: ApiKey): MessageInitShape<typeof KeySchema> {
  return present({
    keyId: key.id,
    kind: key.kind,
    displayName: key.displayName,
    purpose: key.purpose,
    scopes: [...key.scopes],
    state: key.state,
    lastFour: key.lastFour,
    createTime: timestamp(key.createTime),
    rotateTime: timestamp(key.rotateTime),
    expireTime: timestamp(key.expireTime),
    revokeTime: timestamp(key.revokeTime),
    lastUsedTime: timestamp(key.lastUsedTime),
    previousSecretExpireTime: timestamp(key.previousSecretExpireTime),
    spendingCapUsd: key.spendingCap === undefined ? undefined : formatUsd(key.spendingCap),
    limits: key.limits,
    guardrails: guardrailsMessage(key.guardrails),
    allowedOrigins: [...key.allowedOrigins],
  });
}

function guardrailsMessage(guardrails: Guardrails | undefined): MessageInitShape<typeof GuardrailsSchema> | undefined {
  return (
    guardrails && present({ input: guardrailMessage(guardrails.input), output: guardrailMessage(guardrails.output) })
  );
}

function guardrailMessage(guardrail: Guardrail | undefined) {
  return guardrail && { ...guardrail, packs: [...guardrail.packs], categories: [...guardrail.categories] };
}
