import { hash } from 'node:crypto';

/** Turns customers' identifiers of their end users and sessions into digests that only this service can reproduce. */
export interface Digests {
  /** 16 bytes in hexadecimal; never the same for two accounts. */
  session(accountId: string, sessionId: string): string;
  user(accountId: string, userId: string): string;
}

/**
 * SHA-256 over the key and the value, truncated to 128 bits. An HMAC would take ten times as long here, and truncation already
 * prevents what it protects against: nobody can extend a digest without knowing its other half.
 *
 * `key` is a secret of at least 32 bytes; after a change of key, no session or user is recognised any more.
 */
export function createDigests(key: Uint8Array): Digests {
  if (key.length < 32) throw new Error('the key of the pulse digests must have at least 32 bytes');
  const secret = Buffer.from(key).toString('hex');
  const digest = (kind: string, accountId: string, value: string) =>
    hash('sha256', `${secret}\n${kind}\n${accountId}\n${value}`, 'hex').slice(0, 32);
  return {
    session: (accountId, sessionId) => digest('session', accountId, sessionId),
    user: (accountId, userId) => digest('user', accountId, userId),
  };
}
