import { ConnectError, createClient } from '@connectrpc/connect';
import { createConnectTransport, createGrpcTransport, createGrpcWebTransport } from '@connectrpc/connect-node';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { refusalOf } from '../../src/edge/failures.ts';
import { ErrorInfoSchema } from '../../src/gen/google/rpc/error_details_pb.ts';
import { GateService } from '../gen/intelligence/test/v1/gate_pb.ts';
import { type GateServer, goodToken, scopelessToken, startGateServer } from '../support/gate-server.ts';
import { failures, secretInFault } from '../support/gate-service.ts';
import { grpcClient } from '../support/grpc.ts';

let server: GateServer;
beforeAll(async () => {
  server = await startGateServer();
});
afterAll(() => server.close(0));

const transports = {
  'Connect over HTTP/1.1': (baseUrl: string) => createConnectTransport({ baseUrl, httpVersion: '1.1' }),
  'Connect JSON over HTTP/2': (baseUrl: string) =>
    createConnectTransport({ baseUrl, httpVersion: '2', useBinaryFormat: false }),
  gRPC: (baseUrl: string) => createGrpcTransport({ baseUrl }),
  'gRPC-Web over HTTP/1.1': (baseUrl: string) => createGrpcWebTransport({ baseUrl, httpVersion: '1.1' }),
};

describe.each(Object.entries(transports))('%s', (_, transportTo) => {
  const client = () => createClient(GateService, transportTo(server.url));
  const headers = { authorization: goodToken };

  test('answers a call, with its request id', async () => {
    let requestId: string | null = null;
    const reply = await client().say(
      { text: 'höi', number: 7, tags: ['a'] },
      {
        headers: { ...headers, 'x-request-id': 'my-id.1' },
        onHeader: (header) => {
          requestId = header.get('x-request-id');
        },
      },
    );
    expect(reply).toMatchObject({ text: 'höi', number: 7, tags: ['a'] });
    expect(requestId).toBe('my-id.1');
  });

  test('streams', async () => {
    const numbers: number[] = [];
    for await (const { number } of client().count({ to: 3 })) numbers.push(number);
    expect(numbers).toEqual([1, 2, 3]);
  });

  test('carries an error after streamed messages', async () => {
    const numbers: number[] = [];
    const counting = async () => {
      for await (const { number } of client().count({ to: 2, thenFail: 'rate_limited' })) numbers.push(number);
    };
    const error = await counting().catch(ConnectError.from);
    expect(numbers).toEqual([1, 2]);
    expect(error && reasonOf(error)).toBe('RATE_LIMITED');
  });

  test.each(Object.values(failures))('carries $kind with its code and details', async (failure) => {
    const error = await client().fail({ kind: failure.kind }).catch(ConnectError.from);
    const refusal = refusalOf(failure, { minimumTopUpUsd: '5.00' });
    expect(error).toBeInstanceOf(ConnectError);
    expect((error as ConnectError).code).toBe(refusal.code);
    expect(reasonOf(error as ConnectError)).toBe(refusal.reason);
  });

  test('a fault of the service says nothing of its inside', async () => {
    const error = await client().fail({ kind: '' }).catch(ConnectError.from);
    expect(JSON.stringify([error, (error as ConnectError).metadata, (error as ConnectError).rawMessage])).not.toContain(
      secretInFault,
    );
    expect(reasonOf(error as ConnectError)).toBe('INTERNAL');
    expect(server.logged()).toContain(secretInFault);
  });

  test('names each invalid field', async () => {
    const error = await client().say({ text: '', number: 1001 }, { headers }).catch(ConnectError.from);
    expect((error as ConnectError).rawMessage).toMatch(/^text: .*1 more/);
    expect(reasonOf(error as ConnectError)).toBe('INVALID_ARGUMENT');
  });

  test.each([
    ['no credential', undefined, 'CREDENTIAL_MISSING'],
    ['a wrong credential', 'Bearer nonsense', 'CREDENTIAL_INVALID'],
    ['a credential without the scope', scopelessToken, 'SCOPE_MISSING'],
  ])('refuses %s', async (_name, authorization, reason) => {
    const error = await client()
      .say({ text: 'x' }, authorization ? { headers: { authorization } } : {})
      .catch(ConnectError.from);
    expect(reasonOf(error as ConnectError)).toBe(reason);
  });
});

