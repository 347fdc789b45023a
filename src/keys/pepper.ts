import { createHmac, timingSafeEqual } from 'node:crypto';

/**
 * Peppers: the HMAC keys for the stored hashes of secrets. They live in the configuration, never in the database, so that a
 * database dump alone is not enough to test guesses. Each has a version; new hashes use the current one, and a hash with an older
 * one is replaced when its key is next used.
 */
export interface Peppers {
  current: number;
  byVersion: ReadonlyMap<number, Buffer>;
}

/** A stored secret: HMAC-SHA-256 (RFC 2104) under the pepper of that version. */
export interface StoredHash {
  pepperVersion: number;
  hash: Buffer;
}

/** Hashes a secret under the current pepper. A fast hash is sufficient: the secret has 256 random bits. */
export function hashSecret(peppers: Peppers, secret: string): StoredHash {
  return { pepperVersion: peppers.current, hash: hmac(pepperOf(peppers, peppers.current), secret) };
}

/** Whether the secret matches the stored one, in constant time. */
export function matchesSecret(peppers: Peppers, stored: StoredHash, secret: string): boolean {
  const made = hmac(pepperOf(peppers, stored.pepperVersion), secret);
  return made.length === stored.hash.length && timingSafeEqual(made, stored.hash);
}

/** Rejects invalid peppers. Called once, at construction. */
export function checkPeppers(peppers: Peppers): void {
  for (const [version, pepper] of peppers.byVersion)
    if (!Number.isSafeInteger(version) || version < 1 || pepper.length < 32)
      throw new Error(`pepper ${version}: the version must be a positive integer and the pepper at least 32 bytes`);
  pepperOf(peppers, peppers.current);
}

function pepperOf(peppers: Peppers, version: number): Buffer {
  const pepper = peppers.byVersion.get(version);
  if (!pepper) throw new Error(`pepper ${version} is in use but not configured: put it back`);
  return pepper;
}

function hmac(pepper: Buffer, secret: string): Buffer {
  return createHmac('sha256', pepper).update(secret, 'utf8').digest();
}
