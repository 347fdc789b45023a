import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { PassThrough } from 'node:stream';
import type { MessageInitShape } from '@bufbuild/protobuf';
import { Code, ConnectError, createClient, type Transport } from '@connectrpc/connect';
import { createConnectTransport, createGrpcTransport, createGrpcWebTransport } from '@connectrpc/connect-node';
import { expect, test } from 'vitest';
import { ErrorInfoSchema } from '../../../src/gen/google/rpc/error_details_pb.ts';
import { Health } from '../../../src/gen/grpc/health/v1/health_pb.ts';
import { ServerReflection } from '../../../src/gen/grpc/reflection/v1/reflection_pb.ts';
import { GateService } from '../../gen/intelligence/test/v1/gate_pb.ts';
import { InteropService } from '../../gen/intelligence/test/v1/interop_pb.ts';
import { type GateServer, goodToken, startGateServer } from '../../support/gate-server.ts';
import { grpcClient } from '../../support/grpc.ts';
import { interopService } from '../../support/interop-service.ts';

const words = /^The service is shutting down, and ended the call before its reply\. Send it again/;

test('at the end of the drain, calls that still run hear why, over gRPC', async () => {
  const interop = interopService();
  const server = await startGateServer({ also: [interop.service] });
  const client = grpcClient(server.url);
  const unary = client.unary(InteropService.method.unaryCall, { sleepMs: 30_000 });
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

test.each(others)(
  'a handler that ignores its signal does not keep its caller waiting over %s',
  async (_name, transportTo) => {
    const interop = interopService();
    const server = await startGateServer({ also: [interop.service] });
    const calling = createClient(InteropService, transportTo(server.url))
      .unaryCall({ sleepMs: 10_000 })
      .catch(ConnectError.from);
    await expect.poll(() => interop.handled(), { timeout: 60_000 }).toBe(1);
    await server.close(1_500);
    const error = (await calling) as ConnectError;
    expect([error.code, error.findDetails(ErrorInfoSchema)[0]?.reason]).toEqual([Code.Unavailable, 'SHUTTING_DOWN']);
    expect(interop.aborted).toContainEqual(expect.objectContaining({ failure: { kind: 'shutting_down' } }));
  },
);

/** Begins a request whose body does not come to its end, and gives all that it hears. */
async function heardHalfway(server: GateServer, path: string, type: string, body: string | Buffer): Promise<string> {
  const sent = request(`${server.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': type, authorization: goodToken, 'content-length': 100_000 },
  });
  sent.on('error', () => {});
  sent.write(body);
  const answered = once(sent, 'response') as Promise<[IncomingMessage]>;
  await expect.poll(() => server.occupied(), { timeout: 60_000 }).toBe(1);
  await server.close(1_500);
  const [response] = await answered;
  let text = `${response.statusCode} `;
  for await (const piece of response) text += String(piece);
  expect(server.occupied()).toBe(0);
  return text;
}

const say = `/${GateService.typeName}/Say`;
const start = Buffer.from([0, 0, 0, 0, 9, 1]);
test.each([
  ['REST', '/gate/say', 'application/json', '{"te', /^503 .*"SHUTTING_DOWN"/],
  ['Connect', say, 'application/json', '{"te', /^503 .*"unavailable".*"SHUTTING_DOWN"/],
  ['gRPC-Web', say, 'application/grpc-web+proto', start, /^200 .*grpc-status: 14\r\n/is],
])('a message that is still on its way is not waited for, over %s', async (_name, path, type, body, heard) => {
  expect(await heardHalfway(await startGateServer(), path, type, body)).toMatch(heard);
});

test('streams of operations hear it, too', async () => {
  const server = await startGateServer();
  const transport = createGrpcTransport({ baseUrl: server.url });
  const watched: number[] = [];
  const watching = (async () => {
    for await (const { status } of createClient(Health, transport).watch({})) watched.push(status);
  })().catch(ConnectError.from);
  const asking = writable<MessageInitShape<typeof ServerReflection.method.serverReflectionInfo.input>>();
  let answers = 0;
  const reflecting = (async () => {
    for await (const _ of createClient(ServerReflection, transport).serverReflectionInfo(asking.messages)) answers += 1;
  })().catch(ConnectError.from);
  asking.write({ messageRequest: { case: 'listServices', value: '' } });
  await expect.poll(() => [watched.length, answers], { timeout: 60_000 }).toEqual([1, 1]);
  await server.close(1_500);
  for (const error of [await watching, await reflecting]) {
    expect(error).toMatchObject({ code: Code.Unavailable, rawMessage: expect.stringMatching(words) });
    expect((error as ConnectError).findDetails(ErrorInfoSchema)).toMatchObject([{ reason: 'SHUTTING_DOWN' }]);
  }
  // Whoever watches was told first, so that nobody sends it more.
  expect(watched).toEqual([1, 2]);
});

/** Messages that come when they are written, and do not end. */
function writable<T>() {
  const stream = new PassThrough({ objectMode: true });
  return { messages: stream as AsyncIterable<T>, write: (message: T) => void stream.write(message) };
}

test('what ends within the drain is answered', async () => {
  const server = await startGateServer({ also: [interopService().service] });
  const client = grpcClient(server.url);
  const unary = client.unary(InteropService.method.unaryCall, { sleepMs: 300, responseSize: 3 });
  await expect.poll(() => server.occupied(), { timeout: 60_000 }).toBe(1);
  await server.close(30_000);
  expect((await unary).message?.payload.length).toBe(3);
  client.close();
});
