import { create, toBinary } from '@bufbuild/protobuf';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  ChatRequestSchema,
  ChatService,
  StreamChatRequestSchema,
} from '../../src/gen/intelligence/chat/v1/chat_service_pb.ts';
import { type Customer, onboard, send, startApp, type TestApp } from '../support/app.ts';
import { firstServer, useDatabase } from '../support/database.ts';
import { grpcClient } from '../support/grpc.ts';

const database = useDatabase(firstServer());
let app: TestApp;
beforeAll(async () => {
  app = await startApp({ databaseUrl: database().url });
});
afterAll(() => app.close());

const messages = [{ role: 'user', content: 'Which plan fits a small shop? The Basic plan fits small shops.' }];
const event = () => ({
  ...{ id: 'one', journey: 'publish', step: 'photos', kind: 'entered', sessionId: 's' },
  occurredAt: new Date().toISOString(),
});

type Ask = (credential: string) => Promise<string>;

/** Headers and body of a reply as received, with any base64 in them also decoded: error details are in it. */
function everythingIn(headers: string, body: Buffer): string {
  const text = `${headers}\n${body.toString('latin1')}`;
  const encoded = text.match(/[A-Za-z0-9+/_-]{16,}={0,2}/g) ?? [];
  return [text, ...encoded.map((piece) => Buffer.from(piece, 'base64').toString('latin1'))].join('\n');
}

async function raw(path: string, credential: string, contentType: string, body: string | Buffer, accept = '*/*') {
  const response = await fetch(`${app.url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${credential}`, 'content-type': contentType, accept },
    body: typeof body === 'string' ? body : new Uint8Array(body),
  });
  const headers = [...response.headers].map(([name, value]) => `${name}: ${value}`).join('\n');
  return everythingIn(headers, Buffer.from(await response.arrayBuffer()));
}

const json =
  (path: string, body: object, accept?: string): Ask =>
  (credential) =>
    raw(path, credential, 'application/json', JSON.stringify(body), accept);

function framed(message: Uint8Array): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt32BE(message.length, 1);
  return Buffer.concat([head, message]);
}

async function overGrpc(credential: string, isStream: boolean): Promise<string> {
  const client = grpcClient(app.url);
  try {
    const headers = { authorization: `Bearer ${credential}` };
    const reply = isStream
      ? await client.serverStream(ChatService.method.streamChat, { messages }, headers)
      : await client.unary(ChatService.method.chat, { messages }, headers);
    const all = [reply.headers.getMap(), reply.message, reply.messages, reply.error?.metadata.getMap()];
    const details = reply.error?.metadata.get('grpc-status-details-bin')[0] ?? '';
    const text = JSON.stringify([all, reply.error?.details], (_, value) =>
      typeof value === 'bigint' ? String(value) : value,
    );
    return everythingIn(text, Buffer.from(details));
  } finally {
    client.close();
  }
}

const chatBytes = () => framed(toBinary(ChatRequestSchema, create(ChatRequestSchema, { messages })));
const streamBytes = () => framed(toBinary(StreamChatRequestSchema, create(StreamChatRequestSchema, { messages })));
const chatPath = '/intelligence.chat.v1.ChatService';
const openAi = { model: 'auto', messages };

/** The only one that has no place for the remaining balance. */
const silent = 'OpenAI’s streamed chat';

