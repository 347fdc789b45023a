import { pino } from 'pino';
import { afterEach, expect, test } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import type { NanoUsd } from '../../src/base/money.ts';
import { createSharedTurns } from '../../src/base/shared-turns.ts';
import { createCatalog, type ModelSettings, memoryPriceStore } from '../../src/catalog/index.ts';
import { createCircuitBreaker, tokenCounter } from '../../src/chat/index.ts';
import { createProviders, defaultUpstreamLimits, type ProviderSettings } from '../../src/providers/index.ts';
import { createLexicalReranker } from '../../src/providers/lexical-reranker.ts';
import { createReranking, type Overrun, type RerankRequest } from '../../src/reranking/index.ts';
import { caller } from '../chat/harness.ts';
import { memoryLedger } from '../support/memory-ledger.ts';
import { testSandbox } from '../support/sandbox.ts';
import { billedTokens, billedUnits, scoreOf, strictRerank } from '../support/strict-rerank.ts';
import { startUpstream, type Upstream } from '../support/upstream.ts';

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.close();
});

type Api = 'cohere' | 'jina' | 'voyage';
type Change = Parameters<typeof strictRerank>[1];

/** 1,000 nano-USD a token, and 2,000,000 a search unit. */
const model = (id: string, api: Api = 'jina', more: Partial<ModelSettings> = {}): ModelSettings => ({
  ...{ id, provider: 'up', quality: 50, contextTokens: 4_096, rerank: { api } },
  price: api === 'cohere' ? { perThousandSearchUnitsUsd: '2' } : { inputPerMillionUsd: '1' },
  ...more,
});

const query = 'red bicycle';
const documents = ['A blue car', 'A red bicycle', 'A red car', 'A green bicycle'];
const started: NanoUsd = 5_000_000_000n;

async function serve(
  options: {
    api?: Api;
    change?: Change;
    models?: ModelSettings[];
    balance?: NanoUsd;
    second?: boolean;
    countTokens?: () => Promise<number>;
  } = {},
) {
  const { api = 'jina' } = options;
  const upstreams: Upstream[] = [];
  const providers: ProviderSettings[] = [];
  for (const id of options.second ? ['up', 'other'] : ['up']) {
    const upstream = await startUpstream();
    upstream.answer(strictRerank(api, options.change));
    upstreams.push(upstream);
    providers.push({ id, kind: 'openai-compatible', baseUrl: `${upstream.url}/v1/`, apiKey: 'sk-upstream' });
  }
  const log = pino({ level: 'silent' });
  const connected = createProviders({ providers, log, limits: { ...defaultUpstreamLimits, connectMs: 10_000 } });
  const catalog = await createCatalog({
    store: memoryPriceStore(),
    settings: { models: options.models ?? [model('r', api)] },
    enabledProviders: connected.enabled,
    log,
  });
  await catalog.importPrices();
  const ledger = memoryLedger(options.balance ?? started);
  const overruns: Overrun[] = [];
  const reranking = createReranking({
    ...{ ledger, catalog, providers: connected, clock: systemClock },
    breaker: createCircuitBreaker({ clock: systemClock }),
    countTokens: options.countTokens ?? ((owner, texts) => tokenCounter(testSandbox(), owner)(texts)),
    checkInTurn: createSharedTurns({ all: 8, each: 2, waitingMax: 4 }),
    overran: (overrun) => overruns.push(overrun),
  });
  open.push(...upstreams, connected, { close: async () => catalog.close() });
  const run = (request: Partial<RerankRequest>, signal = new AbortController().signal, key?: string) =>
    reranking.run(
      caller,
      { query, documents, ...request },
      { signal, ...(key ? { idempotency: { key, fingerprint: Buffer.from('x') } } : {}) },
    );
  return { run, ledger, overruns, reranking, catalog, upstream: upstreams[0] as Upstream, upstreams };
}

const ranked = [1, 2, 3, 0].map((index) => ({ index, score: scoreOf(query, documents[index] ?? '') }));

