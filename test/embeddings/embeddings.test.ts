import { pino } from 'pino';
import { afterEach, expect, test } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import type { NanoUsd } from '../../src/base/money.ts';
import { createSharedTurns } from '../../src/base/shared-turns.ts';
import { createCatalog, type ModelSettings, memoryPriceStore } from '../../src/catalog/index.ts';
import { createCircuitBreaker, tokenCounter } from '../../src/chat/index.ts';
import { createEmbeddings, type EmbedRequest, type Overrun } from '../../src/embeddings/index.ts';
import { createProviders, defaultUpstreamLimits, type ProviderSettings } from '../../src/providers/index.ts';
import { caller } from '../chat/harness.ts';
import { memoryLedger } from '../support/memory-ledger.ts';
import { testSandbox } from '../support/sandbox.ts';
import { strictEmbeddings, tokensOf, vectorOf } from '../support/strict-embeddings.ts';
import { startUpstream, type Upstream } from '../support/upstream.ts';

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.close();
});

type Change = Parameters<typeof strictEmbeddings>[1];

/** 1,000 nano-USD a token. */
const model = (id: string, more: Partial<ModelSettings> = {}): ModelSettings => ({
  ...{ id, provider: 'up', quality: 50, contextTokens: 8_192, price: { inputPerMillionUsd: '1' } },
  embedding: { dimensions: 8, dimensionsMin: 2 },
  ...more,
});

async function serve(
  options: { change?: Change; models?: ModelSettings[]; balance?: NanoUsd; more?: object; second?: boolean } = {},
) {
  const upstreams: Upstream[] = [];
  const providers: ProviderSettings[] = [];
  for (const id of options.second ? ['up', 'other'] : ['up']) {
    const upstream = await startUpstream();
    upstream.answer(strictEmbeddings(8, options.change));
    upstreams.push(upstream);
    providers.push({ id, kind: 'openai-compatible', baseUrl: `${upstream.url}/v1`, apiKey: 'sk-upstream' });
  }
  const log = pino({ level: 'silent' });
  const connected = createProviders({ providers, log, limits: { ...defaultUpstreamLimits, connectMs: 10_000 } });
  const catalog = await createCatalog({
    store: memoryPriceStore(),
    settings: { models: options.models ?? [model('e')] },
    enabledProviders: connected.enabled,
    log,
  });
  await catalog.importPrices();
  const ledger = memoryLedger(options.balance ?? 5_000_000_000n);
  const overruns: Overrun[] = [];
  const embeddings = createEmbeddings({
    ...{ ledger, catalog, providers: connected, clock: systemClock },
    breaker: createCircuitBreaker({ clock: systemClock }),
    countTokens: (owner, texts) => tokenCounter(testSandbox(), owner)(texts),
    checkInTurn: createSharedTurns({ all: 8, each: 2, waitingMax: 4 }),
    overran: (overrun) => overruns.push(overrun),
    ...options.more,
  });
  open.push(...upstreams, connected, { close: async () => catalog.close() });
  const run = (request: Partial<EmbedRequest>, signal = new AbortController().signal, key?: string) =>
    embeddings.run(
      caller,
      { inputs: ['a'], ...request },
      { signal, ...(key ? { idempotency: { key, fingerprint: Buffer.from('x') } } : {}) },
    );
  return { run, ledger, overruns, embeddings, catalog, upstream: upstreams[0] as Upstream, upstreams };
}

test('each input has its vector at its place, though the upstream sends them in another order', async () => {
  const { run, ledger } = await serve();
  const inputs = ['one', 'two and more', 'three'];
  const reply = await run({ inputs });
  if (!reply.ok) throw new Error(reply.failure.kind);
  const { values, usage, dimensions } = reply.value;
  expect(dimensions).toBe(8);
  expect([...values]).toEqual(inputs.flatMap((text) => vectorOf(text, 8)));
  const tokens = inputs.reduce((sum, text) => sum + tokensOf(text), 0);
  expect(usage).toEqual({ inputTokens: tokens, estimated: false, cost: BigInt(tokens) * 1_000n });
  expect(ledger.balance).toBe(5_000_000_000n - BigInt(tokens) * 1_000n);
  expect(ledger.settlements).toMatchObject([{ usage: { inputTokens: tokens, requests: 1 }, model: 'e' }]);
});

