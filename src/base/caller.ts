import type { Guardrails } from './guardrails.ts';
import type { NanoUsd } from './money.ts';

/** The kinds of credential. `none` calls only what needs none. */
export type CredentialKind = 'none' | 'operator' | 'management_key' | 'api_key' | 'access_token';

/**
 * Who calls, as every handler sees it. Everything belongs to an account; another account's id answers "not found".
 * An operator belongs to none: `accountId` is undefined.
 */
export interface Caller {
  credential: CredentialKind;
  /** For logs and audit: the operator's name, or the key's id. Never a secret. */
  name: string;
  accountId?: string;
  key?: CallerKey;
  token?: CallerToken;
  /** Set when a browser calls by a session of the console, in the place of its management key or operator. */
  session?: CallerSession;
  /** What the credential may do: `chat`, `workflows`, `pulse`, `tokens`, ... Empty for operators and management keys. */
  scopes: ReadonlySet<string>;
}

/** The API key, or management key, that was presented or that an access token descends from. */
export interface CallerKey {
  id: string;
  /** Grows with each rotation and with revocation; the hold's commit checks it again. */
  version: number;
  spendingCap?: NanoUsd;
  limits?: CallerLimits;
  /** What is looked for in its chats. */
  guardrails?: Guardrails;
}

/** The short-lived token of an end user or device. */
export interface CallerToken {
  id: string;
  /** The end user, as the customer names them. */
  subject: string;
  deviceId?: string;
  /** The session of the console that it was made by. */
  sessionId?: string;
  spendingCap?: NanoUsd;
  models?: readonly string[];
  /** Web origins from which browsers may use it; absent or empty: none. */
  allowedOrigins?: readonly string[];
}

/** A browser that is signed in. */
export interface CallerSession {
  id: string;
  /** When its key, or a sign-in code, was last shown; in milliseconds since the epoch. */
  confirmTime: number;
}

/** Limits of one key that replace the configured ones. */
export interface CallerLimits {
  requestsPerMinute?: number;
  tokensPerMinute?: number;
  concurrent?: number;
}

export const nobody: Caller = { credential: 'none', name: 'anonymous', scopes: new Set() };
