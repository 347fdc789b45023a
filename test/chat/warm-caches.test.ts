import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ChatRequest } from '../../src/chat/index.ts';
import { measureInput } from '../../src/chat/tokens.ts';
import { createWarmCaches, type PromptPrefix, type WarmCaches } from '../../src/chat/warm-caches.ts';
import { completion, startUpstream, type Upstream } from '../support/upstream.ts';
import { call, caller, chatHarness, type Harness, testModel } from './harness.ts';

const minute = 60_000;
let now = 0;
let caches: WarmCaches;
beforeEach(() => {
  now = 0;
  caches = createWarmCaches({ clock: { now: () => now, monotonic: () => now } });
});

const rules = 'Answer as a clerk of the shop does. '.repeat(200);

function conversation(first: string, more: ChatRequest['messages'] = [], system = rules): ChatRequest {
  return { messages: [{ role: 'system', content: system }, { role: 'user', content: first }, ...more] };
}

function prefixOf(request: ChatRequest, account = 'acc_1'): PromptPrefix {
  const prefix = caches.prefixOf(account, request, measureInput(request));
  if (!prefix) throw new Error('The prompt is too short.');
  return prefix;
}

const said = (inputTokens: number, cachedInputTokens: number) => ({ inputTokens, cachedInputTokens });

describe('what is expected of a prompt cache', () => {
  test('is nothing before it was measured, and what was measured after that', () => {
    const first = prefixOf(conversation('one'));
    expect(caches.expect(first, 'a/m', 3_000)).toBe(0);
    caches.observe(first, 'a/m', said(2_000, 0));
    // Warm, but nobody has seen that this route reads its cache.
    expect(caches.expect(first, 'a/m', 3_000)).toBe(0);
    caches.observe(first, 'a/m', said(3_000, 1_500));
    expect(caches.expect(first, 'a/m', 4_000)).toBe(2_250);
    caches.observe(first, 'a/m', said(3_000, 3_000));
    expect(caches.expect(first, 'a/m', 4_000)).toBe(2_400);
    // Not more than there is, and nothing of another route.
    expect(caches.expect(first, 'a/m', 1_000)).toBe(800);
    expect(caches.expect(first, 'b/m', 4_000)).toBe(0);
  });

  test('holds for the same beginning: of the whole conversation, or of its tools and rules', () => {
    const one = prefixOf(conversation('one'));
    caches.observe(one, 'a/m', said(2_000, 0));
    caches.observe(one, 'a/m', said(5_000, 2_000));
    const later = conversation('one', [
      { role: 'assistant', content: 'Yes.' },
      { role: 'user', content: 'And?' },
    ]);
    expect(caches.expect(prefixOf(later), 'a/m', 9_000)).toBe(5_000);
    const other = prefixOf(conversation('two'));
    expect(other.headTokens).toBeGreaterThan(1_024);
    expect(caches.expect(other, 'a/m', 9_000)).toBe(other.headTokens);
    expect(caches.expect(prefixOf(conversation('one', [], `${rules}!`)), 'a/m', 9_000)).toBe(0);
    const tools = [{ name: 'look' }];
    expect(caches.expect(prefixOf({ ...conversation('one'), tools }), 'a/m', 9_000)).toBe(0);
    expect(caches.expect(prefixOf(conversation('one'), 'acc_2'), 'a/m', 9_000)).toBe(0);
  });

  test('ends five minutes after the last use, and what was measured fades', () => {
    const prefix = prefixOf(conversation('one'));
    caches.observe(prefix, 'a/m', said(2_000, 0));
    caches.observe(prefix, 'a/m', said(2_000, 2_000));
    now = 5 * minute - 1;
    expect(caches.expect(prefix, 'a/m', 2_000)).toBeGreaterThan(1_800);
    now = 5 * minute;
    expect(caches.expect(prefix, 'a/m', 2_000)).toBe(0);
    // Used again after an hour, by a request whose provider stated nothing: what was measured counts for half.
    now = 60 * minute;
    caches.observe(prefix, 'a/m', { inputTokens: 2_000 });
    expect(caches.expect(prefix, 'a/m', 2_000)).toBe(1_000);
  });

  test('is not measured where the provider says nothing, nor where nothing could be cached', () => {
    const prefix = prefixOf(conversation('one'));
    caches.observe(prefix, 'a/m', { inputTokens: 2_000 });
    caches.observe(prefix, 'a/m', { inputTokens: 2_000 });
    expect(caches.expect(prefix, 'a/m', 2_000)).toBe(0);
    // A cold prompt that was cached all the same, by a request of another node, says nothing of this node's.
    caches.observe(prefix, 'b/m', said(2_000, 2_000));
    expect(caches.expect(prefix, 'b/m', 2_000)).toBe(0);
  });

  test('is nothing for a prompt that no provider caches', () => {
    const short = conversation('one', [], 'Be kind.');
    expect(caches.prefixOf('acc_1', short, measureInput(short))).toBeUndefined();
  });

  test('is remembered of the newest prompts only', () => {
    const first = prefixOf(conversation('one'));
    caches.observe(first, 'a/m', said(2_000, 0));
    caches.observe(first, 'a/m', said(2_000, 2_000));
    const newer = { account: 'acc_1', headTokens: 0 };
    for (let index = 0; index < 49_998; index++)
      caches.observe({ ...newer, conversation: `${index}` }, 'a/m', { inputTokens: 2_000 });
    expect(caches.expect(first, 'a/m', 2_000)).toBe(2_000);
    for (let index = 0; index < 2; index++)
      caches.observe({ ...newer, conversation: `${index} more` }, 'a/m', { inputTokens: 2_000 });
    expect(caches.expect(first, 'a/m', 2_000)).toBe(0);
  });
});

