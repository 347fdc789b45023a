import { type CryptoKey, calculateJwkThumbprint, exportJWK, generateKeyPair, importJWK, type JWK } from 'jose';
import type { Logger } from 'pino';
import type { Clock } from '../base/clock.ts';
import type { Seal } from '../base/seal.ts';
import { SecretsUnfitError } from '../base/secrets-unfit.ts';
import type { SealedSigningKey, SigningKeysStore } from './signing-keys-store.ts';

/** The keys that sign access tokens: encrypted in the database, shared by all nodes, and rotated periodically. */
export interface SigningKeys {
  /** Throws if there are keys and none can be decrypted; makes the first one if there is none. */
  check(): Promise<void>;
  /** The key that signs now. */
  signer(): Promise<{ id: string; key: CryptoKey }>;
  /** The public key with this id; if unknown, reads the keys again, at most once a second. */
  verifier(id: string): Promise<CryptoKey | undefined>;
  /** The public keys (RFC 7517), including those that will sign next. */
  jwks(): Promise<{ keys: JWK[] }>;
}

export interface SigningKeysOptions {
  store: SigningKeysStore;
  seal: Seal;
  clock: Clock;
  log: Logger;
  /** How long one key signs. */
  rotateEveryMs?: number;
  /** How long a key is published before it signs, so that caches of the set have it in time. */
  publishAheadMs?: number;
}

interface SigningKey {
  id: string;
  signsFrom: number;
  privateKey: CryptoKey;
  publicKey: CryptoKey;
  publicJwk: JWK;
}

const algorithm = 'ES256';
/** No token lives longer than an hour; the second hour allows for clock skew and caches. */
const keptAfterMs = 2 * 3_600_000;
const readEveryMs = 60_000;
const lookAgainMs = 1_000;

export function createSigningKeys(options: SigningKeysOptions): SigningKeys {
  const { store, seal, clock, log, rotateEveryMs = 30 * 24 * 3_600_000, publishAheadMs = 3_600_000 } = options;
  let known: SigningKey[] = [];
  let readAt = Number.NEGATIVE_INFINITY;
  let reading: Promise<void> | undefined;

  /** Re-reads the keys if they are older than this; makes the next key when it is due. */
  function refresh(maxAgeMs: number): Promise<void> {
    if (clock.monotonic() - readAt < maxAgeMs) return Promise.resolve();
    reading ??= read().finally(() => {
      reading = undefined;
    });
    return reading;
  }

  async function read(): Promise<void> {
    const startedAt = clock.monotonic();
    let sealed = await store.read();
    if (isDue(sealed)) {
      await store.change(makeNext);
      sealed = await store.read();
    }
    const kept = new Map(known.map((key) => [key.id, key]));
    const keys = await Promise.all(sealed.map(async (key) => kept.get(key.id) ?? open(key)));
    known = keys.filter((key) => key !== undefined);
    readAt = startedAt;
  }

  function isDue(keys: readonly SealedSigningKey[]): boolean {
    const newest = keys.at(-1);
    return newest === undefined || newest.signsFrom + rotateEveryMs - publishAheadMs <= clock.now();
  }

  async function makeNext(keys: readonly SealedSigningKey[]) {
    if (!isDue(keys)) return undefined;
    const { privateKey } = await generateKeyPair(algorithm, { extractable: true });
    const jwk = await exportJWK(privateKey);
    const id = await calculateJwkThumbprint(jwk);
    const now = clock.now();
    const newest = keys.at(-1);
    // The first key, or one after a long pause, signs at once: no cached set can lack it for long.
    const signsFrom = newest ? Math.max(now + publishAheadMs, newest.signsFrom + rotateEveryMs) : now;
    const add = { id, sealed: seal.seal(Buffer.from(JSON.stringify(jwk)), contextOf(id)), createTime: now, signsFrom };
    const remove = keys
      .filter((_key, index) => (keys[index + 1]?.signsFrom ?? Number.POSITIVE_INFINITY) + keptAfterMs < now)
      .map((key) => key.id);
    log.info({ signingKey: id, signsFrom: new Date(signsFrom).toISOString() }, 'a new signing key');
    return { add, remove };
  }

  /** The public half is derived from the encrypted private one: a row forged in the table is useless. */
  async function open({ id, sealed, signsFrom }: SealedSigningKey): Promise<SigningKey | undefined> {
    const plain = seal.open(sealed, contextOf(id));
    if (!plain) {
      log.error({ signingKey: id }, 'a signing key cannot be decrypted: its encryption key is not configured');
      return undefined;
    }
    const jwk = JSON.parse(Buffer.from(plain).toString('utf8')) as JWK;
    const { d: _secret, ...publicPart } = jwk;
    return {
      id,
      signsFrom,
      privateKey: (await importJWK(jwk, algorithm)) as CryptoKey,
      publicKey: (await importJWK(publicPart, algorithm)) as CryptoKey,
      publicJwk: { ...publicPart, kid: id, alg: algorithm, use: 'sig' },
    };
  }

  return {
    async check() {
      await refresh(0);
      if (known.length === 0)
        throw new SecretsUnfitError(
          'The secrets file does not belong to this database: its encryption keys open none of the signing keys there. Use the file that the database was used with, the same on all nodes (DATA_DIR or secretsFile say where it is), or another database. docs/operations.md says what to do if it is lost.',
        );
    },
    async signer() {
      await refresh(readEveryMs);
      const now = clock.now();
      const current = known.findLast(({ signsFrom }) => signsFrom <= now) ?? known[0];
      if (!current) throw new Error('no signing key can be decrypted');
      return { id: current.id, key: current.privateKey };
    },
    async verifier(id) {
      await refresh(readEveryMs);
      const find = () => known.find((key) => key.id === id)?.publicKey;
      const found = find();
      if (found) return found;
      await refresh(lookAgainMs);
      return find();
    },
    async jwks() {
      await refresh(readEveryMs);
      return { keys: known.map(({ publicJwk }) => publicJwk) };
    },
  };
}

function contextOf(id: string): string {
  return `signing-key:${id}`;
}
