import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { chatInvariants } from '../../src/chat/index.ts';
import { auditLedger } from '../../src/wallet/index.ts';
import { type Customer, onboard, reasonOf, send, startApp, type TestApp } from '../support/app.ts';
import { eachServer, useDatabase } from '../support/database.ts';
import { completion, startUpstream, streamedCompletion, type Upstream } from '../support/upstream.ts';

const chatPath = '/api/v1/assistant/chat';
const ours = 'operators-own-key';
const fee = '0.0005';
const usage = { prompt_tokens: 10, completion_tokens: 3 };
/** 10 input tokens at 1 USD and 3 output tokens at 2 USD a million. */
const modelCost = '0.000016';

const settings = (url: string, price: string | undefined) => `
providers:
  - { id: up, kind: openai-compatible, baseUrl: "${url}/up", apiKeyEnv: UP_KEY, headers: { x-operator: operators-header } }
  - { id: alt, kind: openai-compatible, baseUrl: "${url}/alt", apiKeyEnv: UP_KEY }
  - { id: ext, kind: openai-compatible, baseUrl: "${url}/ext", apiKeyEnv: EXT_KEY }
models:
  - { id: m, provider: up, quality: 50, contextTokens: 100000, price: { inputPerMillionUsd: "1", outputPerMillionUsd: "2" } }
  - { id: m2, provider: up, quality: 49, contextTokens: 100000, capabilities: [json], price: { inputPerMillionUsd: "1", outputPerMillionUsd: "2" } }
  - { id: a, provider: alt, quality: 40, contextTokens: 100000, price: { inputPerMillionUsd: "1", outputPerMillionUsd: "2" } }
  - { id: e, provider: ext, quality: 50, contextTokens: 100000 }
  - { id: vec, provider: up, quality: 50, contextTokens: 8192, price: { inputPerMillionUsd: "1" }, embedding: { dimensions: 2 } }
  - { id: vec, provider: alt, quality: 40, contextTokens: 8192, price: { inputPerMillionUsd: "1" }, embedding: { dimensions: 2 } }
  - { id: rank, provider: up, quality: 50, contextTokens: 8192, price: { perThousandSearchUnitsUsd: "2" }, rerank: { api: cohere } }
ownKeys: { ${price ? `pricePerRequestUsd: "${price}", ` : ''}providers: [up, ext] }`;

