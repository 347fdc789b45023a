import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cacheKeyOf } from '../../src/chat/cache-key.ts';
import type { ChatMessage, ChatRequest } from '../../src/chat/types.ts';

const secret = Buffer.from('a secret of the service');
const keyOf = (request: ChatRequest, scope = 'acc_1') => cacheKeyOf(secret, scope, request).toString('hex');

const text = fc.string({ unit: 'grapheme', maxLength: 12 });
const json = fc.dictionary(text, fc.oneof(text, fc.integer(), fc.constant(null), fc.array(text, { maxLength: 3 })), {
  maxKeys: 4,
});
const message: fc.Arbitrary<ChatMessage> = fc.oneof(
  fc.record({ role: fc.constantFrom('system', 'user', 'assistant'), content: text }),
  fc.record({ role: fc.constant('tool' as const), content: text, toolCallId: text }),
  fc.record({
    role: fc.constant('assistant' as const),
    toolCalls: fc.array(fc.record({ id: text, name: text, arguments: text }), { minLength: 1, maxLength: 2 }),
  }),
  fc.record({
    role: fc.constant('user' as const),
    parts: fc.array(
      fc.oneof(
        fc.record({ kind: fc.constant('text' as const), text }),
        fc.record({ kind: fc.constant('image' as const), url: text, mediaType: text }),
        fc.record({ kind: fc.constant('image' as const), data: fc.uint8Array({ minLength: 1, maxLength: 8 }) }),
      ),
      { minLength: 1, maxLength: 3 },
    ),
  }),
);

/** Everything that a request means, each part there or not. */
const meaning = {
  provider: fc.constantFrom('openai', 'anthropic'),
  model: fc.constantFrom('gpt', 'claude'),
  routing: fc.record(
    {
      mode: fc.constantFrom('economy' as const, 'quality' as const, 'fast' as const),
      fallback: fc.constant(false),
      maxCost: fc.bigInt({ min: 1n, max: 1_000_000_000_000n }),
      allow: fc.uniqueArray(text, { minLength: 1, maxLength: 3 }),
      deny: fc.uniqueArray(text, { minLength: 1, maxLength: 3 }),
    },
    { requiredKeys: [] },
  ),
  messages: fc.array(message, { minLength: 1, maxLength: 3 }),
  tools: fc.array(fc.record({ name: text, description: text, parameters: json }), { minLength: 1, maxLength: 2 }),
  toolChoice: fc.record({ mode: fc.constantFrom('auto' as const, 'none' as const, 'tool' as const), toolName: text }),
  responseFormat: fc.record({ kind: fc.constant('json' as const), schema: json, name: text }),
  maxOutputTokens: fc.integer({ min: 1, max: 1_000 }),
  temperature: fc.double({ min: 0, max: 2, noNaN: true }),
  topP: fc.double({ min: 0, max: 1, noNaN: true }),
  stop: fc.array(text, { minLength: 1, maxLength: 3 }),
  seed: fc.nat(),
  user: fc.string({ minLength: 1, maxLength: 8 }),
};
const request: fc.Arbitrary<ChatRequest> = fc.record(meaning, { requiredKeys: ['messages'] });