test('fewer dimensions are asked for, others are refused with what is possible', async () => {
  const { run, upstream, ledger } = await serve();
  const reply = await run({ dimensions: 4 });
  expect(reply).toMatchObject({ ok: true, value: { dimensions: 4, values: Float32Array.from(vectorOf('a', 4)) } });
  expect(upstream.seen[0]?.body.dimensions).toBe(4);
  for (const dimensions of [1, 9])
    expect(await run({ dimensions })).toMatchObject({
      failure: { violations: [{ field: 'dimensions', description: 'must be 2 to 8' }] },
    });
  await run({ dimensions: 8 });
  expect(upstream.seen[1]?.body).not.toHaveProperty('dimensions');
  expect(ledger.settlements).toHaveLength(2);
});

const broken: [string, Change][] = [
  ['a vector too few', ({ data, ...rest }) => ({ ...rest, data: data.slice(1) })],
  ['a vector too many', ({ data, ...rest }) => ({ ...rest, data: [...data, data[0]] })],
  [
    'two vectors of one number',
    ({ data, ...rest }) => ({ ...rest, data: data.map((each) => ({ ...each, index: 0 })) }),
  ],
  ['a number out of range', ({ data, ...rest }) => ({ ...rest, data: data.map((each) => ({ ...each, index: 7 })) })],
  [
    'a vector too short',
    ({ data, ...rest }) => ({ ...rest, data: data.map((each) => ({ ...each, embedding: [1, 2] })) }),
  ],
  [
    'a vector too long',
    ({ data, ...rest }) => ({ ...rest, data: data.map((each) => ({ ...each, embedding: Array(9).fill(1) })) }),
  ],
  [
    'a number beyond 32 bits',
    ({ data, ...rest }) => ({ ...rest, data: data.map((each) => ({ ...each, embedding: Array(8).fill(1e39) })) }),
  ],
  [
    'null for a number',
    ({ data, ...rest }) => ({ ...rest, data: data.map((each) => ({ ...each, embedding: Array(8).fill(null) })) }),
  ],
  ['no list', () => ({ data: 'none' })],
];
test.each(broken)('an upstream that gives %s fails, and nothing is charged', async (_, change) => {
  const { run, ledger } = await serve({ change });
  expect(await run({ inputs: ['a', 'b'] })).toMatchObject({
    failure: { kind: 'upstream_failed', attempts: [{ provider: 'up', model: 'e', outcome: 'invalid_reply' }] },
  });
  expect(ledger.settlements).toEqual([]);
  expect(ledger.held).toBe(0n);
  expect(ledger.balance).toBe(5_000_000_000n);
});

test('a number that JSON can hold and a double cannot is no vector', async () => {
  const { run, ledger, upstream } = await serve();
  upstream.answer(() => ({
    body: `{"data":[{"index":0,"embedding":[${Array(8).fill('1e400')}]}],"usage":{"prompt_tokens":1}}`,
  }));
  expect(await run({})).toMatchObject({ failure: { kind: 'upstream_failed' } });
  expect(ledger.balance).toBe(5_000_000_000n);
});

test.each([
  [500, 'server_error'],
  [429, 'rate_limited'],
  [401, 'rejected'],
  [400, 'rejected'],
])('an upstream that answers %s fails as %s, free of charge', async (status, outcome) => {
  const { run, ledger, upstream } = await serve();
  upstream.answer(() => ({ status, body: { error: { message: 'no' } } }));
  expect(await run({})).toMatchObject({ failure: { kind: 'upstream_failed', attempts: [{ outcome }] } });
  expect([ledger.balance, ledger.held, ledger.settlements.length]).toEqual([5_000_000_000n, 0n, 0]);
});

test.each<[string, Change]>([
  ['none', ({ usage: _, ...rest }) => rest],
  ['zero', (reply) => ({ ...reply, usage: { prompt_tokens: 0 } })],
  ['a fraction', (reply) => ({ ...reply, usage: { prompt_tokens: 1.5 } })],
  ['a text', (reply) => ({ ...reply, usage: { prompt_tokens: '7', total_tokens: '7' } })],
  ['something else', (reply) => ({ ...reply, usage: [7] })],
  ['nothing of it', (reply) => ({ ...reply, usage: {} })],
])('tokens that an upstream states as %s are counted here, and marked', async (_, change) => {
  const { run, ledger } = await serve({ change });
  const reply = await run({ inputs: ['The quick brown fox jumps.'] });
  // The six words and marks of the text are six tokens of o200k.
  expect(reply).toMatchObject({ value: { usage: { inputTokens: 6, estimated: true, cost: 6_000n } } });
  expect(ledger.balance).toBe(5_000_000_000n - 6_000n);
});

