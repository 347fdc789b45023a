import type { CallerLimits } from '../base/caller.ts';
import type { Guardrails } from '../base/guardrails.ts';
import type { NanoUsd } from '../base/money.ts';
import type { KeyKind } from './secret.ts';

/** What an API key may be used for. */
export const keyScopes = ['chat', 'workflows', 'pulse', 'tokens', 'devices'] as const;
export type KeyScope = (typeof keyScopes)[number];

/** A key as its owner sees it: never its secret. Times are milliseconds since the epoch. */
export interface ApiKey {
  id: string;
  accountId: string;
  kind: KeyKind;
  /** `expired` once its own expiry has passed; `revoked` is permanent. */
  state: 'active' | 'expired' | 'revoked';
  displayName: string;
  /** What is being built with it. */
  purpose: string;
  scopes: readonly string[];
  /** The last four characters of the current secret. */
  lastFour: string;
  /** Increases with each change. */
  version: number;
  createTime: number;
  rotateTime?: number;
  expireTime?: number;
  revokeTime?: number;
  /** To within half a minute or so. */
  lastUsedTime?: number;
  /** Until when the secret before the last rotation works; absent if it no longer works. */
  previousSecretExpireTime?: number;
  spendingCap?: NanoUsd;
  limits?: KeyLimits;
  guardrails?: Guardrails;
  /** Web origins from which browsers may use this key's tokens. */
  allowedOrigins: readonly string[];
}

/** Limits of one key, within its account's limits. */
export interface KeyLimits extends CallerLimits {
  streams?: number;
}

/** A key whose secret was presented and is valid. Shared between requests and never changed: treat it as frozen. */
export interface VerifiedKey {
  keyId: string;
  accountId: string;
  kind: KeyKind;
  version: number;
  /** When its current secret was created. */
  secretTime: number;
  displayName: string;
  scopes: ReadonlySet<string>;
  expireTime?: number;
  spendingCap?: NanoUsd;
  limits?: KeyLimits;
  guardrails?: Guardrails;
  allowedOrigins: readonly string[];
}

export interface NewKey {
  accountId: string;
  kind: KeyKind;
  displayName: string;
  purpose: string;
  /** Default: all. A management key has none. */
  scopes?: readonly string[];
  expireTime?: number;
  spendingCap?: NanoUsd;
  limits?: KeyLimits;
  guardrails?: Guardrails;
  allowedOrigins?: readonly string[];
}

/** What to change; an absent field stays, `null` removes it. */
export interface KeyChanges {
  displayName?: string;
  purpose?: string;
  scopes?: readonly string[];
  expireTime?: number | null;
  spendingCap?: NanoUsd | null;
  limits?: KeyLimits | null;
  guardrails?: Guardrails | null;
  allowedOrigins?: readonly string[];
}

/** A key and its full secret, shown once. */
export interface KeyWithSecret {
  key: ApiKey;
  secret: string;
}
