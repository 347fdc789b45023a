import { Client as ModernClient, StreamableHTTPClientTransport as ModernTransport } from '@modelcontextprotocol/client';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Customer, onboard, send, startApp, type TestApp } from '../support/app.ts';
import { firstServer, useDatabase } from '../support/database.ts';

const database = useDatabase(firstServer());
let app: TestApp;
let customer: Customer;
beforeAll(async () => {
  // A fast machine sends more in a second than a minute's burst.
  app = await startApp({ databaseUrl: database().url, settings: 'limits: { requestsPerMinute: 100000 }' });
  customer = await onboard(app);
});
afterAll(() => app.close());

interface Connected {
  client: Pick<Client, 'listTools' | 'callTool' | 'close' | 'getInstructions'>;
  headers: Headers[];
}

/** Clients of both generations: those that start with a handshake, and those whose requests are independent. */
const generations = {
  '2025': (url: URL, options: { requestInit: RequestInit; fetch: typeof fetch }) => {
    const client = new Client({ name: 'test', version: '1' });
    return { client, connected: client.connect(new StreamableHTTPClientTransport(url, options) as never) };
  },
  '2026': (url: URL, options: { requestInit: RequestInit; fetch: typeof fetch }) => {
    const client = new ModernClient({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'auto' } });
    return { client: client as unknown as Client, connected: client.connect(new ModernTransport(url, options)) };
  },
};

async function connect(generation: keyof typeof generations, key = customer.apiKey): Promise<Connected> {
  const headers: Headers[] = [];
  const { client, connected } = generations[generation](new URL('/mcp', app.url), {
    requestInit: { headers: { authorization: `Bearer ${key}` } },
    fetch: async (...args) => {
      const response = await fetch(...args);
      headers.push(response.headers);
      return response;
    },
  });
  await connected;
  return { client, headers };
}

const balance = async (): Promise<string> =>
  (await send(app, 'GET', '/v1/wallet', customer.managementKey)).body.wallet.balanceUsd;

test.each(['2025', '2026'] as const)('a client of %s lists the tools with their prices and runs them', async (year) => {
  const { client, headers } = await connect(year);
  const { tools } = await client.listTools();
  const names = tools.map(({ name }) => name);
  expect(names).toContain('check_risk');
  expect(names).toContain('get_journey_report');
  // Reviewing is for people.
  expect(names.filter((name) => /approve|reject|delete/.test(name))).toEqual([]);
  const risk = tools.find(({ name }) => name === 'check_risk');
  expect(risk?.description).toContain('Costs 0.002 USD a call');
  expect(risk?._meta).toMatchObject({ 'intelligence/price': { usd: '0.002', unit: 'request' } });
  expect(risk?.inputSchema).toMatchObject({ type: 'object', properties: { text: { type: 'string' } } });

  const before = await balance();
  // The client validates the reply against the tool's output schema.
  const result = await client.callTool({
    name: 'check_risk',
    arguments: { text: 'Guaranteed returns. Pay a deposit by wire today.', assist: 'off' },
  });
  expect(result.isError).toBeFalsy();
  expect(result.structuredContent).toMatchObject({ usage: { costUsd: '0.002' } });
  const [content] = result.content as { type: string; text: string }[];
  expect(JSON.parse(content?.text ?? '')).toEqual(result.structuredContent);
  expect(headers.at(-1)?.get('x-charge-usd')).toBe('0.002');
  expect(Number(before) - Number(await balance())).toBeCloseTo(0.002, 9);

  // Free ones leave no charge.
  const prices = await client.callTool({ name: 'list_prices', arguments: {} });
  expect(prices.structuredContent).toMatchObject({ prices: expect.arrayContaining([]) });
  expect(headers.at(-1)?.get('x-charge-usd')).toBeNull();
  await client.close();
});

test.each(['2025', '2026'] as const)("what is wrong with a tool's input is for the model to read: %s", async (year) => {
  const { client } = await connect(year);
  const before = await balance();
  const wrong = await client.callTool({ name: 'check_risk', arguments: { txt: 'Hello' } });
  expect(wrong.isError).toBe(true);
  const { error } = JSON.parse((wrong.content as { text: string }[])[0]?.text ?? '');
  expect(error).toMatchObject({ status: 'INVALID_ARGUMENT', message: expect.stringContaining('txt') });
  const empty = await client.callTool({ name: 'check_risk', arguments: {} });
  expect(empty.isError).toBe(true);
  await expect(client.callTool({ name: 'no_such_tool', arguments: {} })).rejects.toThrow(/no tool "no_such_tool"/);
  expect(await balance()).toBe(before);
  await client.close();
});