test('a provider that states only the total, as Voyage does, is charged by it', async () => {
  const { run, ledger } = await serve({ change: (reply) => ({ ...reply, usage: { total_tokens: 7 } }) });
  const reply = await run({ inputs: ['The quick brown fox jumps.'] });
  expect(reply).toMatchObject({ value: { usage: { inputTokens: 7, estimated: false, cost: 7_000n } } });
  expect(ledger.balance).toBe(5_000_000_000n - 7_000n);
});

test('what few tokens cost is held, too, if a long request would cost less', async () => {
  const tiers = [{ aboveInputTokens: 30, inputPerMillionUsd: '0.1', outputPerMillionUsd: '0' }];
  const { run, ledger } = await serve({ models: [model('e', { price: { inputPerMillionUsd: '1', tiers } })] });
  const input = 'The quick brown fox jumps.';
  const cost = BigInt(tokensOf(input)) * 1_000n;
  expect(await run({ inputs: [input] })).toMatchObject({ value: { usage: { estimated: false, cost } } });
  expect(ledger.balance).toBe(5_000_000_000n - cost);
});

test('more tokens than the inputs can have are not charged, and told', async () => {
  const { run, ledger, overruns } = await serve({ change: (reply) => ({ ...reply, usage: { prompt_tokens: 1_000 } }) });
  // 2 bytes, and 8 tokens that may be around them.
  expect(await run({ inputs: ['ab'] })).toMatchObject({ value: { usage: { inputTokens: 10, estimated: true } } });
  expect(ledger.balance).toBe(5_000_000_000n - 10_000n);
  expect(overruns).toEqual([{ provider: 'up', model: 'e', what: 'input', bound: 10, stated: 1_000 }]);
});

test('long lists are split by what a call may bring back, by bytes and by what the provider takes; one failure fails all', async () => {
  const { run, upstream, ledger } = await serve();
  const long = 'x'.repeat(20_000);
  const inputs = Array.from({ length: 40 }, (_, index) => `${index} ${long}`);
  const reply = await run({ inputs });
  expect(upstream.seen.map(({ body }) => (body.input as string[]).length)).toEqual([14, 14, 12]);
  expect(reply).toMatchObject({ ok: true });
  if (reply.ok) expect([...reply.value.values.slice(-8)]).toEqual(vectorOf(inputs[39] ?? '', 8));
  const before = ledger.balance;
  const right = strictEmbeddings(8);
  upstream.answer((seen) =>
    String((seen.body.input as string[])[0]).startsWith('28 ') ? { status: 500, body: {} } : right(seen),
  );
  expect(await run({ inputs })).toMatchObject({ failure: { kind: 'upstream_failed' } });
  expect([ledger.balance, ledger.held]).toEqual([before, 0n]);
});

test('what the other calls of a failed request cost is not charged, and an account may leave only so much of it unpaid', async () => {
  const models = [model('e', { price: { inputPerMillionUsd: '100' } })];
  const { run, ledger, upstream } = await serve({ models, balance: 100_000_000_000n });
  // Its provider counts more tokens in it than the model takes; we do not.
  const refused = 'international '.repeat(2_100);
  const inputs = [...Array.from({ length: 12 }, () => 'international '.repeat(1_700)), refused];
  const failed = await run({ inputs });
  expect(failed).toMatchObject({ ok: false, failure: { kind: 'upstream_failed' } });
  const asked = upstream.seen.length;
  expect(asked).toBe(2);
  expect(await run({ inputs })).toMatchObject({ failure: { kind: 'rate_limited' } });
  expect(upstream.seen).toHaveLength(asked);
  expect(ledger).toMatchObject({ balance: 100_000_000_000n, held: 0n, settlements: [] });
  // One call makes all or nothing.
  expect(await run({ inputs: ['a', 'b'] })).toMatchObject({ ok: true });
  expect(await run({ inputs: [refused] })).toMatchObject({ failure: { kind: 'upstream_failed' } });
  expect(await run({ inputs: ['a'] })).toMatchObject({ ok: true });
});

