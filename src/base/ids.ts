import { randomFillSync } from 'node:crypto';
import { v7 } from 'uuid';

/**
 * What an id identifies. The prefix is part of the id, so that an id pasted in the wrong place is recognised:
 * `acc` account, `key` API key, `wal` wallet, `chg` charge, `top` top-up, `ent` wallet entry, `req` request,
 * `msg` chat reply, `tok` token, `dev` device, `app` client application, `drf` draft, `wfv` workflow version,
 * `pky` provider key, `adj` adjustment, `aud` audit event, `lau` ledger audit, `evt` event, `whk` webhook endpoint,
 * `dlv` webhook delivery, `grp` commit group, `nod` node, `ses` console session, `psk` console passkey.
 */
export type IdPrefix =
  | 'acc'
  | 'key'
  | 'wal'
  | 'chg'
  | 'top'
  | 'ent'
  | 'req'
  | 'msg'
  | 'tok'
  | 'dev'
  | 'app'
  | 'drf'
  | 'wfv'
  | 'pky'
  | 'adj'
  | 'aud'
  | 'lau'
  | 'evt'
  | 'whk'
  | 'dlv'
  | 'grp'
  | 'nod'
  | 'ses'
  | 'psk';

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';

/**
 * A new id: the prefix, `_`, and a UUIDv7 (RFC 9562) as 26 lower-case characters of Crockford's base 32, the same encoding as
 * TypeID. Ids with the same prefix sort by creation time.
 */
export function newId(prefix: IdPrefix): string {
  return `${prefix}_${base32(nextUuid())}`;
}

// Random bytes are drawn for many ids at once: drawing them per id costs ten times as much as the rest of an id.
const pool = new Uint8Array(16 * 256);
let drawn = pool.length;
const uuid = new Uint8Array(16);
let lastMs = 0;
let sequence = 0;

/**
 * If the clock steps back by more than this, it was wrong before: continuing from there would keep new ids out of searches by
 * time until it catches up.
 */
const stepBackMaxMs = 60_000;

/**
 * A UUIDv7 with a counter within the millisecond (RFC 9562, section 6.2, method 1), so that ids created here sort by creation;
 * except for those from before a clock was set back by more than a minute.
 */
function nextUuid(): Uint8Array {
  if (drawn === pool.length) {
    randomFillSync(pool);
    drawn = 0;
  }
  const random = pool.subarray(drawn, drawn + 16);
  drawn += 16;
  const now = Date.now();
  if (now > lastMs || now < lastMs - stepBackMaxMs) {
    lastMs = now;
    // Room for 2^31 ids before the counter overflows into the next millisecond.
    sequence =
      (((random[6] ?? 0) & 0x7f) << 24) | ((random[7] ?? 0) << 16) | ((random[8] ?? 0) << 8) | (random[9] ?? 0);
  } else {
    sequence = (sequence + 1) >>> 0;
    if (sequence === 0) lastMs += 1;
  }
  return v7({ random, msecs: lastMs, seq: sequence }, uuid);
}

/** An id that sorts before every id of the prefix created at or after a given time, and after those created before it. */
export function leastId(prefix: IdPrefix, ms: number): string {
  const bytes = new Uint8Array(16);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(Math.max(0, Math.trunc(ms))) << 16n);
  return `${prefix}_${base32(bytes)}`;
}

/** When an id was created, in milliseconds since the epoch by its creator's clock; undefined if the text is not an id of the prefix. */
export function timeOfId(prefix: IdPrefix, text: string): number | undefined {
  if (!isId(prefix, text)) return undefined;
  // The first 48 of 128 bits, preceded by two zero bits: ten characters.
  const digits = text.slice(prefix.length + 1, prefix.length + 11);
  return [...digits].reduce((ms, digit) => ms * 32 + alphabet.indexOf(digit), 0);
}

/** Whether a text has the form of an id with this prefix. It need not exist. */
export function isId(prefix: IdPrefix, text: string): boolean {
  return (
    text.length === prefix.length + 27 &&
    text.startsWith(`${prefix}_`) &&
    /^[0-7][0-9a-hjkmnp-tv-z]{25}$/.test(text.slice(prefix.length + 1))
  );
}

// 128 bits in 26 characters of 5 bits: padded with two leading zero bits.
function base32(bytes: Uint8Array): string {
  let text = '';
  let pending = 0;
  let bits = 2;
  for (const byte of bytes) {
    pending = (pending << 8) | byte;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      text += alphabet[(pending >> bits) & 31];
      pending &= (1 << bits) - 1;
    }
  }
  return text;
}