test.each<[Api, object, bigint]>([
  ['cohere', { searchUnits: 1 }, 2_000_000n],
  ['jina', { inputTokens: billedTokens({ query, documents }) }, BigInt(billedTokens({ query, documents })) * 1_000n],
  ['voyage', { inputTokens: billedTokens({ query, documents }) }, BigInt(billedTokens({ query, documents })) * 1_000n],
])('%s ranks, and what it bills is charged exactly', async (api, billed, cost) => {
  const { run, ledger, upstream } = await serve({ api });
  const reply = await run({});
  expect(reply).toMatchObject({
    value: { provider: 'up', model: 'r', results: ranked, usage: { ...billed, estimated: false, cost } },
  });
  expect([ledger.balance, ledger.held]).toEqual([started - cost, 0n]);
  expect(ledger.settlements).toMatchObject([{ usage: { ...billed, requests: 1 }, model: 'r', provider: 'up' }]);
  expect(upstream.seen).toHaveLength(1);
});

test('what few tokens cost is held, too, if a long request would cost less', async () => {
  const tiers = [{ aboveInputTokens: 60, inputPerMillionUsd: '0.1', outputPerMillionUsd: '0' }];
  const { run, ledger } = await serve({ models: [model('r', 'jina', { price: { inputPerMillionUsd: '1', tiers } })] });
  const cost = BigInt(billedTokens({ query, documents })) * 1_000n;
  expect(await run({})).toMatchObject({ value: { usage: { estimated: false, cost } } });
  expect(ledger.balance).toBe(started - cost);
});

test('long documents count as several in a search unit, and Cohere is told not to cut them', async () => {
  const long = Array.from({ length: 60 }, (_, index) => `${index} red ${'x'.repeat(4_000)}`);
  const { run, ledger, upstream } = await serve({ api: 'cohere' });
  const units = billedUnits({ query, documents: long });
  expect(units).toBe(2);
  expect(await run({ documents: long })).toMatchObject({ value: { usage: { searchUnits: 2, estimated: false } } });
  expect(ledger.balance).toBe(started - 4_000_000n);
  expect(upstream.seen[0]?.body.max_tokens_per_doc).toBe(4_096);
});

test('the best come back, and the price is that of all', async () => {
  const { run, ledger } = await serve();
  expect(await run({ topN: 2 })).toMatchObject({ value: { results: ranked.slice(0, 2) } });
  expect(ledger.balance).toBe(started - BigInt(billedTokens({ query, documents })) * 1_000n);
  expect(await run({ topN: 1_000 })).toMatchObject({ value: { results: ranked } });
});

const broken: [string, Change][] = [
  ['a document too few', ({ results, ...rest }) => ({ ...rest, results: results.slice(1) })],
  [
    'a document twice',
    ({ results, ...rest }) => ({ ...rest, results: results.map((each) => ({ ...each, index: 0 })) }),
  ],
  [
    'a place that is not there',
    ({ results, ...rest }) => ({ ...rest, results: results.map((each) => ({ ...each, index: each.index + 1 })) }),
  ],
  [
    'half a place',
    ({ results, ...rest }) => ({ ...rest, results: results.map((each) => ({ ...each, index: each.index / 2 })) }),
  ],
  [
    'a score that is a text',
    ({ results, ...rest }) => ({ ...rest, results: results.map((each) => ({ ...each, relevance_score: '1' })) }),
  ],
  ['no score', ({ results, ...rest }) => ({ ...rest, results: results.map(({ index }) => ({ index })) })],
  ['null for a result', ({ results, ...rest }) => ({ ...rest, results: [null, ...results.slice(1)] })],
  ['no list', () => ({ results: 'none' })],
];
test.each(broken)('an upstream that gives %s fails, and nothing is charged', async (_, change) => {
  const { run, ledger } = await serve({ change });
  expect(await run({})).toMatchObject({
    failure: { kind: 'upstream_failed', attempts: [{ provider: 'up', model: 'r', outcome: 'invalid_reply' }] },
  });
  expect([ledger.balance, ledger.held, ledger.settlements.length]).toEqual([started, 0n, 0]);
});

