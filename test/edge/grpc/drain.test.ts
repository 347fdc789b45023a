import { Code, ConnectError, createClient, type Transport } from '@connectrpc/connect';
import { createConnectTransport, createGrpcTransport, createGrpcWebTransport } from '@connectrpc/connect-node';
import { expect, test } from 'vitest';
import { ErrorInfoSchema } from '../../../src/gen/google/rpc/error_details_pb.ts';
import { GateService } from '../../gen/intelligence/test/v1/gate_pb.ts';
import { InteropService } from '../../gen/intelligence/test/v1/interop_pb.ts';
import { startGateServer } from '../../support/gate-server.ts';
import { grpcClient } from '../../support/grpc.ts';
import { interopService } from '../../support/interop-service.ts';

const words = /^The service is being stopped, and ended the call before its reply\. Send it again/;

test('at the end of the drain, calls that still run hear why, over gRPC', async () => {
  const interop = interopService();
  const server = await startGateServer({ also: [interop.service] });
  const client = grpcClient(server.url);
  const unary = client.unary(InteropService.method.unaryCall, { sleepMs: 5_000 });
  const silent = client.serverStream(InteropService.method.streamingOutputCall, {
    responseSizes: [1],
    pauseMs: 60_000,
  });
  const begun = client.serverStream(GateService.method.count, { to: 100_000, pauseMs: 20 });
  await expect.poll(() => server.occupied(), { timeout: 60_000 }).toBe(3);
  await server.close(1_500);
  for (const { error, reason } of [await unary, await silent, await begun]) {
    expect([error?.code, reason]).toEqual([Code.Unavailable, 'SHUTTING_DOWN']);
    expect(error?.details).toMatch(words);
  }
  expect((await begun).messages.length).toBeGreaterThan(0);
  expect(server.logged()).toMatch(/GateService\/Count.*"outcome":"shutting_down"/);
  // The handler that nobody can stop goes on, and was told.
  expect(interop.aborted).toContainEqual(expect.objectContaining({ failure: { kind: 'shutting_down' } }));
  client.close();
});

const others: [string, (baseUrl: string) => Transport][] = [
  ['Connect', (baseUrl) => createConnectTransport({ baseUrl, httpVersion: '1.1' })],
  ['gRPC-Web', (baseUrl) => createGrpcWebTransport({ baseUrl, httpVersion: '1.1' })],
  ['gRPC by Connect’s client', (baseUrl) => createGrpcTransport({ baseUrl })],
];

test.each(others)('and over %s', async (_name, transportTo) => {
  const server = await startGateServer();
  const client = createClient(GateService, transportTo(server.url));
  const numbers: number[] = [];
  const counting = (async () => {
    for await (const { number } of client.count({ to: 100_000, pauseMs: 20 })) numbers.push(number);
  })().catch(ConnectError.from);
  await expect.poll(() => numbers.length, { timeout: 60_000 }).toBeGreaterThan(0);
  await server.close(1_500);
  const error = await counting;
  expect(error).toMatchObject({ code: Code.Unavailable, rawMessage: expect.stringMatching(words) });
  expect((error as ConnectError).findDetails(ErrorInfoSchema)).toMatchObject([{ reason: 'SHUTTING_DOWN' }]);
});

test('what ends within the drain is answered', async () => {
  const server = await startGateServer({ also: [interopService().service] });
  const client = grpcClient(server.url);
  const unary = client.unary(InteropService.method.unaryCall, { sleepMs: 300, responseSize: 3 });
  await expect.poll(() => server.occupied(), { timeout: 60_000 }).toBe(1);
  await server.close(30_000);
  expect((await unary).message?.payload.length).toBe(3);
  client.close();
});
