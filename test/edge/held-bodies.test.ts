import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect as connectHttp2 } from 'node:http2';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { create, toBinary } from '@bufbuild/protobuf';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ChatRequestSchema } from '../../src/gen/intelligence/chat/v1/chat_service_pb.ts';
import { CreateKeyRequestSchema } from '../../src/gen/intelligence/key/v1/key_service_pb.ts';
import { type Customer, onboard, send, startApp, type TestApp } from '../support/app.ts';
import { eachServer, useDatabase } from '../support/database.ts';
import { framed, rawClient } from './grpc/raw-call.ts';

const longerThanHeadersMs = 200;

eachServer((server) => {
  const database = useDatabase(server);
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp({ databaseUrl: database().url });
  });
  afterAll(() => app.close());

  /** A request whose headers are there and whose body is held back. Returns what ends it and gives its answer. */
  type Hold = (credential: string) => Promise<() => Promise<string>>;

  function overHttp1(path: string, accept = '*/*'): Hold {
    return async (credential) => {
      const body = JSON.stringify({ displayName: 'late', purpose: 'a test' });
      const { hostname, port } = new URL(app.url);
      const socket = connect(Number(port), hostname);
      let answer = '';
      socket.on('data', (piece) => (answer += String(piece)));
      const ended = once(socket, 'close');
      socket.write(
        `POST ${path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${credential}\r\ncontent-type: application/json\r\n` +
          `accept: ${accept}\r\nconnection: close\r\ncontent-length: ${body.length}\r\n\r\n${body.slice(0, 1)}`,
      );
      await sleep(longerThanHeadersMs);
      return async () => {
        socket.write(body.slice(1));
        await ended;
        return answer;
      };
    };
  }

  const overGrpc: Hold = async (credential) => {
    const session = connectHttp2(app.url);
    const message = framed(
      toBinary(CreateKeyRequestSchema, create(CreateKeyRequestSchema, { displayName: 'late', purpose: 'a test' })),
    );
    const stream = session.request({
      ...{ ':method': 'POST', ':path': '/intelligence.key.v1.KeyService/CreateKey', te: 'trailers' },
      ...{ 'content-type': 'application/grpc', authorization: `Bearer ${credential}` },
    });
    let answer = '';
    stream.on('response', (headers) => (answer += JSON.stringify(headers)));
    stream.on('trailers', (trailers) => (answer += JSON.stringify(trailers)));
    stream.on('data', (piece) => (answer += String(piece)));
    stream.write(message.subarray(0, 1));
    await sleep(longerThanHeadersMs);
    return async () => {
      stream.end(message.subarray(1));
      await once(stream, 'close');
      session.close();
      return answer;
    };
  };

  const lanes: Record<string, () => Hold> = {
    REST: () => overHttp1('/v1/keys'),
    Connect: () => overHttp1('/intelligence.key.v1.KeyService/CreateKey'),
    gRPC: () => overGrpc,
  };
  const changes: Record<string, { refusal: RegExp; change(customer: Customer): Promise<unknown> }> = {
    'the key was rotated': {
      refusal: /credential|rotat|revoked/i,
      change: async ({ managementKey }) => {
        const { body } = await send(app, 'GET', '/v1/keys', managementKey);
        const { keyId } = body.keys.find(({ kind }: { kind: string }) => kind === 'management');
        const rotated = await send(app, 'POST', `/v1/keys/${keyId}:rotate`, managementKey, {});
        expect(rotated.status, rotated.text).toBe(200);
      },
    },
    'the account was suspended': {
      refusal: /suspended/i,
      change: async ({ accountId }) => {
        const path = `/v1/accounts/${accountId}:suspend`;
        const suspended = await send(app, 'POST', path, app.operatorToken, { reason: 'a test' });
        expect(suspended.status, suspended.text).toBe(200);
      },
    },
  };
  const cases = Object.keys(lanes).flatMap((lane) => Object.keys(changes).map((change) => [lane, change] as const));

  test.each(cases)('over %s, a body that ends after %s is refused', async (lane, name) => {
    const customer = await onboard(app);
    const finish = await lanes[lane]?.()(customer.managementKey);
    await changes[name]?.change(customer);
    const answer = (await finish?.()) ?? '';
    expect(answer).toMatch(changes[name]?.refusal ?? /^$/);
    expect(answer).not.toMatch(/ik_live_/);
  });

  test.each(Object.keys(lanes))('over %s, a body that was held back is served if nothing changed', async (lane) => {
    const { managementKey } = await onboard(app);
    const finish = await lanes[lane]?.()(managementKey);
    expect(await finish?.()).toMatch(/ik_live_/);
  });

  test('long messages whose caller leaves while they are opened take no room', async () => {
    const { apiKey } = await onboard(app);
    // Opens to some fifty times its size; more than a hundred times is refused.
    const piece = () => 'x'.repeat(504) + randomBytes(4).toString('hex');
    const content = Array.from({ length: 36 * 1_024 }, piece).join('');
    const chat = create(ChatRequestSchema, { messages: [{ role: 'user', content }] });
    const message = framed(gzipSync(toBinary(ChatRequestSchema, chat)), 1);
    const client = rawClient(app.url);
    const headers = {
      ...{ ':path': '/intelligence.chat.v1.ChatService/Chat', 'grpc-encoding': 'gzip' },
      authorization: `Bearer ${apiKey}`,
    };
    // Whether they are being opened when their caller leaves is up to the machine, so that it leaves at several moments.
    for (const waitMs of [0, 5, 10, 20, 40]) {
      const streams = Array.from({ length: 6 }, () => client.open(headers));
      const closed = streams.map((stream) => once(stream, 'close'));
      for (const stream of streams) stream.end(message);
      await client.pinged();
      await sleep(waitMs);
      for (const stream of streams) stream.close(8);
      await Promise.all(closed);
    }
    // What was begun before is opened before these are.
    for (let time = 0; time < 4; time++) await client.call([message], headers);
    const { message: answer } = await client.call([message], headers);
    expect(answer).toContain('must have at most 4194304 bytes');
    client.close();
  });
});
