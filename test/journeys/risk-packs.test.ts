import OpenAI from 'openai';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { WorkflowService } from '../../src/gen/intelligence/workflow/v1/workflow_service_pb.ts';
import { type Customer, onboard, reasonOf, send, startApp, type TestApp, testSecrets } from '../support/app.ts';
import { eachServer, useDatabase } from '../support/database.ts';
import { grpcClient } from '../support/grpc.ts';
import { completion, startUpstream, streamedCompletion, type Upstream } from '../support/upstream.ts';

const chatPath = '/api/v1/assistant/chat';
const filler = 'The parcel arrives on Monday, and we look forward to seeing you again. ';
const grey = { id: 'grey', phrases: ['grey market', 'parallel import*'], category: 'grey_market', severity: 'high' };
const rules = { packId: 'brand-rules', entries: [grey], allow: [{ phrase: 'Grey Market Street' }] };
const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };

eachServer((server) => {
  const database = useDatabase(server);
  let options: Parameters<typeof startApp>[0];
  let app: TestApp;
  let second: TestApp;
  let upstream: Upstream;
  let customer: Customer;
  let other: Customer;
  let answer = '';

  beforeAll(async () => {
    upstream = await startUpstream();
    upstream.answer(({ body }) =>
      body.stream === true
        ? { pieces: streamedCompletion(answer.match(/.{1,9}/gs) ?? [], usage) }
        : { body: completion(answer, usage) },
    );
    options = {
      ...{ databaseUrl: database().url, secrets: testSecrets() },
      settings: `
providers: [{ id: up, kind: openai-compatible, baseUrl: "${upstream.url}/v1" }]
models: [{ id: m, provider: up, quality: 50, contextTokens: 100000, price: { inputPerMillionUsd: "1", outputPerMillionUsd: "2" } }]`,
    };
    app = await startApp(options);
    second = await startApp(options);
    customer = await onboard(app);
    other = await onboard(app);
  });
  afterAll(async () => {
    await app.close();
    await second.close();
    await upstream.close();
  });
  beforeEach(async () => {
    upstream.seen.length = 0;
    for (const { packId } of (await manage('GET', '/v1/risk-packs')).body.packs)
      await manage('DELETE', `/v1/risk-packs/${packId}`);
  });

  const manage = (method: string, path: string, body?: object) => send(app, method, path, customer.managementKey, body);
  const check = (body: object, key = customer.apiKey, at = app) =>
    send(at, 'POST', '/v1/risk/check', key, { assist: 'off', ...body });
  const packsOf = async (body: object, key?: string, at?: TestApp): Promise<string[]> =>
    (await check(body, key, at)).body.assessment.packs.filter((label: string) => label.startsWith('own/'));
  const entries = async () => (await manage('GET', '/v1/wallet/entries')).body.entries;
  /** Polls until it is so: another node may take a second, and a busy machine longer. */
  const until = async (isSo: () => Promise<boolean>) => {
    while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 50));
  };

  test('a pack is made over JSON, changed and deleted over gRPC, and a risk check says what it found and allowed', async () => {
    const made = await manage('POST', '/v1/risk-packs', { pack: rules });
    expect(made.body.pack, made.text).toMatchObject({ packId: 'brand-rules', version: 1, enabled: true });
    expect(reasonOf(await manage('POST', '/v1/risk-packs', { pack: rules }))).toBe('ALREADY_EXISTS');

    const text = '😀 GREY–MARKET phones at Grey Market Street 5, parallel imported.';
    const { body } = await check({ text });
    expect(body.findings).toMatchObject([
      { phrase: 'GREY–MARKET', start: 2, end: 13, category: 'grey_market', source: 'own', pack: 'own/brand-rules@1' },
      { phrase: 'parallel imported', severity: 'high', pack: 'own/brand-rules@1' },
    ]);
    expect(body).toMatchObject({
      ...{ findingsTotal: 2, riskScore: 62.5, riskLevel: 'high' },
      allowed: [
        { phrase: 'Grey Market Street', pack: 'own/brand-rules@1', findings: [{ phrase: 'Grey Market', start: 24 }] },
      ],
      basis: { checks: [{ id: 'own/brand-rules/grey', weight: 75 }] },
    });

    const client = grpcClient(app.url);
    const owner = { authorization: `Bearer ${customer.managementKey}` };
    const key = { authorization: `Bearer ${customer.apiKey}` };
    const { method } = WorkflowService;
    const got = (await client.unary(method.getRiskPack, { packId: 'brand-rules' }, key)).message?.pack;
    expect(got).toMatchObject({ version: 1, sizeBytes: made.body.pack.sizeBytes });
    if (!got) throw new Error('no pack');
    const change = { packId: 'brand-rules', pack: { ...got, allow: [] }, version: 1 };
    expect((await client.unary(method.updateRiskPack, change, owner)).message?.pack?.version).toBe(2);
    const stale = await client.unary(method.updateRiskPack, { packId: 'brand-rules', pack: got, version: 1 }, owner);
    expect(stale.reason).toBe('PRECONDITION_FAILED');
    const checked = await client.unary(method.checkRisk, { text, assist: 'off' }, key);
    expect(checked.message?.findings.map(({ pack }) => pack)).toEqual(Array(3).fill('own/brand-rules@2'));
    expect(checked.message?.allowed).toEqual([]);
    expect((await client.unary(method.listRiskPacks, {}, key)).message?.packs.map(({ packId }) => packId)).toEqual([
      'brand-rules',
    ]);
    expect((await client.unary(method.deleteRiskPack, { packId: 'brand-rules' }, owner)).error).toBeUndefined();
    expect((await client.unary(method.getRiskPack, { packId: 'brand-rules' }, key)).reason).toBe('NOT_FOUND');
    client.close();
    expect(await packsOf({ text })).toEqual([]);
  });

  test('is changed over JSON at its own path, and refused by name of what is wrong', async () => {
    const put = (body: object) => manage('PUT', '/v1/risk-packs/brand-rules', body);
    expect(reasonOf(await put({ pack: rules }))).toBe('NOT_FOUND');
    await manage('POST', '/v1/risk-packs', { pack: rules });
    const { packId: _, ...rest } = rules;
    const changed = await put({ pack: { ...rest, displayName: 'new', enabled: false }, version: 1 });
    expect(changed.body.pack, changed.text).toMatchObject({ version: 2, displayName: 'new', enabled: false });
    expect(reasonOf(await put({ pack: { ...rules, packId: 'another' } }))).toBe('INVALID_ARGUMENT');
    expect(reasonOf(await manage('POST', '/v1/risk-packs', { pack: rest }))).toBe('INVALID_ARGUMENT');
    const wrong = await put({ pack: { ...rest, entries: [{ ...grey, phrases: ['a*b cd', 'ok'] }] } });
    expect(wrong.status).toBe(400);
    expect(JSON.stringify(wrong.body)).toContain('pack.entries[0].phrases[0]');
    for (const entry of [
      { ...grey, severity: 'grave' },
      { ...grey, category: 'Grey Market' },
      { ...grey, phrases: [] },
    ])
      expect(reasonOf(await put({ pack: { ...rest, entries: [entry] } }))).toBe('INVALID_ARGUMENT');
    expect((await manage('GET', '/v1/risk-packs/brand-rules')).body.pack.version).toBe(2);
  });

  test('requests choose among packs by name; one that there is not is refused and costs nothing', async () => {
    for (const [packId, enabled] of [
      ['on', true],
      ['off', false],
    ] as const)
      await manage('POST', '/v1/risk-packs', { pack: { ...rules, packId, enabled } });
    const text = 'grey market';
    expect(await packsOf({ text })).toEqual(['own/on@1']);
    expect(await packsOf({ text, packs: ['off'] })).toEqual(['own/off@1']);
    expect(await packsOf({ text, packs: ['none'] })).toEqual([]);
    expect(reasonOf(await check({ text, packs: ['none', 'on'] }))).toBe('INVALID_ARGUMENT');
    const before = await entries();
    const refused = await check({ text, packs: ['on', 'gone'] });
    expect(reasonOf(refused)).toBe('INVALID_ARGUMENT');
    expect(refused.text).toContain('packs[1]');
    expect(await entries()).toEqual(before);
    const batch = await send(app, 'POST', '/v1/workflows/batch', customer.apiKey, {
      items: [{ risk: { text, packs: ['gone'], assist: 'off' } }, { risk: { text, assist: 'off' } }],
    });
    expect(batch.body.results).toMatchObject([
      { error: { reason: 'INVALID_ARGUMENT' } },
      { risk: { findings: [{ pack: 'own/on@1' }] } },
    ]);

    // Another account has none of this, under any name.
    expect(await packsOf({ text }, other.apiKey)).toEqual([]);
    expect(reasonOf(await check({ text, packs: ['on'] }, other.apiKey))).toBe('INVALID_ARGUMENT');
    expect(reasonOf(await send(app, 'GET', '/v1/risk-packs/on', other.managementKey))).toBe('NOT_FOUND');
    expect(reasonOf(await send(app, 'DELETE', '/v1/risk-packs/on', other.managementKey))).toBe('NOT_FOUND');
    expect((await send(app, 'GET', '/v1/risk-packs', other.managementKey)).body.packs).toEqual([]);
    expect((await manage('GET', '/v1/risk-packs')).body.packs).toHaveLength(2);

    // An end user is judged by them, but sees no list.
    const token = (await send(app, 'POST', '/v1/tokens', customer.apiKey, { subject: 'ana' })).body.accessToken;
    expect(await packsOf({ text }, token)).toEqual(['own/on@1']);
    expect(reasonOf(await send(app, 'GET', '/v1/risk-packs', token))).toBe('SCOPE_MISSING');
  });

  test('another node obeys a change', async () => {
    const text = 'grey market';
    expect(await packsOf({ text }, customer.apiKey, second)).toEqual([]);
    await manage('POST', '/v1/risk-packs', { pack: rules });
    await until(async () => (await packsOf({ text }, customer.apiKey, second)).join() === 'own/brand-rules@1');
    await manage('PUT', '/v1/risk-packs/brand-rules', { pack: { ...rules, displayName: 'new' } });
    await until(async () => (await packsOf({ text }, customer.apiKey, second)).join() === 'own/brand-rules@2');
    await manage('DELETE', '/v1/risk-packs/brand-rules');
    await until(async () => (await packsOf({ text }, customer.apiKey, second)).length === 0);
  });

  test('guardrails of a key look for a pack that they name, and refuse all while it is gone', async () => {
    const guardrails = {
      input: { action: 'refuse', categories: ['threat'], ownPacks: ['brand-rules'] },
      output: { action: 'mask', ownPacks: ['brand-rules'] },
    };
    const key = { displayName: 'guarded', purpose: 'a test', guardrails };
    const unknown = await manage('POST', '/v1/keys', key);
    expect(reasonOf(unknown)).toBe('INVALID_ARGUMENT');
    expect(unknown.text).toContain('guardrails.input.ownPacks');

    await manage('POST', '/v1/risk-packs', { pack: { ...rules, enabled: false } });
    const made = await manage('POST', '/v1/keys', key);
    expect(made.body.key.guardrails).toMatchObject({ input: { ownPacks: ['brand-rules'], packs: [] } });
    const missing = { guardrails: { output: { action: 'mask', ownPacks: ['gone'] } } };
    const refusedChange = await manage('PATCH', `/v1/keys/${made.body.key.keyId}`, missing);
    expect(refusedChange.text).toContain('guardrails.output.ownPacks');

    const ask = (content: string, headers = {}) =>
      send(app, 'POST', chatPath, made.body.secret, { messages: [{ role: 'user', content }] }, headers);
    answer = `${filler.repeat(8)}It is a grey-market phone. See Grey Market Street. ${filler.repeat(8)}`;
    const masked = answer.replace('grey-market', '[…]');
    const refused = await ask('Where do I get a GREY MARKET phone?');
    expect(reasonOf(refused)).toBe('GUARDRAIL');
    expect(refused.body.error.details[0].metadata).toMatchObject({ categories: 'grey_market' });
    expect(upstream.seen).toHaveLength(0);
    const whole = await ask('Where is Grey Market Street?');
    expect(whole.body, whole.text).toMatchObject({
      message: { content: masked },
      guardrail: { output: { findings: [{ category: 'grey_market', severity: 'high', count: 1 }] } },
    });
    const openai = new OpenAI({ apiKey: made.body.secret, baseURL: `${app.url}/v1`, maxRetries: 0 });
    let streamed = '';
    const messages = [{ role: 'user' as const, content: 'Where?' }];
    for await (const { choices } of await openai.chat.completions.create({ model: 'm', stream: true, messages }))
      streamed += choices[0]?.delta.content ?? '';
    expect(streamed).toBe(masked);

    // A kept reply is judged again by what the pack says now.
    const repeat = { 'idempotency-key': 'kept' };
    expect((await ask('Where?', repeat)).body.message.content).toBe(masked);
    await manage('PUT', '/v1/risk-packs/brand-rules', {
      pack: { ...rules, entries: [{ ...grey, phrases: ['parcel'] }], enabled: false },
    });
    const again = await ask('Where?', repeat);
    expect(again.body.message.content).not.toContain('parcel');

    // So is a cached one, in every form of answer.
    await manage('PUT', '/v1/risk-packs/brand-rules', { pack: rules });
    const cached = { messages: [{ role: 'user', content: 'Where?' }], cache: { maxAgeSeconds: 600 } };
    const fromCache = () => send(app, 'POST', chatPath, made.body.secret, cached);
    expect((await fromCache()).body).toMatchObject({ cache: { hit: false }, message: { content: masked } });
    await until(async () => (await fromCache()).body.cache.hit);
    await manage('PUT', '/v1/risk-packs/brand-rules', {
      pack: { ...rules, entries: [{ ...grey, phrases: ['parcel'] }], enabled: false },
    });
    const judged = (await fromCache()).body;
    expect([judged.cache.hit, judged.message.content.includes('parcel')]).toEqual([true, false]);

    await manage('DELETE', '/v1/risk-packs/brand-rules');
    upstream.seen.length = 0;
    const gone = await ask('Where?');
    expect(reasonOf(gone)).toBe('PRECONDITION_FAILED');
    expect(gone.text).toContain('brand-rules');
    expect(upstream.seen).toHaveLength(0);
    // Without guardrails nothing changes.
    const plain = await send(app, 'POST', chatPath, customer.apiKey, { messages });
    expect(plain.body.message.content).toBe(answer);
  });

  test('a pack that cannot be read refuses checks and chats rather than let them pass, and nothing is charged', async () => {
    await manage('POST', '/v1/risk-packs', { pack: rules });
    const made = await manage('POST', '/v1/keys', {
      ...{ displayName: 'guarded', purpose: 'a test' },
      guardrails: { input: { action: 'flag', ownPacks: ['brand-rules'] } },
    });
    const before = await entries();
    await database()
      .database.for<{ risk_pack: { pack_id: string; content: string } }>()
      .updateTable('risk_pack')
      .set({ content: '{"entries": 7}' })
      .where('pack_id', '=', 'brand-rules')
      .execute();
    // That change was not announced, so a node with the pack cached continues with it; another one reads it anew.
    const third = await startApp(options);
    const text = 'grey market';
    const checked = await check({ text }, customer.apiKey, third);
    expect([checked.status, reasonOf(checked)]).toEqual([500, 'INTERNAL']);
    const messages = [{ role: 'user', content: text }];
    const chatted = await send(third, 'POST', chatPath, made.body.secret, { messages });
    expect([chatted.status, reasonOf(chatted)]).toEqual([500, 'INTERNAL']);
    expect(upstream.seen).toHaveLength(0);
    expect(await entries()).toEqual(before);
    expect((await check({ text, packs: ['none'] }, customer.apiKey, third)).status).toBe(200);
    await third.close();
    // It can be corrected.
    expect((await manage('PUT', '/v1/risk-packs/brand-rules', { pack: rules })).status).toBe(200);
  });
});