describe('the name of a request in the cache', () => {
  const names = new Set<string>();

  test('changes with any part of its meaning', () => {
    const part = fc.constantFrom(...(Object.keys(meaning) as (keyof typeof meaning)[]));
    fc.assert(
      fc.property(
        request,
        part.chain((name) => fc.tuple(fc.constant(name), meaning[name] as fc.Arbitrary<unknown>)),
        (before, [name, value]) => {
          const after = { ...before, [name]: value };
          expect(keyOf(after) === keyOf(before)).toBe(sameMeaning(after, before));
        },
      ),
      { numRuns: 500 },
    );
  });

  test('is the same whatever the order of fields, and whether absent ones are written out', () => {
    fc.assert(
      fc.property(request, fc.infiniteStream(fc.nat()), (sent, numbers) => {
        const shuffled = reordered(sent, () => numbers.next().value ?? 0) as ChatRequest;
        expect(keyOf(shuffled)).toBe(keyOf(sent));
        expect(keyOf({ seed: undefined, user: undefined, ...sent })).toBe(keyOf(sent));
      }),
    );
  });

  test.each<[string, Partial<ChatRequest>]>([
    ['labels', { metadata: { feature: 'search' } }],
    ['what it wants of the cache', { cache: { maxAgeSeconds: 60, noCache: true } }],
    ['how often a model is tried', { routing: { maxRetries: 3 } }],
    [
      'a default that is written out',
      { provider: 'auto', model: 'auto', routing: { mode: 'balanced', fallback: true } },
    ],
    ['an empty list', { routing: { allow: [], deny: [] } }],
  ])('does not change with %s', (_, more) => {
    const plain: ChatRequest = { messages: [{ role: 'user', content: 'Hi' }] };
    expect(keyOf({ ...plain, ...more })).toBe(keyOf(plain));
  });

  test.each<[string, Partial<ChatRequest>]>([
    ['provider', { provider: 'openai' }],
    ['model', { model: 'gpt' }],
    ['mode', { routing: { mode: 'economy' } }],
    ['fallback', { routing: { fallback: false } }],
    ['price cap', { routing: { maxCost: 1n } }],
    ['other price cap', { routing: { maxCost: 2n } }],
    ['allowed models', { routing: { allow: ['gpt'] } }],
    ['denied models', { routing: { deny: ['gpt'] } }],
    ['tools', { tools: [{ name: 'a' }] }],
    ['tool schema', { tools: [{ name: 'a', parameters: { type: 'object' } }] }],
    ['tool choice', { toolChoice: { mode: 'none' } }],
    ['format', { responseFormat: { kind: 'json' } }],
    ['schema', { responseFormat: { kind: 'json', schema: { type: 'object' } } }],
    ['length', { maxOutputTokens: 5 }],
    ['temperature', { temperature: 0 }],
    ['nucleus', { topP: 0 }],
    ['stop', { stop: ['a'] }],
    ['seed', { seed: 0 }],
    ['user', { user: 'anna' }],
    ['text', { messages: [{ role: 'user', content: 'hi' }] }],
    ['role', { messages: [{ role: 'system', content: 'Hi' }] }],
    ['image', { messages: [{ role: 'user', parts: [{ kind: 'image', data: Buffer.from('a') }] }] }],
    ['other image', { messages: [{ role: 'user', parts: [{ kind: 'image', data: Buffer.from('b') }] }] }],
  ])('is one of its own for every %s', (_, more) => {
    const plain: ChatRequest = { messages: [{ role: 'user', content: 'Hi' }] };
    const name = keyOf({ ...plain, ...more });
    expect(name).not.toBe(keyOf(plain));
    expect(names.has(name)).toBe(false);
    names.add(name);
  });

  test('has no order in the lists of models', () => {
    const of = (allow: string[]) => keyOf({ messages: [{ role: 'user', content: 'Hi' }], routing: { allow } });
    expect(of(['a', 'b'])).toBe(of(['b', 'a']));
    expect(of(['a', 'b'])).not.toBe(of(['a']));
  });

  test('differs between accounts, end users, and services', () => {
    const plain: ChatRequest = { messages: [{ role: 'user', content: 'Hi' }] };
    const names = [
      keyOf(plain, 'acc_1'),
      keyOf(plain, 'acc_2'),
      keyOf(plain, 'acc_1/key_1/anna'),
      keyOf(plain, 'acc_1/key_1/ben'),
      cacheKeyOf(Buffer.from('another secret'), 'acc_1', plain).toString('hex'),
    ];
    expect(new Set(names).size).toBe(names.length);
  });

  // A scope and a request never run into each other.
  test('cannot be made by a scope that looks like a request', () => {
    const plain: ChatRequest = { messages: [{ role: 'user', content: 'Hi' }] };
    expect(keyOf(plain, 'acc_1/key_1/x"\n{"messages"')).not.toBe(keyOf(plain, 'acc_1/key_1/x'));
  });
});

/** Equal but for the order of what has none: an independent way to say it. */
function sameMeaning(a: ChatRequest, b: ChatRequest): boolean {
  const plain = (value: ChatRequest) =>
    reordered(
      {
        ...value,
        routing: {
          ...value.routing,
          mode: value.routing?.mode ?? 'balanced',
          fallback: value.routing?.fallback ?? true,
          allow: [...(value.routing?.allow ?? [])].sort(),
          deny: [...(value.routing?.deny ?? [])].sort(),
        },
      },
      undefined,
    );
  const print = (value: ChatRequest) =>
    JSON.stringify(plain(value), (_, member: unknown) => {
      if (typeof member === 'bigint') return `${member}n`;
      if (Object.is(member, -0)) return 0;
      return member;
    });
  return print(a) === print(b);
}

/** The same value with the members of its objects in another order; by name without a source of numbers. */
function reordered(value: unknown, number: (() => number) | undefined): unknown {
  if (Array.isArray(value)) return value.map((item) => reordered(item, number));
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return value;
  const entries = Object.entries(value).map(([name, member]) => ({ name, member, at: number?.() ?? 0 }));
  entries.sort((a, b) => a.at - b.at || (a.name < b.name ? -1 : 1));
  return Object.fromEntries(entries.map(({ name, member }) => [name, reordered(member, number)]));
}