test('a score that JSON can hold and a double cannot is no score; nor is a page that is no JSON a reply', async () => {
  const { run, ledger, upstream } = await serve();
  const results = documents.map((_, index) => `{"index":${index},"relevance_score":1e400}`);
  upstream.answer(() => ({ body: `{"results":[${results}],"usage":{"total_tokens":1}}` }));
  expect(await run({})).toMatchObject({ failure: { kind: 'upstream_failed' } });
  upstream.answer(() => ({ body: '<html>' }));
  expect(await run({})).toMatchObject({ failure: { attempts: [{ outcome: 'invalid_reply' }] } });
  expect(ledger.balance).toBe(started);
});

test.each([
  [500, 'server_error'],
  [429, 'rate_limited'],
  [401, 'rejected'],
  [400, 'rejected'],
])('an upstream that answers %s fails as %s, free of charge', async (status, outcome) => {
  const { run, ledger, upstream } = await serve();
  upstream.answer(() => ({ status, body: { message: 'no' } }));
  expect(await run({})).toMatchObject({ failure: { kind: 'upstream_failed', attempts: [{ outcome }] } });
  expect([ledger.balance, ledger.held, ledger.settlements.length]).toEqual([started, 0n, 0]);
});

test.each<[string, unknown]>([
  ['none', undefined],
  ['zero', { total_tokens: 0 }],
  ['a fraction', { total_tokens: 1.5 }],
  ['a text', { total_tokens: '9' }],
])('tokens that an upstream states as %s are counted here, and marked', async (_, usage) => {
  const { run, ledger } = await serve({ change: (reply) => ({ ...reply, usage }) });
  // "red bicycle" is two tokens of o200k, and so are both documents.
  const reply = await run({ documents: ['red bicycle', 'red bicycle'] });
  expect(reply).toMatchObject({ value: { usage: { inputTokens: 8, estimated: true, cost: 8_000n } } });
  expect(ledger.balance).toBe(started - 8_000n);
});

test('search units that an upstream does not state are counted here, and marked', async () => {
  const { run, ledger } = await serve({ api: 'cohere', change: ({ meta: _, ...rest }) => rest });
  const many = Array.from({ length: 101 }, (_, index) => `red ${index}`);
  expect(await run({ documents: many })).toMatchObject({ value: { usage: { searchUnits: 2, estimated: true } } });
  expect(ledger.balance).toBe(started - 4_000_000n);
});

test('more than a request can have is not charged, and told', async () => {
  const tokens = await serve({ change: (reply) => ({ ...reply, usage: { total_tokens: 9_999 } }) });
  // 3 and 2 bytes, and 8 tokens that may be around them.
  expect(await tokens.run({ query: 'abc', documents: ['de'] })).toMatchObject({
    value: { usage: { inputTokens: 13, estimated: true } },
  });
  expect(tokens.ledger.balance).toBe(started - 13_000n);
  const units = await serve({
    api: 'cohere',
    change: (reply) => ({ ...reply, meta: { billed_units: { search_units: 50 } } }),
  });
  expect(await units.run({})).toMatchObject({ value: { usage: { searchUnits: 1, estimated: true } } });
  expect(units.ledger.balance).toBe(started - 2_000_000n);
  expect([...tokens.overruns, ...units.overruns]).toEqual([
    { provider: 'up', model: 'r', what: 'input', bound: 13, stated: 9_999 },
    { provider: 'up', model: 'r', what: 'input', bound: 1, stated: 50 },
  ]);
});

