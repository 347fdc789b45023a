import type { Caller } from '../base/caller.ts';

/** Whose messages and replies are counted: an account's, and of its end users each one's. */
export interface Owner {
  account: string;
  /** Undefined for the account's own keys. */
  user?: string | undefined;
}

export function ownerOf({ accountId, name, token }: Caller): Owner {
  return { account: accountId ?? name, user: token?.subject };
}

/** Of an account's room, how much one of its end users may take, and all of them together: some is left to its own keys. */
const userShare = 1 / 2;
const usersShare = 3 / 4;

interface Owned {
  all: number;
  users: Map<string, number>;
  ofUsers: number;
}

/** Counts bytes by owner. An account is forgotten when it has none. */
export class OwnedBytes {
  readonly #accounts = new Map<string, Owned>();

  /** The bytes of an account and its users. */
  of(account: string): number {
    return this.#accounts.get(account)?.all ?? 0;
  }

  /** Whether an owner may have this many more bytes, in an account that may have `max`. */
  hasRoom({ account, user }: Owner, bytes: number, max: number): boolean {
    const owned = this.#accounts.get(account);
    if (!owned) return bytes <= (user === undefined ? max : max * userShare);
    if (owned.all + bytes > max) return false;
    if (user === undefined) return true;
    return owned.ofUsers + bytes <= max * usersShare && (owned.users.get(user) ?? 0) + bytes <= max * userShare;
  }

  /** Counts more bytes, or with a negative number fewer. */
  add({ account, user }: Owner, bytes: number): void {
    const owned = this.#accounts.get(account) ?? { all: 0, users: new Map(), ofUsers: 0 };
    owned.all += bytes;
    if (user !== undefined) {
      owned.ofUsers += bytes;
      const ofUser = (owned.users.get(user) ?? 0) + bytes;
      if (ofUser > 0) owned.users.set(user, ofUser);
      else owned.users.delete(user);
    }
    if (owned.all > 0) this.#accounts.set(account, owned);
    else this.#accounts.delete(account);
  }

  /** The account with most bytes; undefined if nobody has any. */
  most(): string | undefined {
    let most: string | undefined;
    for (const [account, { all }] of this.#accounts) if (all > this.of(most ?? '')) most = account;
    return most;
  }

  clear(): void {
    this.#accounts.clear();
  }
}
