/** Whom a session acts for: the owner of an account, by one of its management keys, or an operator. */
export type SessionHolder =
  | { readonly role: 'owner'; readonly accountId: string; readonly keyId: string }
  | { readonly role: 'operator'; readonly operator: string };

/** One browser that is signed in to the console. Times are milliseconds since the epoch. Treat it as frozen. */
export interface Session {
  /** Names it in lists and logs; proves nothing. */
  readonly id: string;
  readonly holder: SessionHolder;
  /** The browser's `User-Agent`, at most 200 characters. */
  readonly agent: string;
  readonly createTime: number;
  /** The last request, to within half a minute. */
  readonly seenTime: number;
  /** When its key, or a sign-in code, was last shown. */
  readonly confirmTime: number;
  /** When it ends at the latest; it ends before when it is not used. */
  readonly expireTime: number;
  /** The passkey that it began with, and ends with. */
  readonly passkeyId?: string;
  /** When the secret, or the passkey, that it began with ends; absent: it has no end by itself. */
  readonly credentialEndTime?: number;
}

/**
 * A passkey of the console: signs in as its holder, and stands in for its key where that is to be shown again. Only its public key is
 * stored. Treat it as frozen.
 */
export interface Passkey {
  readonly id: string;
  /** The key, or the operator, that it was made with and ends with. */
  readonly holder: SessionHolder;
  /** Its owner's name for it, 1 to 100 characters. */
  readonly name: string;
  /** Whether its authenticator may share it with other devices of its owner. */
  readonly multiDevice: boolean;
  readonly createTime: number;
  /** When it was last used; absent: never. */
  readonly useTime?: number;
}

/** What a sign-in code lets in: the owner of an account, or an operator. */
export type CodeOwner = { readonly accountId: string } | { readonly operator: string };
