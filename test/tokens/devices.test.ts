import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { unwrap } from '../../src/base/failure.ts';
import { newId } from '../../src/base/ids.ts';
import { createGrantsStore } from '../../src/tokens/grants-store.ts';
import type { DeviceAuthorization, OauthResult } from '../../src/tokens/index.ts';
import { makeKey, movableClock } from '../keys/room.ts';
import { eachServer, useDatabase } from '../support/database.ts';
import { makeClient, startDeaf, startTokens, type TokenNode } from './room.ts';

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

  type Client = Awaited<ReturnType<typeof makeClient>>;
  const authorize = async (from: Client, scope?: string): Promise<DeviceAuthorization> =>
    got(
      await node.tokens.deviceFlow.authorize({
        ...{ clientId: from.client.id, network: '192.0.2.1' },
        ...(scope !== undefined && { scope }),
      }),
    );

  test.each([
    ['network', { all: 100, ofAccount: 100, ofNetwork: 10, ofSite: 100 }, () => '198.51.1.1'],
    ['/24 of IPv4', { all: 100, ofAccount: 100, ofNetwork: 100, ofSite: 10 }, (index: number) => `198.51.2.${index}`],
    ['/48 of IPv6', { all: 100, ofAccount: 100, ofNetwork: 100, ofSite: 10 }, (index: number) => `2001:db8:1:${index}`],
    ['account', { all: 100, ofAccount: 10, ofNetwork: 100, ofSite: 100 }, (index: number) => `${index}.51.100.1`],
  ])(
    '25 devices that ask at once leave ten waiting for a %s, until they expire and are swept',
    async (_, waitingMax, networkOf) => {
      const bounded = await startTokens(fresh().database, { clock, waitingMax });
      const from = await makeClient(bounded);
      const ask = (index: number) =>
        bounded.tokens.deviceFlow.authorize({
          clientId: from.client.id,
          network: networkOf(index),
        });
      // What other tests left waiting is over.
      clock.forward(16 * 60_000);
      const asked = await Promise.all(Array.from({ length: 25 }, (__, index) => ask(index)));
      expect(asked.filter(({ ok }) => ok)).toHaveLength(10);
      expect(asked.filter((one) => !one.ok && one.error === 'temporarily_unavailable')).toHaveLength(15);
      clock.forward(16 * 60_000);
      expect(await ask(0)).toMatchObject({ ok: true });
      const store = createGrantsStore({ db: fresh().database, now: clock.now });
      await store.prune(0, clock.now());
      const { rows } = await sql<{ count: bigint }>`SELECT COUNT(*) AS count FROM device_grant
      WHERE account_id = ${from.accountId}`.execute(fresh().database.for<never>());
      expect(rows).toEqual([{ count: 1n }]);
      await bounded.close();
    },
  );

  const twelveSites = (turn: number) => `198.${turn % 4}.${turn % 12}.1`;
  const twelveSitesOfIpv6 = (turn: number) => `2001:${turn % 4}:${turn % 12}:1`;
  test.each([
    ['the service, from many sites', { all: 80, ofAccount: 1_000 }, twelveSites],
    ['the service, from many sites of IPv6', { all: 80, ofAccount: 1_000 }, twelveSitesOfIpv6],
    ['an account, from many sites', { all: 1_000, ofAccount: 80 }, twelveSites],
    [
      "the service, from all of a provider's sites",
      { all: 80, ofAccount: 1_000 },
      (turn: number) => `2001:db8:${turn}:1`,
    ],
    [
      "an account, from all of a provider's sites",
      { all: 1_000, ofAccount: 80 },
      (turn: number) => `2001:db8:${turn}:1`,
    ],
  ])('nobody fills %s: who has no device waiting yet finds room', async (_, most, networkOf) => {
    const waitingMax = { ofNetwork: 1_000, ofSite: 1_000, ...most };
    const bounded = await startTokens(fresh().database, { clock, waitingMax });
    const apps: Client[] = [];
    for (let made = 0; made < (most.ofAccount < most.all ? 1 : 6); made++) apps.push(await makeClient(bounded));
    const ask = async (turn: number, network: string) => {
      const clientId = apps[turn % apps.length]?.client.id ?? '';
      return (await bounded.tokens.deviceFlow.authorize({ clientId, network })).ok;
    };
    clock.forward(16 * 60_000);
    let waiting = 0;
    for (let turn = 0; turn < 150; turn++) if (await ask(turn, networkOf(turn))) waiting += 1;
    expect(waiting).toBeGreaterThan(20);
    expect(await ask(0, networkOf(0))).toBe(false);
    for (const newcomer of ['203.0.113.1', '203.0.113.2', '2a02:8:1:1']) expect(await ask(0, newcomer)).toBe(true);
    await bounded.close();
  });

  const redeem = (from: Client, deviceCode: string) =>
    node.tokens.deviceFlow.redeem({ clientId: from.client.id, deviceCode });
  const refresh = (from: Client, refreshToken: string, on = node) =>
    on.tokens.deviceFlow.refresh({ clientId: from.client.id, refreshToken });
  const approve = (from: Client, userCode: string, changes: object = {}) =>
    node.tokens.devices.approve({
      accountId: from.accountId,
      approvedBy: from.keyId,
      userCode,
      subject: 'user-7',
      ...changes,
    });

  async function activated(key: object = {}, approval: object = {}) {
    const from = await makeClient(node, key);
    const { deviceCode, userCode } = await authorize(from);
    const device = unwrap(await approve(from, userCode, approval));
    return { from, device, deviceCode, userCode, tokens: got(await redeem(from, deviceCode)) };
  }

  test('a device is activated: pending, approved, redeemed once', async () => {
    const from = await makeClient(node);
    const authorization = await authorize(from, 'chat');
    expect(authorization.userCode).toMatch(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/);
    expect(authorization).toMatchObject({ expiresInSeconds: 900, intervalSeconds: 5 });
    expect(authorization.verificationUriComplete).toContain(`user_code=${authorization.userCode}`);
    expect(await redeem(from, authorization.deviceCode)).toMatchObject({ error: 'authorization_pending' });
    // As somebody types it.
    const typed = ` ${authorization.userCode.toLowerCase().replace('-', ' ')} `;
    const device = unwrap(await approve(from, typed, { spendingCap: 9n, displayName: "Ann's laptop" }));
    expect(device).toMatchObject({ subject: 'user-7', scopes: ['chat'], state: 'active', spendingCap: 9n });
    const tokens = got(await redeem(from, authorization.deviceCode));
    expect(tokens).toMatchObject({ scopes: ['chat'], expiresInSeconds: expect.any(Number) });
    const verified = unwrap(await other.tokens.verify(tokens.accessToken));
    expect(verified).toMatchObject({
      deviceId: device.id,
      subject: 'user-7',
      clientId: from.client.id,
      spendingCap: 9n,
    });
    expect(await redeem(from, authorization.deviceCode)).toMatchObject({ error: 'invalid_grant' });
    expect(await approve(from, authorization.userCode)).toMatchObject({ failure: { kind: 'not_found' } });
  });

  test('a name for people has no control characters, wherever it was entered', async () => {
    const from = await makeClient(node);
    const { userCode } = await authorize(from);
    for (const displayName of ['a\u0000b', 'a\r\nb', 'x'.repeat(201)])
      expect(await approve(from, userCode, { displayName })).toMatchObject({
        failure: { violations: [{ field: 'displayName' }] },
      });
    expect(unwrap(await approve(from, userCode, { displayName: 'Küche 🍳' })).displayName).toBe('Küche 🍳');
  });

  test('two that redeem one code at one time: one gets the tokens', async () => {
    const from = await makeClient(node);
    const { deviceCode, userCode } = await authorize(from);
    unwrap(await approve(from, userCode));
    const outcomes = await Promise.all([redeem(from, deviceCode), redeem(from, deviceCode), redeem(from, deviceCode)]);
    expect(outcomes.filter(({ ok }) => ok)).toHaveLength(1);
  });

  test('polling too fast is told to slow down, each time by five seconds more', async () => {
    const from = await makeClient(node);
    const { deviceCode } = await authorize(from);
    expect(await redeem(from, deviceCode)).toMatchObject({ error: 'authorization_pending' });
    expect(await redeem(from, deviceCode)).toMatchObject({ error: 'slow_down' });
    clock.forward(6_000);
    expect(await redeem(from, deviceCode)).toMatchObject({ error: 'slow_down' });
    clock.forward(15_000);
    expect(await redeem(from, deviceCode)).toMatchObject({ error: 'authorization_pending' });
  });

  test('a denied device hears so, and an old code has expired', async () => {
    const from = await makeClient(node);
    const denied = await authorize(from);
    unwrap(
      await node.tokens.devices.deny({ accountId: from.accountId, approvedBy: from.keyId, userCode: denied.userCode }),
    );
    expect(await redeem(from, denied.deviceCode)).toMatchObject({ error: 'access_denied' });
    const late = await authorize(from);
    clock.forward(901_000);
    expect(await redeem(from, late.deviceCode)).toMatchObject({ error: 'expired_token' });
    expect(await approve(from, late.userCode)).toMatchObject({ failure: { kind: 'not_found' } });
  });

  test('what a device asked for can be read until it is forgotten, by who may decide about it', async () => {
    const from = await makeClient(node);
    const read = (userCode: string, by: object = {}) =>
      other.tokens.devices.read({ accountId: from.accountId, userCode, ...by });
    const asked = await authorize(from, 'chat');
    const { userCode } = asked;
    const wish = unwrap(await read(userCode.toLowerCase().replace('-', ' ')));
    expect(wish).toMatchObject({ userCode, client: from.client, scopes: ['chat'], state: 'pending' });
    expect(wish).toMatchObject({ network: '192.0.2.1', expireTime: wish.createTime + 900_000 });
    expect(wish.deviceId).toBeUndefined();

    const stranger = await makeClient(node);
    const sibling = await makeKey(node.keys, { accountId: from.accountId });
    for (const by of [{ accountId: stranger.accountId }, { onlyKeyId: sibling.key.id }])
      expect(await read(userCode, by)).toMatchObject({ failure: { kind: 'not_found', resource: 'user code' } });
    expect(unwrap(await read(userCode, { onlyKeyId: from.keyId }))).toEqual(wish);

    const device = unwrap(await approve(from, userCode));
    expect(unwrap(await read(userCode))).toMatchObject({ state: 'approved', deviceId: device.id });
    got(await redeem(from, asked.deviceCode));
    expect(unwrap(await read(userCode))).toMatchObject({ state: 'approved', deviceId: device.id });

    const { tokens } = node;
    const ask = async (network: string) =>
      got(await tokens.deviceFlow.authorize({ clientId: from.client.id, network })).userCode;
    const denied = await ask('2001:db8:0:1');
    unwrap(await tokens.devices.deny({ accountId: from.accountId, approvedBy: from.keyId, userCode: denied }));
    expect(unwrap(await read(denied))).toMatchObject({ state: 'denied', network: '2001:db8:0:1::/64' });
    const late = await ask('192.0.2.1');
    clock.forward(901_000);
    expect(unwrap(await read(late))).toMatchObject({ state: 'expired' });
    const store = createGrantsStore({ db: fresh().database, now: clock.now });
    await store.prune(clock.now(), clock.now());
    expect(await read(late)).toMatchObject({ failure: { kind: 'not_found' } });
  });

  test('ten codes that are not found within a minute: the account waits, whether it reads, approves or denies', async () => {
    const from = await makeClient(node);
    const { userCode } = await authorize(from);
    const by = { accountId: from.accountId, approvedBy: from.keyId };
    const { devices } = node.tokens;
    for (let index = 0; index < 8; index++)
      expect(await devices.read({ ...by, userCode: 'BCDFGHJK' })).toMatchObject({ failure: { kind: 'not_found' } });
    expect(await devices.read({ ...by, userCode: 'no code' })).toMatchObject({ failure: { kind: 'invalid_argument' } });
    // A code that is found does not count.
    for (let index = 0; index < 20; index++) unwrap(await devices.read({ ...by, userCode }));
    expect(await devices.deny({ ...by, userCode: 'BCDFGHJK' })).toMatchObject({ failure: { kind: 'not_found' } });
    for (const refused of [
      await devices.read({ ...by, userCode }),
      await devices.deny({ ...by, userCode }),
      await approve(from, userCode),
    ])
      expect(refused).toMatchObject({ failure: { kind: 'rate_limited' } });
    clock.forward(60_000);
    expect(unwrap(await devices.read({ ...by, userCode }))).toMatchObject({ state: 'pending' });
    clock.forward(60_000);
    // Tries at the same time count as those one after another.
    const tries = await Promise.all(Array.from({ length: 30 }, () => devices.read({ ...by, userCode: 'BCDFGHJK' })));
    const kinds = tries.map((tried) => (tried.ok ? 'found' : tried.failure.kind));
    expect(kinds.filter((kind) => kind === 'not_found')).toHaveLength(10);
    expect(kinds.filter((kind) => kind === 'rate_limited')).toHaveLength(20);
  });

  test('a code that could not be looked up does not count as wrong', async () => {
    const from = await makeClient(node);
    const { userCode } = await authorize(from);
    const away = {
      for() {
        throw new Error('the database is away');
      },
    };
    const approval = { accountId: from.accountId, approvedBy: from.keyId, subject: 'u', userCode };
    for (let index = 0; index < 20; index++)
      await expect(node.tokens.devices.approve(approval, away as never)).rejects.toThrow('the database is away');
    expect((await approve(from, userCode)).ok).toBe(true);
  });

  test("only the client's own account approves, and an API key only for its own clients", async () => {
    const from = await makeClient(node);
    const { userCode } = await authorize(from);
    const stranger = await makeClient(node);
    expect(await approve(stranger, userCode)).toMatchObject({ failure: { kind: 'not_found' } });
    const sibling = await makeKey(node.keys, { accountId: from.accountId });
    expect(await approve(from, userCode, { onlyKeyId: sibling.key.id })).toMatchObject({
      failure: { kind: 'not_found' },
    });
    expect(await approve(from, userCode, { onlyKeyId: from.keyId })).toMatchObject({ ok: true });
  });

  test('user codes cannot be guessed: after ten wrong ones an account waits a minute', async () => {
    const from = await makeClient(node);
    const { userCode } = await authorize(from);
    for (let index = 0; index < 10; index += 1)
      expect(await approve(from, 'BBBB-BBBB')).toMatchObject({ failure: { kind: 'not_found' } });
    expect(await approve(from, userCode)).toMatchObject({ failure: { kind: 'rate_limited' } });
    clock.forward(60_001);
    expect((await approve(from, userCode)).ok).toBe(true);
  });

  test('codes and tokens of one client are worth nothing to another', async () => {
    const { from, tokens, deviceCode } = await activated();
    const stranger = await makeClient(node);
    expect(await redeem(stranger, deviceCode)).toMatchObject({ error: 'invalid_grant' });
    expect(await refresh(stranger, tokens.refreshToken)).toMatchObject({ error: 'invalid_grant' });
    expect((await refresh(from, tokens.refreshToken)).ok).toBe(true);
    expect(await node.tokens.deviceFlow.authorize({ clientId: newId('app'), network: '192.0.2.1' })).toMatchObject({
      error: 'invalid_client',
    });
    expect(
      await node.tokens.deviceFlow.authorize({ clientId: from.client.id, scope: 'chat devices', network: '192.0.2.1' }),
    ).toMatchObject({
      error: 'invalid_scope',
    });
  });

  test('refresh rotates, and the second use of one refresh token ends the whole device', async () => {
    const { from, device, tokens } = await activated();
    const second = got(await refresh(from, tokens.refreshToken));
    expect(unwrap(await node.tokens.verify(second.accessToken)).deviceId).toBe(device.id);
    const deaf = await startDeaf(fresh().database, clock);
    for (const { tokens: there } of [other, deaf]) unwrap(await there.verify(second.accessToken));
    expect(await refresh(from, tokens.refreshToken)).toMatchObject({ error: 'invalid_grant' });
    expect(await refresh(from, second.refreshToken)).toMatchObject({ error: 'invalid_grant' });
    expect(await node.tokens.verify(second.accessToken)).toMatchObject({ failure: { kind: 'key_revoked' } });
    deaf.aSecondPasses();
    expect(await deaf.tokens.verify(second.accessToken)).toMatchObject({ failure: { kind: 'key_revoked' } });
    await expect.poll(async () => (await other.tokens.verify(second.accessToken)).ok).toBe(false);
    const ended = unwrap(await node.tokens.devices.get({ accountId: from.accountId }, device.id));
    expect(ended).toMatchObject({ state: 'revoked', revokeReason: 'refresh credential used twice' });
  });

  test('two that refresh with one token at one time: one wins, and then the device ends', async () => {
    const { from, device, tokens } = await activated();
    const outcomes = await Promise.all([refresh(from, tokens.refreshToken), refresh(from, tokens.refreshToken, other)]);
    expect(outcomes.filter(({ ok }) => ok)).toHaveLength(1);
    expect(unwrap(await node.tokens.devices.get({ accountId: from.accountId }, device.id)).state).toBe('revoked');
  });

  test('cap, scopes and models survive refreshing and cannot grow by it', async () => {
    const { from, tokens } = await activated({ spendingCap: 100n }, { spendingCap: 7_000n, models: ['m1'] });
    const second = got(await refresh(from, tokens.refreshToken));
    const verified = unwrap(await node.tokens.verify(second.accessToken));
    expect(verified).toMatchObject({ spendingCap: 100n, models: ['m1'] });
    expect(
      await node.tokens.deviceFlow.refresh({
        clientId: from.client.id,
        refreshToken: second.refreshToken,
        scope: 'chat root',
      }),
    ).toMatchObject({ error: 'invalid_scope' });
  });

  test('a refreshed token is said to have the scopes that its key still has', async () => {
    const { from, device, tokens } = await activated();
    expect(device.scopes.length).toBeGreaterThan(1);
    const left = device.scopes.slice(0, 1);
    unwrap(await node.keys.update(from.accountId, from.keyId, { scopes: left }));
    const second = got(await refresh(from, tokens.refreshToken));
    expect(second.scopes).toEqual(left);
    expect([...unwrap(await node.tokens.verify(second.accessToken)).scopes]).toEqual(left);
  });

  test('a device is listed and ended by its own account only; then nothing of it works', async () => {
    const { from, device, tokens } = await activated();
    const { from: stranger } = await activated();
    expect(await node.tokens.devices.revoke({ accountId: stranger.accountId }, device.id)).toMatchObject({
      failure: { kind: 'not_found' },
    });
    expect(await node.tokens.devices.get({ accountId: stranger.accountId }, device.id)).toMatchObject({
      failure: { kind: 'not_found' },
    });
    const page = unwrap(await node.tokens.devices.list({ accountId: from.accountId }, {}));
    expect(page.items.map(({ id }) => id)).toEqual([device.id]);
    expect(
      unwrap(await node.tokens.devices.list({ accountId: from.accountId }, { subject: 'somebody else' })).items,
    ).toEqual([]);
    expect(unwrap(await node.tokens.devices.revoke({ accountId: from.accountId }, device.id)).state).toBe('revoked');
    expect(await node.tokens.verify(tokens.accessToken)).toMatchObject({ failure: { kind: 'key_revoked' } });
    expect(await refresh(from, tokens.refreshToken)).toMatchObject({ error: 'invalid_grant' });
  });

  test('a revoked key ends its devices; a disabled client gets nothing more', async () => {
    const { from, tokens } = await activated();
    unwrap(await node.keys.revoke(from.accountId, from.keyId));
    expect(await refresh(from, tokens.refreshToken)).toMatchObject({ error: 'unauthorized_client' });
    expect((await node.tokens.verify(tokens.accessToken)).ok).toBe(false);
    const { from: second, tokens: secondTokens } = await activated();
    expect(await node.tokens.clients.disable(from.accountId, second.client.id)).toMatchObject({ ok: false });
    unwrap(await node.tokens.clients.disable(second.accountId, second.client.id));
    expect(await refresh(second, secondTokens.refreshToken)).toMatchObject({ error: 'invalid_client' });
  });

  test('a device ends itself by RFC 7009, and nobody else', async () => {
    const { from, device, tokens } = await activated();
    const stranger = await makeClient(node);
    await node.tokens.revokeForClient({ clientId: stranger.client.id, token: tokens.refreshToken });
    await node.tokens.revokeForClient({ clientId: from.client.id, token: 'ik_refresh_nonsense' });
    expect((await node.tokens.verify(tokens.accessToken)).ok).toBe(true);
    await node.tokens.revokeForClient({ clientId: from.client.id, token: tokens.accessToken });
    expect((await node.tokens.verify(tokens.accessToken)).ok).toBe(false);
    expect(unwrap(await node.tokens.devices.get({ accountId: from.accountId }, device.id)).state).toBe('active');
    const next = got(await refresh(from, tokens.refreshToken));
    await node.tokens.revokeForClient({ clientId: from.client.id, token: next.refreshToken });
    expect(unwrap(await node.tokens.devices.get({ accountId: from.accountId }, device.id)).state).toBe('revoked');
  });

  test('a client stands on an API key of its own account, and its page is a web page', async () => {
    const from = await makeClient(node);
    const stranger = await makeKey(node.keys);
    const management = await makeKey(node.keys, { accountId: from.accountId, kind: 'management' });
    const create = (changes: object) =>
      node.tokens.clients.create({ accountId: from.accountId, keyId: from.keyId, displayName: 'App', ...changes });
    expect(await create({ keyId: stranger.key.id })).toMatchObject({ failure: { violations: [{ field: 'keyId' }] } });
    expect(await create({ keyId: management.key.id })).toMatchObject({ failure: { violations: [{ field: 'keyId' }] } });
    for (const activationUri of ['javascript:alert(1)', 'http://shop.example/', 'https://u:p@shop.example/', 'x'])
      expect(await create({ activationUri })).toMatchObject({ failure: { violations: [{ field: 'activationUri' }] } });
    const client = unwrap(await create({ activationUri: 'https://shop.example/activate?lang=en' }));
    const authorization = got(await node.tokens.deviceFlow.authorize({ clientId: client.id, network: '192.0.2.1' }));
    expect(authorization.verificationUriComplete).toBe(
      `https://shop.example/activate?lang=en&user_code=${authorization.userCode}`,
    );
  });
});

function got<T>(result: OauthResult<T>): T {
  if (!result.ok) throw new Error(`${result.error}: ${result.description}`);
  return result.value;
}
