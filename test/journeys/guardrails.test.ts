import Anthropic from '@anthropic-ai/sdk';
import { type RawBuilder, sql } from 'kysely';
import OpenAI from 'openai';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { chatInvariants } from '../../src/chat/index.ts';
import { ChatService } from '../../src/gen/intelligence/chat/v1/chat_service_pb.ts';
import { auditLedger } from '../../src/wallet/index.ts';
import { riskCategories } from '../../src/workflows/packs/risk-categories.ts';
import { domains } from '../../src/workflows/packs/risk-pack.ts';
import { type Customer, onboard, reasonOf, send, startApp, type TestApp } from '../support/app.ts';
import { eachServer, useDatabase } from '../support/database.ts';
import { grpcClient } from '../support/grpc.ts';
import { completion, startUpstream, streamedCompletion, type Upstream } from '../support/upstream.ts';

const chatPath = '/api/v1/assistant/chat';
const threat = 'I will kill you';
const filler = 'The parcel arrives on Monday, and we look forward to seeing you again. ';
const harmful = `${filler.repeat(8)}${threat} tomorrow. ${filler.repeat(8)}`;
const hidden = harmful.replace(threat, '[…]');
const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
const output = { action: 'mask', findings: [{ category: 'threat', severity: 'critical', count: 1 }] };