function reasonOf(error: ConnectError): string | undefined {
  return error.findDetails(ErrorInfoSchema)[0]?.reason;
}

describe('gRPC by @grpc/grpc-js', () => {
  test('answers, and carries details in grpc-status-details-bin', async () => {
    const client = grpcClient(server.url);
    const reply = await client.unary(GateService.method.say, { text: 'hi' }, { authorization: goodToken });
    expect(reply.message?.text).toBe('hi');
    const refused = await client.unary(GateService.method.say, { text: 'hi' });
    expect(refused.error?.code).toBe(16);
    expect(refused.reason).toBe('CREDENTIAL_MISSING');
    client.close();
  });

  test('an oversize message is refused as RESOURCE_EXHAUSTED', async () => {
    const client = grpcClient(server.url);
    const reply = await client.unary(
      GateService.method.say,
      { text: 'x'.repeat(1_200_000) },
      { authorization: goodToken },
    );
    expect(reply.error?.code).toBe(8);
    client.close();
  });

  test('an unknown method answers UNIMPLEMENTED', async () => {
    const client = grpcClient(server.url);
    const unknown = { ...GateService.method.greet, name: 'Nothing' } as typeof GateService.method.greet;
    const reply = await client.unary(unknown, {});
    expect(reply.error?.code).toBe(12);
    client.close();
  });

  test('a cancelled stream ends as CANCELLED, and the log says so', async () => {
    const client = grpcClient(server.url);
    const reply = await client.serverStream(GateService.method.count, { to: 100_000, pauseMs: 5 }, {}, (_m, cancel) =>
      cancel(),
    );
    expect(reply.error?.code).toBe(1);
    await expect.poll(() => server.logged()).toMatch(/GateService\/Count.*"outcome":"cancelled"/);
    client.close();
  });

  test('a deadline that passes answers DEADLINE_EXCEEDED', async () => {
    const client = grpcClient(server.url);
    const reply = await client.unary(GateService.method.greet, {}, {}, { deadline: Date.now() - 1 });
    expect(reply.error?.code).toBe(4);
    client.close();
  });
});

describe('a call’s place', () => {
  test('is given back when its message can’t be read, whatever the protocol', async () => {
    const path = `${server.url}/intelligence.test.v1.GateService/Say`;
    const bodies: [string, string | Uint8Array<ArrayBuffer>][] = [
      ['application/json', '{"text":'],
      ['application/proto', new Uint8Array([0xff, 0xff, 0xff])],
      ['application/grpc-web+proto', new Uint8Array([0, 0, 0, 0, 3, 0xff, 0xff, 0xff])],
      ['application/json', JSON.stringify({ text: 'x'.repeat(1_200_000) })],
    ];
    for (const [type, body] of bodies) {
      const response = await fetch(path, {
        method: 'POST',
        headers: { 'content-type': type, authorization: goodToken },
        body,
      });
      await response.arrayBuffer();
    }
    await fetch(`${server.url}/gate/say`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: goodToken },
      body: '{"text":',
    });
    await expect.poll(() => server.occupied()).toBe(0);
  });

  test('is given back when the caller goes away in the middle of a stream', async () => {
    const client = grpcClient(server.url);
    await client.serverStream(GateService.method.count, { to: 1_000, pauseMs: 5 }, {}, (_m, cancel) => cancel());
    client.close();
    await expect.poll(() => server.occupied()).toBe(0);
  });
});

test('a deadline longer than the service keeps is clamped, not refused', async () => {
  for (const [name, value] of [
    ['grpc-timeout', '99999999H'],
    ['connect-timeout-ms', '9999999999'],
  ] as const) {
    const response = await fetch(`${server.url}/intelligence.test.v1.GateService/Say`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: goodToken, [name]: value },
      body: '{"text":"x"}',
    });
    expect(response.status).toBe(200);
  }
});
