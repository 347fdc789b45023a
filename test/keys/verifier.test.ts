import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { fail, succeed } from '../../src/base/failure.ts';
import { createGroupReader } from '../../src/base/group-reader.ts';
import { newId } from '../../src/base/ids.ts';
import { hashSecret } from '../../src/keys/pepper.ts';
import { formatSecret } from '../../src/keys/secret.ts';
import { createVerifier, type KeyRecord } from '../../src/keys/verifier.ts';
import { peppers } from './room.ts';

function recordOf(secret: string, changes: Partial<KeyRecord> = {}): KeyRecord {
  return {
    key: {
      keyId: `key_${secret.slice(8, 34)}`,
      accountId: newId('acc'),
      kind: 'live',
      version: 1,
      secretTime: 0,
      displayName: 'k',
      scopes: new Set(['chat']),
      allowedOrigins: [],
    },
    revoked: false,
    secret: hashSecret(peppers, secret),
    ...changes,
  };
}

function makeVerifier(load: (ids: readonly string[]) => Promise<ReadonlyMap<string, KeyRecord>>, entriesMax = 100) {
  const reader = createGroupReader({ load, onError: () => {} });
  return createVerifier({
    clock: systemClock,
    peppers,
    reader,
    fresh: () => true,
    onUse: () => {},
    onOldPepper: () => {},
    entriesMax,
  });
}

test('a revocation that arrives while the key is being read wins over what was read', async () => {
  const secret = formatSecret('live', newId('key'), randomBytes(32));
  const record = recordOf(secret);
  let reads = 0;
  const { promise: gate, resolve: open } = Promise.withResolvers<void>();
  const verifier = makeVerifier(async ([id = '']) => {
    reads += 1;
    if (reads > 1) return new Map([[id, { ...record, revoked: true }]]);
    await gate;
    return new Map([[id, record]]);
  });
  const answer = verifier.verify(secret);
  await new Promise(setImmediate);
  verifier.forget(record.key.keyId);
  open();
  expect(await answer).toEqual({ ok: false, failure: { kind: 'key_revoked' } });
  expect(await verifier.verify(secret)).toEqual({ ok: false, failure: { kind: 'key_revoked' } });
});

test('a key that leaves the cache for lack of room takes its secrets with it', async () => {
  const secrets = Array.from({ length: 20 }, () => formatSecret('live', newId('key'), randomBytes(32)));
  const records = new Map(secrets.map((secret) => [`key_${secret.slice(8, 34)}`, recordOf(secret)]));
  const verifier = makeVerifier(async (ids) => new Map([...records].filter(([id]) => ids.includes(id))), 5);
  for (const secret of secrets) expect(await verifier.verify(secret)).toMatchObject({ ok: true });
  const warm = secrets.filter((secret) => !(verifier.verify(secret) instanceof Promise));
  expect(warm).toEqual(secrets.slice(-5));
});

test('a flood of unknown ids costs few queries, and a good key among them waits for one at most', async () => {
  const secret = formatSecret('live', newId('key'), randomBytes(32));
  let queries = 0;
  const verifier = makeVerifier(async (ids) => {
    queries += 1;
    await new Promise((resolve) => setTimeout(resolve, 2));
    const keyId = `key_${secret.slice(8, 34)}`;
    return ids.includes(keyId) ? new Map([[keyId, recordOf(secret)]]) : new Map();
  });
  const flood = Array.from({ length: 2_000 }, () =>
    verifier.verify(formatSecret('live', newId('key'), randomBytes(32))),
  );
  expect(await verifier.verify(secret)).toMatchObject({ ok: true });
  await Promise.all(flood);
  expect(queries).toBeLessThanOrEqual(12);
});

test('when the database is away, what is cold is refused for now and what is warm still answers', async () => {
  const secret = formatSecret('live', newId('key'), randomBytes(32));
  const cold = formatSecret('live', newId('key'), randomBytes(32));
  let away = false;
  const verifier = makeVerifier(async ([id = '']) => {
    if (away) throw new Error('no database');
    return new Map([[id, recordOf(secret)]]);
  });
  expect(await verifier.verify(secret)).toMatchObject({ ok: true });
  away = true;
  expect(await verifier.verify(cold)).toMatchObject({ ok: false, failure: { kind: 'overloaded' } });
  expect(await verifier.verify(secret)).toMatchObject({ ok: true });
});

test('an address that may not look up has no unknown secret read, and its known ones still hold', async () => {
  const secret = formatSecret('live', newId('key'), randomBytes(32));
  const record = recordOf(secret);
  let reads = 0;
  let blocked: string | undefined;
  const vain: string[] = [];
  const verifier = createVerifier({
    ...{ clock: systemClock, peppers, fresh: () => true, onUse: () => {}, onOldPepper: () => {} },
    reader: createGroupReader({
      load: async (ids: readonly string[]) => {
        reads += 1;
        return new Map(ids.includes(record.key.keyId) ? [[record.key.keyId, record]] : []);
      },
      onError: () => {},
    }),
    lookUps: {
      may: (peer) =>
        peer === blocked ? fail({ kind: 'rate_limited', limit: 'x', retryAfterMs: 500 }) : succeed(undefined),
      failed: (peer) => vain.push(peer),
    },
  });
  const guess = () => formatSecret('live', newId('key'), randomBytes(32));
  const from = { peer: '192.0.2.1' };
  expect((await verifier.verify(secret, from)).ok).toBe(true);
  expect(await verifier.verify(guess(), from)).toMatchObject({ failure: { kind: 'credential_invalid' } });
  expect(reads).toBe(2);
  blocked = from.peer;
  expect(await verifier.verify(guess(), from)).toMatchObject({ failure: { kind: 'rate_limited' } });
  expect(reads).toBe(2);
  expect(verifier.verify(secret, from)).toMatchObject({ ok: true });
  expect(await verifier.verify(guess(), { peer: '192.0.2.2' })).toMatchObject({
    failure: { kind: 'credential_invalid' },
  });
  expect(reads).toBe(3);
  expect(vain).toEqual([from.peer, '192.0.2.2']);
});
