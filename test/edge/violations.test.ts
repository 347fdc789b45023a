import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { create } from '@bufbuild/protobuf';
import { expect, test } from 'vitest';
import { ruleWords } from '../../src/edge/rule-words.ts';
import { camelCasePath, createViolationFinder } from '../../src/edge/violations.ts';
import { RoutingSchema } from '../../src/gen/intelligence/chat/v1/chat_pb.ts';
import { ChatRequestSchema } from '../../src/gen/intelligence/chat/v1/chat_service_pb.ts';

const violationsOf = createViolationFinder();

test('a value out of a list is told which values there are, without the empty one', () => {
  expect(violationsOf(RoutingSchema, create(RoutingSchema, { mode: 'cheap' }))).toEqual([
    { field: 'mode', description: 'must be one of economy, balanced, quality, fast' },
  ]);
  expect(violationsOf(RoutingSchema, create(RoutingSchema, { mode: 'economy' }))).toBeUndefined();
});

test('rules are told in words for people', () => {
  const image = {
    part: { case: 'image' as const, value: { source: { case: 'url' as const, value: 'http://a.example/b' } } },
  };
  const request = create(ChatRequestSchema, {
    messages: [{ role: 'user', parts: [image] }],
    tools: [{ name: 'a b' }],
    routing: { maxCostUsd: '-1' },
    temperature: 3,
    stop: [''],
  });
  const told = (violationsOf(ChatRequestSchema, request) ?? []).map(({ field, description }) => [field, description]);
  expect(Object.fromEntries(told)).toEqual({
    'messages[0].parts[0].image.url': 'must begin with https://',
    'tools[0].name': 'must be 1 to 64 letters (a-z, A-Z), digits, _ and -',
    'routing.maxCostUsd': expect.stringMatching(/^must be an amount in USD .*"5.00"/),
    temperature: 'must be from 0 to 2',
    'stop[0]': 'must have at least 1 character',
  });
  const [empty] = violationsOf(ChatRequestSchema, create(ChatRequestSchema)) ?? [];
  expect(empty).toEqual({ field: 'messages', description: 'must have at least 1 element' });
});

test('each pattern of the contract has its words', () => {
  const sources = readdirSync('proto/intelligence', { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.proto'))
    .map((name) => readFileSync(join('proto/intelligence', name), 'utf8'));
  const patterns = sources.flatMap((text) => [...text.matchAll(/pattern(?:: | = )("(?:[^"\\]|\\.)*")/g)]);
  expect(patterns.length).toBeGreaterThan(20);
  for (const [, literal = ''] of patterns)
    expect(ruleWords(`does not match regex pattern \`${JSON.parse(literal)}\``)).not.toContain('pattern');
});

test('names of fields are in lowerCamelCase, keys of maps as they came', () => {
  expect(camelCasePath('max_tokens')).toBe('maxTokens');
  expect(camelCasePath('by_name["a_b"].in_it["\\"c_d"][1]')).toBe('byName["a_b"].inIt["\\"c_d"][1]');
});

test.each([
  [3, 3],
  [40, 20],
  [2_000, 1],
])('of %i faults in a list, %i are told', (faults, told) => {
  const request = create(ChatRequestSchema, {
    messages: Array.from({ length: faults }, () => ({ role: 'nobody', content: 'hello' })),
  });
  const fields = violationsOf(ChatRequestSchema, request)?.map(({ field }) => field);
  expect(fields?.filter((field) => /^messages\[\d+\]/.test(field))).toHaveLength(told);
});