eachServer((server) => {
  const database = useDatabase(server);
  let app: TestApp;
  let upstream: Upstream;
  let customer: Customer;
  let guarded: { secret: string; keyId: string };
  let number = 0;
  let question: { messages: { role: 'user'; content: string }[] };

  beforeAll(async () => {
    upstream = await startUpstream();
    upstream.answer(({ body }) =>
      body.stream === true
        ? { pieces: streamedCompletion(harmful.match(/.{1,9}/gs) ?? [], usage) }
        : { body: completion(harmful, usage) },
    );
    app = await startApp({
      databaseUrl: database().url,
      settings: `
providers: [{ id: up, kind: openai-compatible, baseUrl: "${upstream.url}/v1" }]
models: [{ id: m, provider: up, quality: 50, contextTokens: 100000, price: { inputPerMillionUsd: "1", outputPerMillionUsd: "2" } }]
chat: { guardrailPricePerRequestUsd: "0.0005" }`,
    });
    customer = await onboard(app);
    const made = await send(app, 'POST', '/v1/keys', customer.managementKey, {
      ...{ displayName: 'guarded', purpose: 'a test' },
      guardrails: { input: { action: 'refuse' }, output: { action: 'mask' } },
    });
    expect(made.body.key.guardrails).toEqual({
      input: { action: 'refuse', packs: [], ownPacks: [], categories: [], leastSeverity: 'medium' },
      output: { action: 'mask', packs: [], ownPacks: [], categories: [], leastSeverity: 'medium' },
    });
    guarded = { secret: made.body.secret, keyId: made.body.key.keyId };
  });
  afterAll(async () => {
    await app.close();
    await upstream.close();
  });
  beforeEach(() => {
    upstream.seen.length = 0;
    question = { messages: [{ role: 'user', content: `Question ${++number}` }] };
  });

  const ask = (key: string, body: object, headers: Record<string, string> = {}) =>
    send(app, 'POST', chatPath, key, body, headers);
  const bad = { messages: [{ role: 'user', content: harmful }] };

  test('over JSON, in streams, by gRPC and by OpenAI’s client it is one guardrail and one price', async () => {
    const json = await ask(guarded.secret, question);
    expect(json.body).toMatchObject({
      ...{ message: { content: hidden }, usage: { costUsd: '0.00052' } },
      guardrail: { output, input: { action: 'refuse', findings: [] } },
    });
    expect(json.headers.get('x-charge-usd')).toBe('0.00052');

    const { text } = await ask(guarded.secret, question, { accept: 'text/event-stream' });
    const events = [...text.matchAll(/^data: (.*)$/gm)].map(([, event = '']) => JSON.parse(event));
    expect(events.map(({ content = '' }) => content).join('')).toBe(hidden);
    expect(events.at(-1)).toMatchObject({ end: { guardrail: { output }, usage: { costUsd: '0.00052' } } });

    const grpc = grpcClient(app.url);
    const headers = { authorization: `Bearer ${guarded.secret}` };
    const called = await grpc.unary(ChatService.method.chat, question, headers);
    expect(called.message?.message?.content).toBe(hidden);
    expect(called.message?.guardrail?.output).toMatchObject(output);
    expect((await grpc.unary(ChatService.method.chat, bad, headers)).reason).toBe('GUARDRAIL');
    grpc.close();

    const openai = new OpenAI({ apiKey: guarded.secret, baseURL: `${app.url}/v1`, maxRetries: 0 });
    const completed = await openai.chat.completions.create({ model: 'm', ...question });
    expect(completed.choices[0]?.message.content).toBe(hidden);
    expect(completed).toMatchObject({ guardrail: { output } });
    let streamed = '';
    for await (const { choices } of await openai.chat.completions.create({ model: 'm', stream: true, ...question }))
      streamed += choices[0]?.delta.content ?? '';
    expect(streamed).toBe(hidden);
    await expect(
      openai.chat.completions.create({ model: 'm', messages: [{ role: 'user', content: harmful }] }),
    ).rejects.toMatchObject({ status: 400, code: 'content_filter' });
    expect(upstream.seen).toHaveLength(5);
  });

  test('clients of Anthropic’s API and of Responses are told what it did, whole and in streams', async () => {
    const report = { output, input: { action: 'refuse', findings: [] } };
    const anthropic = new Anthropic({ apiKey: guarded.secret, baseURL: app.url, maxRetries: 0 });
    const asked = { model: 'm', max_tokens: 1_000, ...question };
    expect(await anthropic.messages.create(asked)).toMatchObject({ guardrail: report });
    const deltas: unknown[] = [];
    for await (const event of await anthropic.messages.create({ ...asked, stream: true }))
      if (event.type === 'message_delta') deltas.push(event);
    expect(deltas).toMatchObject([{ guardrail: report }]);
    const openai = new OpenAI({ apiKey: guarded.secret, baseURL: `${app.url}/v1`, maxRetries: 0 });
    const wanted = { model: 'm', input: question.messages[0]?.content ?? '' };
    expect(await openai.responses.create(wanted)).toMatchObject({ guardrail: report });
    const ends: unknown[] = [];
    for await (const event of await openai.responses.create({ ...wanted, stream: true }))
      if (event.type === 'response.completed') ends.push(event.response);
    expect(ends).toMatchObject([{ guardrail: report }]);
  });

  test('refused input says which categories, quotes nothing, calls nothing and moves no money', async () => {
    const before = await send(app, 'GET', '/v1/wallet/entries', customer.managementKey);
    const refused = await ask(guarded.secret, bad);
    expect(refused.status).toBe(400);
    expect(reasonOf(refused)).toBe('GUARDRAIL');
    expect(refused.body.error.details[0].metadata).toMatchObject({ categories: 'threat' });
    expect(refused.text).not.toContain('kill');
    expect(upstream.seen).toHaveLength(0);
    const after = await send(app, 'GET', '/v1/wallet/entries', customer.managementKey);
    expect(after.body.entries).toEqual(before.body.entries);
  });

  test('tokens of the key inherit it, another key of the account has none', async () => {
    const token = await send(app, 'POST', '/v1/tokens', guarded.secret, { subject: 'ana' });
    expect((await ask(token.body.accessToken, question)).body.message.content).toBe(hidden);
    expect(reasonOf(await ask(token.body.accessToken, bad))).toBe('GUARDRAIL');
    const other = await ask(customer.apiKey, bad);
    expect(other.body).toMatchObject({ message: { content: harmful }, usage: { costUsd: '0.00002' } });
    expect(other.body).not.toHaveProperty('guardrail');
  });

  test('a repeat is answered and charged once, also after the guardrail would refuse it', async () => {
    const made = await send(app, 'POST', '/v1/keys', customer.managementKey, {
      ...{ displayName: 'changing', purpose: 'a test', guardrails: { output: { action: 'mask' } } },
    });
    const key = { 'idempotency-key': `repeat-${number}` };
    const first = await ask(made.body.secret, bad, key);
    expect(first.body.message.content).toBe(hidden);
    const changed = await send(app, 'PATCH', `/v1/keys/${made.body.key.keyId}`, customer.managementKey, {
      guardrails: { input: { action: 'refuse' }, output: { action: 'mask' } },
    });
    expect(changed.body.key.guardrails.input.action).toBe('refuse');
    const again = await ask(made.body.secret, bad, key);
    expect(again.body).toMatchObject({ id: first.body.id, message: { content: hidden } });
    expect(reasonOf(await ask(made.body.secret, bad))).toBe('GUARDRAIL');
    expect(upstream.seen).toHaveLength(1);
    const charges = await send(app, 'GET', `/v1/charges?idempotencyKey=repeat-${number}`, customer.managementKey);
    expect(charges.body.charges).toHaveLength(1);
  });

  test('kept replies do not pass a guardrail by', async () => {
    const cached = { ...question, cache: { maxAgeSeconds: 600 } };
    expect((await ask(customer.apiKey, cached)).body.message.content).toBe(harmful);
    await app.rooms.chat.drained();
    expect((await ask(customer.apiKey, cached)).body.cache.hit).toBe(true);
    const first = await ask(guarded.secret, cached);
    expect(first.body).toMatchObject({ message: { content: hidden }, cache: { hit: false } });
    await app.rooms.chat.drained();
    const hit = await ask(guarded.secret, cached);
    expect(hit.body).toMatchObject({ message: { content: hidden }, cache: { hit: true }, usage: { costUsd: '0.00' } });
    expect((await ask(customer.apiKey, cached)).body.message.content).toBe(harmful);
  });

  test('a kept stream is resumed by whom the same guardrails judge; another key gets the whole reply as its own let it through', async () => {
    const textOf = (text: string) =>
      [...text.matchAll(/^data: (.*)$/gm)].map(([, event = '{}']) => JSON.parse(event).content ?? '').join('');
    const begin = (key: string, idempotencyKey: string) =>
      ask(key, { ...question, resumable: true }, { accept: 'text/event-stream', 'idempotency-key': idempotencyKey });
    const resume = (key: string, chargeId: string) => send(app, 'GET', `${chatPath}/${chargeId}/stream`, key);

    const open = await begin(customer.apiKey, 'kept-open');
    expect(textOf(open.text)).toBe(harmful);
    const openId = String(open.headers.get('x-charge-id'));
    expect((await resume(customer.apiKey, openId)).status).toBe(200);
    const foreign = await resume(guarded.secret, openId);
    expect(foreign.status).toBe(404);
    expect(foreign.text).not.toContain('kill');
    expect(textOf((await begin(guarded.secret, 'kept-open')).text)).toBe(hidden);

    const masked = await begin(guarded.secret, 'kept-masked');
    expect(textOf(masked.text)).toBe(hidden);
    const maskedId = String(masked.headers.get('x-charge-id'));
    expect((await resume(guarded.secret, maskedId)).status).toBe(200);
    const changed = { keyId: guarded.keyId, guardrails: { output: { action: 'refuse' } }, updateMask: 'guardrails' };
    expect((await send(app, 'PATCH', `/v1/keys/${guarded.keyId}`, customer.managementKey, changed)).status).toBe(200);
    expect((await resume(guarded.secret, maskedId)).status).toBe(404);
    // What is stored was masked already.
    expect(textOf((await begin(guarded.secret, 'kept-masked')).text)).toBe(hidden);
    const back = { guardrails: { input: { action: 'refuse' }, output: { action: 'mask' } }, updateMask: 'guardrails' };
    expect((await send(app, 'PATCH', `/v1/keys/${guarded.keyId}`, customer.managementKey, back)).status).toBe(200);
  });

  test('guardrails are removed by an update that names them, and wrong ones are refused by name', async () => {
    const path = `/v1/keys/${guarded.keyId}`;
    for (const guardrail of [
      { action: 'hide' },
      { action: 'mask', packs: ['unknown'] },
      { action: 'mask', categories: ['x'] },
    ])
      expect(
        reasonOf(await send(app, 'PATCH', path, customer.managementKey, { guardrails: { input: guardrail } })),
      ).toBe('INVALID_ARGUMENT');
    const all = { action: 'flag', packs: domains, ownPacks: [], categories: riskCategories, leastSeverity: 'critical' };
    const set = await send(app, 'PATCH', path, customer.managementKey, { guardrails: { input: all, output: all } });
    expect(set.body.key.guardrails).toEqual({ input: all, output: all });
    const gone = await send(app, 'PATCH', path, customer.managementKey, { updateMask: 'guardrails' });
    expect(gone.body.key).not.toHaveProperty('guardrails');
    expect((await ask(guarded.secret, bad)).body.message.content).toBe(harmful);
  });

  test('the audit knows the price of guardrails, and nothing beside it', async () => {
    const audit = () => auditLedger(app.rooms.db, { more: chatInvariants });
    await app.rooms.chat.drained();
    expect(await audit()).toEqual([]);
    const run = (query: RawBuilder<unknown>) => query.execute(database().database.for<never>());
    await run(sql`UPDATE charge SET input_tokens = input_tokens + 1 WHERE state = 'settled' AND operation = 'chat'`);
    expect(await audit()).toContainEqual(expect.objectContaining({ invariant: 'chat-is-priced-by-the-book' }));
  });
});
