import { afterAll, beforeAll, expect, test } from 'vitest';
import { openConnection } from '../../src/db/index.ts';
import { AccountService } from '../../src/gen/intelligence/account/v1/account_service_pb.ts';
import { AuditService } from '../../src/gen/intelligence/audit/v1/audit_service_pb.ts';
import { ChatService } from '../../src/gen/intelligence/chat/v1/chat_service_pb.ts';
import { KeyService } from '../../src/gen/intelligence/key/v1/key_service_pb.ts';
import { OperationsService } from '../../src/gen/intelligence/operations/v1/operations_service_pb.ts';
import { WalletService } from '../../src/gen/intelligence/wallet/v1/wallet_service_pb.ts';
import { type Customer, onboard, reasonOf, send, startApp, type TestApp, testSecrets } from '../support/app.ts';
import { eachServer, runOnce, useDatabase } from '../support/database.ts';
import { grpcClient } from '../support/grpc.ts';
import { startSilentProxy } from '../support/silent-proxy.ts';
import { startUpstream, streamedCompletion, type Upstream, type UpstreamReply } from '../support/upstream.ts';

const chatPath = '/api/v1/assistant/chat';
const chat = { model: 'm', messages: [{ role: 'user', content: 'Hi' }] };

eachServer((server) => {
  const database = useDatabase(server);
  const secrets = testSecrets();
  let upstream: Upstream;
  let app: TestApp;
  const start = () =>
    startApp({
      ...{ databaseUrl: database().url, secrets },
      // Shared by both nodes: what tokens are issued by.
      settings: `
http: { publicUrl: "https://api.example" }
providers: [{ id: up, kind: openai-compatible, baseUrl: "${upstream.url}/v1" }]
models: [{ id: m, provider: up, quality: 50, contextTokens: 100000, price: { inputPerMillionUsd: "1000", outputPerMillionUsd: "2000" } }]`,
    });
  beforeAll(async () => {
    upstream = await startUpstream();
    upstream.answer(({ body }) => replyTo(body));
    app = await start();
  });
  afterAll(async () => {
    await app.close();
    await upstream.close();
  });

  const operate = (method: string, path: string, body?: object, headers: Record<string, string> = {}) =>
    send(app, method, path, app.operatorToken, body, headers);
  const events = async (query = '') => (await operate('GET', `/v1/audit-events${query}`)).body.events;
  const eventsOf = (accountId: string) => events(`?accountId=${accountId}`);
  const actionsOf = async (accountId: string) =>
    (await eventsOf(accountId)).map(({ action }: { action: string }) => action).reverse();

  test('each write of an operator leaves one event: who, what, on what, why, and from where', async () => {
    const requestId = { 'x-request-id': 'made-by-hand-1' };
    const opened = await operate('POST', '/v1/accounts', { displayName: 'Harrow', reason: 'contract 12' }, requestId);
    const { accountId } = opened.body.account;
    const [made] = await eventsOf(accountId);
    expect(made).toEqual({
      eventId: expect.stringMatching(/^aud_/),
      time: expect.any(String),
      actor: 'operator:environment',
      action: 'account.create',
      target: accountId,
      accountId,
      reason: 'contract 12',
      details: { displayName: 'Harrow' },
      requestId: 'made-by-hand-1',
      address: '127.0.0.1',
    });
    const credit = { amountUsd: '50.00', reference: 'bank 1', reason: 'transfer seen' };
    const credited = await operate('POST', `/v1/accounts/${accountId}/credits`, credit);
    expect(credited.body.alreadyRecorded).toBeFalsy();
    const again = await operate('POST', `/v1/accounts/${accountId}/credits`, credit);
    expect(again.body.alreadyRecorded).toBe(true);
    expect(again.body.topUp).toEqual(credited.body.topUp);
    const adjust = { direction: 'take', amountUsd: '0.000000001', reason: 'a nano too many' };
    const key = { 'idempotency-key': 'one' };
    const adjusted = await operate('POST', `/v1/accounts/${accountId}/adjustments`, adjust, key);
    await operate('POST', `/v1/accounts/${accountId}/adjustments`, adjust, key);
    await operate('PATCH', `/v1/accounts/${accountId}`, { displayName: 'Harrow Tools', reason: 'as they asked' });
    await operate('POST', `/v1/accounts/${accountId}:suspend`, { reason: 'card stolen' });
    await operate('POST', `/v1/accounts/${accountId}:suspend`, { reason: 'again' });
    await operate('POST', `/v1/accounts/${accountId}:resume`, { reason: 'settled' });
    expect(await actionsOf(accountId)).toEqual([
      ...['account.create', 'account.credit', 'account.adjust', 'account.update'],
      ...['account.suspend', 'account.resume'],
    ]);
    const written = (await eventsOf(accountId)).reverse();
    expect(written[1]).toMatchObject({
      target: credited.body.topUp.topUpId,
      reason: 'transfer seen',
      details: { amountUsd: '50.00', reference: 'bank 1' },
    });
    expect(written[2]).toMatchObject({
      target: adjusted.body.adjustment.adjustmentId,
      details: { wallet: 'api', direction: 'take', amountUsd: '0.000000001' },
    });
    expect(written[4]).toMatchObject({ reason: 'card stolen' });
    const overGrpc = await grpcClient(app.url).unary(
      AuditService.method.listEvents,
      { accountId, action: 'account.adjust' },
      { authorization: `Bearer ${app.operatorToken}` },
    );
    expect(overGrpc.message?.events.map(({ eventId }) => eventId)).toEqual([written[2].eventId]);
  });

  test('what fails leaves no event, and new writes need a reason', async () => {
    const { accountId } = await onboard(app, '0');
    const before = await actionsOf(accountId);
    for (const [method, path, body] of [
      ['PATCH', '', { displayName: 'x' }],
      ['POST', ':suspend', {}],
      ['POST', ':resume', { reason: '' }],
      ['POST', ':suspend', { reason: 'two\nlines' }],
    ] as const)
      expect((await operate(method, `/v1/accounts/${accountId}${path}`, body)).status, path).toBe(400);
    const take = { direction: 'take', amountUsd: '1', reason: 'more than there is' };
    const refused = await operate('POST', `/v1/accounts/${accountId}/adjustments`, take, { 'idempotency-key': 'k' });
    expect(reasonOf(refused)).toBe('INSUFFICIENT_CREDIT');
    expect(await actionsOf(accountId)).toEqual(before);
    const nobody = 'acc_01m80000000000000000000000';
    for (const path of [':suspend', ':resume'])
      expect((await operate('POST', `/v1/accounts/${nobody}${path}`, { reason: 'x' })).status).toBe(404);
    expect(await eventsOf(nobody)).toEqual([]);
  });

  test('what an operator names and is not there is not said to be missing in an account of theirs', async () => {
    const messages = [
      await operate('POST', '/v1/accounts/acc_x:suspend', { reason: 'a try' }),
      await operate('GET', '/v1/operations/audits/aud_x'),
      await operate('GET', '/v1/wallet?accountId=acc_x'),
    ].map(({ status, body }) => [status, body.error.message]);
    expect(messages).toEqual([
      [404, 'There is no such account.'],
      [404, 'There is no such audit.'],
      [404, 'There is no such wallet.'],
    ]);
    const { managementKey } = await onboard(app);
    expect((await send(app, 'GET', '/v1/keys/key_x', managementKey)).body.error.message).toBe(
      'There is no such key in this account.',
    );
  });

  test('changes of keys are in the record without their secrets, and one that is refused is not', async () => {
    const { accountId, managementKey, keyId } = await onboard(app, '0');
    const owner = (method: string, path: string, body?: object) => send(app, method, path, managementKey, body);
    await owner('PATCH', `/v1/keys/${keyId}`, { displayName: 'b', spendingCapUsd: '2.00' });
    const rotated = await owner('POST', `/v1/keys/${keyId}:rotate`, {});
    await owner('POST', `/v1/keys/${keyId}:revoke`, {});
    expect((await owner('PATCH', `/v1/keys/${keyId}`, { displayName: 'c' })).status).toBe(409);
    const managers = (await owner('GET', '/v1/keys')).body.keys.filter(({ kind }: { kind: string }) => kind !== 'live');
    const [{ keyId: manager }] = managers;
    expect((await owner('POST', `/v1/keys/${manager}:revoke`, {})).status).toBe(409);
    const written = (await eventsOf(accountId)).reverse();
    expect(written.map(({ action, actor, target }: Record<string, string>) => [action, actor, target])).toEqual([
      ['account.create', 'operator:environment', accountId],
      ['key.create', manager, keyId],
      ['key.update', manager, keyId],
      ['key.rotate', manager, keyId],
      ['key.revoke', manager, keyId],
    ]);
    expect(written[2].details).toEqual({ fields: 'displayName, spendingCap' });
    expect(JSON.stringify(written)).not.toContain(rotated.body.secret.slice(-40));
  });

  test('events are listed by account, actor, action and time, in pages', async () => {
    const first = await onboard(app, '0');
    const [{ time }] = await eventsOf(first.accountId);
    await onboard(app, '0');
    expect((await events('?actor=operator:nobody')).length).toBe(0);
    expect(new Set((await events('?action=key.create')).map(({ action }: { action: string }) => action))).toEqual(
      new Set(['key.create']),
    );
    for (const action of ['key.made', 'key', 'KEY.CREATE']) {
      const refused = await operate('GET', `/v1/audit-events?action=${action}`);
      expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('action: must be one of')]);
      expect(refused.text).toContain('key.create, key.update, key.rotate, key.revoke');
    }
    const later = new Date(Date.parse(time) + 3_600_000).toISOString();
    expect(await events(`?accountId=${first.accountId}&startTime=${later}`)).toEqual([]);
    expect(await events(`?accountId=${first.accountId}&endTime=${later}`)).toHaveLength(2);
    const all: string[] = [];
    let token = '';
    do {
      const { body } = await operate('GET', `/v1/audit-events?pageSize=2&pageToken=${token}`);
      all.push(...body.events.map(({ eventId }: { eventId: string }) => eventId));
      token = body.nextPageToken ?? '';
    } while (token !== '');
    expect(all).toEqual([...new Set(all)].sort().reverse());
    expect(all).toHaveLength((await events('?pageSize=100')).length);
  });

  test('accounts are listed with the figures of their wallets and their usage', async () => {
    const customer = await onboard(app);
    await send(app, 'POST', chatPath, customer.apiKey, chat);
    const { body } = await operate('GET', `/v1/accounts?search=${customer.accountId}`);
    expect(body.accounts).toHaveLength(1);
    const [row] = body.accounts;
    const wallet = (await send(app, 'GET', '/v1/wallet', customer.managementKey)).body.wallet;
    const usage = (await send(app, 'GET', '/v1/usage', customer.managementKey)).body.rows[0];
    expect(usage.costUsd).not.toBe('0.00');
    expect(row).toMatchObject({ balanceUsd: wallet.balanceUsd, owedUsd: '0.00', cost30DaysUsd: usage.costUsd });
    const overGrpc = await grpcClient(app.url).unary(
      AccountService.method.listAccounts,
      { search: customer.accountId, state: 'active' },
      { authorization: `Bearer ${app.operatorToken}` },
    );
    expect(overGrpc.message?.accounts.map(({ balanceUsd }) => balanceUsd)).toEqual([wallet.balanceUsd]);
  });

  test('an operator reads what an owner reads, of the account that is named; nobody else may name one', async () => {
    const customer = await onboard(app);
    const stranger = await onboard(app);
    const { id: chargeId } = (await send(app, 'POST', chatPath, customer.apiKey, chat)).body;
    const operator = { authorization: `Bearer ${app.operatorToken}` };
    for (const path of [
      '/v1/wallet',
      '/v1/wallet/entries',
      '/v1/wallet/top-ups',
      '/v1/charges',
      '/v1/usage',
      '/v1/keys',
    ]) {
      const own = await send(app, 'GET', path, customer.managementKey);
      expect(own.status, path).toBe(200);
      // The key was just used by the request above.
      const read = await operate('GET', `${path}?accountId=${customer.accountId}`);
      expect(withoutUse(read.body), path).toEqual(withoutUse(own.body));
      expect((await operate('GET', path)).status, path).toBe(400);
      for (const accountId of [customer.accountId, stranger.accountId]) {
        const named = await send(app, 'GET', `${path}?accountId=${accountId}`, customer.managementKey);
        expect([path, named.status, named.body.error.message]).toEqual([
          path,
          400,
          expect.stringContaining('accountId'),
        ]);
      }
    }
    const charge = await operate('GET', `/v1/charges/${chargeId}?accountId=${customer.accountId}`);
    expect(charge.body.charge.chargeId).toBe(chargeId);
    expect((await operate('GET', `/v1/charges/${chargeId}?accountId=${stranger.accountId}`)).status).toBe(404);
    const { accountId } = customer;
    const client = grpcClient(app.url);
    const wallet = await client.unary(WalletService.method.getWallet, { accountId }, operator);
    expect(wallet.message?.wallet?.balanceUsd).toBe(
      (await operate('GET', `/v1/wallet?accountId=${accountId}`)).body.wallet.balanceUsd,
    );
    const keys = await client.unary(KeyService.method.listKeys, { accountId }, operator);
    expect(keys.message?.keys).toHaveLength(2);
    // Reading is all that is allowed: changes to an account are its owner's.
    expect(reasonOf(await operate('POST', `/v1/keys/${customer.keyId}:revoke`, {}))).toBe('SCOPE_MISSING');
    client.close();
  });

  test('every credential of a suspended account is refused on every node; what runs is finished and charged', async () => {
    const customer = await onboard(app);
    const token = (await send(app, 'POST', '/v1/tokens', customer.apiKey, { subject: 'ann' })).body.accessToken;
    const device = await activateDevice(customer);
    const other = await start();
    try {
      const credentials = [customer.managementKey, customer.apiKey, token, device.accessToken];
      for (const node of [app, other])
        for (const credential of credentials)
          expect((await send(node, 'GET', '/api/v1/assistant/models', credential)).status).toBe(200);
      const held = slow();
      const running = send(app, 'POST', chatPath, customer.apiKey, { ...chat, messages: [slowMessage] });
      await held.asked;
      await operate('POST', `/v1/accounts/${customer.accountId}:suspend`, { reason: 'a test' });
      for (const node of [app, other])
        for (const credential of credentials) {
          const models = () => send(node, 'GET', '/api/v1/assistant/models', credential);
          await expect.poll(async () => reasonOf(await models()), { timeout: 20_000 }).toBe('ACCOUNT_SUSPENDED');
          expect((await models()).status).toBe(403);
          const { error, reason } = await grpcClient(node.url).unary(
            ChatService.method.listModels,
            {},
            { authorization: `Bearer ${credential}` },
          );
          expect([error?.code, reason]).toEqual([7, 'ACCOUNT_SUSPENDED']);
        }
      const facade = await send(app, 'POST', '/v1/chat/completions', customer.apiKey, chat);
      expect([facade.status, facade.text.includes('suspended')]).toEqual([403, true]);
      const refreshed = await oauth('/oauth/token', {
        ...{ grant_type: 'refresh_token', client_id: device.clientId, refresh_token: device.refreshToken },
      });
      expect(refreshed).toMatchObject({ error: 'unauthorized_client' });
      held.finish();
      const answer = await running;
      expect([answer.status, answer.body.message.content]).toEqual([200, 'Yes.']);
      await operate('POST', `/v1/accounts/${customer.accountId}:resume`, { reason: 'a test' });
      for (const node of [app, other])
        for (const credential of credentials)
          await expect
            .poll(async () => (await send(node, 'GET', '/api/v1/assistant/models', credential)).status, {
              timeout: 20_000,
            })
            .toBe(200);
      const charge = await send(app, 'GET', `/v1/charges/${answer.body.id}`, customer.managementKey);
      expect(charge.body.charge).toMatchObject({ state: 'settled' });
      expect(Number(charge.body.charge.chargedUsd)).toBeGreaterThan(0);
      const wallet = (await send(app, 'GET', '/v1/wallet', customer.managementKey)).body.wallet;
      expect(nano(wallet.balanceUsd)).toBe(nano('5.00') - nano(charge.body.charge.chargedUsd));
    } finally {
      await other.close();
    }
  });

  test('a stream of an account that is suspended ends on every node, resumable or not, and what came is charged', async () => {
    const customer = await onboard(app);
    const other = await start();
    try {
      upstream.answer(() => ({ pieces: streamedCompletion(['One', ' two', ' three']).slice(0, 3), ending: 'silence' }));
      const streams = [false, true].map(async (resumable) => {
        const response = await fetch(`${other.url}${chatPath}`, {
          method: 'POST',
          headers: {
            authorization: `Bearer ${customer.apiKey}`,
            ...{ 'content-type': 'application/json', accept: 'text/event-stream' },
          },
          body: JSON.stringify({ ...chat, resumable }),
        });
        const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
        let text = '';
        const readTo = async (word: string | undefined) => {
          while (word === undefined || !text.includes(word)) {
            const piece = await reader?.read();
            if (!piece || piece.done) return text;
            text += piece.value;
          }
          return text;
        };
        await readTo('two');
        return () => readTo(undefined);
      });
      const begun = await Promise.all(streams);
      await operate('POST', `/v1/accounts/${customer.accountId}:suspend`, { reason: 'a test' });
      for (const readOn of begun) expect(await readOn()).toContain('ACCOUNT_SUSPENDED');
      upstream.answer(({ body }) => replyTo(body));
      await operate('POST', `/v1/accounts/${customer.accountId}:resume`, { reason: 'a test' });
      const read = async (path: string) => {
        const answer = () => send(app, 'GET', path, customer.managementKey);
        await expect.poll(async () => (await answer()).status, { timeout: 20_000 }).toBe(200);
        return (await answer()).body;
      };
      const heldUsd = async () => (await read('/v1/wallet')).wallet.heldUsd;
      await expect.poll(heldUsd, { timeout: 20_000 }).toBe('0.00');
      const { charges } = await read('/v1/charges');
      const paid = charges.map((each: { state: string; chargedUsd: string }) => [
        each.state,
        nano(each.chargedUsd) > 0n,
      ]);
      expect(paid).toEqual(Array(2).fill(['settled', true]));
      const charged = charges.reduce((sum: bigint, each: { chargedUsd: string }) => sum + nano(each.chargedUsd), 0n);
      expect(nano((await read('/v1/wallet')).wallet.balanceUsd)).toBe(nano('5.00') - charged);
    } finally {
      await other.close();
    }
  });

  test('pending top-ups and corrections of all accounts are listed, each with its account', async () => {
    const customer = await onboard(app);
    const correct = (direction: string, key: string) =>
      operate(
        'POST',
        `/v1/accounts/${customer.accountId}/adjustments`,
        { direction, amountUsd: '1.50', reason: 'a test' },
        { 'idempotency-key': key },
      );
    await correct('add', 'a');
    await correct('take', 'b');
    const listed = (await operate('GET', `/v1/adjustments?accountId=${customer.accountId}`)).body.adjustments;
    expect(listed).toMatchObject([
      {
        accountId: customer.accountId,
        wallet: 'api',
        adjustment: { amountUsd: '-1.50', actor: 'operator:environment' },
      },
      { accountId: customer.accountId, wallet: 'api', adjustment: { amountUsd: '1.50' } },
    ]);
    const all = (await operate('GET', '/v1/adjustments')).body.adjustments;
    expect(all.slice(0, 2)).toEqual(listed);
    expect((await operate('GET', '/v1/pending-top-ups')).body.topUps ?? []).toEqual([]);
  });

  test('health says what runs, and a ledger audit runs beside the service, one at a time', async () => {
    const customer = await onboard(app);
    const held = slow();
    const running = send(app, 'POST', chatPath, customer.apiKey, { ...chat, messages: [slowMessage] });
    await held.asked;
    const health = async () => (await operate('GET', '/v1/operations/health')).body.health;
    await expect.poll(async () => (await health()).openHolds, { timeout: 20_000 }).toBe(1);
    expect(await health()).toMatchObject({
      ready: true,
      ledgerUp: true,
      nodesWithHolds: 1,
      overdueHolds: 0,
      deadLetters: 0,
    });
    held.finish();
    expect((await running).status).toBe(200);
    await expect.poll(async () => (await health()).openHolds, { timeout: 20_000 }).toBe(0);

    const audited = async () => {
      await expect.poll(async () => (await audit()).state, { timeout: 120_000 }).not.toBe('running');
      return audit();
    };
    const audit = async () => (await operate('GET', '/v1/operations/audits/last')).body.audit;
    expect(await audit()).toBeUndefined();
    expect((await operate('GET', '/v1/operations/audits/lau_01m80000000000000000000000')).status).toBe(404);
    expect((await operate('POST', '/v1/operations/audits', {})).status).toBe(400);
    // The audit reads this table and cannot end while it is locked: on a small ledger it could end before the second request arrives.
    const lock = await openConnection(database().url);
    await lock.query('LOCK TABLES adjustment WRITE');
    const [one, other] = await Promise.all(
      ['a', 'b'].map((reason) => operate('POST', '/v1/operations/audits', { reason })),
    ).finally(() => lock.end());
    expect([one?.body.started ?? false, other?.body.started ?? false].sort()).toEqual([false, true]);
    expect(one?.body.audit.auditId).toBe(other?.body.audit.auditId);
    const sound = await audited();
    expect(sound).toMatchObject({ state: 'done', violationCount: 0, actor: 'operator:environment' });
    expect(sound.rulesDone).toBe(sound.rules);
    expect((await operate('GET', `/v1/operations/audits/${sound.auditId}`)).body.audit).toEqual(sound);
    const written = await events('?action=ledger.audit');
    expect(written.map(({ target }: { target: string }) => target)).toEqual([sound.auditId]);

    await runOnce(database().url, [
      `UPDATE wallet SET posted = posted + 1 WHERE account_id = '${customer.accountId}' AND kind = 'api'`,
    ]);
    await operate('POST', '/v1/operations/audits', { reason: 'a nano too many' });
    const broken = await audited();
    expect(broken.auditId).not.toBe(sound.auditId);
    expect(broken.violationCount).toBeGreaterThan(0);
    expect(broken.violations.map(({ rule }: { rule: string }) => rule)).toContain('balance-is-its-postings');
    await runOnce(database().url, [
      `UPDATE wallet SET posted = posted - 1 WHERE account_id = '${customer.accountId}' AND kind = 'api'`,
    ]);
  });

  test('health with the database away says what the node knows, and when it counted', async () => {
    const proxy = await startSilentProxy(database().url);
    const lonely = await startApp({ databaseUrl: proxy.url, secrets });
    try {
      const health = async () => (await send(lonely, 'GET', '/v1/operations/health', lonely.operatorToken)).body.health;
      const before = await health();
      expect(before).toMatchObject({ ready: true, ledgerUp: true });
      await proxy.close();
      await expect.poll(async () => (await health())?.ready, { timeout: 60_000 }).toBe(false);
      const { problem, countedTime, priceVersion } = await health();
      expect(problem).toBe('the database does not answer');
      expect(priceVersion).toBe(before.priceVersion);
      const since = Date.parse(countedTime) - Date.parse(before.countedTime);
      expect(since).toBeGreaterThanOrEqual(0);
      expect((await health()).countedTime).toBe(countedTime);
    } finally {
      await lonely.close();
    }
  });

  test('the versions of the price book are listed, the newest first', async () => {
    const client = grpcClient(app.url);
    const operator = { authorization: `Bearer ${app.operatorToken}` };
    const { message } = await client.unary(OperationsService.method.listPriceVersions, {}, operator);
    const { versions } = (await operate('GET', '/v1/operations/price-versions')).body;
    const health = await client.unary(OperationsService.method.getHealth, {}, operator);
    client.close();
    expect(message?.versions.map(({ version }) => version)).toEqual([health.message?.health?.priceVersion]);
    expect(versions[0].items).toContain('model:up/m');
    expect(versions[0].prices).toBeGreaterThanOrEqual(versions[0].items.length);
  });

  /** A chat whose model answers on demand. */
  let release: ((reply: UpstreamReply) => void) | undefined;
  let arrived: (() => void) | undefined;
  const slowMessage = { role: 'user', content: 'slowly' };
  function slow() {
    const asked = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    return { asked, finish: () => release?.(completion) };
  }
  function replyTo(body: Record<string, unknown>): UpstreamReply | Promise<UpstreamReply> {
    if (body.stream === true) return { pieces: streamedCompletion(['Yes.']) };
    if (!JSON.stringify(body).includes('slowly')) return completion;
    return new Promise((resolve) => {
      release = resolve;
      arrived?.();
    });
  }

  async function oauth(path: string, fields: Record<string, string>) {
    const response = await fetch(`${app.url}${path}`, { method: 'POST', body: new URLSearchParams(fields) });
    return (await response.json()) as Record<string, string>;
  }

  async function activateDevice({ managementKey, apiKey, keyId }: Customer) {
    const made = await send(app, 'POST', '/v1/clients', managementKey, { displayName: 'App', keyId });
    const { clientId } = made.body.client;
    const asked = await oauth('/oauth/device_authorization', { client_id: clientId });
    await send(app, 'POST', '/v1/devices:approve', apiKey, { userCode: asked.user_code, subject: 'ann' });
    const tokens = await oauth('/oauth/token', {
      grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
      device_code: asked.device_code ?? '',
      client_id: clientId,
    });
    return { clientId, accessToken: tokens.access_token ?? '', refreshToken: tokens.refresh_token ?? '' };
  }
});

const completion: UpstreamReply = {
  body: {
    ...{ id: 'c', object: 'chat.completion', created: 1, model: 'm' },
    choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'Yes.' } }],
    usage: { prompt_tokens: 5, completion_tokens: 2, total_tokens: 7 },
  },
};

function withoutUse(body: { keys?: { lastUsedTime?: string }[] }) {
  return { ...body, ...(body.keys && { keys: body.keys.map(({ lastUsedTime, ...key }) => key) }) };
}

function nano(usd: string): bigint {
  const [whole = '0', decimals = ''] = usd.replace('-', '').split('.');
  const amount = BigInt(whole) * 1_000_000_000n + BigInt(decimals.padEnd(9, '0'));
  return usd.startsWith('-') ? -amount : amount;
}
