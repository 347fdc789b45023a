import type { Logger } from 'pino';
import type { Clock } from '../base/clock.ts';
import type { Result } from '../base/failure.ts';
import { createGroupReader } from '../base/group-reader.ts';
import { SecretsUnfitError } from '../base/secrets-unfit.ts';
import type { CredentialChanges } from '../db/credential-changes.ts';
import type { Database } from '../db/index.ts';
import { createLifecycle, type KeyLifecycle } from './keys.ts';
import { createKeysStore } from './keys-store.ts';
import { checkPeppers, hashSecret, type Peppers } from './pepper.ts';
import { type AccountStanding, ofServedAccounts } from './standing.ts';
import type { VerifiedKey } from './types.ts';
import { createUses } from './uses.ts';
import { createVerifier, type LookUps, type Presenter } from './verifier.ts';

export { overlapSecondsMax } from './keys.ts';
export { countKeysByPepper } from './keys-store.ts';
export type { Peppers } from './pepper.ts';
export { type KeyKind, parseSecret } from './secret.ts';
export {
  type ApiKey,
  type KeyChanges,
  type KeyLimits,
  type KeyScope,
  type KeyWithSecret,
  keyScopes,
  type NewKey,
  type VerifiedKey,
} from './types.ts';

/** API keys and management keys. Secrets are shown once and stored as hashes. */
export interface Keys extends KeyLifecycle {
  /**
   * Returns the key that a secret belongs to. Synchronous, without the database, if the secret was seen before and nothing has
   * changed since; a revocation anywhere takes effect within a second. Fails with `credential_invalid`, `key_revoked` or
   * `overloaded`, like `lookUps` if the presenter requires a database look-up, and like `standing`.
   */
  verify(secret: string, from?: Presenter): Result<VerifiedKey> | Promise<Result<VerifiedKey>>;
  /**
   * Finds a key by its id, for tokens that descend from it: in its current state, and the same object until something about it
   * changes. Fails like `verify`.
   */
  find(keyId: string): Result<VerifiedKey> | Promise<Result<VerifiedKey>>;
  /** Notes that a token of the key was used, which counts as a use of the key. Costs one map write. */
  noteUse(keyId: string): void;
  /** When a secret that was just verified expires, unless its key changes; undefined: never, or unknown. */
  validUntil(secret: string): number | undefined;
  /** Calls `listener` for each revocation, here or on another node, once it is committed. Returns an unsubscribe function. */
  onRevoked(listener: (keyId: string) => void): () => void;
  /** When each of these accounts last used a key, to within half a minute; accounts that never did are omitted. */
  lastUses(accountIds: readonly string[]): Promise<Map<string, number>>;
  /** The number of working keys by the pepper version of their hash. */
  countByPepper(): Promise<Map<number, number>>;
  /** Throws if a pepper that keys still need is not configured. Call it before serving. */
  checkPeppersInUse(): Promise<void>;
  /** Writes the pending last uses and stops. */
  close(): Promise<void>;
}

export interface KeysOptions {
  db: Database;
  clock: Clock;
  log: Logger;
  peppers: Peppers;
  changes: CredentialChanges;
  /** Whether an account is served; credentials of an account that is not fail as this does. Absent: all are served. */
  standing?: AccountStanding;
  /** Limits look-ups of unknown secrets by address; absent: no limit. */
  lookUps?: LookUps;
  random?: () => Uint8Array;
  usesWriteEveryMs?: number;
}

export function createKeys(options: KeysOptions): Keys {
  const { db, clock, log, peppers, changes, random, standing, usesWriteEveryMs = 30_000 } = options;
  checkPeppers(peppers);
  const store = createKeysStore({ db, clock, changes });
  const uses = createUses({
    write: store.noteUses,
    onError: (error) => log.warn({ err: error }, 'the last use of keys was not recorded'),
  });
  const verifier = createVerifier({
    clock,
    peppers,
    reader: createGroupReader({
      load: store.load,
      onError: (error) => log.error({ err: error }, 'keys could not be read'),
    }),
    fresh: changes.fresh,
    lookUps: options.lookUps,
    onUse: uses.note,
    onOldPepper: ({ key, secret: stored }, secret) => {
      store
        .rehash(key.keyId, stored, hashSecret(peppers, secret))
        .catch((error: unknown) => log.warn({ err: error }, 'a key keeps its old pepper until its next use'));
    },
  });

  const revoked = new Set<(keyId: string) => void>();
  const stopListening = changes.onChange((change) => {
    verifier.forget(change?.credentialId);
    if (change?.kind === 'revoked') for (const listener of revoked) listener(change.credentialId);
  });
  const timer = setInterval(() => void uses.flush(), usesWriteEveryMs);
  timer.unref();

  return {
    ...createLifecycle({ store, clock, peppers, ...(random && { random }) }),
    noteUse: (keyId) => uses.note(keyId, clock.now()),
    validUntil: verifier.validUntil,
    verify: standing ? ofServedAccounts(verifier.verify, standing) : verifier.verify,
    find: standing ? ofServedAccounts(verifier.find, standing) : verifier.find,
    onRevoked(listener) {
      revoked.add(listener);
      return () => revoked.delete(listener);
    },
    lastUses: store.lastUses,
    countByPepper: store.countByPepper,
    async checkPeppersInUse() {
      for (const [version, keys] of await store.countByPepper())
        if (!peppers.byVersion.has(version))
          throw new SecretsUnfitError(
            `Pepper ${version} is not configured, but ${keys} key(s) still need it. Put it back; each key takes the current pepper when it is next used.`,
          );
    },
    async close() {
      stopListening();
      clearInterval(timer);
      await uses.flush();
    },
  };
}