test('auto is always the model of the highest rank; another one never takes its place, another provider of it does', async () => {
  const models = [
    model('small', { quality: 10, price: { inputPerMillionUsd: '0.01' } }),
    model('best', { quality: 90 }),
    model('best', { quality: 80, provider: 'other' }),
  ];
  const { run, upstreams } = await serve({ models, second: true });
  expect(await run({})).toMatchObject({ value: { provider: 'up', model: 'best' } });
  upstreams[0]?.answer(() => ({ status: 500, body: {} }));
  expect(await run({ model: 'auto' })).toMatchObject({ value: { provider: 'other', model: 'best' } });
  upstreams[1]?.answer(() => ({ status: 500, body: {} }));
  expect(await run({})).toMatchObject({
    failure: { kind: 'upstream_failed', attempts: [{ provider: 'up' }, { provider: 'other', model: 'best' }] },
  });
  expect(await run({ model: 'up/best' })).toMatchObject({ failure: { attempts: [{ provider: 'up' }] } });
});

test('a provider that the credit does not pay for is not called in place of a cheaper one that fails', async () => {
  const models = [model('best'), model('best', { provider: 'other', price: { inputPerMillionUsd: '10' } })];
  const inputs = [' word'.repeat(20)];
  const { run, ledger, upstreams } = await serve({ models, second: true, balance: 100_000n });
  upstreams[0]?.answer(() => ({ status: 500, body: {} }));
  expect(await run({ inputs })).toMatchObject({
    failure: { kind: 'upstream_failed', attempts: [{ provider: 'up' }] },
  });
  expect(upstreams[1]?.seen).toHaveLength(0);
  expect(ledger).toMatchObject({ balance: 100_000n, held: 0n, settlements: [] });
});

test('a provider that the credit pays for is called where a dearer one goes before it', async () => {
  const models = [
    model('best', { price: { inputPerMillionUsd: '10' } }),
    model('best', { provider: 'other', quality: 10 }),
  ];
  const inputs = [' word'.repeat(20)];
  const { run, ledger, upstreams } = await serve({ models, second: true, balance: 100_000n });
  const reply = await run({ inputs });
  expect(reply).toMatchObject({ value: { provider: 'other' } });
  expect(upstreams[0]?.seen).toHaveLength(0);
  expect(reply.ok && ledger.balance + reply.value.usage.cost).toBe(100_000n);
});

test('a model without a price of input is off, and models of conversations embed nothing', async () => {
  const models = [
    model('free', { price: { perRequestUsd: '1' } }),
    model('chat', { embedding: undefined, price: { inputPerMillionUsd: '1', outputPerMillionUsd: '1' } }),
  ];
  const { run, catalog, embeddings } = await serve({ models });
  for (const name of ['free', 'chat', 'nope'])
    expect(await run({ model: name })).toMatchObject({
      failure: { violations: [{ field: 'model', reason: 'MODEL_NOT_FOUND' }] },
    });
  expect(await embeddings.models(caller)).toEqual([]);
  expect(catalog.models('').map(({ model: { id } }) => id)).toEqual(['chat', 'extractive']);
});

test('an input that is longer than the model takes is refused by its place', async () => {
  const { run, upstream, ledger } = await serve({ models: [model('e', { contextTokens: 100 })] });
  const words = Array.from({ length: 200 }, (_, index) => `word${index}`).join(' ');
  expect(await run({ inputs: ['short', words] })).toMatchObject({ failure: { violations: [{ field: 'inputs[1]' }] } });
  expect([upstream.seen.length, ledger.held]).toEqual([0, 0n]);
});

test('of one owner’s long inputs two requests are counted at once and four wait; more are asked to come back, short ones go on', async () => {
  const { promise: counted, resolve: count } = Promise.withResolvers<number>();
  let counting = 0;
  const countTokens = () => {
    counting += 1;
    return counted;
  };
  const { run, ledger } = await serve({ models: [model('e', { contextTokens: 100 })], more: { countTokens } });
  const inputs = ['long '.repeat(40)];
  const asked = Array.from({ length: 6 }, () => run({ inputs }));
  expect(await run({ inputs })).toMatchObject({ ok: false, failure: { kind: 'overloaded' } });
  expect(await run({ inputs: ['short'] })).toMatchObject({ ok: true });
  expect([counting, ledger.held]).toEqual([2, 0n]);
  count(40);
  for (const reply of await Promise.all(asked)) expect(reply).toMatchObject({ ok: true });
  expect(counting).toBe(6);
});