describe('chat', () => {
  let cheap: Upstream;
  let dear: Upstream;
  let harness: Harness;
  beforeEach(async () => {
    [cheap, dear] = await Promise.all([startUpstream(), startUpstream()]);
    cheap.answer(() => ({ body: completion('Yes.', { prompt_tokens: 2_000, completion_tokens: 5 }) }));
    const price = { inputPerMillionUsd: '1.5', cachedInputPerMillionUsd: '0.15', outputPerMillionUsd: '2' };
    harness = await chatHarness({
      providers: [
        { id: 'cheap', kind: 'openai-compatible', baseUrl: `${cheap.url}/v1` },
        { id: 'dear', kind: 'openai-compatible', baseUrl: `${dear.url}/v1` },
      ],
      models: [testModel('cheap', 'c'), testModel('dear', 'd', { price })],
    });
  });
  afterEach(async () => {
    await harness.close();
    await cheap.close();
    await dear.close();
  });

  test('stays where its prompt is cached while that costs less, holds the same, and begins at the cheapest', async () => {
    const seen = new Set<string>();
    dear.answer(({ body }) => {
      const first = JSON.stringify((body.messages as unknown[])[1]);
      const cached = seen.has(first) ? 1_900 : 0;
      seen.add(first);
      const usage = { prompt_tokens: 2_000, completion_tokens: 5, prompt_tokens_details: { cached_tokens: cached } };
      return { body: completion('Yes.', usage) };
    });
    const ask = async (first: string, more: Partial<ChatRequest> = {}) => {
      const system = `${first} ${rules}`;
      const request = { ...conversation(first, [], system), routing: { mode: 'economy' as const }, ...more };
      const reply = await harness.chat.run(caller, request, call());
      if (!reply.ok) throw new Error(reply.failure.kind);
      return reply.value.model;
    };
    const ceiling = async (first: string) => {
      const request = { ...conversation(first, [], `${first} ${rules}`), routing: { mode: 'economy' as const } };
      const estimate = await harness.chat.estimate(caller, request);
      if (!estimate.ok) throw new Error(estimate.failure.kind);
      return { ceiling: estimate.value.ceiling, first: estimate.value.routes[0]?.model.id };
    };
    const before = await ceiling('one');
    expect(before.first).toBe('c');
    // The share is measured on one conversation, and expected of the next.
    await ask('one', { model: 'd' });
    await ask('one', { model: 'd' });
    await ask('two', { model: 'd' });
    expect(await ask('two')).toBe('d');
    expect(await ask('one')).toBe('d');
    expect(await ask('new')).toBe('c');
    expect(await ceiling('one')).toEqual({ ceiling: before.ceiling, first: 'd' });
  });
});
