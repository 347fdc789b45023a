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
}

/** What a sign-in code lets in: the owner of an account, or an operator. */
export type CodeOwner = { readonly accountId: string } | { readonly operator: string };
