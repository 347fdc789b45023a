import type { CallerLimits } from '../base/caller.ts';
import type { Guardrails } from '../base/guardrails.ts';
import type { NanoUsd } from '../base/money.ts';

/** What an access token may be used for. Never account operations, whatever its parent may. */
export const tokenScopes = ['chat', 'workflows', 'pulse'] as const;

/** What tokens need to know of the API key that they descend from; the room of keys answers it. */
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
  /** The API key that the token descends from, and that pays. */
  keyId: string;
  /** The account that asks with a management key: the key must be one of its own. Absent: the key itself asks. */
  accountId?: string;
  /** The session of the console that asks: streams by the token end with it. */
  sessionId?: string;
  /** The end user, as the customer names them: 1 to 128 bytes. */
  subject: string;
  /** Default: all of `tokenScopes` that the parent has. */
  scopes?: readonly string[];
  /** 60 to 3,600; default 600. */
  ttlSeconds?: number;
  /** The most that this end user may ever spend; across all of their tokens. */
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

/** A token that holds. Shared between requests and never changed: treat it as frozen. */
export interface VerifiedToken {
  tokenId: string;
  accountId: string;
  /** The client application, or the key for a token that a backend asked for. */
  clientId: string;
  subject: string;
  deviceId?: string;
  /** The session of the console that it was made by. */
  sessionId?: string;
  /** Those of the token that its parent still has. */
  scopes: ReadonlySet<string>;
  /** The token's own, never more than its parent's. */
  spendingCap?: NanoUsd;
  models?: readonly string[];
  expireTime: number;
  /** The same object for as long as the parent does not change. */
  parent: ParentKey;
}

/** An application that the account ships to its end users. Its id is no secret. */
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

/** What an installation asked for, as who decides about it sees it. */
export interface DeviceWish {
  /** As people read it. */
  userCode: string;
  client: ClientApplication;
  scopes: readonly string[];
  state: 'pending' | 'approved' | 'denied' | 'expired';
  /** An IPv4 address or an IPv6 network; absent when it is not known. */
  network?: string;
  deviceId?: string;
  createTime: number;
  expireTime: number;
}

/** Who manages tokens and devices: an account's management key all of them, an API key those that descend from it. */
export interface Manager {
  accountId: string;
  /** Set for an API key: what descends from another one does not exist for it. */
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
  /** Default: those that the device asked for. */
  scopes?: readonly string[];
  spendingCap?: NanoUsd;
  models?: readonly string[];
}

/** The errors of RFC 6749 (5.2) and RFC 8628 (3.5), word by word. */
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
  /** Not of these RFCs' errors: as many devices wait to be approved as may. */
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
