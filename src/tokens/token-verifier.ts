import { hash } from 'node:crypto';
import { errors, type JWTHeaderParameters, jwtVerify } from 'jose';
import { LRUCache } from 'lru-cache';
import type { Clock } from '../base/clock.ts';
import { type Failure, fail, type Result } from '../base/failure.ts';
import { isId } from '../base/ids.ts';
import type { TokenClaims } from './minter.ts';
import type { SigningKeys } from './signing-keys.ts';
import type { TokenState } from './tokens-store.ts';
import type { ParentKey, VerifiedToken } from './types.ts';

export interface TokenVerifier {
  /** Verifies a token. Synchronous if it was seen before and nothing has changed since. */
  verify(token: string, from?: { readonly peer: string }): Result<VerifiedToken> | Promise<Result<VerifiedToken>>;
  /** Forgets a token, a device's tokens, or everything. */
  forget(id?: string): void;
}

/** Counts an address's checks of unknown tokens, and those that failed. */
export interface TokenLookUps {
  may(peer: string): Result<void>;
  failed(peer: string): void;
}

export interface TokenVerifierOptions {
  clock: Clock;
  signingKeys: SigningKeys;
  /**
   * The `iss` and `aud` of every node's tokens; undefined if each node states its own address. Then any is accepted, since what
   * proves where a token comes from is its signature, by a key that only this database's nodes have, and its row.
   */
  issuer(): string | undefined;
  /** Reads a token's state; undefined if it was never issued. */
  readState(tokenId: string): Promise<Result<TokenState | undefined>>;
  /** The key that a token descends from; a new object whenever anything about it changed. */
  parentOf(keyId: string): Result<ParentKey> | Promise<Result<ParentKey>>;
  fresh(): boolean;
  /** Whether an address may have a signature checked; refused after too many failed checks. */
  lookUps?: TokenLookUps | undefined;
  entriesMax?: number;
}

interface Warm {
  result: Result<VerifiedToken> & { ok: true };
  digest: string;
}

/** Ours are less than half as long. */
const lengthMax = 8_192;
const attemptsMax = 3;

const invalidCredential = fail({ kind: 'credential_invalid' });
const expired = fail({ kind: 'token_expired' });
const revoked = fail({ kind: 'key_revoked' });
const overloaded: Failure = { kind: 'overloaded', retryAfterMs: 1000 };

export function createTokenVerifier(options: TokenVerifierOptions): TokenVerifier {
  const { clock, signingKeys, issuer, readState, parentOf, fresh, lookUps, entriesMax = 50_000 } = options;
  const byOwner = new Map<string, Set<string>>();
  const warm = new LRUCache<string, Warm>({
    max: entriesMax,
    dispose: ({ result: { value }, digest }) => {
      unlink(value.tokenId, digest);
      if (value.deviceId !== undefined) unlink(value.deviceId, digest);
    },
  });
  // Incremented by anything that makes earlier reads doubtful.
  let changes = 0;

  function verify(
    token: string,
    from?: { readonly peer: string },
  ): Result<VerifiedToken> | Promise<Result<VerifiedToken>> {
    if (token.length > lengthMax) return invalidCredential;
    const digest = hash('sha256', token, 'base64');
    const entry = fresh() ? warm.get(digest) : undefined;
    if (!entry) return verifyUnknown(token, digest, from?.peer);
    const { value } = entry.result;
    if (clock.now() >= value.expireTime) {
      warm.delete(digest);
      return expired;
    }
    const parent = parentOf(value.parent.keyId);
    if (parent instanceof Promise) return parent.then((late) => withParent(late));
    return withParent(parent);

    function withParent(current: Result<ParentKey>): Result<VerifiedToken> | Promise<Result<VerifiedToken>> {
      if (current.ok && current.value === value.parent && entry) return entry.result;
      warm.delete(digest);
      return current.ok ? verifyCold(token, digest) : current;
    }
  }

  async function verifyUnknown(token: string, digest: string, peer: string | undefined) {
    const may = peer === undefined ? undefined : lookUps?.may(peer);
    if (may && !may.ok) return may;
    const decided = await verifyCold(token, digest);
    if (peer !== undefined && !decided.ok && decided.failure.kind === 'credential_invalid') lookUps?.failed(peer);
    return decided;
  }

  async function verifyCold(token: string, digest: string): Promise<Result<VerifiedToken>> {
    const claims = await readClaims(token);
    if (!claims.ok) return claims;
    for (let attempt = 1; attempt <= attemptsMax; attempt += 1) {
      const before = changes;
      const [parent, state] = await Promise.all([parentOf(claims.value.key), readState(claims.value.jti)]);
      if (!state.ok) return state;
      if (!parent.ok) return parent;
      if (changes !== before) continue;
      if (!state.value || parent.value.accountId !== claims.value.account) return invalidCredential;
      if (state.value.revoked) return revoked;
      return keep(tokenOf(claims.value, parent.value), digest);
    }
    return fail(overloaded);
  }

  async function readClaims(token: string): Promise<Result<TokenClaims>> {
    const expected = issuer();
    try {
      const { payload } = await jwtVerify(token, keyOf, {
        algorithms: ['ES256'],
        typ: 'at+jwt',
        ...(expected !== undefined && { issuer: expected, audience: expected }),
        currentDate: new Date(clock.now()),
        requiredClaims: ['iss', 'aud', 'exp', 'iat', 'jti', 'sub', 'client_id', 'scope', 'account', 'key'],
      });
      if (!isId('tok', String(payload.jti))) return invalidCredential;
      return { ok: true, value: payload as unknown as TokenClaims };
    } catch (error) {
      if (error instanceof errors.JWTExpired) return expired;
      if (error instanceof errors.JOSEError) return invalidCredential;
      throw error;
    }
  }

  async function keyOf({ kid }: JWTHeaderParameters) {
    const key = typeof kid === 'string' && kid.length <= 64 ? await signingKeys.verifier(kid) : undefined;
    if (!key) throw new errors.JWKSNoMatchingKey();
    return key;
  }

  function keep(value: VerifiedToken, digest: string): Result<VerifiedToken> {
    const result = { ok: true as const, value };
    warm.set(digest, { result, digest });
    link(value.tokenId, digest);
    if (value.deviceId !== undefined) link(value.deviceId, digest);
    return result;
  }

  function forget(id?: string): void {
    changes += 1;
    if (id === undefined) {
      warm.clear();
      return;
    }
    for (const digest of [...(byOwner.get(id) ?? [])]) warm.delete(digest);
  }

  function link(id: string, digest: string): void {
    const digests = byOwner.get(id);
    if (digests) digests.add(digest);
    else byOwner.set(id, new Set([digest]));
  }

  function unlink(id: string, digest: string): void {
    const digests = byOwner.get(id);
    digests?.delete(digest);
    if (digests?.size === 0) byOwner.delete(id);
  }

  return { verify, forget };
}

/** What the token allows now: never more than its parent. */
function tokenOf(claims: TokenClaims, parent: ParentKey): VerifiedToken {
  const cap = claims.cap === undefined ? undefined : BigInt(claims.cap);
  return {
    tokenId: claims.jti,
    accountId: claims.account,
    clientId: claims.client_id,
    subject: claims.sub,
    scopes: new Set(claims.scope.split(' ').filter((scope) => parent.scopes.has(scope))),
    expireTime: claims.exp * 1000,
    parent,
    ...(claims.device !== undefined && { deviceId: claims.device }),
    ...(claims.session !== undefined && { sessionId: claims.session }),
    ...(cap !== undefined && { spendingCap: cap }),
    ...(claims.models && { models: claims.models }),
  };
}
