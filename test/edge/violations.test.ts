import { create } from '@bufbuild/protobuf';
import { createValidator } from '@bufbuild/protovalidate';
import { expect, test } from 'vitest';
import { violationsOf } from '../../src/edge/violations.ts';
import { RoutingSchema } from '../../src/gen/intelligence/chat/v1/chat_pb.ts';

test('a value out of a list is told which values there are, without the empty one', () => {
  const result = createValidator().validate(RoutingSchema, create(RoutingSchema, { mode: 'cheap' }));
  expect(result.kind === 'invalid' && violationsOf(result.violations)).toEqual([
    { field: 'mode', description: 'must be one of economy, balanced, quality, fast' },
  ]);
});
