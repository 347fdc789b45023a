import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

/** Encrypts what is stored of a reply, bound to its charge: a row that is moved to another charge does not open. */
export interface ReplySeal {
  seal(plain: Uint8Array, chargeId: string): Uint8Array;
  /** Throws for what was changed, moved, or sealed under a key that is gone. */
  open(sealed: Uint8Array, chargeId: string): Uint8Array;
}

const nonceBytes = 12;
const tagBytes = 16;

/**
 * AES-256-GCM with a random 96-bit nonce (NIST SP 800-38D). `keys` are 32 bytes each by number (0-255); the one named
 * `current` seals, all of them open, so that keys can be changed while old replies last.
 *
 * Layout: key number, nonce, tag, ciphertext.
 */
export function createReplySeal(keys: ReadonlyMap<number, Uint8Array>, current: number): ReplySeal {
  for (const [number, key] of keys)
    if (key.length !== 32 || !Number.isInteger(number) || number < 0 || number > 255)
      throw new RangeError(`Reply key ${number} must be 32 bytes under a number from 0 to 255.`);
  const sealingKey = keys.get(current);
  if (!sealingKey) throw new RangeError(`Reply key ${current} is missing.`);
  return {
    seal(plain, chargeId) {
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv('aes-256-gcm', sealingKey, nonce).setAAD(Buffer.from(chargeId));
      const body = Buffer.concat([cipher.update(plain), cipher.final()]);
      return Buffer.concat([Buffer.from([current]), nonce, cipher.getAuthTag(), body]);
    },
    open(sealed, chargeId) {
      const key = keys.get(sealed[0] ?? -1);
      if (!key || sealed.length < 1 + nonceBytes + tagBytes) throw new Error('A stored reply can not be opened.');
      const nonce = sealed.subarray(1, 1 + nonceBytes);
      const tag = sealed.subarray(1 + nonceBytes, 1 + nonceBytes + tagBytes);
      const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: tagBytes });
      decipher.setAAD(Buffer.from(chargeId)).setAuthTag(tag);
      return Buffer.concat([decipher.update(sealed.subarray(1 + nonceBytes + tagBytes)), decipher.final()]);
    },
  };
}
