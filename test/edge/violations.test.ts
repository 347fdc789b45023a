import { create } from '@bufbuild/protobuf';
import { expect, test } from 'vitest';
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
