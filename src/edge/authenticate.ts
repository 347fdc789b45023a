import { createHash, timingSafeEqual } from 'node:crypto';
import type { Caller } from '../base/caller.ts';
import { type Failure, fail, type Result, succeed } from '../base/failure.ts';
import type { Keys, VerifiedKey } from '../keys/index.ts';
import type { Tokens, VerifiedToken } from '../tokens/index.ts';

/** An operator's token, by name, so that one can be replaced while another still works. */
export interface OperatorToken {
  name: string;
  token: string;
}

export interface AuthenticatorOptions {
  keys: Pick<Keys, 'verify' | 'noteUse'>;
  /** Absent: access tokens are refused. */
  tokens?: Pick<Tokens, 'verify'>;
  operators: readonly OperatorToken[];
}

/** Identifies the caller by the `Authorization` header. Synchronous for a known credential that is cached. */
export type Authenticate = (
  authorization: string | undefined,
  from?: { readonly peer: string },
) => Result<Caller> | Promise<Result<Caller>>;

/** RFC 6750: the scheme in any case, one credential, no spaces inside. No real credential is longer than this. */
const bearer = /^bearer +([\x21-\x7e]{1,8192})$/i;

export function createAuthenticator({ keys, tokens, operators }: AuthenticatorOptions): Authenticate {
  const known = operators.map(({ name, token }) => ({ digest: digestOf(token), caller: operatorCaller(name) }));
  // Verified keys and tokens keep their object identity until something about them changes, so their callers can be cached by it.
  const callers = new WeakMap<VerifiedKey, Result<Caller>>();
  const tokenCallers = new WeakMap<VerifiedToken, Result<Caller>>();

  return (authorization, from) => {
    if (authorization === undefined || authorization === '') return missing;
    const credential = bearer.exec(authorization)?.[1];
    if (credential === undefined) return wrong;
    if (tokens && credential.startsWith('eyJ')) {
      const verified = tokens.verify(credential, from);
      return verified instanceof Promise ? verified.then(tokenCallerOf) : tokenCallerOf(verified);
    }
    if (!keySecret.test(credential)) return operatorOf(credential);
    const verified = keys.verify(credential, from);
    return verified instanceof Promise ? verified.then(callerOf) : callerOf(verified);
  };

  function callerOf(verified: Result<VerifiedKey>): Result<Caller> {
    if (!verified.ok) return verified;
    let caller = callers.get(verified.value);
    if (!caller) {
      caller = succeed(keyCaller(verified.value));
      callers.set(verified.value, caller);
    }
    return caller;
  }

  function tokenCallerOf(verified: Result<VerifiedToken>): Result<Caller> {
    if (!verified.ok) return verified;
    keys.noteUse(verified.value.parent.keyId);
    let caller = tokenCallers.get(verified.value);
    if (!caller) {
      caller = succeed(tokenCaller(verified.value));
      tokenCallers.set(verified.value, caller);
    }
    return caller;
  }

  function operatorOf(credential: string): Result<Caller> {
    const digest = digestOf(credential);
    // All are compared, so that timing does not reveal which one was close.
    const found = known.filter((operator) => timingSafeEqual(operator.digest, digest));
    return found[0] ? succeed(found[0].caller) : wrong;
  }
}

const keySecret = /^ik_(live|mgmt)_/;

const missing = failed({ kind: 'credential_missing' });
const wrong = failed({ kind: 'credential_invalid' });

function failed(failure: Failure): Result<Caller> {
  return fail(failure);
}

function digestOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

/** An operator, under the name configured in the secrets. */
export function operatorCaller(name: string): Caller {
  return { credential: 'operator', name: `operator:${name}`, scopes: new Set() };
}

/** The caller who presents a key, or uses a session of it. */
export function keyCaller(key: VerifiedKey): Caller {
  return {
    credential: key.kind === 'management' ? 'management_key' : 'api_key',
    name: key.keyId,
    accountId: key.accountId,
    key: {
      id: key.keyId,
      version: key.version,
      ...(key.spendingCap !== undefined && { spendingCap: key.spendingCap }),
      ...(key.limits && { limits: key.limits }),
      ...(key.guardrails && { guardrails: key.guardrails }),
    },
    scopes: key.scopes,
  };
}

/** An end user: spends on the key that the token descends from, within the token's own cap and scopes. */
function tokenCaller(token: VerifiedToken): Caller {
  const { parent } = token;
  return {
    credential: 'access_token',
    name: token.tokenId,
    accountId: token.accountId,
    key: {
      id: parent.keyId,
      version: parent.version,
      ...(parent.spendingCap !== undefined && { spendingCap: parent.spendingCap }),
      ...(parent.limits && { limits: parent.limits }),
      ...(parent.guardrails && { guardrails: parent.guardrails }),
    },
    token: {
      id: token.tokenId,
      subject: token.subject,
      allowedOrigins: parent.allowedOrigins,
      ...(token.deviceId !== undefined && { deviceId: token.deviceId }),
      ...(token.sessionId !== undefined && { sessionId: token.sessionId }),
      ...(token.spendingCap !== undefined && { spendingCap: token.spendingCap }),
      ...(token.models && { models: token.models }),
    },
    scopes: token.scopes,
  };
}
