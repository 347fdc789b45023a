import { crc32 } from 'node:zlib';

/**
 * A key's secret: `ik_live_<26>_<43><6>` or `ik_mgmt_<26>_<43><6>`. The first part is the body of the key's id, followed by 256
 * random bits in base 62 and the CRC-32 of everything before it in base 62. The fixed prefix and the checksum let secret scanners
 * recognise a leaked key, and let a mistyped one be refused without asking the database.
 */
export type KeyKind = 'live' | 'management';

const prefixes = { live: 'ik_live_', management: 'ik_mgmt_' } as const;
const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const grammar = /^ik_(live|mgmt)_([0-7][0-9a-hjkmnp-tv-z]{25})_[0-9A-Za-z]{43}([0-9A-Za-z]{6})$/;

/** The length of every secret, in characters. */
export const secretLength = 84;

/** The secret of a key. `random` is 32 unpredictable bytes. */
export function formatSecret(kind: KeyKind, keyId: string, random: Uint8Array): string {
  if (random.length !== 32) throw new Error('a secret takes 32 random bytes');
  const body = `${prefixes[kind]}${keyId.slice('key_'.length)}_${base62(BigInt(`0x${Buffer.from(random).toString('hex')}`), 43)}`;
  return body + checksum(body);
}

/** Which key a secret claims to belong to; undefined if it cannot be one of ours. Proves nothing. */
export function parseSecret(secret: string): { kind: KeyKind; keyId: string } | undefined {
  if (secret.length !== secretLength) return undefined;
  const match = grammar.exec(secret);
  if (!match || checksum(secret.slice(0, -6)) !== match[3]) return undefined;
  return { kind: match[1] === 'live' ? 'live' : 'management', keyId: `key_${match[2]}` };
}

function checksum(body: string): string {
  return base62(BigInt(crc32(body)), 6);
}

function base62(value: bigint, length: number): string {
  let rest = value;
  let text = '';
  for (let place = 0; place < length; place += 1) {
    text = digits[Number(rest % 62n)] + text;
    rest /= 62n;
  }
  return text;
}
