import { LRUCache } from 'lru-cache';
import type { CredentialChanges } from '../../db/credential-changes.ts';
import type { AccountPacks } from './rules.ts';

/** Accounts' compiled packs, cached until something changes. */
export interface Compiled {
  of(accountId: string): AccountPacks | Promise<AccountPacks>;
  close(): void;
}

const bytesMaxDefault = 64 * 1_024 * 1_024;

/** Caches the results of `read`, up to a total number of bytes, and drops what other nodes change within a second. */
export function createCompiled({
  changes,
  read,
  bytesMax = bytesMaxDefault,
}: {
  changes: Pick<CredentialChanges, 'onChange' | 'fresh'>;
  read(accountId: string): Promise<AccountPacks>;
  bytesMax?: number | undefined;
}): Compiled {
  const kept = new LRUCache<string, AccountPacks>({ maxSize: bytesMax, sizeCalculation: ({ bytes }) => bytes });
  /** Reads in progress: a change that arrives meanwhile removes them, so that their results are not cached. */
  const reading = new Map<string, Promise<AccountPacks>>();
  const stopListening = changes.onChange((change) => {
    if (change) {
      kept.delete(change.credentialId);
      reading.delete(change.credentialId);
    } else {
      kept.clear();
      reading.clear();
    }
  });

  /** While change notifications are down: a read in progress, and the next one, shared by all callers that arrive meanwhile. */
  const unheard = new Map<string, { now: Promise<AccountPacks>; next?: Promise<AccountPacks> }>();

  /** Reads the state as of the call or later, at most once at a time for an account. */
  function readAnew(accountId: string): Promise<AccountPacks> {
    const underWay = unheard.get(accountId);
    if (!underWay) {
      const now = read(accountId);
      const reads: { now: Promise<AccountPacks>; next?: Promise<AccountPacks> } = { now };
      unheard.set(accountId, reads);
      const end = () => {
        if (unheard.get(accountId) === reads) unheard.delete(accountId);
      };
      now.then(end, end);
      return now;
    }
    // The read in progress may have started before a change that the caller knows about.
    const again = () => readAnew(accountId);
    underWay.next ??= underWay.now.then(again, again);
    return underWay.next;
  }

  return {
    of(accountId) {
      if (!changes.fresh()) return readAnew(accountId);
      const known = kept.get(accountId) ?? reading.get(accountId);
      if (known) return known;
      const packs = read(accountId);
      reading.set(accountId, packs);
      const end = (value?: AccountPacks) => {
        if (reading.get(accountId) !== packs) return;
        reading.delete(accountId);
        if (value) kept.set(accountId, value);
      };
      packs.then(end, () => end());
      return packs;
    },
    close: stopListening,
  };
}
