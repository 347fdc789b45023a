import type { CallerLimits } from '../base/caller.ts';
import type { Guardrails } from '../base/guardrails.ts';
import type { NanoUsd } from '../base/money.ts';

/** What an access token may be used for. Never for account operations, whatever its parent may do. */
export const tokenScopes = ['chat', 'workflows', 'pulse'] as const;

/** What tokens need to know about their parent API key; provided by the keys room. */
export interface ParentKey {
  keyId: string;
  accountId: string;
  version: number;
  scopes: ReadonlySet<string>;
  expireTime?: number;
  spendingCap?: NanoUsd;
  limits?: CallerLimits;
  guardrails?: Guardrails;
  allowedOrigins: readonly string[];
}

export interface NewToken {
  /** The parent API key, which also pays. */
  keyId: string;
  /** The account that asks with a management key: the parent key must be its own. Absent: the key itself asks. */
  accountId?: string;
  /** The console session that asks: the token's streams end with it. */
  sessionId?: string;
  /** The end user, as the customer names them: 1 to 128 bytes. */
  subject: string;
  /** Default: all of `tokenScopes` that the parent has. */
  scopes?: readonly string[];
  /** 60 to 3,600; default 600. */
  ttlSeconds?: number;
  /** The most that this end user may ever spend, across all of their tokens. */
  spendingCap?: NanoUsd;
  /** Only these models; default: all. */
  models?: readonly string[];
}

export interface IssuedToken {
  tokenId: string;
  accessToken: string;
  /** Milliseconds since the epoch. */
  expireTime: number;
  scopes: readonly string[];
}

/** A valid token. Shared between requests and never changed: treat it as frozen. */
export interface VerifiedToken {
  tokenId: string;
  accountId: string;
  /** The client application, or the key for a token that a backend requested. */
  clientId: string;
  subject: string;
  deviceId?: string;
  /** The console session that created it. */
  sessionId?: string;
  /** The token's scopes that its parent still has. */
  scopes: ReadonlySet<string>;
  /** The token's own, never more than its parent's. */
  spendingCap?: NanoUsd;
  models?: readonly string[];
  expireTime: number;
  /** The same object as long as the parent does not change. */
  parent: ParentKey;
}

/** An application that the account ships to its end users. Its id is not secret. */
export interface ClientApplication {
  id: string;
  accountId: string;
  /** The API key that its devices descend from. */
  keyId: string;
  displayName: string;
  /** The customer's own page for entering user codes; default: this service's. */
  activationUri?: string;
  createTime: number;
  disableTime?: number;
}

/** One installation of a client application. */
export interface Device {
  id: string;
  accountId: string;
  clientId: string;
  keyId: string;
  subject: string;
  displayName: string;
  scopes: readonly string[];
  models?: readonly string[];
  spendingCap?: NanoUsd;
  /** Who approved it: a key's id. */
  approvedBy: string;
  state: 'active' | 'expired' | 'revoked';
  createTime: number;
  /** When it last fetched a token. */
  lastUsedTime?: number;
  expireTime: number;
  revokeTime?: number;
  revokeReason?: string;
}

/** What an installation asked for, as shown to whoever decides about it. */
export interface DeviceWish {
  /** In human-readable form. */
  userCode: string;
  client: ClientApplication;
  scopes: readonly string[];
  state: 'pending' | 'approved' | 'denied' | 'expired';
  /** An IPv4 address or an IPv6 network; absent if unknown. */
  network?: string;
  deviceId?: string;
  createTime: number;
  expireTime: number;
}

/** Who manages tokens and devices: an account's management key manages all, an API key those that descend from it. */
export interface Manager {
  accountId: string;
  /** Set for an API key: it cannot see what descends from other keys. */
  onlyKeyId?: string | undefined;
}

/** Who approves or refuses a device, and as what. */
export interface DeviceApproval extends Manager {
  /** The approver's key id. */
  approvedBy: string;
  /** As somebody typed it. */
  userCode: string;
  subject: string;
  displayName?: string;
  /** Default: the scopes that the device asked for. */
  scopes?: readonly string[];
  spendingCap?: NanoUsd;
  models?: readonly string[];
}

/** The error codes of RFC 6749 (5.2) and RFC 8628 (3.5), verbatim. */
export type OauthErrorCode =
  | 'invalid_request'
  | 'invalid_client'
  | 'invalid_grant'
  | 'invalid_scope'
  | 'unauthorized_client'
  | 'unsupported_grant_type'
  | 'authorization_pending'
  | 'slow_down'
  | 'access_denied'
  | 'expired_token'
  /** Not an error of these RFCs: too many devices are already waiting for approval. */
  | 'temporarily_unavailable';

export type OauthResult<T> = { ok: true; value: T } | { ok: false; error: OauthErrorCode; description: string };

/** The reply to a device that asks to be activated (RFC 8628, 3.2). */
export interface DeviceAuthorization {
  deviceCode: string;
  userCode: string;
  verificationUri: string;
  verificationUriComplete: string;
  expiresInSeconds: number;
  intervalSeconds: number;
}

/** The tokens of one device (RFC 6749, 5.1). */
export interface DeviceTokens {
  accessToken: string;
  expiresInSeconds: number;
  refreshToken: string;
  scopes: readonly string[];
}