test('auto is the model of the highest rank; another never takes its place, another provider of it does', async () => {
  const models = [
    model('small', 'jina', { quality: 10 }),
    model('best', 'jina', { quality: 90 }),
    model('best', 'jina', { quality: 80, provider: 'other' }),
  ];
  const { run, upstreams } = await serve({ models, second: true });
  expect(await run({})).toMatchObject({ value: { provider: 'up', model: 'best' } });
  upstreams[0]?.answer(() => ({ status: 500, body: {} }));
  expect(await run({ model: 'auto' })).toMatchObject({ value: { provider: 'other', model: 'best' } });
  upstreams[1]?.answer(() => ({ status: 500, body: {} }));
  expect(await run({})).toMatchObject({
    failure: { kind: 'upstream_failed', attempts: [{ provider: 'up' }, { provider: 'other', model: 'best' }] },
  });
});

test('a provider that the credit does not pay for is not called in place of a cheaper one that fails', async () => {
  const models = [
    model('best'),
    model('best', 'jina', { provider: 'other', quality: 10, price: { inputPerMillionUsd: '10' } }),
  ];
  const { run, ledger, upstreams } = await serve({ models, second: true, balance: 100_000n });
  upstreams[0]?.answer(() => ({ status: 500, body: {} }));
  expect(await run({})).toMatchObject({ failure: { kind: 'upstream_failed', attempts: [{ provider: 'up' }] } });
  expect(upstreams[1]?.seen).toHaveLength(0);
  expect(ledger).toMatchObject({ balance: 100_000n, held: 0n, settlements: [] });
});

test('a provider that the credit pays for is called where a dearer one goes before it', async () => {
  const models = [
    model('best', 'jina', { price: { inputPerMillionUsd: '10000' } }),
    model('best', 'jina', { provider: 'other', quality: 10 }),
  ];
  const { run, ledger, upstreams } = await serve({ models, second: true, balance: 100_000n });
  const reply = await run({});
  expect(reply).toMatchObject({ value: { provider: 'other' } });
  expect(upstreams[0]?.seen).toHaveLength(0);
  expect(reply.ok && ledger.balance + reply.value.usage.cost).toBe(100_000n);
});

test('a model whose bill has no price is off, and models that rank answer no conversations', async () => {
  const models = [
    model('by-token', 'jina', { price: { perThousandSearchUnitsUsd: '2' } }),
    model('by-search', 'cohere', { price: { inputPerMillionUsd: '1' } }),
    model('chat', 'jina', { rerank: undefined, price: { inputPerMillionUsd: '1', outputPerMillionUsd: '1' } }),
  ];
  const { run, catalog, reranking } = await serve({ models });
  for (const name of ['by-token', 'by-search', 'chat', 'nope'])
    expect(await run({ model: name })).toMatchObject({
      failure: { violations: [{ field: 'model', reason: 'MODEL_NOT_FOUND' }] },
    });
  expect((await reranking.models(caller)).map((each) => each.model.name)).toEqual(['builtin/lexical']);
  expect(catalog.models('').map(({ model: { id } }) => id)).toEqual(['chat', 'extractive']);
});

test('a document that is longer than the model takes is refused by its place, and so are too many', async () => {
  const models = [model('r', 'jina', { contextTokens: 100, rerank: { api: 'jina', documentsMax: 3 } })];
  const { run, upstream, ledger } = await serve({ models });
  const words = Array.from({ length: 200 }, (_, index) => `word${index}`).join(' ');
  expect(await run({ documents: ['short', words] })).toMatchObject({
    failure: { violations: [{ field: 'documents[1]' }] },
  });
  expect(await run({ provider: 'up' })).toMatchObject({ failure: { violations: [{ field: 'documents' }] } });
  expect([upstream.seen.length, ledger.held]).toEqual([0, 0n]);
});

test('of one owner’s long requests two are counted at once and four wait; more are asked to come back, short ones go on', async () => {
  const { promise: counted, resolve: count } = Promise.withResolvers<number>();
  let counting = 0;
  const countTokens = () => {
    counting += 1;
    return counted;
  };
  const { run, ledger } = await serve({ models: [model('r', 'jina', { contextTokens: 100 })], countTokens });
  const long = { documents: ['long '.repeat(40)] };
  const asked = Array.from({ length: 6 }, () => run(long));
  await expect(run(long)).rejects.toMatchObject({ failure: { kind: 'overloaded' } });
  expect(await run({})).toMatchObject({ ok: true });
  expect([counting, ledger.held]).toEqual([2, 0n]);
  count(40);
  for (const reply of await Promise.all(asked)) expect(reply).toMatchObject({ ok: true });
  // The query and the document of each.
  expect(counting).toBe(12);
});

