import type { MessageInitShape } from '@bufbuild/protobuf';
import type { AuditEvents } from '../audit-events/index.ts';
import type { AuditAction } from '../base/audit-event.ts';
import { FailureError, type Result, unwrap } from '../base/failure.ts';
import type { Guardrail, Guardrails } from '../base/guardrails.ts';
import { formatUsd } from '../base/money.ts';
import { present } from '../base/present.ts';
import type { Database, Transaction, Transactional } from '../db/index.ts';
import type { GuardrailsSchema, KeySchema } from '../gen/intelligence/key/v1/key_pb.ts';
import { type CreateKeyRequest, KeyService } from '../gen/intelligence/key/v1/key_service_pb.ts';
import type { ApiKey, KeyChanges, Keys, NewKey } from '../keys/index.ts';
import type { Wallets } from '../wallet/index.ts';
import type { OwnPacks } from '../workflows/index.ts';
import { eventOf } from './audit.ts';
import type { Call } from './call.ts';
import { accountOf, accountToRead } from './caller.ts';
import { type ServedService, serve } from './handlers.ts';
import { guardrailsOf, keyChangesOf, limitsOf } from './key-changes.ts';
import { amountOf, milliseconds, timestamp } from './mapping.ts';
import type { Once } from './once.ts';

interface KeyRooms {
  db: Database;
  keys: Keys;
  wallets: Pick<Wallets, 'limitKey' | 'spentOfKeys'>;
  auditEvents: AuditEvents;
  ownPacks: Pick<OwnPacks, 'of'>;
  once: Once;
}

/** KeyService: an account's keys, for its owner. */
export function keyService({ db, keys, wallets, auditEvents, ownPacks, once }: KeyRooms): ServedService {
  const { method } = KeyService;
  const messagesOf = async (found: readonly ApiKey[], within?: Transactional) => {
    const capped = found.filter(({ spendingCap }) => spendingCap !== undefined).map(({ id }) => id);
    const spent = await wallets.spentOfKeys(capped, within);
    return found.map((key) => keyMessage(key, spent.get(key.id)));
  };
  const messageOf = async (key: ApiKey, within?: Transactional) => (await messagesOf([key], within))[0];

  /** Refuses guardrails that name packs the account does not have, as they would make every chat with the key fail. */
  async function checkPacks({ caller }: Call, guardrails: Guardrails | null | undefined): Promise<void> {
    const named = Object.entries(guardrails ?? {}).filter(([, { ownPacks = [] }]) => ownPacks.length > 0);
    if (named.length === 0) return;
    const has = await ownPacks.of(accountOf(caller));
    const violations = named.flatMap(([direction, { ownPacks: packs = [] }]) =>
      has.select({ packs, domain: '' }).missing.map((packId) => ({
        field: `guardrails.${direction}.ownPacks`,
        description: `The account has no risk pack ${packId}; make it first`,
      })),
    );
    if (violations.length > 0) throw new FailureError({ kind: 'invalid_argument', violations });
  }

  /** Changes a key and records it in one transaction. The event comes first: notifying other nodes comes last. */
  async function change(
    { call, keyId, ...deed }: { call: Call; keyId: string; action: AuditAction; details?: Record<string, string> },
    write: (accountId: string, tx: Transaction) => Promise<Result<ApiKey>>,
  ) {
    const accountId = accountOf(call.caller);
    return db.transaction(async (tx) => {
      await auditEvents.append(tx, eventOf(call, { ...deed, target: keyId, accountId }));
      return { key: await messageOf(unwrap(await write(accountId, tx)), tx) };
    });
  }

  return serve(KeyService, {
    createKey: (request, call) =>
      once(method.createKey, request, call, {
        prepare: () => checkPacks(call, guardrailsOf(request.guardrails)),
        write: (within = db) =>
          within.transaction(async (tx) => {
            const accountId = accountOf(call.caller);
            const { key, secret } = unwrap(await keys.create(newKeyOf(request, accountId), tx));
            const details = { kind: key.kind, displayName: key.displayName, ...guardrailDetails(key) };
            await auditEvents.append(tx, eventOf(call, { action: 'key.create', target: key.id, accountId, details }));
            return { key: await messageOf(key, tx), secret };
          }),
      }),
    listKeys: async (request, { caller }) => {
      const { pageSize, pageToken } = request;
      const page = unwrap(await keys.list(accountToRead(caller, request), { pageSize, pageToken }));
      return { keys: await messagesOf(page.items), nextPageToken: page.nextPageToken };
    },
    getKey: async ({ keyId }, { caller }) => ({
      key: await messageOf(unwrap(await keys.get(accountOf(caller), keyId))),
    }),
    updateKey: async (request, call) => {
      const { keyId } = request;
      const changes = keyChangesOf(request);
      await checkPacks(call, changes.guardrails);
      const details = { fields: Object.keys(changes).join(', '), ...guardrailDetails(changes) };
      const deed = { call, keyId, action: 'key.update' as const, details };
      return change(deed, async (accountId, tx) => {
        const updated = await keys.update(accountId, keyId, changes, tx);
        if (updated.ok && changes.spendingCap) await wallets.limitKey(keyId, changes.spendingCap, tx);
        return updated;
      });
    },
    rotateKey: (request, call) =>
      once(method.rotateKey, request, call, {
        write: (within = db) =>
          within.transaction(async (tx) => {
            const { keyId, overlapSeconds } = request;
            const accountId = accountOf(call.caller);
            const details = { overlapSeconds: String(overlapSeconds) };
            await auditEvents.append(tx, eventOf(call, { action: 'key.rotate', target: keyId, accountId, details }));
            const { key, secret } = unwrap(await keys.rotate(accountId, keyId, { overlapSeconds }, tx));
            return { key: await messageOf(key, tx), secret };
          }),
      }),
    revokeKey: async ({ keyId }, call) => {
      const key = unwrap(await keys.get(accountOf(call.caller), keyId));
      // Repeating it changes nothing, so there is nothing to record.
      if (key.state === 'revoked') return { key: await messageOf(key) };
      return change({ call, keyId, action: 'key.revoke' }, (accountId, tx) => keys.revoke(accountId, keyId, tx));
    },
  });
}

function newKeyOf(request: CreateKeyRequest, accountId: string): NewKey {
  return {
    ...{ accountId, kind: request.kind === 'management' ? 'management' : 'live' },
    ...{ displayName: request.displayName, purpose: request.purpose },
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

/** What the key's chats are checked for from now on, as far as it fits into the record; `none` if nothing. */
function guardrailDetails({ guardrails }: Pick<KeyChanges, 'guardrails'>): Record<string, string> {
  if (guardrails === undefined) return {};
  return { guardrails: guardrails === null ? 'none' : JSON.stringify(guardrails).slice(0, guardrailDetailsMax) };
}

const guardrailDetailsMax = 2_000;

/** `spent`: what counts against its cap so far; if absent, nothing yet. */
function keyMessage(key: ApiKey, spent = 0n): MessageInitShape<typeof KeySchema> {
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
    spentUsd: key.spendingCap === undefined ? undefined : formatUsd(spent),
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
  if (!guardrail) return undefined;
  const { packs, ownPacks = [], categories } = guardrail;
  return { ...guardrail, packs: [...packs], ownPacks: [...ownPacks], categories: [...categories] };
}