test('what a tool always answers its schema requires, and each reply has it', async () => {
  const { client } = await connect('2026');
  const { tools } = await client.listTools();
  const required = (name: string) => tools.find((tool) => tool.name === name)?.outputSchema?.required;
  expect(required('check_risk')).toEqual(expect.arrayContaining(['riskLevel', 'basis', 'usage', 'balanceUsd']));
  expect(required('list_prices')).toEqual(['prices']);
  // The client validates each reply against the schema, nested ones as well.
  const calls: Record<string, object> = {
    check_risk: { text: 'Guaranteed returns. Pay by wire today.', assist: 'off' },
    score_listing: { listing: { title: 'Bike', description: 'Blue.' }, assist: 'off' },
    estimate_workflow: { risk: { text: 'Hi', assist: 'off' } },
    record_events: {
      events: [
        { id: 'e', journey: 'j', step: 's', kind: 'entered', sessionId: 'x', occurredAt: new Date().toISOString() },
      ],
    },
    get_journey_report: { journey: 'j' },
    list_journeys: {},
    list_drafts: {},
    list_packs: {},
    list_prices: {},
  };
  for (const [name, arguments_] of Object.entries(calls)) {
    const { isError, content } = await client.callTool({ name, arguments: arguments_ as Record<string, unknown> });
    expect([name, isError ? content : undefined]).toEqual([name, undefined]);
  }
  await client.close();
});

test.each<[string, Record<string, unknown>, string]>([
  ['a field that is not known', { txt: 'Hello' }, 'txt: is not a known field'],
  ['a field of another type', { text: 5 }, 'text: must be a string'],
  ['a place in a list', { text: 'Hi', requiredFacts: [{}, 7] }, 'requiredFacts[1]: must be an object'],
  ['what is required', {}, 'text: '],
])('wrong input is said by its field, as the model wrote no lines: %s', async (_, arguments_, message) => {
  const { body } = await post({ method: 'tools/call', params: { name: 'check_risk', arguments: arguments_ } });
  expect(body.result.isError).toBe(true);
  const { error } = JSON.parse(body.result.content[0].text);
  expect(error.message).toContain(message);
  expect(error.message).not.toMatch(/\bline\b|\bcolumn\b/);
});

test('one idempotency key pays once, also when REST sent the request first', async () => {
  const arguments_ = { text: 'Send a gift card code to claim the prize.', assist: 'off' };
  const key = { 'idempotency-key': 'mcp-once' };
  const first = await send(app, 'POST', '/v1/risk/check', customer.apiKey, arguments_, key);
  const before = await balance();
  const again = await post({ method: 'tools/call', params: { name: 'check_risk', arguments: arguments_ } }, key);
  expect(again.body.result.structuredContent.chargeId).toBe(first.body.chargeId);
  expect(await balance()).toBe(before);
});

test('at 0 USD a tool says that credit is needed, and a top-up resumes it', async () => {
  const poor = await onboard(app, '0');
  const { client } = await connect('2025', poor.apiKey);
  expect((await client.listTools()).tools.length).toBeGreaterThan(10);
  const call = () => client.callTool({ name: 'check_risk', arguments: { text: 'Hello there.', assist: 'off' } });
  const paused = await call();
  expect(paused.isError).toBe(true);
  expect(JSON.stringify(paused.content)).toContain('INSUFFICIENT_CREDIT');
  await send(app, 'POST', '/v1/wallet/top-ups', poor.managementKey, { amountUsd: '5.00' });
  expect((await call()).isError).toBeFalsy();
  await client.close();
});

test('who shows no valid key is told where to get one', async () => {
  const none = await post({ method: 'tools/list' }, { authorization: '' });
  expect(none.status).toBe(401);
  const challenge = none.headers.get('www-authenticate') ?? '';
  expect(challenge).toMatch(/^Bearer resource_metadata="http/);
  const wrong = await post({ method: 'tools/list' }, { authorization: `Bearer ik_live_${'x'.repeat(43)}` });
  expect(wrong.status).toBe(401);
  expect(wrong.headers.get('www-authenticate')).toMatch(/^Bearer error="invalid_token", resource_metadata="/);
  expect(wrong.body).toMatchObject({ jsonrpc: '2.0', id: null, error: { code: -32000, message: expect.any(String) } });

  const [, metadataUrl = ''] = /resource_metadata="([^"]+)"/.exec(challenge) ?? [];
  const metadata = (await (await fetch(metadataUrl)).json()) as { resource: string; authorization_servers: string[] };
  expect(metadata.resource).toBe(`${app.url}/mcp`);
  const server = await fetch(`${metadata.authorization_servers[0]}/.well-known/oauth-authorization-server`);
  expect(await server.json()).toMatchObject({ issuer: metadata.authorization_servers[0] });
});

