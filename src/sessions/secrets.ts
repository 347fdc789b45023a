import { hash, randomBytes } from 'node:crypto';

const grammar = /^[A-Za-z0-9_-]{43}$/;

/** A browser's session secret: 256 random bits. */
export function newSessionSecret(): string {
  return randomBytes(32).toString('base64url');
}

/** Whether a text has the form of a session secret. It may still not be one. */
export function isSessionSecret(text: string): boolean {
  return grammar.test(text);
}

/** Secrets are stored as SHA-256: a fast hash is sufficient for this many random bits. */
export function digestOf(secret: string): string {
  return hash('sha256', secret, 'hex');
}
