import { readFileSync } from 'node:fs';
import { fromBinary } from '@bufbuild/protobuf';
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import { expect, test } from 'vitest';
import { rpcs } from '../../../console/gen/api.ts';
import { httpRequest } from '../../../console/src/api.ts';

test('the table has every method of the descriptors, and no other', () => {
  const bytes = readFileSync(new URL('../../../src/gen/descriptors.binpb', import.meta.url));
  const methods = fromBinary(FileDescriptorSetSchema, bytes).file.flatMap(({ service }) =>
    service.flatMap(({ name, method }) => method.map((each) => `${name}.${each.name}`)),
  );
  expect(methods.length).toBeGreaterThan(60);
  expect(Object.keys(rpcs).sort()).toEqual(methods.sort());
});

test('a request is the documented path, query and body', () => {
  expect(httpRequest('WalletService.GetTopUp', { topUpId: 'top_1/2' })).toEqual({
    verb: 'GET',
    path: '/v1/wallet/top-ups/top_1%2F2',
  });
  expect(
    httpRequest('WalletService.GetUsage', {
      groupBy: ['day', 'model'],
      pageSize: 10,
      metadata: { key: 'a b', value: '&' },
    }),
  ).toEqual({
    verb: 'GET',
    path: '/v1/usage?groupBy=day&groupBy=model&pageSize=10&metadata.key=a+b&metadata.value=%26',
  });
  expect(httpRequest('KeyService.RevokeKey', { keyId: 'key_1' })).toEqual({
    verb: 'POST',
    path: '/v1/keys/key_1:revoke',
    body: {},
  });
  expect(httpRequest('ChatService.EstimateChat', { request: { model: 'm' } })).toEqual({
    verb: 'POST',
    path: '/api/v1/assistant/chat:estimate',
    body: { model: 'm' },
  });
  expect(() => httpRequest('KeyService.GetKey', {})).toThrow('KeyService.GetKey needs keyId');
});
