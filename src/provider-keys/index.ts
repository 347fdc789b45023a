/** Provider keys that accounts bring: their calls to those providers' models use them. */
import type { Logger } from 'pino';
import type { Clock } from '../base/clock.ts';
import { type Failure, fail, invalid, type Result, succeed } from '../base/failure.ts';
import { isId, newId } from '../base/ids.ts';
import type { OwnKey } from '../base/own-key.ts';
import { makePage, readPageRequest } from '../base/page.ts';
import { present } from '../base/present.ts';
import type { Seal } from '../base/seal.ts';
import type { CredentialChanges } from '../db/credential-changes.ts';
import type { Database } from '../db/index.ts';
import { createProviderKeysStore, type ProviderKeyRow } from './provider-keys-store.ts';
import type { NewProviderKey, ProviderKey, ProviderKeys } from './types.ts';

export type { NewProviderKey, ProviderKey, ProviderKeys } from './types.ts';

export interface ProviderKeysOptions {
  db: Database;
  clock: Clock;
  log: Logger;
  /** For the secrets. */
  seal: Seal;
  changes: CredentialChanges;
  /** The providers whose keys are accepted; empty: accounts cannot bring any. */
  providers: readonly string[];
}

/** Per account; deleted ones do not count. */
export const providerKeysMax = 20;

/** How many accounts' keys to cache; most accounts have none, which is cached too. */
const accountsKeptMax = 10_000;
const useNotedEveryMs = 60_000;
const list = 'provider-keys';
const printable = /^[\x21-\x7e]{8,512}$/;

export function createProviderKeys(options: ProviderKeysOptions): ProviderKeys {
  const { clock, log, seal, changes, providers } = options;
  const store = createProviderKeysStore(options);
  const kept = new Map<string, Promise<readonly OwnKey[]> | readonly OwnKey[]>();
  const notedAt = new WeakMap<OwnKey, number>();
  const writing = new Set<Promise<unknown>>();
  const stopListening = changes.onChange((change) => {
    if (change) kept.delete(change.credentialId);
    else kept.clear();
  });

  function ownKeyOf({ id, account_id: accountId, provider, last_four: lastFour, sealed }: ProviderKeyRow): OwnKey {
    return {
      ...{ id, provider, lastFour },
      secret() {
        const secret = sealed && seal.open(sealed, contextOf(accountId, id));
        if (!secret) throw new Error(`The provider key ${id} does not open: its encryption key is gone.`);
        return Buffer.from(secret).toString('latin1');
      },
    };
  }

  async function read(accountId: string): Promise<readonly OwnKey[]> {
    const newest = new Map<string, ProviderKeyRow>();
    for (const row of await store.working(accountId)) if (!newest.has(row.provider)) newest.set(row.provider, row);
    return [...newest.values()].map(ownKeyOf);
  }

  return {
    async create(key, within) {
      const problem = problemOf(key, providers);
      if (problem) return fail(problem);
      const id = newId('pky');
      const row: ProviderKeyRow = {
        id,
        account_id: key.accountId,
        provider: key.provider,
        display_name: key.displayName,
        last_four: key.secret.slice(-4),
        sealed: Buffer.from(seal.seal(Buffer.from(key.secret, 'latin1'), contextOf(key.accountId, id))),
        created_at_ms: BigInt(clock.now()),
        deleted_at_ms: null,
        used_at_ms: null,
      };
      if (!(await store.insert(row, providerKeysMax, within)))
        return fail({ kind: 'precondition_failed', description: full });
      return succeed(shownOf(row));
    },
    async list(accountId, page) {
      const start = readPageRequest(list, page);
      if (!start.ok) return start;
      const { after, size } = start.value;
      const rows = await store.list({ accountId, before: after, limit: size + 1 });
      return succeed(makePage(list, start.value, rows.map(shownOf), ({ id }) => id));
    },
    async delete(accountId, id, within): Promise<Result<ProviderKey>> {
      const row = isId('pky', id) ? await store.erase(accountId, id, { time: clock.now(), within }) : undefined;
      return row ? succeed(shownOf(row)) : fail({ kind: 'not_found', resource: 'provider key' });
    },
    of(accountId) {
      if (accountId === '') return none;
      const known = changes.fresh() ? kept.get(accountId) : undefined;
      if (known) return known;
      if (kept.size >= accountsKeptMax) kept.clear();
      // Cached before it is read: a change announced in the meantime removes it again.
      const reading = read(accountId);
      kept.set(accountId, reading);
      const isKept = () => kept.get(accountId) === reading;
      reading.then(
        (keys) => isKept() && kept.set(accountId, keys),
        () => isKept() && kept.delete(accountId),
      );
      return reading;
    },
    used(key) {
      const now = clock.now();
      if (now - (notedAt.get(key) ?? Number.NEGATIVE_INFINITY) < useNotedEveryMs) return;
      notedAt.set(key, now);
      const written = store
        .noteUse(key.id, now)
        .catch((error: unknown) => log.warn({ err: error }, 'the last use of a provider key was not recorded'))
        .finally(() => writing.delete(written));
      writing.add(written);
    },
    async close() {
      stopListening();
      await Promise.all(writing);
    },
  };
}

const none: readonly OwnKey[] = [];
const full = `The account has ${providerKeysMax} provider keys, the maximum. Delete one that is no longer used.`;

function problemOf({ provider, secret }: NewProviderKey, providers: readonly string[]): Failure | undefined {
  if (providers.length === 0)
    return {
      kind: 'precondition_failed',
      description: "This service takes no accounts' provider keys: the operator has set no price for their use.",
    };
  if (!providers.includes(provider))
    return invalid(
      'provider',
      `Keys of this provider are not accepted here. Accepted are keys of ${providers.join(', ')}.`,
    );
  if (!printable.test(secret))
    return invalid('secret', 'must be 8 to 512 printable characters, without blanks, as the provider shows the key');
  return undefined;
}

function contextOf(accountId: string, id: string): string {
  return `provider key ${accountId} ${id}`;
}

function shownOf(row: ProviderKeyRow): ProviderKey {
  return present({
    id: row.id,
    provider: row.provider,
    displayName: row.display_name,
    state: row.deleted_at_ms === null ? ('active' as const) : ('deleted' as const),
    lastFour: row.last_four,
    createTime: Number(row.created_at_ms),
    deleteTime: row.deleted_at_ms === null ? undefined : Number(row.deleted_at_ms),
    lastUsedTime: row.used_at_ms === null ? undefined : Number(row.used_at_ms),
  });
}