test('credit for the request is enough, though not for the worst case; less is refused before anything is called', async () => {
  const texts = { query: 'The quick', documents: ['The quick brown fox jumps over the lazy dog.'] };
  const enough = await serve({ balance: 20_000n });
  expect(await enough.run(texts)).toMatchObject({ ok: true });
  const poor = await serve({ balance: 9_000n });
  expect(await poor.run(texts)).toMatchObject({ failure: { kind: 'insufficient_credit' } });
  expect([poor.upstream.seen.length, poor.ledger.balance, poor.ledger.held]).toEqual([0, 9_000n, 0n]);
  const unit = await serve({ api: 'cohere', balance: 1_999_999n });
  expect(await unit.run({})).toMatchObject({ failure: { kind: 'insufficient_credit' } });
  expect([unit.upstream.seen.length, unit.ledger.held]).toEqual([0, 0n]);
});

test('a repeated request gets the same ranking and is charged once', async () => {
  const { run, upstream, ledger } = await serve();
  const first = await run({ topN: 3 }, undefined, 'k1');
  expect(await run({ topN: 3 }, undefined, 'k1')).toEqual(first);
  expect([upstream.seen.length, ledger.settlements.length]).toEqual([1, 1]);
});

test('a caller who leaves is charged, and can ask again', async () => {
  const { run, upstream, ledger, reranking } = await serve();
  const leaving = new AbortController();
  const right = strictRerank('jina');
  upstream.answer((seen) => {
    leaving.abort();
    return right(seen);
  });
  expect(await run({}, leaving.signal, 'k2')).toMatchObject({ failure: { kind: 'cancelled' } });
  await reranking.drained();
  expect(ledger.settlements).toHaveLength(1);
  expect(await run({}, undefined, 'k2')).toMatchObject({ ok: true });
  expect([upstream.seen.length, ledger.settlements.length]).toEqual([1, 1]);
});

test('the embedded model ranks by rare words first, takes no place of another, and is charged by its own tokens', async () => {
  const { run, ledger, upstream } = await serve();
  const texts = {
    query: 'red Fahrräder',
    documents: ['red red red', 'Fahrräder', 'Red fahrräder', 'nothing', 'red car'],
  };
  const reply = await run({ ...texts, model: 'builtin/lexical' });
  if (!reply.ok) throw new Error(reply.failure.kind);
  expect(reply.value.results.map(({ index }) => index)).toEqual([2, 1, 0, 4, 3]);
  expect(reply.value.results.at(-1)?.score).toBe(0);
  for (const { score } of reply.value.results) expect(score >= 0 && score <= 1).toBe(true);
  // Two words of the query and nine of the documents, at 20 nano-USD.
  expect(reply.value.usage).toEqual({ inputTokens: 11, estimated: false, cost: 220n });
  expect(ledger.balance).toBe(started - 220n);
  upstream.answer(() => ({ status: 500, body: {} }));
  expect(await run({})).toMatchObject({ failure: { kind: 'upstream_failed', attempts: [{ provider: 'up' }] } });
  const { run: alone } = await serve({ models: [] });
  expect(await alone({})).toMatchObject({ value: { provider: 'builtin', model: 'lexical' } });
});

