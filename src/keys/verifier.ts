import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Clock } from '../base/clock.ts';
import { type Failure, fail, type Result } from '../base/failure.ts';
import type { GroupReader } from '../base/group-reader.ts';
import { matchesSecret, type Peppers, type StoredHash } from './pepper.ts';
import { parseSecret, secretLength } from './secret.ts';
import type { VerifiedKey } from './types.ts';

/** What verification needs from a stored key. */
export interface KeyRecord {
  key: VerifiedKey;
  revoked: boolean;
  secret: StoredHash;
  previous?: StoredHash & { expireTime: number };
}

export interface Verifier {
  /** Returns the key that a secret belongs to. Synchronous if the secret was seen before and nothing has changed since. */
  verify(secret: string, from?: Presenter): Result<VerifiedKey> | Promise<Result<VerifiedKey>>;
  /** Finds a key by its id, for what descends from it: in its current state, and the same object until something about it changes. */
  find(keyId: string): Result<VerifiedKey> | Promise<Result<VerifiedKey>>;
  /** When a secret that was just verified expires, unless its key changes; undefined: unknown, or never. */
  validUntil(secret: string): number | undefined;
  /** Forgets a key, or everything: the next read comes from the database. */
  forget(keyId?: string): void;
}

/** Who presents a secret. */
export interface Presenter {
  readonly peer: string;
}

/** Counts an address's key reads, and those that found no key or a different secret. */
export interface LookUps {
  may(peer: string): Result<void>;
  failed(peer: string): void;
}

export interface VerifierOptions {
  clock: Clock;
  peppers: Peppers;
  reader: GroupReader<KeyRecord>;
  /** Whether every change that other nodes committed up to a second ago is known here. */
  fresh(): boolean;
  /** Whether an address may have a key read from the database; refused after too many failed reads. */
  lookUps?: LookUps | undefined;
  /** Called with each use; must be cheap. */
  onUse(keyId: string, now: number): void;
  /** Called if the secret's stored hash uses an old pepper. */
  onOldPepper(record: KeyRecord, secret: string): void;
  entriesMax?: number;
}

/** A key as read, and the digests of its secrets that were presented and valid. */
interface Known {
  record: KeyRecord;
  result: Result<VerifiedKey> & { ok: true };
  digests: string[];
}

/** A secret that is valid until it expires or its key changes. */
interface Warm {
  result: Result<VerifiedKey> & { ok: true };
  validUntil: number;
  keptAt: number;
}

/** Reads of one key in flight; a change that arrives in the meantime invalidates them. */
interface Reading {
  stale: boolean;
  readers: number;
}

const credentialInvalid = fail({ kind: 'credential_invalid' });
const keyRevoked = fail({ kind: 'key_revoked' });
const overloaded: Failure = { kind: 'overloaded', retryAfterMs: 1000 };
const readAttemptsMax = 3;
const keepEveryMs = 10_000;

