import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { succeed, unwrap } from '../../src/base/failure.ts';
import { newId } from '../../src/base/ids.ts';
import { createAuthenticator } from '../../src/edge/authenticate.ts';
import type { VerifiedToken } from '../../src/tokens/index.ts';
import { eachServer, useDatabase } from '../support/database.ts';
import { makeKey, movableClock, newKey, peppers, startKeys } from './room.ts';

type Node = Awaited<ReturnType<typeof startKeys>>;

eachServer((server) => {
  const fresh = useDatabase(server);
  const clock = movableClock();
  let node: Node;
  let other: Node;
  beforeAll(async () => {
    node = await startKeys(fresh().database, { clock });
    other = await startKeys(fresh().database, { clock });
  });
  afterAll(async () => {
    await node.close();
    await other.close();
  });

  test('a new key verifies as what it was created as', async () => {
    const { key, secret } = await makeKey(node.keys, { scopes: ['chat'], spendingCap: 7n, limits: { concurrent: 3 } });
    expect(secret).toMatch(/^ik_live_[0-9a-z]{26}_[0-9A-Za-z]{49}$/);
    expect(key).toMatchObject({ state: 'active', lastFour: secret.slice(-4), version: 1, kind: 'live' });
    const verified = unwrap(await node.keys.verify(secret));
    expect(verified).toMatchObject({
      keyId: key.id,
      accountId: key.accountId,
      kind: 'live',
      spendingCap: 7n,
      limits: { concurrent: 3 },
    });
    expect([...verified.scopes]).toEqual(['chat']);
  });

  test('a warm key verifies synchronously, as the same object, without the database', async () => {
    const { secret } = await makeKey(node.keys);
    const first = await node.keys.verify(secret);
    const second = node.keys.verify(secret);
    expect(second).not.toBeInstanceOf(Promise);
    expect(unwrap(await second)).toBe(unwrap(first));
  });

  test('the database holds neither secrets nor anything that verifies without the pepper', async () => {
    const { key, secret } = await makeKey(node.keys);
    const { rows } = await sql<Record<string, unknown>>`SELECT * FROM api_key WHERE id = ${key.id}`.execute(
      fresh().database.for<never>(),
    );
    const dump = JSON.stringify(rows, (_name, value) =>
      typeof value === 'bigint' ? String(value) : value instanceof Buffer ? value.toString('latin1') : value,
    );
    expect(dump).toContain(key.id);
    expect(dump).not.toContain(secret.slice(36, 79));
  });

  test('a key must say what is being built, and everything wrong is said at once', async () => {
    const refused = await node.keys.create(
      newKey({
        purpose: '  ',
        displayName: '',
        scopes: ['root'],
        expireTime: 1,
        spendingCap: 0n,
        limits: { concurrent: 0 },
        allowedOrigins: ['https://a.example/path'],
      }),
    );
    expect(refused).toMatchObject({ ok: false, failure: { kind: 'invalid_argument' } });
    if (!refused.ok && refused.failure.kind === 'invalid_argument')
      expect(refused.failure.violations.map(({ field }) => field)).toEqual([
        'displayName',
        'purpose',
        'scopes',
        'expireTime',
        'spendingCapUsd',
        'limits.concurrent',
        'allowedOrigins',
      ]);
  });

  test.each([
    ['nothing', ''],
    ['NUL', `ik_live_${'\0'.repeat(76)}`],
    ['unicode of the right length', '💥'.repeat(42)],
    ['1 MB', 'ik_live_'.padEnd(1_000_000, 'a')],
    ['another prefix', `sk_live_${'0'.repeat(76)}`],
  ])('%s is refused at once, without the database', async (_name, secret) => {
    expect(node.keys.verify(secret)).toEqual({ ok: false, failure: { kind: 'credential_invalid' } });
  });

  test('a mistyped secret is refused at once by its checksum', async () => {
    const { secret } = await makeKey(node.keys);
    for (const place of [8, 20, 40, 70, 83]) {
      const typo = secret.slice(0, place) + (secret[place] === '1' ? '2' : '1') + secret.slice(place + 1);
      expect(node.keys.verify(typo)).toEqual({ ok: false, failure: { kind: 'credential_invalid' } });
    }
  });

  test('another secret with a right checksum for the same key id is refused', async () => {
    const { key, secret } = await makeKey(node.keys);
    unwrap(await node.keys.verify(secret));
    const { formatSecret } = await import('../../src/keys/secret.ts');
    const forged = formatSecret('live', key.id, randomBytes(32));
    expect(await node.keys.verify(forged)).toEqual({ ok: false, failure: { kind: 'credential_invalid' } });
    const unknown = formatSecret('live', newId('key'), randomBytes(32));
    expect(await node.keys.verify(unknown)).toEqual({ ok: false, failure: { kind: 'credential_invalid' } });
    expect(node.keys.verify(unknown)).not.toBeInstanceOf(Promise);
  });

  test('rotating replaces the secret at once, and keeps the key', async () => {
    const { key, secret } = await makeKey(node.keys);
    unwrap(await node.keys.verify(secret));
    const rotated = unwrap(await node.keys.rotate(key.accountId, key.id, { overlapSeconds: 0 }));
    expect(rotated.key).toMatchObject({ id: key.id, version: 2, lastFour: rotated.secret.slice(-4) });
    expect(rotated.key.previousSecretExpireTime).toBeUndefined();
    expect(await node.keys.verify(secret)).toMatchObject({ ok: false, failure: { kind: 'key_revoked' } });
    expect(unwrap(await node.keys.verify(rotated.secret)).keyId).toBe(key.id);
  });

  test('with an overlap both secrets work until it ends, never beyond the expiry of the key', async () => {
    const { key, secret } = await makeKey(node.keys, { expireTime: clock.now() + 60_000 });
    const rotated = unwrap(await node.keys.rotate(key.accountId, key.id, { overlapSeconds: 600 }));
    expect(rotated.key.previousSecretExpireTime).toBe(key.expireTime);
    expect(unwrap(await node.keys.verify(secret)).keyId).toBe(key.id);
    expect(unwrap(await node.keys.verify(rotated.secret)).keyId).toBe(key.id);
    clock.forward(60_001);
    expect(await node.keys.verify(secret)).toMatchObject({ ok: false, failure: { kind: 'key_revoked' } });
    expect(await node.keys.verify(rotated.secret)).toMatchObject({ ok: false, failure: { kind: 'key_revoked' } });
    expect(unwrap(await node.keys.get(key.accountId, key.id)).state).toBe('expired');
    expect(await node.keys.rotate(key.accountId, key.id, { overlapSeconds: 604_801 })).toMatchObject({ ok: false });
  });

  test('a second rotation ends the overlap of the first', async () => {
    const { key, secret } = await makeKey(node.keys);
    const second = unwrap(await node.keys.rotate(key.accountId, key.id, { overlapSeconds: 600 }));
    unwrap(await node.keys.rotate(key.accountId, key.id, { overlapSeconds: 600 }));
    expect(await node.keys.verify(secret)).toMatchObject({ ok: false });
    expect(await node.keys.verify(second.secret)).toMatchObject({ ok: true });
  });

  test('a revoked key is refused here at once, on another node within a second, whether that has heard of it or not', async () => {
    const deafTime = movableClock();
    const deaf = await startKeys(fresh().database, { clock: deafTime, pollEveryMs: 3_600_000 });
    const { key, secret } = await makeKey(node.keys);
    for (const { keys } of [node, other, deaf]) unwrap(await keys.verify(secret));
    const told: string[] = [];
    const stop = other.keys.onRevoked((keyId) => told.push(keyId));
    const revoked = unwrap(await node.keys.revoke(key.accountId, key.id));
    const refused = { ok: false, failure: { kind: 'key_revoked' } };
    expect(revoked.state).toBe('revoked');
    expect(await node.keys.verify(secret)).toMatchObject(refused);
    deafTime.pass(1_000);
    expect(await deaf.keys.verify(secret)).toMatchObject(refused);
    await deaf.close();
    await expect.poll(() => told).toEqual([key.id]);
    expect(await other.keys.verify(secret)).toMatchObject(refused);
    stop();
    expect(unwrap(await node.keys.revoke(key.accountId, key.id)).state).toBe('revoked');
    expect(await node.keys.rotate(key.accountId, key.id, { overlapSeconds: 0 })).toMatchObject({
      ok: false,
      failure: { kind: 'precondition_failed' },
    });
  });

  test('a node that cannot learn of changes asks the database each time', async () => {
    const time = movableClock();
    const deaf = await startKeys(fresh().database, { clock: time });
    const { secret } = await makeKey(deaf.keys);
    unwrap(await deaf.keys.verify(secret));
    expect(deaf.keys.verify(secret)).not.toBeInstanceOf(Promise);
    await deaf.changes.close();
    time.pass(1_000);
    expect(deaf.keys.verify(secret)).toBeInstanceOf(Promise);
    expect(unwrap(await deaf.keys.verify(secret)).kind).toBe('live');
    await deaf.close();
  });

  test('what holds may be paid with changes in the same commit as the key', async () => {
    const stateOf = async (keyId: string) => {
      const { rows } = await sql<Record<string, unknown>>`
        SELECT state, least_version, least_version_from_ms, expires_at_ms, revoked_at_ms
        FROM credential_state WHERE id = ${keyId}
      `.execute(fresh().database.for<never>());
      return rows[0];
    };
    const expireTime = clock.now() + 1_000_000;
    const { key } = await makeKey(node.keys, { expireTime });
    expect(await stateOf(key.id)).toMatchObject({
      state: 'active',
      least_version: 1n,
      expires_at_ms: BigInt(expireTime),
    });
    const { key: rotated } = unwrap(await node.keys.rotate(key.accountId, key.id, { overlapSeconds: 60 }));
    expect(await stateOf(key.id)).toMatchObject({
      least_version: 2n,
      least_version_from_ms: BigInt(rotated.previousSecretExpireTime ?? 0),
    });
    unwrap(await node.keys.update(key.accountId, key.id, { expireTime: null, displayName: 'Other' }));
    expect(await stateOf(key.id)).toMatchObject({ least_version: 2n, expires_at_ms: null, revoked_at_ms: null });
    const before = Date.now();
    unwrap(await node.keys.revoke(key.accountId, key.id));
    const after = Date.now();
    const revoked = await stateOf(key.id);
    expect(revoked).toMatchObject({ state: 'revoked' });
    // The database's clock may be another machine's.
    expect(Number(revoked?.revoked_at_ms)).toBeGreaterThan(before - 5_000);
    expect(Number(revoked?.revoked_at_ms)).toBeLessThan(after + 5_000);
  });

  test("another account's key is not found, whatever is asked of it", async () => {
    const { key } = await makeKey(node.keys);
    const stranger = newId('acc');
    const answers = [
      await node.keys.get(stranger, key.id),
      await node.keys.update(stranger, key.id, { displayName: 'Mine' }),
      await node.keys.rotate(stranger, key.id, { overlapSeconds: 0 }),
      await node.keys.revoke(stranger, key.id),
    ];
    for (const answer of answers)
      expect(answer).toEqual({ ok: false, failure: { kind: 'not_found', resource: 'key' } });
    expect(unwrap(await node.keys.list(stranger, {})).items).toEqual([]);
  });

  test('changes of a key are obeyed on the other node too', async () => {
    const { key, secret } = await makeKey(node.keys, { spendingCap: 5n, expireTime: clock.now() + 100_000 });
    unwrap(await other.keys.verify(secret));
    const changed = unwrap(
      await node.keys.update(key.accountId, key.id, { scopes: ['pulse'], spendingCap: null, expireTime: null }),
    );
    expect(changed.spendingCap).toBeUndefined();
    expect(changed.expireTime).toBeUndefined();
    await expect.poll(async () => [...unwrap(await other.keys.verify(secret)).scopes]).toEqual(['pulse']);
  });

  test('keys are listed newest first, page by page', async () => {
    const accountId = newId('acc');
    const ids: string[] = [];
    for (let index = 0; index < 5; index += 1) ids.unshift((await makeKey(node.keys, { accountId })).key.id);
    const seen: string[] = [];
    let pageToken = '';
    do {
      const page = unwrap(await node.keys.list(accountId, { pageSize: 2, pageToken }));
      seen.push(...page.items.map(({ id }) => id));
      pageToken = page.nextPageToken;
    } while (pageToken !== '');
    expect(seen).toEqual(ids);
  });

  test('the only management key of an account cannot be revoked, also not by two at one time', async () => {
    const accountId = newId('acc');
    const first = await makeKey(node.keys, { accountId, kind: 'management' });
    expect(await node.keys.revoke(accountId, first.key.id)).toMatchObject({
      ok: false,
      failure: { kind: 'precondition_failed' },
    });
    const second = await makeKey(node.keys, { accountId, kind: 'management' });
    const outcomes = await Promise.all([
      node.keys.revoke(accountId, first.key.id),
      other.keys.revoke(accountId, second.key.id),
    ]);
    expect(outcomes.filter(({ ok }) => ok)).toHaveLength(1);
  });

  test('last use is written later, in bulk', async () => {
    const lazy = await startKeys(fresh().database, { clock });
    const { key, secret } = await makeKey(lazy.keys);
    expect(unwrap(await lazy.keys.get(key.accountId, key.id)).lastUsedTime).toBeUndefined();
    const before = clock.now();
    unwrap(await lazy.keys.verify(secret));
    await lazy.close();
    const used = unwrap(await node.keys.get(key.accountId, key.id)).lastUsedTime;
    expect(used).toBeGreaterThanOrEqual(before);
  });

  test('a use of a token is a use of the key that it was made of', async () => {
    const lazy = await startKeys(fresh().database, { clock });
    const { key } = await makeKey(lazy.keys);
    const parent = unwrap(await lazy.keys.find(key.id));
    const token: VerifiedToken = {
      ...{ tokenId: 'tok_1', accountId: key.accountId, clientId: key.id, subject: 'u', scopes: parent.scopes },
      ...{ expireTime: clock.now() + 60_000, parent: { ...parent, allowedOrigins: [] } },
    };
    const tokens = { verify: () => succeed(token) };
    const authenticate = createAuthenticator({ keys: lazy.keys, tokens, operators: [] });
    const before = clock.now();
    expect(unwrap(await authenticate('Bearer eyJ.of.it')).token?.id).toBe('tok_1');
    await lazy.close();
    expect(unwrap(await node.keys.get(key.accountId, key.id)).lastUsedTime).toBeGreaterThanOrEqual(before);
  });

  test('a key takes the new pepper at its next use, and an old pepper is kept for as long as it is needed', async () => {
    const { key, secret } = await makeKey(node.keys);
    const both = { current: 2, byVersion: new Map([...peppers.byVersion, [2, randomBytes(32)] as const]) };
    const next = await startKeys(fresh().database, { clock, peppers: both });
    unwrap(await next.keys.verify(secret));
    await expect.poll(async () => (await next.keys.countByPepper()).get(2)).toBe(1);
    unwrap(await next.keys.rotate(key.accountId, key.id, { overlapSeconds: 0 }));
    const without = { current: 2, byVersion: new Map([...both.byVersion].filter(([version]) => version === 2)) };
    const retired = await startKeys(fresh().database, { clock, peppers: without });
    await expect(retired.keys.checkPeppersInUse()).rejects.toThrow(/Pepper 1 is not configured, but \d+ key/);
    await next.keys.checkPeppersInUse();
    await next.close();
    await retired.close();
  });
});
