import { createClient, type Transport } from '@connectrpc/connect';
import { createConnectTransport, createGrpcTransport, createGrpcWebTransport } from '@connectrpc/connect-node';
import { expect, onTestFinished, test } from 'vitest';
import { GateService } from '../gen/intelligence/test/v1/gate_pb.ts';
import { startGateServer } from '../support/gate-server.ts';
import { unwritable } from '../support/gate-service.ts';
import { grpcClient } from '../support/grpc.ts';

interface Asked {
  to: number;
  thenFail: string;
  pauseMs: number;
}

/** Calls `Count`, leaves when `signal` says so, and resolves, whatever the answer. */
type Call = (url: string, asked: Asked, signal: AbortSignal) => Promise<void>;

const byConnect =
  (transportTo: (baseUrl: string) => Transport): Call =>
  async (url, asked, signal) => {
    for await (const _ of createClient(GateService, transportTo(url)).count(asked, { signal }));
  };

const protocols: [string, Call][] = [
  [
    'gRPC',
    async (url, asked, signal) => {
      const client = grpcClient(url);
      await client.serverStream(GateService.method.count, asked, {}, undefined, {
        onStart: (cancel) => signal.addEventListener('abort', cancel),
      });
      client.close();
    },
  ],
  ['gRPC by Connect’s client', byConnect((baseUrl) => createGrpcTransport({ baseUrl }))],
  ['gRPC-Web', byConnect((baseUrl) => createGrpcWebTransport({ baseUrl, httpVersion: '1.1' }))],
  ['Connect', byConnect((baseUrl) => createConnectTransport({ baseUrl, httpVersion: '1.1' }))],
  [
    'REST',
    async (url, asked, signal) => {
      const headers = { 'content-type': 'application/json' };
      const reply = await fetch(`${url}/gate/count`, { method: 'POST', headers, body: JSON.stringify(asked), signal });
      await reply.text();
    },
  ],
];

const endings: [string, Asked, { leaves: boolean; outcome: string }][] = [
  ['its end', { to: 3, thenFail: '', pauseMs: 0 }, { leaves: false, outcome: 'ok' }],
  ['a failure', { to: 3, thenFail: 'not_found', pauseMs: 0 }, { leaves: false, outcome: 'not_found' }],
  [
    'a first message that can’t be written',
    { to: 0, thenFail: unwritable, pauseMs: 0 },
    { leaves: false, outcome: '(cancelled|internal)' },
  ],
  [
    'a later message that can’t be written',
    { to: 3, thenFail: unwritable, pauseMs: 0 },
    { leaves: false, outcome: '(cancelled|internal)' },
  ],
  ['the caller’s leaving', { to: 100_000, thenFail: '', pauseMs: 20 }, { leaves: true, outcome: 'cancelled' }],
];

const cases = protocols.flatMap(([protocol, call]) =>
  endings.map(([name, ...rest]) => [protocol, name, call, ...rest] as const),
);

test.each(cases)('a stream over %s frees its place after %s', async (_protocol, _name, call, asked, expected) => {
  const server = await startGateServer();
  onTestFinished(() => server.close(0));
  const leaving = new AbortController();
  const answered = call(server.url, asked, leaving.signal).catch(() => {});
  if (expected.leaves) {
    await expect.poll(() => server.occupied(), { timeout: 60_000 }).toBe(1);
    leaving.abort();
  }
  await answered;
  await expect.poll(() => server.occupied(), { timeout: 60_000 }).toBe(0);
  expect(server.logged()).toMatch(new RegExp(`GateService/Count.*"outcome":"${expected.outcome}"`));
});
