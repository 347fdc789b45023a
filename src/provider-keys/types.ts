import type { Result } from '../base/failure.ts';
import type { OwnKey } from '../base/own-key.ts';
import type { Page, PageRequest } from '../base/page.ts';
import type { Transactional } from '../db/index.ts';

/** A provider key as its account sees it, without its secret. Times are milliseconds since the epoch. */
export interface ProviderKey {
  id: string;
  provider: string;
  displayName: string;
  state: 'active' | 'deleted';
  /** The last four characters of the secret. */
  lastFour: string;
  createTime: number;
  deleteTime?: number;
  /** To within a minute or so. */
  lastUsedTime?: number;
}

export interface NewProviderKey {
  accountId: string;
  /** One of the providers whose keys are accepted. */
  provider: string;
  /** 8 to 512 printable ASCII characters, without spaces. */
  secret: string;
  displayName: string;
}

/** Provider keys that accounts brought for their own calls. Secrets are sealed and never shown again. */
export interface ProviderKeys {
  /**
   * Stores a key. Fails with `invalid_argument`, and with `precondition_failed` if this service accepts no keys or the account
   * has `providerKeysMax` of them. `within`: the transaction to join; absent: its own.
   */
  create(key: NewProviderKey, within?: Transactional): Promise<Result<ProviderKey>>;
  /** Newest first, including deleted keys. */
  list(accountId: string, page: PageRequest): Promise<Result<Page<ProviderKey>>>;
  /** Erases the secret. Calls in progress continue; within a second no new one starts. Deleting a deleted key succeeds. `within`: as above. */
  delete(accountId: string, id: string, within?: Transactional): Promise<Result<ProviderKey>>;
  /** The key that an account's calls use for each provider: the newest that is not deleted. Cached while nothing changes. */
  of(accountId: string): readonly OwnKey[] | Promise<readonly OwnKey[]>;
  /** Notes that a key was used, at most once a minute. */
  used(key: OwnKey): void;
  /** Waits for pending writes. */
  close(): Promise<void>;
}
