import type { MessageInitShape } from '@bufbuild/protobuf';
import type { Caller } from '../base/caller.ts';
import { FailureError, unwrap } from '../base/failure.ts';
import { present } from '../base/present.ts';
import type { LimitSchema } from '../gen/intelligence/limit/v1/limit_pb.ts';
import { LimitService } from '../gen/intelligence/limit/v1/limit_service_pb.ts';
import type { ApiKey, Keys } from '../keys/index.ts';
import type { LimitInForce, Limits } from '../limits/index.ts';
import { accountOf, keyOf } from './caller.ts';
import { type ServedService, serve } from './handlers.ts';

/** LimitService: the limits that a caller's requests count against. */
export function limitService({ limits, keys }: { limits: Pick<Limits, 'inForce'>; keys: Keys }): ServedService {
  return serve(LimitService, {
    getLimits: async ({ keyId }, { caller }) => {
      const found = await limits.inForce(await ownerOf(keyId, caller, keys));
      return { limits: found.limits.map(limitMessage), shared: found.shared };
    },
  });
}

/** Whose limits are requested: the caller's own or, with a management key, another key's of the account. */
async function ownerOf(keyId: string, caller: Caller, keys: Keys): Promise<Caller> {
  if (keyId === '' || keyId === keyOf(caller).id) return caller;
  if (caller.credential !== 'management_key') throw new FailureError({ kind: 'not_found', resource: 'key' });
  return keyCaller(unwrap(await keys.get(accountOf(caller), keyId)));
}

/** A key as if it were the caller. */
function keyCaller({ id, accountId, version, limits }: ApiKey): Caller {
  const key = present({ id, version, limits });
  return { credential: 'api_key', name: id, accountId, key, scopes: new Set() };
}

const levels = { account: 'account', key: 'key', token: 'end_user' } as const;

function limitMessage({ level, resetMs, ...limit }: LimitInForce): MessageInitShape<typeof LimitSchema> {
  const resetSeconds = resetMs === undefined ? undefined : Math.ceil(resetMs / 1_000);
  return present({ ...limit, level: levels[level], resetSeconds });
}
