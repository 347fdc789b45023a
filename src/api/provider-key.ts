import type { MessageInitShape } from '@bufbuild/protobuf';
import { unwrap } from '../base/failure.ts';
import { present } from '../base/present.ts';
import type { ProviderKeySchema } from '../gen/intelligence/key/v1/provider_key_pb.ts';
import { ProviderKeyService } from '../gen/intelligence/key/v1/provider_key_service_pb.ts';
import type { ProviderKey, ProviderKeys } from '../provider-keys/index.ts';
import type { RecordChange } from './audit.ts';
import { accountOf } from './caller.ts';
import { type ServedService, serve } from './handlers.ts';
import { timestamp } from './mapping.ts';
import type { Once } from './once.ts';

/** ProviderKeyService: an account's own provider keys. */
export function providerKeyService({
  providerKeys,
  recordChange,
  once,
}: {
  providerKeys: ProviderKeys;
  recordChange: RecordChange;
  once: Once;
}): ServedService {
  const { method } = ProviderKeyService;
  return serve(ProviderKeyService, {
    createProviderKey: (request, call) =>
      once(method.createProviderKey, request, call, {
        write: async (within) => {
          const { provider, secret, displayName } = request;
          const key = { accountId: accountOf(call.caller), provider, secret, displayName };
          const made = await recordChange(call, {
            within,
            write: async (tx) => unwrap(await providerKeys.create(key, tx)),
            deed: ({ id }) => ({ action: 'provider_key.create', target: id, details: { provider, displayName } }),
          });
          return { providerKey: providerKeyMessage(made) };
        },
      }),
    listProviderKeys: async (page, { caller }) => {
      const { items, nextPageToken } = unwrap(await providerKeys.list(accountOf(caller), page));
      return { providerKeys: items.map(providerKeyMessage), nextPageToken };
    },
    deleteProviderKey: async ({ providerKeyId }, call) => ({
      providerKey: providerKeyMessage(
        await recordChange(call, {
          deed: { action: 'provider_key.delete', target: providerKeyId },
          write: async (tx) => unwrap(await providerKeys.delete(accountOf(call.caller), providerKeyId, tx)),
        }),
      ),
    }),
  });
}

function providerKeyMessage({
  id,
  createTime,
  deleteTime,
  lastUsedTime,
  ...key
}: ProviderKey): MessageInitShape<typeof ProviderKeySchema> {
  return present({
    ...key,
    providerKeyId: id,
    createTime: timestamp(createTime),
    deleteTime: timestamp(deleteTime),
    lastUsedTime: timestamp(lastUsedTime),
  });
}
