import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { createLocalJWKSet, decodeJwt, decodeProtectedHeader, jwtVerify, SignJWT } from 'jose';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { unwrap } from '../../src/base/failure.ts';
import { newId } from '../../src/base/ids.ts';
import { createSeal } from '../../src/base/seal.ts';
import { makeKey, movableClock } from '../keys/room.ts';
import { eachServer, useDatabase } from '../support/database.ts';
import { issuer, seal, startDeaf, startTokens, type TokenNode } from './room.ts';

const invalid = { ok: false, failure: { kind: 'credential_invalid' } };

eachServer((server) => {
  const fresh = useDatabase(server);
  const clock = movableClock();
  let node: TokenNode;
  let other: TokenNode;
  beforeAll(async () => {
    node = await startTokens(fresh().database, { clock });
    other = await startTokens(fresh().database, { clock });
  });
  afterAll(async () => {
    await node.close();
    await other.close();
  });

  async function issue(changes: Parameters<typeof makeKey>[1] = {}, request: object = {}) {
    const { key, secret } = await makeKey(node.keys, changes);
    const issued = unwrap(await node.tokens.issue({ keyId: key.id, subject: 'user-7', ...request }));
    return { key, secret, ...issued };
  }

  test('a token is what RFC 9068 asks for, and verifies by the published keys alone', async () => {
    const { accessToken, key, tokenId } = await issue({}, { spendingCap: 5n, models: ['gpt-4o-mini'], ttlSeconds: 60 });
    expect(decodeProtectedHeader(accessToken)).toMatchObject({ alg: 'ES256', typ: 'at+jwt' });
    const jwks = await node.tokens.jwks();
    for (const jwk of jwks.keys) expect(jwk).not.toHaveProperty('d');
    const { payload } = await jwtVerify(accessToken, createLocalJWKSet(jwks), { currentDate: new Date(clock.now()) });
    expect(payload).toMatchObject({ iss: issuer, aud: issuer, sub: 'user-7', client_id: key.id, jti: tokenId });
    expect(Number(payload.exp) - Number(payload.iat)).toBeLessThanOrEqual(60);
    const verified = unwrap(await other.tokens.verify(accessToken));
    expect(verified).toMatchObject({
      accountId: key.accountId,
      subject: 'user-7',
      spendingCap: 5n,
      models: ['gpt-4o-mini'],
    });
    expect([...verified.scopes]).toEqual(['chat', 'workflows', 'pulse']);
  });

  test('a warm token verifies synchronously, as the same object', async () => {
    const { accessToken } = await issue();
    const first = unwrap(await node.tokens.verify(accessToken));
    const second = node.tokens.verify(accessToken);
    expect(second).not.toBeInstanceOf(Promise);
    expect(unwrap(await second)).toBe(first);
  });

  test('a child never has more than its parent', async () => {
    const expireTime = clock.now() + 100_000;
    const { key } = await makeKey(node.keys, { scopes: ['chat', 'tokens'], spendingCap: 50n, expireTime });
    const ask = (request: object) => node.tokens.issue({ keyId: key.id, subject: 'u', ...request });
    expect(await ask({ scopes: ['pulse'] })).toMatchObject({ failure: { violations: [{ field: 'scopes' }] } });
    expect(await ask({ scopes: ['tokens'] })).toMatchObject({ failure: { violations: [{ field: 'scopes' }] } });
    const issued = unwrap(await ask({ ttlSeconds: 3_600, spendingCap: 9_999n }));
    expect(issued.expireTime).toBeLessThanOrEqual(expireTime);
    const verified = unwrap(await node.tokens.verify(issued.accessToken));
    expect(verified.spendingCap).toBe(50n);
    expect([...verified.scopes]).toEqual(['chat']);
  });

  test('a key that could give a token nothing makes none', async () => {
    const { key } = await makeKey(node.keys, { scopes: ['tokens', 'devices'] });
    for (const scopes of [undefined, [], ['chat']])
      expect(await node.tokens.issue({ keyId: key.id, subject: 'u', ...(scopes && { scopes }) })).toMatchObject({
        failure: { violations: [{ field: 'scopes', description: 'the key has none that tokens can have' }] },
      });
  });

  test('a scope that is taken from the key is gone from its tokens within a second', async () => {
    const { key, accessToken } = await issue();
    const deaf = await startDeaf(fresh().database, clock);
    const scopesAt = async ({ tokens }: TokenNode) => [...unwrap(await tokens.verify(accessToken)).scopes];
    for (const each of [other, deaf]) expect(await scopesAt(each)).not.toEqual(['pulse']);
    unwrap(await node.keys.update(key.accountId, key.id, { scopes: ['pulse'] }));
    deaf.aSecondPasses();
    expect(await scopesAt(deaf)).toEqual(['pulse']);
    await expect.poll(() => scopesAt(other)).toEqual(['pulse']);
  });

  test.each([
    ['no subject', { subject: '' }, 'subject'],
    ['a subject of 129 bytes', { subject: 'é'.repeat(65) }, 'subject'],
    ['a subject with NUL', { subject: 'a\0b' }, 'subject'],
    ['a life of 59 seconds', { ttlSeconds: 59 }, 'ttlSeconds'],
    ['a life of 3,601 seconds', { ttlSeconds: 3_601 }, 'ttlSeconds'],
    ['a cap of 0', { spendingCap: 0n }, 'spendingCapUsd'],
    ['a model with blanks', { models: ['a b'] }, 'models'],
  ])('%s is refused by name', async (_name, request, field) => {
    const { key } = await makeKey(node.keys);
    expect(await node.tokens.issue({ keyId: key.id, subject: 'u', ...request })).toMatchObject({
      failure: { kind: 'invalid_argument', violations: [{ field }] },
    });
  });

  test('a token ends with its key: refused here at once, elsewhere within a second', async () => {
    const { key, accessToken } = await issue();
    const deaf = await startDeaf(fresh().database, clock);
    for (const { tokens } of [node, other, deaf]) unwrap(await tokens.verify(accessToken));
    unwrap(await node.keys.revoke(key.accountId, key.id));
    expect(await node.tokens.verify(accessToken)).toMatchObject({ failure: { kind: 'key_revoked' } });
    deaf.aSecondPasses();
    expect(await deaf.tokens.verify(accessToken)).toMatchObject({ failure: { kind: 'key_revoked' } });
    await expect.poll(async () => (await other.tokens.verify(accessToken)).ok).toBe(false);
    expect(await node.tokens.issue({ keyId: key.id, subject: 'u' })).toMatchObject({ ok: false });
  });

  test('a token outlives the rotation of its key', async () => {
    const { key, accessToken } = await issue();
    unwrap(await node.tokens.verify(accessToken));
    unwrap(await node.keys.rotate(key.accountId, key.id, { overlapSeconds: 0 }));
    expect(unwrap(await node.tokens.verify(accessToken)).parent.version).toBe(2);
  });

  test('one token can be ended alone, by its own account only', async () => {
    const { key, accessToken, tokenId } = await issue();
    const sibling = unwrap(await node.tokens.issue({ keyId: key.id, subject: 'user-7' }));
    const deaf = await startDeaf(fresh().database, clock);
    for (const { tokens } of [other, deaf]) unwrap(await tokens.verify(accessToken));
    expect(await node.tokens.revoke({ accountId: newId('acc') }, tokenId)).toMatchObject({
      failure: { kind: 'not_found' },
    });
    expect((await node.tokens.verify(accessToken)).ok).toBe(true);
    unwrap(await node.tokens.revoke({ accountId: key.accountId }, tokenId));
    unwrap(await node.tokens.revoke({ accountId: key.accountId }, tokenId));
    expect(await node.tokens.verify(accessToken)).toMatchObject({ failure: { kind: 'key_revoked' } });
    deaf.aSecondPasses();
    expect(await deaf.tokens.verify(accessToken)).toMatchObject({ failure: { kind: 'key_revoked' } });
    await expect.poll(async () => (await other.tokens.verify(accessToken)).ok).toBe(false);
    expect((await node.tokens.verify(sibling.accessToken)).ok).toBe(true);
  });

  test('an expired token is refused, also warm, also by one second', async () => {
    const { accessToken, expireTime } = await issue({}, { ttlSeconds: 60 });
    unwrap(await node.tokens.verify(accessToken));
    clock.forward(expireTime - clock.now() + 1);
    expect(await node.tokens.verify(accessToken)).toEqual({ ok: false, failure: { kind: 'token_expired' } });
    expect(await other.tokens.verify(accessToken)).toEqual({ ok: false, failure: { kind: 'token_expired' } });
  });

  test('forged tokens are refused: alg none, HS256 with the public key, another key, type, audience, issuer', async () => {
    const { accessToken } = await issue();
    const claims = decodeJwt(accessToken);
    const header = decodeProtectedHeader(accessToken);
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const [, payload = '', signature = ''] = accessToken.split('.');
    const [jwk] = (await node.tokens.jwks()).keys;
    const publicKeyAsSecret = Buffer.from(JSON.stringify(jwk));
    const stranger = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
    const sign = (changes: object, head: object = {}) =>
      new SignJWT({ ...claims, ...changes })
        .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', ...header, ...head })
        .sign(stranger);
    const forged = [
      `${part({ alg: 'none', typ: 'at+jwt' })}.${payload}.`,
      `${part({ ...header, alg: 'none' })}.${payload}.${signature}`,
      await new SignJWT(claims).setProtectedHeader({ ...header, alg: 'HS256', typ: 'at+jwt' }).sign(publicKeyAsSecret),
      await sign({}),
      await sign({}, { kid: 'nobody' }),
      await sign({}, { kid: 'x'.repeat(1_000) }),
      await sign({}, { jwk }),
      `${accessToken}x`,
      accessToken.slice(0, -4),
      `${accessToken.split('.')[0]}.${part({ ...claims, cap: '999' })}.${signature}`,
      'eyJ',
      `eyJ${'a'.repeat(1_000_000)}`,
      '💥.💥.💥',
      'a\0.b\0.c',
    ];
    for (const token of forged) expect(await node.tokens.verify(token), token.slice(0, 80)).toEqual(invalid);
    expect((await node.tokens.verify(accessToken)).ok).toBe(true);
  });

  test('nodes without a common address accept each other’s tokens, and a node with one accepts no other’s', async () => {
    const at = async (address: string) => {
      const one = await startTokens(fresh().database, { clock, issuer: () => address, issuerOfNode: true });
      onTestFinished(one.close);
      return one;
    };
    const [first, second] = [await at('http://first:8080'), await at('http://second:8080')];
    const { key } = await makeKey(first.keys);
    const { accessToken, tokenId } = unwrap(await first.tokens.issue({ keyId: key.id, subject: 'u' }));
    expect(await second.tokens.verify(accessToken)).toMatchObject({ ok: true, value: { tokenId } });
    // A node that was given an address accepts no other.
    expect(await node.tokens.verify(accessToken)).toEqual(invalid);
  });

  test('a token that is signed by the right key but for another type, audience or issuer is refused', async () => {
    const { accessToken } = await issue();
    const claims = decodeJwt(accessToken);
    const header = decodeProtectedHeader(accessToken);
    const { createSigningKeys } = await import('../../src/tokens/signing-keys.ts');
    const { createSigningKeysStore } = await import('../../src/tokens/signing-keys-store.ts');
    const { silent } = await import('../support/database.ts');
    const store = createSigningKeysStore(fresh().database);
    const { key } = await createSigningKeys({ store, seal, clock, log: silent }).signer();
    const sign = (changes: object, head: object = {}) =>
      new SignJWT({ ...claims, ...changes }).setProtectedHeader({ ...header, alg: 'ES256', ...head }).sign(key);
    expect((await node.tokens.verify(await sign({}))).ok).toBe(true);
    for (const token of [
      await sign({}, { typ: 'JWT' }),
      await sign({ aud: 'https://other.example' }),
      await sign({ iss: 'https://other.example' }),
      await sign({ jti: newId('tok') }),
      await sign({ account: newId('acc') }),
      await sign({ jti: undefined }),
      await sign({ exp: undefined }),
    ])
      expect(await node.tokens.verify(token)).toEqual(invalid);
  });

  test('signing keys are replaced: the next is published before it signs, the last verifies after it signed', async () => {
    const times = { rotateSigningKeyEveryMs: 600_000, publishAheadMs: 120_000 };
    const first = await startTokens(fresh().database, { clock, ...times });
    const { key } = await makeKey(first.keys);
    const kidOf = (token: string) => decodeProtectedHeader(token).kid;
    const before = unwrap(await first.tokens.issue({ keyId: key.id, subject: 'u', ttlSeconds: 3_600 }));
    clock.forward(500_000);
    // A node that starts now reads, and makes, the keys anew.
    const second = await startTokens(fresh().database, { clock, ...times });
    const published = (await second.tokens.jwks()).keys.map(({ kid }) => kid);
    const still = unwrap(await second.tokens.issue({ keyId: key.id, subject: 'u' }));
    expect(kidOf(still.accessToken)).toBe(kidOf(before.accessToken));
    clock.forward(150_000);
    const after = unwrap(await second.tokens.issue({ keyId: key.id, subject: 'u' }));
    expect(kidOf(after.accessToken)).not.toBe(kidOf(before.accessToken));
    expect(published).toContain(kidOf(after.accessToken));
    expect((await second.tokens.verify(before.accessToken)).ok).toBe(true);
    // The first node has never seen the new key, and looks.
    clock.pass(1_000);
    expect((await first.tokens.verify(after.accessToken)).ok).toBe(true);
    await first.close();
    await second.close();
  });

  test('the database mints nothing: no private key is readable in it, and a planted one signs for nobody', async () => {
    const db = fresh().database.for<never>();
    const { rows } = await sql<{ id: string; sealed: Buffer }>`SELECT id, sealed FROM signing_key`.execute(db);
    for (const { sealed } of rows) expect(sealed.toString('latin1')).not.toMatch(/"d"|"kty"/);
    const thief = createSeal({ current: 1, byVersion: new Map([[1, randomBytes(32)]]) });
    const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const planted = thief.seal(
      Buffer.from(JSON.stringify(pair.privateKey.export({ format: 'jwk' }))),
      'signing-key:evil',
    );
    await sql`INSERT INTO signing_key VALUES ('evil', ${Buffer.from(planted)}, 1, 1)`.execute(db);
    const reader = await startTokens(fresh().database, { clock });
    expect((await reader.tokens.jwks()).keys.map(({ kid }) => kid)).not.toContain('evil');
    const { accessToken } = await issue();
    const token = await new SignJWT(decodeJwt(accessToken))
      .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: 'evil' })
      .sign(pair.privateKey);
    expect(await reader.tokens.verify(token)).toEqual(invalid);
    await sql`DELETE FROM signing_key WHERE id = 'evil'`.execute(db);
    await reader.close();
  });
});
