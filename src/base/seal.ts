import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

/** AES-256 keys by version: new data is sealed with `current`; data sealed by older versions can still be opened. */
export interface SealKeys {
  current: number;
  byVersion: ReadonlyMap<number, Uint8Array>;
}

/** Encrypts stored data, so that a copy of the database reveals nothing. */
export interface Seal {
  /** `context` says what is sealed and for whom; it can only be opened with the same context. */
  seal(plain: Uint8Array, context: string): Uint8Array;
  /** Undefined if it was sealed with another context or a key that no longer exists, or was changed. */
  open(sealed: Uint8Array, context: string): Uint8Array | undefined;
}

// Layout: key version (4 bytes), nonce (12), tag (16), ciphertext. Random 96-bit nonces allow 2^32 messages per key (NIST SP
// 800-38D, section 8.3).
const nonceBytes = 12;
const tagBytes = 16;
const headBytes = 4 + nonceBytes + tagBytes;

/** AES-256-GCM with a key ring. */
export function createSeal({ current, byVersion }: SealKeys): Seal {
  const currentKey = byVersion.get(current);
  if (!currentKey) throw new Error(`no encryption key of version ${current}`);
  return {
    seal(plain, context) {
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv('aes-256-gcm', currentKey, nonce);
      cipher.setAAD(Buffer.from(context));
      const body = cipher.update(plain);
      cipher.final();
      const version = Buffer.alloc(4);
      version.writeUInt32BE(current);
      return Buffer.concat([version, nonce, cipher.getAuthTag(), body]);
    },
    open(sealed, context) {
      const bytes = Buffer.from(sealed.buffer, sealed.byteOffset, sealed.byteLength);
      if (bytes.length < headBytes) return undefined;
      const key = byVersion.get(bytes.readUInt32BE(0));
      if (!key) return undefined;
      try {
        const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(4, 4 + nonceBytes));
        decipher.setAAD(Buffer.from(context));
        decipher.setAuthTag(bytes.subarray(4 + nonceBytes, headBytes));
        return Buffer.concat([decipher.update(bytes.subarray(headBytes)), decipher.final()]);
      } catch {
        // The tag does not match: another context, another key, or modified bytes.
        return undefined;
      }
    },
  };
}