test('the embedded model lets other work in between, however many words are asked for', async () => {
  const words = Array.from({ length: 12_000 }, (_, index) => index.toString(36));
  const documents = Array.from({ length: 400 }, (_, index) => words.slice(index * 7, index * 7 + 900).join(' '));
  let turns = 0;
  let over = false;
  const count = () => {
    turns += 1;
    if (!over) setImmediate(count);
  };
  setImmediate(count);
  const { signal } = new AbortController();
  const { tokens } = await createLexicalReranker().rerank({
    owner: 'a',
    query: words.join(' '),
    documents,
    inputTokensMax: 1_000_000,
    signal,
  });
  over = true;
  expect(tokens).toBe(12_000 + 400 * 900);
  // 1.3 million characters to read and 360,000 words to weigh.
  expect(turns).toBeGreaterThanOrEqual(14);

  const leaving = new AbortController();
  const left = createLexicalReranker().rerank({
    owner: 'a',
    query: words.join(' '),
    documents,
    inputTokensMax: 1_000_000,
    signal: leaving.signal,
  });
  leaving.abort(new Error('left'));
  await expect(left).rejects.toThrow('left');
});

test('rankings at one time take turns, so that others wait for one of them and not for all', async () => {
  const query = Array.from({ length: 2_000 }, (_, index) => index.toString(36)).join(' ');
  const documents = Array.from({ length: 40 }, () => query.repeat(3));
  let turns = 0;
  let over = false;
  const count = () => {
    turns += 1;
    if (!over) setImmediate(count);
  };
  setImmediate(count);
  const { signal } = new AbortController();
  const rankings = Array.from({ length: 8 }, () =>
    createLexicalReranker().rerank({ owner: 'a', query, documents, inputTokensMax: 1_000_000, signal }),
  );
  await Promise.all(rankings);
  over = true;
  // Each of the eight reads 800,000 characters in at least 24 pieces, and four turns go by between two of them.
  expect(query.length * 3 * 40).toBeGreaterThan(24 * 32_768);
  expect(turns).toBeGreaterThan(8 * 24 * 4);
});

test('of one owner’s rankings two are computed at once; another owner waits for none that has not begun', async () => {
  const query = Array.from({ length: 2_000 }, (_, index) => index.toString(36)).join(' ');
  const begun: string[] = [];
  const over: string[] = [];
  const { signal } = new AbortController();
  const ranked = async (owner: string, name: string) => {
    const documents = Array.from({ length: 40 }, () => query.repeat(3));
    const read = documents[Symbol.iterator].bind(documents);
    documents[Symbol.iterator] = () => {
      begun.push(name);
      return read();
    };
    await createLexicalReranker().rerank({ owner, query, documents, inputTokensMax: 1_000_000, signal });
    if (over.length === 0) expect(begun.toSorted()).toEqual(['a1', 'a2', 'b1']);
    over.push(name);
  };
  await Promise.all([ranked('a', 'a1'), ranked('a', 'a2'), ranked('a', 'a3'), ranked('a', 'a4'), ranked('b', 'b1')]);
  expect(over.slice(0, 3).toSorted()).toEqual(['a1', 'a2', 'b1']);
  expect(over).toHaveLength(5);
});

test('beyond six large rankings that wait, an owner is asked to come back: nothing is charged, small ones go on', async () => {
  const { run, ledger } = await serve({ models: [] });
  const large = Array.from({ length: 40 }, () => 'red bicycle '.repeat(200));
  let over = false;
  /** One that is computed until it is over. */
  const endless = [...large];
  endless[Symbol.iterator] = function* () {
    while (!over) yield* large;
  } as (typeof endless)[typeof Symbol.iterator];
  const { signal } = new AbortController();
  const call = { query, documents: endless, inputTokensMax: 1_000_000, signal };
  const computed = Array.from({ length: 8 }, () =>
    createLexicalReranker().rerank({ ...call, owner: caller.accountId ?? '' }),
  );
  await expect(run({ documents: large })).rejects.toMatchObject({ failure: { kind: 'overloaded' } });
  expect([ledger.balance, ledger.held]).toEqual([started, 0n]);
  // The model's circuit is closed.
  expect(await run({})).toMatchObject({ ok: true });
  over = true;
  await Promise.all(computed);
  expect(await run({ documents: large })).toMatchObject({ ok: true });
});
