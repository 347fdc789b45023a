import type { Result } from '../base/failure.ts';
import type { OwnKey } from '../base/own-key.ts';
import type { Page, PageRequest } from '../base/page.ts';
import type { Transactional } from '../db/index.ts';

/** A provider key as its account sees it: never its secret. Times are milliseconds since the epoch. */
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
  /** One of the providers whose keys are taken. */
  provider: string;
  /** 8 to 512 printable characters of ASCII, without blanks. */
  secret: string;
  displayName: string;
}

/** Keys of providers that accounts brought for their own calls. Secrets are sealed, and never shown again. */
export interface ProviderKeys {
  /**
   * Stores a key. Fails with `invalid_argument`, and with `precondition_failed` where this service takes no keys, or the
   * account has `providerKeysMax` of them. `within`: the transaction that it is part of; absent: one of its own.
   */
  create(key: NewProviderKey, within?: Transactional): Promise<Result<ProviderKey>>;
  /** The newest first, deleted ones included. */
  list(accountId: string, page: PageRequest): Promise<Result<Page<ProviderKey>>>;
  /** Erases the secret. Calls that are under way go on; within a second no other begins. Deleted already, it is done. `within`: as above. */
  delete(accountId: string, id: string, within?: Transactional): Promise<Result<ProviderKey>>;
  /** The key of each provider that an account's calls use: the newest that is not deleted. Kept in memory while nothing changes. */
  of(accountId: string): readonly OwnKey[] | Promise<readonly OwnKey[]>;
  /** Notes that a key was used, at most once a minute. */
  used(key: OwnKey): void;
  /** Waits for what is being written. */
  close(): Promise<void>;
}
