import { LRUCache } from 'lru-cache';
import { type Failure, fail, type Result, succeed } from '../base/failure.ts';
import type { GroupReader } from '../base/group-reader.ts';
import { isId } from '../base/ids.ts';
import type { CredentialChanges } from '../db/credential-changes.ts';

/** Whether accounts are served; answers from memory if asked before. */
export interface Standing {
  /**
   * Succeeds for an account that is served; fails with `account_suspended`, or with `overloaded` if that cannot be read now.
   * Synchronous if the account was asked for before and nothing has changed since.
   */
  of(accountId: string): Result<void> | Promise<Result<void>>;
  close(): void;
}

export interface StandingOptions {
  /** Finds only suspended accounts. */
  reader: GroupReader<true>;
  changes: Pick<CredentialChanges, 'fresh' | 'onChange'>;
  entriesMax?: number;
}

const served = succeed(undefined);
const suspended = fail({ kind: 'account_suspended' });
const overloaded: Failure = { kind: 'overloaded', retryAfterMs: 1_000 };
const readAttemptsMax = 3;

export function createStanding({ reader, changes, entriesMax = 50_000 }: StandingOptions): Standing {
  const known = new LRUCache<string, Result<void>>({ max: entriesMax });
  // Incremented with each account change: anything read before may be outdated.
  let changed = 0;
  const stopListening = changes.onChange((change) => {
    if (change && !isId('acc', change.credentialId)) return;
    changed += 1;
    if (change) known.delete(change.credentialId);
    else known.clear();
  });

  async function read(accountId: string): Promise<Result<void>> {
    for (let attempt = 1; attempt <= readAttemptsMax; attempt += 1) {
      const before = changed;
      const found = await reader.read(accountId);
      if (!found.ok) return found;
      if (changed !== before) continue;
      const state = found.value ? suspended : served;
      known.set(accountId, state);
      return state;
    }
    return fail(overloaded);
  }

  return {
    of: (accountId) => (changes.fresh() ? known.get(accountId) : undefined) ?? read(accountId),
    close: stopListening,
  };
}
