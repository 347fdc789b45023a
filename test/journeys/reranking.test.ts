import { createClient } from '@connectrpc/connect';
import { createConnectTransport } from '@connectrpc/connect-node';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { chatInvariants } from '../../src/chat/index.ts';
import { RerankService } from '../../src/gen/intelligence/rerank/v1/rerank_service_pb.ts';
import { auditLedger } from '../../src/wallet/index.ts';
import { workflowInvariants } from '../../src/workflows/index.ts';
import { type Customer, onboard, reasonOf, send, startApp, type TestApp } from '../support/app.ts';
import { eachServer, useDatabase } from '../support/database.ts';
import { grpcClient } from '../support/grpc.ts';
import { billedTokens, strictRerank } from '../support/strict-rerank.ts';
import { startUpstream, type Upstream } from '../support/upstream.ts';

const path = '/api/v1/rerank';
const query = 'red bicycle';
const documents = ['A blue car', 'A red bicycle', 'A red car', 'A green bicycle'];
// 0.05 USD per million: 50 nano-USD per token.
const cost = BigInt(billedTokens({ query, documents })) * 50n;
const ranked = [1, 2, 3, 0];

eachServer((server) => {
  const database = useDatabase(server);
  let app: TestApp;
  let jina: Upstream;
  let cohere: Upstream;
  let customer: Customer;

  beforeAll(async () => {
    jina = await startUpstream();
    cohere = await startUpstream();
    app = await startApp({
      databaseUrl: database().url,
      variables: { UPSTREAM_KEY: 'sk-upstream' },
      settings: [
        'providers:',
        `  - { id: jina, kind: openai-compatible, baseUrl: "${jina.url}/v1", apiKeyEnv: UPSTREAM_KEY }`,
        `  - { id: cohere, kind: openai-compatible, baseUrl: "${cohere.url}/v1", apiKeyEnv: UPSTREAM_KEY }`,
        'models:',
        '  - { id: ranks, provider: jina, quality: 50, contextTokens: 8192, price: { inputPerMillionUsd: "0.05" }, rerank: { api: jina } }',
        '  - { id: rerank-v4.0-pro, provider: cohere, quality: 40, contextTokens: 32764, price: { perThousandSearchUnitsUsd: "2.5" }, rerank: { api: cohere } }',
      ].join('\n'),
    });
  });
  afterAll(async () => {
    await app.close();
    await jina.close();
    await cohere.close();
  });
  beforeEach(async () => {
    customer = await onboard(app);
    for (const each of [jina, cohere]) each.seen.length = 0;
    jina.answer(strictRerank('jina'));
    cohere.answer(strictRerank('cohere'));
  });

  async function spent(): Promise<bigint> {
    const { body } = await send(app, 'GET', '/v1/wallet', customer.managementKey);
    expect(body.wallet.heldUsd).toBe('0.00');
    return nano('5.00') - nano(body.wallet.balanceUsd);
  }

  test('documents are ranked over REST, gRPC and Connect, each as one exact charge', async () => {
    const rest = await send(app, 'POST', path, customer.apiKey, { query, documents, topN: 3, returnDocuments: true });
    expect(rest.body).toMatchObject({ provider: 'jina', model: 'ranks', usage: { estimated: false } });
    expect(rest.body.results).toEqual(
      ranked.slice(0, 3).map((index, place) => ({
        ...{ index, document: documents[index] },
        relevanceScore: [1, 0.5, 0.5][place],
      })),
    );
    expect(rest.body.usage.inputTokens).toBe(billedTokens({ query, documents }));
    expect(nano(rest.body.usage.costUsd)).toBe(cost);
    expect(rest.headers.get('x-charge-id')).toBe(rest.body.id);
    expect(nano(rest.headers.get('x-charge-usd') ?? '')).toBe(cost);

    const grpc = grpcClient(app.url);
    const metadata = { authorization: `Bearer ${customer.apiKey}` };
    const { message: overGrpc } = await grpc.unary(RerankService.method.rerank, { query, documents }, metadata);
    grpc.close();
    expect(overGrpc?.results.map(({ index, document }) => ({ index, document }))).toEqual(
      ranked.map((index) => ({ index, document: undefined })),
    );
    const connect = createClient(RerankService, createConnectTransport({ baseUrl: app.url, httpVersion: '1.1' }));
    const headers = { authorization: `Bearer ${customer.apiKey}` };
    expect((await connect.rerank({ query, documents, topN: 1 }, { headers })).results).toHaveLength(1);
    expect(await spent()).toBe(3n * cost);
    const { body } = await send(app, 'GET', '/v1/charges', customer.managementKey);
    expect(body.charges.map((charge: { operation: string }) => charge.operation)).toEqual(Array(3).fill('rerank'));
  });

  test('search units are charged as such, stand on the charge, and the book prices them again', async () => {
    const many = Array.from({ length: 250 }, (_, index) => `red ${index}`);
    const asked = { model: 'rerank-v4.0-pro', query, documents: many };
    const { body } = await send(app, 'POST', path, customer.apiKey, asked);
    expect(body.usage).toEqual({ searchUnits: 3, estimated: false, costUsd: '0.0075' });
    expect(await spent()).toBe(7_500_000n);
    const charge = await send(app, 'GET', `/v1/charges/${body.id}`, customer.managementKey);
    expect(charge.body.charge).toMatchObject({ operation: 'rerank', searchUnits: '3', chargedUsd: '0.0075' });
    expect(charge.body.charge.lines).toEqual([
      { kind: 'search_units', quantity: '3', perMillionUsd: '2500.00', amountUsd: '0.0075' },
    ]);
    await send(app, 'POST', path, customer.apiKey, { query, documents, model: 'builtin/lexical' });
    expect(await auditLedger(app.rooms.db, { more: [...chatInvariants, ...workflowInvariants] })).toEqual([]);
  });

  test.each(['/v1/rerank', '/v2/rerank'])('clients of Cohere and of Jina read the reply of %s', async (path) => {
    const asked = { model: 'ranks', query, documents: [{ text: documents[0] }, ...documents.slice(1)], top_n: 2 };
    const reply = await send(app, 'POST', path, customer.apiKey, { ...asked, max_tokens_per_doc: 4096 });
    expect(reply.headers.get('x-ignored-parameters')).toBe('max_tokens_per_doc');
    const tokens = billedTokens({ query, documents });
    expect(reply.body).toMatchObject({
      results: [
        { index: 1, relevance_score: 1 },
        { index: 2, relevance_score: 0.5 },
      ],
      usage: { prompt_tokens: tokens, total_tokens: tokens },
      meta: { billed_units: { total_tokens: tokens } },
    });
    expect(reply.body.results).toHaveLength(2);
    expect(reply.body.results[0]).not.toHaveProperty('document');
    const units = { model: 'rerank-v4.0-pro', query, documents, return_documents: true };
    const searched = await send(app, 'POST', '/v1/rerank', customer.apiKey, units);
    expect(searched.body.meta.billed_units).toEqual({ search_units: 1 });
    expect(searched.body.results[0]).toEqual({ index: 1, relevance_score: 1, document: { text: documents[1] } });
    expect(await spent()).toBe(cost + 2_500_000n);
  });

  test('clients of Voyage find the ranking as data, with what they send as a default', async () => {
    const asked = { model: 'ranks', query, documents, top_k: null, truncation: true };
    const reply = await send(app, 'POST', '/v1/rerank', customer.apiKey, { ...asked, return_documents: true });
    expect([reply.status, reply.headers.get('x-ignored-parameters')]).toEqual([200, 'truncation']);
    const tokens = billedTokens({ query, documents });
    expect(reply.body.data[0]).toEqual({ object: 'reranking', index: 1, relevance_score: 1, document: documents[1] });
    expect([reply.body.data.length, reply.body.usage.total_tokens]).toEqual([documents.length, tokens]);
    const uncut = await send(app, 'POST', '/v1/rerank', customer.apiKey, { ...asked, truncation: false });
    expect([uncut.status, uncut.headers.get('x-ignored-parameters')]).toEqual([200, null]);
  });

  test.each<[string, object, string]>([
    ['no query', { query: undefined }, 'query'],
    ['an empty query', { query: '' }, 'query'],
    ['no documents', { documents: [] }, 'documents'],
    ['an empty document', { documents: ['a', ''] }, 'documents[1]'],
    ['a document without text', { documents: [{ title: 'a' }] }, 'documents[0].title'],
    ['too many documents', { documents: Array(1_001).fill('a') }, 'documents'],
    ['none to come back', { top_n: 0 }, 'top_n'],
    ['an unknown parameter', { task: 'x' }, 'task'],
    ['a long document', { documents: ['a', 'word '.repeat(12_000)] }, 'documents[1]'],
  ])('/v1/rerank tells %s by name, free of charge', async (_, more, param) => {
    const { status, body } = await send(app, 'POST', '/v1/rerank', customer.apiKey, { query, documents, ...more });
    expect([status, body.error.param]).toEqual([400, param]);
    expect([jina.seen.length, await spent()]).toEqual([0, 0n]);
  });

  test('a repeated request is charged once, and brings the same ranking', async () => {
    const asked = { query, documents, returnDocuments: true };
    const first = await send(app, 'POST', path, customer.apiKey, asked, { 'idempotency-key': 'k1' });
    const again = await send(app, 'POST', path, customer.apiKey, asked, { 'idempotency-key': 'k1' });
    expect(again.body).toEqual(first.body);
    const other = await send(app, 'POST', path, customer.apiKey, { ...asked, topN: 1 }, { 'idempotency-key': 'k1' });
    expect(other.status).toBe(422);
    expect(await spent()).toBe(cost);
  });

  test('tokens rank within their models and their cap; an upstream that fails is free', async () => {
    const mint = async (body: object) => {
      const { body: made } = await send(app, 'POST', '/v1/tokens', customer.apiKey, { subject: 'u', ...body });
      return String(made.accessToken);
    };
    const limited = await mint({ models: ['rerank-v4.0-pro'] });
    expect((await send(app, 'POST', path, limited, { model: 'ranks', query, documents })).status).toBe(400);
    const models = await send(app, 'GET', '/api/v1/rerank/models', limited);
    expect(models.body.models).toEqual([
      {
        ownKey: false,
        ...{ id: 'rerank-v4.0-pro', provider: 'cohere', quality: 40, inputTokensMax: 32_764, documentsMax: 1_000 },
        ...{ perThousandSearchUnitsUsd: '2.50', perRequestUsd: '0.00' },
      },
    ]);
    const capped = await mint({ subject: 'v', spendingCapUsd: '0.0000001' });
    const over = await send(app, 'POST', path, capped, { query, documents });
    expect([over.status, reasonOf(over)]).toEqual([402, 'SPENDING_CAP_REACHED']);
    jina.answer(() => ({ status: 500, body: { message: 'secret words' } }));
    const failed = await send(app, 'POST', path, customer.apiKey, { query, documents });
    expect([failed.status, failed.text.includes('secret')]).toEqual([502, false]);
    expect(await spent()).toBe(0n);
  });
});

function nano(usd: string): bigint {
  const [whole = '0', fraction = ''] = usd.split('.');
  return BigInt(whole) * 1_000_000_000n + BigInt(fraction.padEnd(9, '0'));
}
