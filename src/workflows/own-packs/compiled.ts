import { LRUCache } from 'lru-cache';
import type { CredentialChanges } from '../../db/credential-changes.ts';
import type { AccountPacks } from './rules.ts';

/** Packs of accounts as they were compiled, kept while nothing changes. */
export interface Compiled {
  of(accountId: string): AccountPacks | Promise<AccountPacks>;
  close(): void;
}

const bytesMaxDefault = 64 * 1_024 * 1_024;

/** Keeps what `read` gives, up to a number of bytes in all, and forgets what other nodes change within a second. */
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
  /** Those that are read now: a change that is told meanwhile removes them, so that what was read is not kept. */
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

  /** While changes are not heard: a read under way, and the one after it, which all who come meanwhile share. */
  const unheard = new Map<string, { now: Promise<AccountPacks>; next?: Promise<AccountPacks> }>();

  /** Reads what is there after the call, at most once at a time for an account. */
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
    // The one under way may have read before a change that the caller knows of.
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