test('an access token runs the tools of its scopes and no others', async () => {
  const made = await send(app, 'POST', '/v1/tokens', customer.apiKey, { subject: 'user-1', scopes: ['chat'] });
  expect(made.status).toBe(200);
  const refused = await post(
    { method: 'tools/call', params: { name: 'check_risk', arguments: { text: 'Hi', assist: 'off' } } },
    { authorization: `Bearer ${made.body.accessToken}` },
  );
  expect(refused.status).toBe(403);
  expect(refused.body.error.data).toMatchObject({ status: 'PERMISSION_DENIED' });
});

test('calls that the protocol refuses give their place back', async () => {
  // More than the account's concurrent requests.
  const call = { method: 'tools/call', params: { name: 'list_packs', arguments: {} } };
  for (let round = 0; round < 24; round++) {
    expect((await post(JSON.stringify({ jsonrpc: '2.0', ...call }))).status).toBe(202);
    expect((await post(call, { accept: 'application/json' })).status).toBe(406);
    expect((await post({ ...call, params: { ...call.params, arguments: 'x' } })).body.error.code).toBe(-32602);
  }
  expect((await post(call)).body.result.isError).toBeFalsy();
});

test('messages that are none are refused with the reason', async () => {
  expect((await post('{"jsonrpc":')).body.error).toMatchObject({ message: expect.stringContaining('JSON') });
  const batch = await post([{ method: 'ping' }, { method: 'ping' }]);
  expect(batch.status).toBe(400);
  expect(batch.body.error.message).toContain('batches');
  expect((await post({ method: 'subscriptions/listen', params: {} })).status).toBe(501);
  expect((await post({ method: 'nothing/such' })).body.error.code).toBe(-32601);
  const got = await fetch(`${app.url}/mcp`, { headers: { authorization: `Bearer ${customer.apiKey}` } });
  expect([got.status, got.headers.get('allow')]).toEqual([405, 'POST']);
});

/** A hand-written message, in the revision without sessions. */
async function post(message: unknown, headers: Record<string, string> = {}) {
  const [head] = Array.isArray(message) ? message : [message];
  const whole = typeof message === 'string' ? message : JSON.stringify(complete(message));
  const response = await fetch(`${app.url}/mcp`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      authorization: `Bearer ${customer.apiKey}`,
      'mcp-protocol-version': '2025-11-25',
      ...headers,
    },
    body: whole,
  });
  const text = await response.text();
  // An event stream of one message, or the message.
  const [, data = text] = /^data: (.*)$/m.exec(text) ?? [];
  return { status: response.status, headers: response.headers, head, body: data === '' ? undefined : JSON.parse(data) };
}

function complete(message: unknown): unknown {
  if (Array.isArray(message)) return message.map(complete);
  return { jsonrpc: '2.0', id: 1, ...(message as object) };
}

test('beside the arguments of a tool a message is small, and what is wrong with it is said in few bytes', async () => {
  const wide = Object.fromEntries(Array.from({ length: 1_001 }, (_, index) => [`k${index}`, index]));
  const clientInfo = { name: 'test', version: '1' };
  const messages = [
    { method: 'tools/list', params: { _meta: wide } },
    {
      method: 'initialize',
      params: { protocolVersion: '2025-06-18', capabilities: { experimental: wide }, clientInfo },
    },
    { method: 'tools/call', params: { name: 'check_risk', arguments: {}, _meta: { deep: [wide] } } },
  ];
  for (const message of messages) {
    const refused = await send(app, 'POST', '/mcp', customer.apiKey, { jsonrpc: '2.0', id: 1, ...message });
    expect(refused.status).toBe(400);
    expect(refused.body.error.data.message).toContain('more than 1000 names and values beside the arguments');
  }
  // A tool's arguments may be larger, and its own limits report what is wrong with them.
  const { client } = await connect('2026');
  const { content } = await client.callTool({ name: 'check_risk', arguments: { text: 'Hi', metadata: wide } });
  await client.close();
  expect((content as { text: string }[])[0]?.text).toContain('metadata');
});
