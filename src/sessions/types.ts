/** Who a session acts for: the owner of an account, through one of its management keys, or an operator. */
export type SessionHolder =
  | { readonly role: 'owner'; readonly accountId: string; readonly keyId: string }
  | { readonly role: 'operator'; readonly operator: string };

/** One browser signed in to the console. Times are milliseconds since the epoch. Treat it as frozen. */
export interface Session {
  /** Identifies it in lists and logs; proves nothing. */
  readonly id: string;
  readonly holder: SessionHolder;
  /** The browser's `User-Agent`, at most 200 characters. */
  readonly agent: string;
  readonly createTime: number;
  /** The last request, to within half a minute. */
  readonly seenTime: number;
  /** When its key, or a sign-in code, was last shown. */
  readonly confirmTime: number;
  /** When it ends at the latest; it ends earlier if unused. */
  readonly expireTime: number;
  /** The passkey that opened it and that it ends with. */
  readonly passkeyId?: string;
  /** When the secret or passkey that opened it expires; absent: never. */
  readonly credentialEndTime?: number;
}

/**
 * A console passkey: signs in as its holder, and can replace its key for reauthentication. Only its public key is stored. Treat
 * it as frozen.
 */
export interface Passkey {
  readonly id: string;
  /** The key or operator that it was created with and ends with. */
  readonly holder: SessionHolder;
  /** Its owner's name for it, 1 to 100 characters. */
  readonly name: string;
  /** Whether its authenticator may sync it to its owner's other devices. */
  readonly multiDevice: boolean;
  readonly createTime: number;
  /** When it was last used; absent: never. */
  readonly useTime?: number;
}

/** Who a sign-in code lets in: the owner of an account, or an operator. */
export type CodeOwner = { readonly accountId: string } | { readonly operator: string };
