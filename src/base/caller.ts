import type { Guardrails } from './guardrails.ts';
import type { NanoUsd } from './money.ts';

/** The kinds of credential. `none` may only call what needs no credential. */
export type CredentialKind = 'none' | 'operator' | 'management_key' | 'api_key' | 'access_token';

/**
 * The caller, as every handler sees it. Everything belongs to an account; another account's id gives "not found". An operator
 * belongs to no account: `accountId` is undefined.
 */
export interface Caller {
  credential: CredentialKind;
  /** For logs and audit: the operator's name, or the key's id. Never a secret. */
  name: string;
  accountId?: string;
  key?: CallerKey;
  token?: CallerToken;
  /** Set if a browser calls with a console session, which stands for its management key or operator. */
  session?: CallerSession;
  /** What the credential may do: `chat`, `workflows`, `pulse`, `tokens`, ... Empty for operators and management keys. */
  scopes: ReadonlySet<string>;
}

/** The API key or management key that was presented, or that an access token derives from. */
export interface CallerKey {
  id: string;
  /** Incremented by each rotation and by revocation; checked again when the hold is committed. */
  version: number;
  spendingCap?: NanoUsd;
  limits?: CallerLimits;
  /** What its chats are checked for. */
  guardrails?: Guardrails;
}

/** The short-lived token of an end user or device. */
export interface CallerToken {
  id: string;
  /** The end user, by the customer's own name for them. */
  subject: string;
  deviceId?: string;
  /** The console session that created it. */
  sessionId?: string;
  spendingCap?: NanoUsd;
  models?: readonly string[];
  /** Web origins whose pages may use it in a browser; absent or empty: none. */
  allowedOrigins?: readonly string[];
}

/** A signed-in browser. */
export interface CallerSession {
  id: string;
  /** When its key, or a sign-in code, was last presented; in milliseconds since the epoch. */
  confirmTime: number;
}

/** Per-key limits that replace the configured ones. */
export interface CallerLimits {
  requestsPerMinute?: number;
  tokensPerMinute?: number;
  concurrent?: number;
}

export const nobody: Caller = { credential: 'none', name: 'anonymous', scopes: new Set() };
