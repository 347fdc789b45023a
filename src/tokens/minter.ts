import { SignJWT } from 'jose';
import type { Clock } from '../base/clock.ts';
import { newId } from '../base/ids.ts';
import type { NanoUsd } from '../base/money.ts';
import type { SigningKeys } from './signing-keys.ts';
import type { StoredToken } from './tokens-store.ts';

/** The content of a token, already checked. */
export interface TokenContent {
  accountId: string;
  keyId: string;
  /** `client_id` of RFC 9068: the client application, or the key for tokens that a backend requested. */
  clientId: string;
  subject: string;
  deviceId?: string;
  sessionId?: string;
  scopes: readonly string[];
  spendingCap?: NanoUsd;
  models?: readonly string[];
  expireTime: number;
}

/** The claims of our access tokens: RFC 9068's, and our own. */
export interface TokenClaims {
  iss: string;
  aud: string;
  sub: string;
  client_id: string;
  jti: string;
  iat: number;
  exp: number;
  scope: string;
  account: string;
  key: string;
  device?: string;
  session?: string;
  /** Nano-USD in decimal digits: JSON numbers are not precise enough. */
  cap?: string;
  models?: readonly string[];
}

export type Minter = (content: TokenContent) => Promise<{ token: StoredToken; accessToken: string }>;

/** Signs access tokens per the RFC 9068 profile. The caller must store the token before handing it out. */
export function createMinter(options: { signingKeys: SigningKeys; issuer: () => string; clock: Clock }): Minter {
  const { signingKeys, issuer, clock } = options;
  return async (content) => {
    const { id: kid, key } = await signingKeys.signer();
    const id = newId('tok');
    const now = clock.now();
    // Whole seconds, rounded down: a token never outlives its granted lifetime.
    const exp = Math.floor(content.expireTime / 1000);
    const claims: TokenClaims = {
      iss: issuer(),
      aud: issuer(),
      sub: content.subject,
      client_id: content.clientId,
      jti: id,
      iat: Math.floor(now / 1000),
      exp,
      scope: content.scopes.join(' '),
      account: content.accountId,
      key: content.keyId,
      ...(content.deviceId !== undefined && { device: content.deviceId }),
      ...(content.sessionId !== undefined && { session: content.sessionId }),
      ...(content.spendingCap !== undefined && { cap: String(content.spendingCap) }),
      ...(content.models && { models: content.models }),
    };
    const accessToken = await new SignJWT({ ...claims })
      .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid })
      .sign(key);
    const { accountId, keyId, deviceId, subject } = content;
    const token: StoredToken = {
      id,
      accountId,
      keyId,
      subject,
      createTime: now,
      expireTime: exp * 1000,
      ...(deviceId !== undefined && { deviceId }),
    };
    return { token, accessToken };
  };
}
