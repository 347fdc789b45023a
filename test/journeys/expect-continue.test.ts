import { connect as connectHttp2 } from 'node:http2';
import { connect } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Customer, onboard, startApp, type TestApp } from '../support/app.ts';
import { firstServer, useDatabase } from '../support/database.ts';

// RFC 9110, section 10.1.1: unauthorised callers are refused before the body is sent, on every lane of both versions of HTTP.

const database = useDatabase(firstServer());
let app: TestApp;
let customer: Customer;
beforeAll(async () => {
  app = await startApp({ databaseUrl: database().url });
  customer = await onboard(app);
});
afterAll(() => app.close());

const json = JSON.stringify({ displayName: 'one', purpose: 'a test' });
const frame = Buffer.alloc(5);
const rpc = '/intelligence.key.v1.KeyService/CreateKey';
const lanes: [string, string, string, string | Buffer][] = [
  ['REST', '/v1/keys', 'application/json', json],
  ['the OpenAI facade', '/v1/chat/completions', 'application/json', '{}'],
  ['Connect', rpc, 'application/json', json],
  ['gRPC-Web', rpc, 'application/grpc-web+proto', frame],
];

/** The statuses received, each from the line that starts an answer; the body is sent once 100 has arrived. */
function statusesOf(head: string, body: string | Buffer): Promise<number[]> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(app.url).port), '127.0.0.1', () => socket.write(head));
    let text = '';
    let sent = false;
    socket.on('data', (data) => {
      text += data.toString('latin1');
      if (!sent && text.startsWith('HTTP/1.1 100 ')) {
        sent = true;
        socket.write(body);
      }
    });
    socket.on('error', reject);
    socket.on('close', () => resolve([...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status))));
  });
}

test.each(lanes)('%s over HTTP/1.1', async (_name, path, type, body) => {
  const ask = (credential: string) =>
    statusesOf(
      `POST ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: ${type}\r\nContent-Length: ${body.length}\r\n` +
        `Authorization: Bearer ${credential}\r\nExpect: 100-continue\r\n\r\n`,
      body,
    );
  expect(await ask('ik_live_nothing')).toEqual([type.startsWith('application/grpc') ? 200 : 401]);
  const [first, second, ...more] = await ask(path.includes('chat') ? customer.apiKey : customer.managementKey);
  expect([first, second !== 401, more]).toEqual([100, true, []]);
});

test.each([...lanes, ['gRPC', rpc, 'application/grpc', frame] as const])('%s over HTTP/2', async (...lane) => {
  const [, path, type, body] = lane;
  const session = connectHttp2(app.url);
  const ask = (credential: string) =>
    new Promise<string[]>((resolve, reject) => {
      const heard: string[] = [];
      const stream = session.request({
        ...{ ':method': 'POST', ':path': path, 'content-type': type, te: 'trailers', expect: '100-continue' },
        authorization: `Bearer ${credential}`,
      });
      stream.on('continue', () => {
        heard.push('continue');
        stream.end(body);
      });
      stream.on('response', (headers) => {
        heard.push(String(headers[':status']));
        stream.resume().end();
      });
      stream.on('error', reject);
      stream.on('close', () => resolve(heard));
    });
  expect(await ask('ik_live_nothing')).toEqual([type.startsWith('application/grpc') ? '200' : '401']);
  const heard = await ask(path.includes('chat') ? customer.apiKey : customer.managementKey);
  expect(heard[0]).toBe('continue');
  expect(heard).toHaveLength(2);
  session.close();
});

test.each(['Host: x', 'Host: y', 'hOsT: x'])('a second "%s" is refused', async (second) => {
  expect(await statusesOf(`GET /healthz HTTP/1.1\r\nHost: x\r\n${second}\r\n\r\n`, '')).toEqual([400]);
});
