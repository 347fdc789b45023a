import { createHash, randomBytes, randomInt } from 'node:crypto';

/** Consonants that are hard to mistake and spell no words (RFC 8628, 6.1): 20 of them, 8 places, 34 bits. */
const userCodeLetters = 'BCDFGHJKLMNPQRSTVWXZ';
const userCodeGrammar = new RegExp(`^[${userCodeLetters}]{8}$`);

/** A user code in its stored form: 8 letters. */
export function newUserCode(): string {
  return Array.from({ length: 8 }, () => userCodeLetters[randomInt(userCodeLetters.length)]).join('');
}

/** As people read it: `BCDF-GHJK`. */
export function printUserCode(code: string): string {
  return `${code.slice(0, 4)}-${code.slice(4)}`;
}

/** Converts typed input to the stored form; undefined if it can't be a user code. Ignores case and punctuation. */
export function readUserCode(typed: string): string | undefined {
  if (typed.length > 64) return undefined;
  const code = typed.toUpperCase().replace(/[\s\p{P}]/gu, '');
  return userCodeGrammar.test(code) ? code : undefined;
}

/** A secret of 256 random bits that only a device holds, recognisable by its prefix. */
export function newDeviceSecret(prefix: 'ik_dcode_' | 'ik_refresh_'): string {
  return prefix + randomBytes(32).toString('base64url');
}

/** Secrets are stored as SHA-256: a fast hash is sufficient for 256 random bits. */
export function digestOf(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}
