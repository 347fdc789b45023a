import type { Logger } from 'pino';
import type { Clock } from '../base/clock.ts';
import type { Result } from '../base/failure.ts';
import { createGroupReader } from '../base/group-reader.ts';
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
   * Whose secret this is. Synchronous, without a database, when the secret was seen before and nothing changed since;
   * a revocation anywhere is obeyed within a second. Fails with `credential_invalid`, `key_revoked` or `overloaded`, and
   * as `lookUps` does when the database would have to be asked for who presents it, and as `standing` does.
   */
  verify(secret: string, from?: Presenter): Result<VerifiedKey> | Promise<Result<VerifiedKey>>;
  /**
   * A key by its id, for tokens that descend from it: as it is now, the same object until something about it changes.
   * Fails like `verify`.
   */
  find(keyId: string): Result<VerifiedKey> | Promise<Result<VerifiedKey>>;
  /** A token of the key was used, which is a use of the key. Costs one map write. */
  noteUse(keyId: string): void;
  /** Until when a secret that was just verified works, unless its key changes; undefined: it has no end, or is not known. */
  validUntil(secret: string): number | undefined;
  /** Tells of each revocation, here or on another node, once it is committed. Returns what stops the telling. */
  onRevoked(listener: (keyId: string) => void): () => void;
  /** When a key of each of these accounts was last used, to within half a minute; an account without a use is not among them. */
  lastUses(accountIds: readonly string[]): Promise<Map<string, number>>;
  /** Working keys by the version of the pepper that their hash was made with. */
  countByPepper(): Promise<Map<number, number>>;
  /** Throws when a pepper that keys still need is not configured. Call it before serving. */
  checkPeppersInUse(): Promise<void>;
  /** Writes the last uses that are not written yet, and stops. */
  close(): Promise<void>;
}

export interface KeysOptions {
  db: Database;
  clock: Clock;
  log: Logger;
  peppers: Peppers;
  changes: CredentialChanges;
  /** Whether an account is served: what is presented of another one fails as this does. Absent: all are. */
  standing?: AccountStanding;
  /** Limits look-ups of unknown secrets by address; absent: there is no limit. */
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
          throw new Error(
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
