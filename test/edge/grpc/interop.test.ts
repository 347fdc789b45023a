// gRPC's interop cases (grpc/doc/interop-test-descriptions.md) by the official package for Node, through the real
// listener: those whose methods take one message.
import { connect } from 'node:http2';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { InteropService } from '../../gen/intelligence/test/v1/interop_pb.ts';
import { type GateServer, startGateServer } from '../../support/gate-server.ts';
import { grpcClient } from '../../support/grpc.ts';
import { type Interop, interopService } from '../../support/interop-service.ts';

/** Says nothing for as long as any test waits. */
const silent = { responseSizes: [1], pauseMs: 600_000 };

const { emptyCall, unaryCall, streamingOutputCall } = InteropService.method;

let interop: Interop;
let server: GateServer;
let client: ReturnType<typeof grpcClient>;
beforeAll(async () => {
  interop = interopService();
  server = await startGateServer({ also: [interop.service] });
  client = grpcClient(server.url);
});
afterAll(async () => {
  client.close();
  await server.close(0);
});

test('empty_unary', async () => {
  const { error, message } = await client.unary(emptyCall, {});
  expect([error, message]).toEqual([undefined, expect.objectContaining({ $typeName: emptyCall.output.typeName })]);
});

test('large_unary', async () => {
  const { error, message } = await client.unary(unaryCall, {
    responseSize: 314_159,
    payload: new Uint8Array(271_828),
  });
  expect([error, message?.payload.length]).toEqual([undefined, 314_159]);
});

test('server_streaming', async () => {
  const responseSizes = [31_415, 9, 2_653, 58_979];
  const { error, messages } = await client.serverStream(streamingOutputCall, { responseSizes });
  expect([error, messages.map(({ payload }) => payload.length)]).toEqual([undefined, responseSizes]);
});

test('empty_stream', async () => {
  const { error, messages } = await client.serverStream(streamingOutputCall, {});
  expect([error, messages]).toEqual([undefined, []]);
});

test('cancel_after_begin', async () => {
  const { error, messages } = await client.serverStream(...([streamingOutputCall, silent, {}, undefined] as const), {
    onStart: (cancel) => setImmediate(cancel),
  });
  expect([error?.code, messages]).toEqual([1, []]);
  await expect.poll(() => server.occupied(), { timeout: 60_000 }).toBe(0);
});

test('cancel_after_first_response', async () => {
  const { error, messages } = await client.serverStream(
    ...([streamingOutputCall, { responseSizes: Array(1_000).fill(5), pauseMs: 20 }, {}] as const),
    (_message, cancel) => cancel(),
  );
  expect([error?.code, messages.length]).toEqual([1, 1]);
  await expect
    .poll(() => interop.aborted.at(-1), { timeout: 60_000 })
    .toMatchObject({ failure: { kind: 'cancelled' } });
  await expect.poll(() => server.occupied(), { timeout: 60_000 }).toBe(0);
});

test('timeout_on_sleeping_server', async () => {
  const late = await client.serverStream(...([streamingOutputCall, silent, {}, undefined] as const), {
    deadline: Date.now() + 200,
  });
  expect(late.error?.code).toBe(4);
  await expect.poll(() => server.occupied(), { timeout: 60_000 }).toBe(0);
});

test('the server itself ends what is late, also where the handler goes on', async () => {
  const body = Buffer.from([0, 0, 0, 0, 4, 0x20, 0xe0, 0xd4, 0x03]);
  const session = connect(server.url);
  const stream = session.request({
    ...{ ':method': 'POST', ':path': '/intelligence.test.v1.InteropService/UnaryCall' },
    ...{ 'content-type': 'application/grpc', 'grpc-timeout': '2S', te: 'trailers' },
  });
  const [headers] = await new Promise<[Record<string, unknown>]>((resolve) => {
    stream.once('response', (...args) => resolve(args as never));
    stream.end(body);
  });
  expect(headers).toMatchObject({
    'grpc-status': '4',
    'grpc-message': 'The deadline that the request set has passed.',
  });
  expect(interop.aborted.at(-1)).toMatchObject({ failure: { kind: 'deadline_exceeded' } });
  session.destroy();
});

test('status_code_and_message', async () => {
  const { error, reason } = await client.unary(unaryCall, { failWith: 'test status message' });
  expect([error?.code, error?.details, reason]).toEqual([9, 'test status message', 'PRECONDITION_FAILED']);
});

test('special_status_message', async () => {
  const said = '\t\ntest with whitespace\r\nand Unicode BMP ☺ and non-BMP 😈 100 %41\t\n';
  expect((await client.unary(unaryCall, { failWith: said })).error?.details).toBe(said);
});

test('unimplemented_method', async () => {
  const method = { ...emptyCall, name: 'UnimplementedCall' } as typeof emptyCall;
  expect((await client.unary(method, {})).error?.code).toBe(12);
});

test('unimplemented_service', async () => {
  const parent = { ...InteropService, typeName: 'intelligence.test.v1.UnimplementedService' } as typeof InteropService;
  const method = { ...emptyCall, name: 'UnimplementedCall', parent } as typeof emptyCall;
  expect((await client.unary(method, {})).error?.code).toBe(12);
});

test('custom_metadata', async () => {
  const bytes = Buffer.from([0xab, 0xab, 0xab, 0xff, 0]);
  const { error, headers } = await client.unary(...([unaryCall, { responseSize: 1 }] as const), {
    'x-grpc-test-echo-initial': 'test_initial_metadata_value',
    'x-grpc-test-echo-initial-bin': bytes,
  });
  expect(error).toBeUndefined();
  expect(headers.get('x-grpc-test-echo-initial')).toEqual(['test_initial_metadata_value']);
  expect(headers.get('x-grpc-test-echo-initial-bin')).toEqual([bytes]);
});
