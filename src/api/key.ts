import type { MessageInitShape } from '@bufbuild/protobuf';
import { unwrap } from '../base/failure.ts';
import { formatUsd } from '../base/money.ts';
import { present } from '../base/present.ts';
import type { KeySchema } from '../gen/intelligence/key/v1/key_pb.ts';
import { KeyService } from '../gen/intelligence/key/v1/key_service_pb.ts';
import type { ApiKey, Keys } from '../keys/index.ts';
import { accountOf } from './caller.ts';
import { type ServedService, serve } from './handlers.ts';
import { keyChangesOf, limitsOf } from './key-changes.ts';
import { amountOf, milliseconds, timestamp } from './mapping.ts';

/** KeyService: an account's API keys, for its owner. */
export function keyService({ keys }: { keys: Keys }): ServedService {
  return serve(KeyService, {
    createKey: async (request, { caller }) => {
      const { key, secret } = unwrap(
        await keys.create({
          accountId: accountOf(caller),
          kind: 'live',
          displayName: request.displayName,
          purpose: request.purpose,
          ...present({
            scopes: request.scopes.length > 0 ? request.scopes : undefined,
            expireTime: milliseconds(request.expireTime),
            spendingCap:
              request.spendingCapUsd === undefined ? undefined : amountOf(request.spendingCapUsd, 'spendingCapUsd'),
            limits: limitsOf(request.limits),
            allowedOrigins: request.allowedOrigins.length > 0 ? request.allowedOrigins : undefined,
          }),
        }),
      );
      return { key: keyMessage(key), secret };
    },
    listKeys: async ({ pageSize, pageToken }, { caller }) => {
      const page = unwrap(await keys.list(accountOf(caller), { pageSize, pageToken }));
      return { keys: page.items.map(keyMessage), nextPageToken: page.nextPageToken };
    },
    getKey: async ({ keyId }, { caller }) => ({ key: keyMessage(unwrap(await keys.get(accountOf(caller), keyId))) }),
    updateKey: async (request, { caller }) => ({
      key: keyMessage(unwrap(await keys.update(accountOf(caller), request.keyId, keyChangesOf(request)))),
    }),
    rotateKey: async ({ keyId, overlapSeconds }, { caller }) => {
      const { key, secret } = unwrap(await keys.rotate(accountOf(caller), keyId, { overlapSeconds }));
      return { key: keyMessage(key), secret };
    },
    revokeKey: async ({ keyId }, { caller }) => ({
      key: keyMessage(unwrap(await keys.revoke(accountOf(caller), keyId))),
    }),
  });
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
    allowedOrigins: [...key.allowedOrigins],
  });
}