eachServer((server) => {
  const database = useDatabase(server);
  let upstream: Upstream;
  let app: TestApp;
  let other: TestApp;
  let nobodys: Customer;
  let made = 0;
  const secretOf = (seen: { headers: Record<string, unknown> } | undefined) =>
    String(seen?.headers.authorization).replace('Bearer ', '');
  const secrets = new Set<string>();
  const replies: string[] = [];

  beforeAll(async () => {
    upstream = await startUpstream();
    const options = {
      databaseUrl: database().url,
      settings: settings(upstream.url, fee),
      variables: { UP_KEY: ours },
    };
    app = await startApp(options);
    other = await startApp(options);
    nobodys = await onboard(app);
  });
  beforeEach(() => {
    upstream.seen.length = 0;
    upstream.answer(() => ({ body: completion('Hello', usage) }));
  });
  afterAll(async () => {
    expect(await auditLedger(app.rooms.db, { more: chatInvariants })).toEqual([]);
    const said = app.logged() + other.logged() + replies.join('');
    for (const secret of [...secrets, ours]) expect(said).not.toContain(secret);
    await other.close();
    await app.close();
    await upstream.close();
  });

  /** A new secret, of which only its last four characters may ever be seen again. */
  function newSecret(): string {
    const secret = `sk-brought-${++made}-abcd${String(made).padStart(4, '0')}`;
    secrets.add(secret);
    return secret;
  }

  async function bring(customer: Customer, provider = 'up', secret = newSecret()) {
    const answer = await send(app, 'POST', '/v1/provider-keys', customer.managementKey, { provider, secret });
    expect(answer.status).toBe(200);
    replies.push(answer.text);
    return { id: String(answer.body.providerKey.providerKeyId), secret };
  }

  async function ask(customer: Customer, body: object = { model: 'm' }, at: { url: string } = app) {
    const messages = [{ role: 'user', content: 'Hi' }];
    const answer = await send(at, 'POST', chatPath, customer.apiKey, { messages, ...body });
    replies.push(answer.text, JSON.stringify([...answer.headers]));
    return answer;
  }

  const chargeOf = async (customer: Customer, id: string) =>
    (await send(app, 'GET', `/v1/charges/${id}`, customer.apiKey)).body.charge;

  test("a call uses the account's key, costs the fee alone, and says so in its charge", async () => {
    const customer = await onboard(app);
    const { id, secret } = await bring(customer);
    const answer = await ask(customer);
    expect([answer.status, answer.body.usage]).toMatchObject([200, { inputTokens: 10, outputTokens: 3, costUsd: fee }]);
    expect(answer.body.routing.attempts).toMatchObject([{ provider: 'up', model: 'm', outcome: 'ok', ownKey: true }]);
    expect(upstream.seen.map(secretOf)).toEqual([secret]);
    expect(upstream.seen[0]?.headers['x-operator']).toBeUndefined();
    expect(await chargeOf(customer, answer.body.id)).toMatchObject({ providerKeyId: id, chargedUsd: fee });
    const listed = await send(app, 'GET', '/v1/provider-keys', customer.managementKey);
    expect(listed.body.providerKeys).toMatchObject([
      { providerKeyId: id, provider: 'up', state: 'active', lastFour: secret.slice(-4) },
    ]);
    replies.push(listed.text);
    await expect
      .poll(
        async () => {
          const { body } = await send(app, 'GET', '/v1/provider-keys', customer.managementKey);
          return typeof body.providerKeys[0].lastUsedTime;
        },
        { timeout: 20_000 },
      )
      .toBe('string');
  });

  /** Vectors and rankings, whoever is asked. */
  const texts = ({ path }: { path: string }) =>
    path.endsWith('/embeddings')
      ? { body: { data: [{ index: 0, embedding: [1, 0.5] }], usage: { prompt_tokens: 3 } } }
      : { body: { results: [{ index: 0, relevance_score: 1 }], meta: { billed_units: { search_units: 1 } } } };

  describe.each([
    ['embeddings', '/api/v1/embeddings', { model: 'vec', inputs: ['a text'] }, '0.000003'],
    ['rankings', '/api/v1/rerank', { model: 'rank', query: 'q', documents: ['a text'] }, '0.002'],
  ])('%s', (_, path, body, ownPrice) => {
    const askFor = async (customer: Customer, more: object = {}) => {
      const answer = await send(app, 'POST', path, customer.apiKey, { ...body, ...more });
      replies.push(answer.text);
      return answer;
    };

    test('use the own key, cost the fee alone, and are listed so', async () => {
      upstream.answer(texts);
      const customer = await onboard(app);
      const { id, secret } = await bring(customer);
      const answer = await askFor(customer);
      expect([answer.status, answer.body.usage?.costUsd]).toEqual([200, fee]);
      expect(upstream.seen.map(secretOf)).toEqual([secret]);
      expect(upstream.seen[0]?.headers['x-operator']).toBeUndefined();
      expect(await chargeOf(customer, answer.body.id)).toMatchObject({ providerKeyId: id, chargedUsd: fee });
      const { body: listed } = await send(app, 'GET', `${path}/models`, customer.apiKey);
      expect(listed.models.find((model: { id: string; provider: string }) => model.provider === 'up')).toMatchObject({
        ...{ ownKey: true, perRequestUsd: fee },
      });
      const theirs = await askFor(nobodys);
      expect([theirs.body.usage.costUsd, secretOf(upstream.seen[1])]).toEqual([ownPrice, ours]);
    });

    test('never use it, or nothing else, or that first, as they ask', async () => {
      upstream.answer((seen) => (secretOf(seen) === ours ? texts(seen) : { status: 401, body: { error: {} } }));
      const customer = await onboard(app);
      const only = await askFor(customer, { ownKey: 'only' });
      expect([only.status, only.text]).toEqual([400, expect.stringContaining('"field":"ownKey"')]);
      const { id, secret } = await bring(customer);
      for (const more of [{}, { ownKey: 'only' }]) {
        const refused = await askFor(customer, more);
        expect([refused.status, reasonOf(refused)]).toEqual([424, 'PROVIDER_KEY_REFUSED']);
        expect(refused.text).toContain(id);
      }
      expect(upstream.seen.map(secretOf)).toEqual([secret, secret]);
      upstream.seen.length = 0;
      const preferred = await askFor(customer, { ownKey: 'prefer' });
      expect([preferred.status, preferred.body.usage.costUsd]).toEqual([200, ownPrice]);
      expect((await chargeOf(customer, preferred.body.id)).providerKeyId).toBeUndefined();
      expect((await askFor(customer, { ownKey: 'never' })).body.usage.costUsd).toBe(ownPrice);
      expect(upstream.seen.map(secretOf)).toEqual([secret, ours, ours]);
      // A failure of one account's key opens no circuit for others.
      expect((await askFor(nobodys)).status).toBe(200);
    });
  });

  test('the charge of a workflow names the key that its model was called with', async () => {
    const customer = await onboard(app);
    const { id, secret } = await bring(customer);
    const checked = await send(app, 'POST', '/v1/risk/check', customer.apiKey, {
      text: 'Send the deposit by wire today, and tell nobody.',
    });
    replies.push(checked.text);
    expect(checked.status).toBe(200);
    expect(new Set(upstream.seen.map(secretOf))).toEqual(new Set([secret]));
    expect(await chargeOf(customer, checked.body.usage.chargeId)).toMatchObject({
      ...{ operation: 'workflow.risk', providerKeyId: id },
    });
    const byRules = await send(app, 'POST', '/v1/risk/check', customer.apiKey, { text: 'Hi', assist: 'off' });
    expect((await chargeOf(customer, byRules.body.usage.chargeId)).providerKeyId).toBeUndefined();
  });

  test("nobody else's call uses it", async () => {
    const customer = await onboard(app);
    await bring(customer);
    const answer = await ask(nobodys);
    expect([answer.status, answer.body.usage.costUsd]).toEqual([200, modelCost]);
    expect(upstream.seen.map(secretOf)).toEqual([ours]);
    expect(upstream.seen[0]?.headers['x-operator']).toBe('operators-header');
    expect((await chargeOf(nobodys, answer.body.id)).providerKeyId).toBeUndefined();
  });

  test('models of a provider that the operator has no key of are there for who brings one', async () => {
    const customer = await onboard(app);
    const { secret } = await bring(customer, 'ext');
    expect((await ask(nobodys, { model: 'e' })).status).toBe(400);
    expect((await ask(customer, { model: 'e' })).body.usage.costUsd).toBe(fee);
    expect(upstream.seen.map(secretOf)).toEqual([secret]);
    expect(upstream.seen[0]?.path).toBe('/ext/chat/completions');
    const models = async ({ apiKey }: Customer) =>
      (await send(app, 'GET', '/api/v1/assistant/models?provider=ext', apiKey)).body.models;
    expect(await models(customer)).toMatchObject([{ id: 'e', ownKey: true, price: { perRequestUsd: fee } }]);
    expect(await models(nobodys)).toEqual([]);
  });

  test.each([401, 403])(
    'a key that is refused with %i is named, opens no circuit, and ours is not used instead',
    async (status) => {
      const customer = await onboard(app);
      const { id, secret } = await bring(customer);
      upstream.answer((request) =>
        secretOf(request) === ours
          ? { body: completion('Hello', usage) }
          : { status, body: { error: { message: `Incorrect API key provided: ${secret}` } } },
      );
      // As often as it would take to open a circuit.
      for (let round = 0; round < 6; round++) {
        const answer = await ask(customer, { routing: { mode: 'quality' } });
        expect([answer.status, reasonOf(answer)]).toEqual([424, 'PROVIDER_KEY_REFUSED']);
        expect(answer.text).toContain(id);
        expect(answer.text).toContain(secret.slice(-4));
      }
      // The second model has the same key, which is not tried again.
      expect(upstream.seen.map(secretOf)).toEqual(Array(6).fill(secret));
      expect((await ask(nobodys)).status).toBe(200);
      const wallet = (await send(app, 'GET', '/v1/wallet', customer.managementKey)).body.wallet;
      expect(wallet).toMatchObject({ balanceUsd: '5.00', heldUsd: '0.00' });
    },
  );

  test('one whose limit of spending at the provider is used up is said so, to end users without the key', async () => {
    const customer = await onboard(app);
    const { id, secret } = await bring(customer);
    upstream.answer(() => ({ status: 429, body: { error: { message: 'quota', code: 'insufficient_quota' } } }));
    const answer = await ask(customer);
    expect([answer.status, reasonOf(answer)]).toEqual([424, 'PROVIDER_KEY_REFUSED']);
    expect(answer.text).toContain(`wants to be paid before it serves your key ${id}`);
    const token = await send(app, 'POST', '/v1/tokens', customer.apiKey, { subject: 'u' });
    const heard = await ask({ ...customer, apiKey: String(token.body.accessToken) });
    expect([heard.status, reasonOf(heard)]).toEqual([424, 'PROVIDER_KEY_REFUSED']);
    expect(heard.text).toContain('Tell whoever runs the app');
    for (const hidden of [id, secret.slice(-4)]) expect(heard.text).not.toContain(hidden);
    const wallet = (await send(app, 'GET', '/v1/wallet', customer.managementKey)).body.wallet;
    expect(wallet).toMatchObject({ balanceUsd: '5.00', heldUsd: '0.00' });
  });

  test('its rate limit is theirs alone', async () => {
    const customer = await onboard(app);
    await bring(customer);
    upstream.answer((request) =>
      secretOf(request) === ours
        ? { body: completion('Hello', usage) }
        : { status: 429, headers: { 'retry-after': '7' }, body: {} },
    );
    const answer = await ask(customer);
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([429, '7']);
    expect((await ask(nobodys)).status).toBe(200);
    // Nor does our circuit block theirs.
    upstream.answer((request) =>
      secretOf(request) === ours ? { status: 401, body: {} } : { body: completion('Yes', usage) },
    );
    expect((await ask(nobodys, { model: 'm2' })).status).toBe(502);
    expect((await ask(customer, { model: 'm2' })).body.message?.content).toBe('Yes');
    expect((await ask(customer, { model: 'm2', routing: { ownKey: 'never' } })).status).toBe(502);
  });

  test('who prefers its key falls back to ours, and pays for the model then', async () => {
    const customer = await onboard(app);
    const { secret } = await bring(customer);
    upstream.answer((request) =>
      secretOf(request) === ours ? { body: completion('Hello', usage) } : { status: 401, body: {} },
    );
    const answer = await ask(customer, { model: 'm', routing: { ownKey: 'prefer' } });
    expect([answer.status, answer.body.usage.costUsd]).toEqual([200, modelCost]);
    expect(answer.body.routing.attempts).toMatchObject([
      { model: 'm', outcome: 'rejected', ownKey: true },
      { model: 'm', outcome: 'ok' },
    ]);
    expect(upstream.seen.map(secretOf)).toEqual([secret, ours]);
    expect((await chargeOf(customer, answer.body.id)).providerKeyId).toBeUndefined();
    const alone = await ask(customer, { model: 'm', routing: { ownKey: 'prefer', fallback: false } });
    expect(reasonOf(alone)).toBe('PROVIDER_KEY_REFUSED');
  });

  test('`never` and `only` are obeyed', async () => {
    const customer = await onboard(app);
    const { secret } = await bring(customer);
    expect((await ask(customer, { model: 'm', routing: { ownKey: 'never' } })).body.usage.costUsd).toBe(modelCost);
    expect((await ask(customer, { routing: { ownKey: 'only' } })).body.usage.costUsd).toBe(fee);
    expect(upstream.seen.map(secretOf)).toEqual([ours, secret]);
    const without = await ask(nobodys, { routing: { ownKey: 'only' } });
    expect([without.status, without.text]).toMatchObject([400, expect.stringContaining('routing.ownKey')]);
  });

  test('a stream whose key is deleted meanwhile ends as it began, and the next call uses the key no more', async () => {
    const customer = await onboard(app);
    const { id, secret } = await bring(customer);
    let goOn: () => void = () => {};
    const deleted = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    upstream.answer(async (request) => {
      if (request.body.stream !== true) return { body: completion('Hello', usage) };
      await deleted;
      return { pieces: streamedCompletion(['One', ' two'], usage) };
    });
    const streaming = fetch(`${app.url}${chatPath}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${customer.apiKey}`,
        'content-type': 'application/json',
        accept: 'text/event-stream',
      },
      body: JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'Hi' }] }),
    }).then((response) => response.text());
    await expect.poll(() => upstream.seen.length, { timeout: 20_000 }).toBe(1);
    const gone = await send(app, 'DELETE', `/v1/provider-keys/${id}`, customer.managementKey);
    expect(gone.body.providerKey).toMatchObject({ state: 'deleted', deleteTime: expect.any(String) });
    goOn();
    const text = await streaming;
    expect(text).toContain('two');
    expect(text).toContain(`"costUsd":"${fee}"`);
    expect((await ask(customer)).body.usage.costUsd).toBe(modelCost);
    expect(upstream.seen.map(secretOf)).toEqual([secret, ours]);
    const again = await send(app, 'DELETE', `/v1/provider-keys/${id}`, customer.managementKey);
    expect([again.status, again.body.providerKey.deleteTime]).toEqual([200, gone.body.providerKey.deleteTime]);
  });

  test('another node hears of keys that come and go', async () => {
    const customer = await onboard(app);
    expect((await ask(customer, { model: 'm' }, other)).body.usage.costUsd).toBe(modelCost);
    const { id } = await bring(customer);
    const cost = async () => (await ask(customer, { model: 'm' }, other)).body.usage.costUsd;
    await expect.poll(cost, { timeout: 20_000 }).toBe(fee);
    await send(app, 'DELETE', `/v1/provider-keys/${id}`, customer.managementKey);
    await expect.poll(cost, { timeout: 20_000 }).toBe(modelCost);
  });

  test('the newest key of a provider is used; an account has at most 20', async () => {
    const customer = await onboard(app);
    const keys = [];
    for (let index = 0; index < 20; index++) keys.push(await bring(customer));
    const more = { provider: 'up', secret: newSecret() };
    const refused = await send(app, 'POST', '/v1/provider-keys', customer.managementKey, more);
    expect([refused.status, reasonOf(refused)]).toEqual([409, 'PRECONDITION_FAILED']);
    await ask(customer);
    await send(app, 'DELETE', `/v1/provider-keys/${keys.at(-1)?.id}`, customer.managementKey);
    await ask(customer);
    expect(upstream.seen.map(secretOf)).toEqual([keys.at(-1)?.secret, keys.at(-2)?.secret]);
    const asked = { 'idempotency-key': 'k-1' };
    const twice = [1, 2].map(() => send(app, 'POST', '/v1/provider-keys', customer.managementKey, more, asked));
    const [first, second] = await Promise.all(twice);
    const done = first?.status === 200 ? first : second;
    await sleep(0);
    const third = await send(app, 'POST', '/v1/provider-keys', customer.managementKey, more, asked);
    expect([third.status, third.body]).toEqual([200, done?.body]);
  });

  test('what is no key, of no such provider, or of another account is refused', async () => {
    const customer = await onboard(app);
    const post = (body: object, credential = customer.managementKey) =>
      send(app, 'POST', '/v1/provider-keys', credential, body);
    expect(await post({ provider: 'builtin', secret: newSecret() })).toMatchObject({ status: 400 });
    expect((await post({ provider: 'nobody', secret: newSecret() })).text).toContain('up, ext');
    expect(await post({ provider: 'up', secret: 'with a blank' })).toMatchObject({ status: 400 });
    expect(await post({ provider: 'up', secret: 'line\r\nx: 1234' })).toMatchObject({ status: 400 });
    expect(await post({ provider: 'up', secret: newSecret() }, customer.apiKey)).toMatchObject({ status: 403 });
    const { id } = await bring(customer);
    const stolen = await send(app, 'DELETE', `/v1/provider-keys/${id}`, nobodys.managementKey);
    expect(stolen.status).toBe(404);
    expect((await ask(customer)).body.usage.costUsd).toBe(fee);
  });

  test('without a price no keys are taken, and one that is there is not paid for by the model', async () => {
    const customer = await onboard(app);
    await bring(customer);
    const off = await startApp({
      databaseUrl: database().url,
      settings: settings(upstream.url, undefined),
      variables: { UP_KEY: ours },
    });
    try {
      const { managementKey } = await onboard(off);
      const refused = await send(off, 'POST', '/v1/provider-keys', managementKey, {
        provider: 'up',
        secret: newSecret(),
      });
      expect([refused.status, reasonOf(refused)]).toEqual([409, 'PRECONDITION_FAILED']);
      expect(refused.text).toContain('no price');
    } finally {
      await off.close();
    }
  });
});
