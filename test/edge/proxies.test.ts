import type { ServerHttp2Stream } from 'node:http2';
import fc from 'fast-check';
import Fastify from 'fastify';
import { expect, test } from 'vitest';
import { streamPeers } from '../../src/edge/proxies.ts';

const address = fc.constantFrom(
  '127.0.0.1',
  '10.1.2.3',
  '192.0.2.7',
  '2001:db8::1',
  '::1',
  'unknown',
  '',
  '10.0.0.1:80',
);
const trusted = fc.constantFrom([], ['127.0.0.1'], ['10.0.0.0/8', '127.0.0.0/8'], ['loopback', 'uniquelocal']);

test('streams have the peers that Fastify finds for requests', async () => {
  await fc.assert(
    fc.asyncProperty(
      ...[trusted, fc.constantFrom('127.0.0.1', '10.9.9.9', '192.0.2.1', '::1')],
      fc.option(fc.array(address, { minLength: 1, maxLength: 4 }), { nil: undefined }),
      async (proxies, remoteAddress, named) => {
        const headers = named === undefined ? {} : { 'x-forwarded-for': named.join(', ') };
        const app = Fastify({ trustProxy: proxies.length > 0 ? [...proxies] : false });
        app.get('/', async (request) => request.ip);
        const { body } = await app.inject({ url: '/', remoteAddress, headers });
        const stream = { session: { socket: { remoteAddress } } } as unknown as ServerHttp2Stream;
        expect(streamPeers(proxies)(stream, headers)).toBe(body);
      },
    ),
    { numRuns: 60 },
  );
});