export function createVerifier(options: VerifierOptions): Verifier {
  const { clock, peppers, reader, fresh, lookUps, onUse, onOldPepper, entriesMax = 50_000 } = options;
  // Keyed by a plain SHA-256 of the secret: an HMAC per request would cost 12 us, this costs 0.35 us.
  const warm = new Map<string, Warm>();
  // An entry that is evicted or changed takes its digests with it: no digest can outlive its key's record.
  const known = new LRUCache<string, Known>({
    max: entriesMax,
    dispose: ({ digests }) => {
      for (const digest of digests) warm.delete(digest);
    },
  });
  // Ids without a key. Ids are random, so a guessed one can't come into use later.
  const unknown = new LRUCache<string, true>({ max: 10_000, ttl: 60_000 });
  const readings = new Map<string, Reading>();

  function verify(secret: string, from?: Presenter): Result<VerifiedKey> | Promise<Result<VerifiedKey>> {
    if (secret.length !== secretLength) return credentialInvalid;
    const isFresh = fresh();
    const digest = hash('sha256', secret, 'base64');
    const entry = isFresh ? warm.get(digest) : undefined;
    if (entry) {
      const now = clock.now();
      if (now < entry.validUntil) return use(entry, now);
    }
    const claimed = parseSecret(secret);
    if (!claimed) return credentialInvalid;
    if (isFresh) {
      if (unknown.has(claimed.keyId)) return credentialInvalid;
      const found = known.get(claimed.keyId);
      if (found) return decide(found, secret, digest);
    }
    const may = from && lookUps?.may(from.peer);
    if (may && !may.ok) return may;
    const decided = readAndDecide(claimed.keyId, (found) => decide(found, secret, digest));
    return from ? counted(decided, from) : decided;
  }

  async function counted(deciding: Promise<Result<VerifiedKey>>, { peer }: Presenter): Promise<Result<VerifiedKey>> {
    const decided = await deciding;
    if (!decided.ok && decided.failure.kind === 'credential_invalid') lookUps?.failed(peer);
    return decided;
  }

  function find(keyId: string): Result<VerifiedKey> | Promise<Result<VerifiedKey>> {
    if (fresh()) {
      if (unknown.has(keyId)) return credentialInvalid;
      const found = known.get(keyId);
      if (found) return stateOf(found);
    }
    return readAndDecide(keyId, stateOf);
  }

  function stateOf({ record, result }: Known): Result<VerifiedKey> {
    const { expireTime } = record.key;
    return record.revoked || (expireTime !== undefined && clock.now() >= expireTime) ? keyRevoked : result;
  }

  function use(entry: Warm, now: number): Result<VerifiedKey> {
    const { keyId } = entry.result.value;
    if (now - entry.keptAt > keepEveryMs) {
      entry.keptAt = now;
      known.get(keyId);
    }
    onUse(keyId, now);
    return entry.result;
  }

  async function readAndDecide(
    keyId: string,
    answer: (found: Known) => Result<VerifiedKey>,
  ): Promise<Result<VerifiedKey>> {
    for (let attempt = 1; attempt <= readAttemptsMax; attempt += 1) {
      const reading = startReading(keyId);
      const read = await reader.read(keyId);
      endReading(keyId, reading);
      if (!read.ok) return read;
      if (reading.stale) continue;
      if (!read.value) {
        unknown.set(keyId, true);
        return credentialInvalid;
      }
      const found: Known = { record: read.value, result: { ok: true, value: read.value.key }, digests: [] };
      known.set(keyId, found);
      return answer(found);
    }
    // The key changes faster than it can be read.
    return fail(overloaded);
  }

  function decide(found: Known, secret: string, digest: string): Result<VerifiedKey> {
    const { record } = found;
    const { key, previous } = record;
    const now = clock.now();
    const isCurrent = matchesSecret(peppers, record.secret, secret);
    const isPrevious = !isCurrent && previous !== undefined && matchesSecret(peppers, previous, secret);
    if (!isCurrent && !isPrevious) return credentialInvalid;
    const validUntil = Math.min(
      key.expireTime ?? Number.POSITIVE_INFINITY,
      isPrevious ? previous.expireTime : Number.POSITIVE_INFINITY,
    );
    if (record.revoked || now >= validUntil) return keyRevoked;
    if (isCurrent && record.secret.pepperVersion !== peppers.current) onOldPepper(record, secret);
    const entry: Warm = { result: found.result, validUntil, keptAt: now };
    warm.set(digest, entry);
    if (!found.digests.includes(digest)) found.digests.push(digest);
    return use(entry, now);
  }

  function forget(keyId?: string): void {
    if (keyId === undefined) {
      known.clear();
      warm.clear();
      unknown.clear();
      for (const reading of readings.values()) reading.stale = true;
      readings.clear();
      return;
    }
    known.delete(keyId);
    unknown.delete(keyId);
    const reading = readings.get(keyId);
    if (reading) reading.stale = true;
    readings.delete(keyId);
  }

  function startReading(keyId: string): Reading {
    const reading = readings.get(keyId) ?? { stale: false, readers: 0 };
    reading.readers += 1;
    readings.set(keyId, reading);
    return reading;
  }

  function endReading(keyId: string, reading: Reading): void {
    reading.readers -= 1;
    if (reading.readers === 0 && readings.get(keyId) === reading) readings.delete(keyId);
  }

  function validUntil(secret: string): number | undefined {
    const until = warm.get(hash('sha256', secret, 'base64'))?.validUntil;
    return until === Number.POSITIVE_INFINITY ? undefined : until;
  }

  return { verify, find, validUntil, forget };
}
