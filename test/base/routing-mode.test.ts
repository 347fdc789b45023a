import { create } from '@bufbuild/protobuf';
import { createValidator } from '@bufbuild/protovalidate';
import { expect, test } from 'vitest';
import { isRoutingMode, routingModes } from '../../src/base/routing-mode.ts';
import { RoutingSchema } from '../../src/gen/intelligence/chat/v1/chat_pb.ts';

test('the modes are those of the contract', () => {
  const { validate } = createValidator();
  for (const mode of routingModes)
    expect([mode, validate(RoutingSchema, create(RoutingSchema, { mode })).kind]).toEqual([mode, 'valid']);
  const refused = validate(RoutingSchema, create(RoutingSchema, { mode: 'none such' }));
  const listed = refused.violations?.[0]?.message
    .match(/\[(.*)\]/)?.[1]
    ?.split(', ')
    .filter(Boolean);
  expect(listed?.sort()).toEqual([...routingModes].sort());
  expect([isRoutingMode('fast'), isRoutingMode('auto'), isRoutingMode('')]).toEqual([true, false, false]);
});