/** Every lane that charges, with a protocol that can carry the remaining balance. */
const lanes: Record<string, Ask> = {
  'chat, REST': json('/api/v1/assistant/chat', { messages }),
  'chat, server-sent events': json('/api/v1/assistant/chat', { messages }, 'text/event-stream'),
  'chat, NDJSON': json('/api/v1/assistant/chat', { messages }, 'application/x-ndjson'),
  'chat, gRPC': (credential) => overGrpc(credential, false),
  'streamed chat, gRPC': (credential) => overGrpc(credential, true),
  'chat, Connect': json(`${chatPath}/Chat`, { messages }),
  'chat, gRPC-Web': (credential) => raw(`${chatPath}/Chat`, credential, 'application/grpc-web+proto', chatBytes()),
  'streamed chat, gRPC-Web': (credential) =>
    raw(`${chatPath}/StreamChat`, credential, 'application/grpc-web+proto', streamBytes()),
  'OpenAI’s chat': json('/v1/chat/completions', openAi),
  [silent]: json('/v1/chat/completions', {
    ...{ ...openAi, stream: true },
    stream_options: { include_usage: true },
  }),
  readiness: json('/v1/readiness/listing', { listing: { title: 'Oak table' } }),
  guidance: json('/v1/guidance/profile-check', { template: 'person', values: { fullName: 'Ana' } }),
  risk: json('/v1/risk/check', { text: 'Guaranteed profit.' }),
  draft: json('/v1/draft/document', { purpose: 'a letter', facts: [{ name: 'buyer', value: 'Ana' }] }),
  'a workflow of the account’s own': json('/v1/workflows/acme/echo', { a: 1 }),
  'events, REST': json('/v1/pulse/events', { events: [event()] }),
};

async function open(topUpUsd: string): Promise<Customer> {
  const customer = await onboard(app, topUpUsd);
  const definition = {
    ...{ client: 'acme', workflow: 'echo', inputSchema: {}, outputSchema: {} },
    fields: [{ name: 'a', expression: 'input.a' }],
  };
  const made = await send(app, 'POST', '/v1/workflow-definitions', customer.managementKey, { definition });
  expect(made.status, made.text).toBe(200);
  return customer;
}

async function tokenOf(customer: Customer, wish: object = {}): Promise<string> {
  const made = await send(app, 'POST', '/v1/tokens', customer.apiKey, { subject: 'ana', ...wish });
  expect(made.status, made.text).toBe(200);
  return made.body.accessToken;
}

describe.each(Object.entries(lanes))('%s', (name, ask) => {
  test('tells a key the balance of the account, and an end user without a cap nothing of it', async () => {
    const customer = await open('777.00');
    const balance = /77[67]\.\d/;
    const told = await ask(customer.apiKey);
    if (name !== silent) expect(told).toMatch(balance);
    const heard = await ask(await tokenOf(customer));
    // It was answered and charged.
    expect(heard).toMatch(/chg_|"usage":\{/);
    expect(heard).not.toMatch(balance);
    expect(heard).not.toMatch(/x-balance-usd: ./i);
  });

  test('tells an end user with a cap what is left of it', async () => {
    const customer = await open('777.00');
    const heard = await ask(await tokenOf(customer, { spendingCapUsd: '3.33' }));
    if (name !== silent) expect(heard).toMatch(/3\.3[23]/);
    expect(heard).not.toMatch(/77[67]\.\d/);
  });

  test('tells an end user that the account has too little credit, and nothing of how much', async () => {
    const customer = await open('5.00');
    await send(
      app,
      'POST',
      `/v1/accounts/${customer.accountId}/adjustments`,
      app.operatorToken,
      { direction: 'take', amountUsd: '4.999999993', reason: 'test' },
      { 'idempotency-key': 'drain' },
    );
    const left = /0\.000000007|minimumTopUp/;
    const refusedKey = await ask(customer.apiKey);
    expect(refusedKey).toMatch(left);
    const refused = await ask(await tokenOf(customer));
    expect(refused).toMatch(/INSUFFICIENT_CREDIT|insufficient_quota/);
    expect(refused).not.toMatch(left);
    expect(refused).not.toMatch(/balanceUsd"?: ?"?\d|heldUsd/);
  });

  test('tells an end user that its key’s cap is reached, and nothing of the cap', async () => {
    const customer = await open('777.00');
    const path = `/v1/keys/${customer.keyId}`;
    await send(app, 'PATCH', path, customer.managementKey, { spendingCapUsd: '0.000000123' });
    const cap = /0\.000000123|limitUsd|spentUsd/;
    expect(await ask(customer.apiKey)).toMatch(cap);
    const refused = await ask(await tokenOf(customer));
    expect(refused).toMatch(/SPENDING_CAP_REACHED|insufficient_quota/);
    expect(refused).not.toMatch(cap);
    expect(refused).not.toMatch(/77[67]\.\d/);
  });
});