test('credit for the inputs is enough, though not for the worst case; less is refused before anything is called', async () => {
  const inputs = ['The quick brown fox jumps over the lazy dog.'];
  const enough = await serve({ balance: 15_000n });
  expect(await enough.run({ inputs })).toMatchObject({ ok: true });
  expect(enough.ledger.balance).toBe(0n);
  const poor = await serve({ balance: 9_000n });
  expect(await poor.run({ inputs })).toMatchObject({ failure: { kind: 'insufficient_credit' } });
  expect([poor.upstream.seen.length, poor.ledger.balance, poor.ledger.held]).toEqual([0, 9_000n, 0n]);
  // Held for what four bytes a token would be; counted for real it is more.
  const odd = await serve({ balance: 5_000n });
  expect(await odd.run({ inputs: ['🦄🦄🦄🦄'] })).toMatchObject({ failure: { kind: 'insufficient_credit' } });
  expect([odd.upstream.seen.length, odd.ledger.balance, odd.ledger.held]).toEqual([0, 5_000n, 0n]);
});

test('a repeated request gets the same vectors and is charged once', async () => {
  const { run, upstream, ledger } = await serve();
  const first = await run({ inputs: ['a', 'b'] }, undefined, 'k1');
  const again = await run({ inputs: ['a', 'b'] }, undefined, 'k1');
  expect(again).toEqual(first);
  expect([upstream.seen.length, ledger.settlements.length]).toEqual([1, 1]);
});

test('a caller who leaves is charged, and can ask again', async () => {
  const { run, upstream, ledger, embeddings } = await serve();
  const leaving = new AbortController();
  const right = strictEmbeddings(8);
  upstream.answer((seen) => {
    leaving.abort();
    return right(seen);
  });
  expect(await run({}, leaving.signal, 'k2')).toMatchObject({ failure: { kind: 'cancelled' } });
  await embeddings.drained();
  expect(ledger.settlements).toHaveLength(1);
  expect(await run({}, undefined, 'k2')).toMatchObject({ ok: true });
  expect([upstream.seen.length, ledger.settlements.length]).toEqual([1, 1]);
});

test('what is not read counts as what is made, and one account leaves half of the room to others', async () => {
  const { embeddings } = await serve({ more: { valuesInFlightMax: 48 } });
  const leaving: (() => void)[] = [];
  const left = () => new Promise<void>((resolve) => leaving.push(resolve));
  const { signal } = new AbortController();
  const ask = (accountId: string) => embeddings.run({ ...caller, accountId }, { inputs: ['a', 'b'] }, { signal, left });
  expect(await ask('acc_1')).toMatchObject({ ok: true });
  // 16 of 48 numbers are its own, and 32 would be more than half.
  expect(await ask('acc_1')).toMatchObject({ failure: { kind: 'overloaded' } });
  expect(await ask('acc_2')).toMatchObject({ ok: true });
  expect(await ask('acc_3')).toMatchObject({ ok: true });
  expect(await ask('acc_4')).toMatchObject({ failure: { kind: 'overloaded' } });
  leaving[0]?.();
  await expect.poll(() => ask('acc_1')).toMatchObject({ ok: true });
  expect(leaving).toHaveLength(4);
});

test('vectors in memory are bounded; a refused request gives its part back', async () => {
  const { run, upstream } = await serve({ more: { valuesInFlightMax: 16 } });
  expect(await run({ inputs: ['a', 'b', 'c'] })).toMatchObject({ failure: { kind: 'overloaded' } });
  let answer = () => {};
  const waiting = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const right = strictEmbeddings(8);
  upstream.answer(async (seen) => {
    await waiting;
    return right(seen);
  });
  const first = run({ inputs: ['a', 'b'] });
  expect(await run({})).toMatchObject({ failure: { kind: 'overloaded' } });
  answer();
  expect(await first).toMatchObject({ ok: true });
  expect(await run({ inputs: ['a', 'b'] })).toMatchObject({ ok: true });
});
