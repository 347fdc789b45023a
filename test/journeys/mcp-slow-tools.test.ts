import { Client as ModernClient, StreamableHTTPClientTransport as ModernTransport } from '@modelcontextprotocol/client';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Customer, onboard, send, startApp, type TestApp } from '../support/app.ts';
import { firstServer, useDatabase } from '../support/database.ts';
import { completion, startUpstream, type Upstream } from '../support/upstream.ts';

// Tools with a slow model: what keeps the connection open, and what happens to a call that nobody waits for any more.

const database = useDatabase(firstServer());
let app: TestApp;
let upstream: Upstream;
let customer: Customer;
/** The model answers when this is resolved. */
let said: PromiseWithResolvers<void>;
let asked: PromiseWithResolvers<void>;

// The tool's own price, and a useless answer from the model, twice: 10 tokens in and 5 out each, at 1 and 2 USD per million.
const cost = '0.00204';
const costOfOneCall = '0.00202';
const tool = { name: 'check_risk', arguments: { text: 'Guaranteed returns. Pay a deposit by wire today.' } };

beforeAll(async () => {
  upstream = await startUpstream();
  upstream.answer(async () => {
    asked.resolve();
    await said.promise;
    return { body: completion('{}', { prompt_tokens: 10, completion_tokens: 5 }) };
  });
  app = await startApp({
    databaseUrl: database().url,
    settings: `
chat: { keepAliveSeconds: 1 }
limits: { concurrent: 2 }
providers: [{ id: up, kind: openai-compatible, baseUrl: "${upstream.url}/v1" }]
models: [{ id: m, provider: up, quality: 50, contextTokens: 100000, capabilities: [json], price: { inputPerMillionUsd: "1", outputPerMillionUsd: "2" } }]`,
  });
});
afterAll(async () => {
  said.resolve();
  await app.close();
  await upstream.close();
});
beforeEach(async () => {
  said = Promise.withResolvers();
  asked = Promise.withResolvers();
  upstream.seen.length = 0;
  customer = await onboard(app);
});

/** A client of either generation, which runs the tool until the signal cancels it. What it sends and receives is recorded in `heard`. */
async function client(
  year: '2025' | '2026',
  heard: { sent: string[]; replies: Response[] } = { sent: [], replies: [] },
) {
  const options = {
    requestInit: { headers: { authorization: `Bearer ${customer.apiKey}` } },
    fetch: async (url: string | URL, init?: RequestInit) => {
      heard.sent.push(String(init?.body));
      const response = await fetch(url, init);
      if (String(init?.body).includes('tools/call')) heard.replies.push(response.clone());
      return response;
    },
  };
  const url = new URL('/mcp', app.url);
  if (year === '2026') {
    const modern = new ModernClient({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'auto' } });
    await modern.connect(new ModernTransport(url, options));
    return { run: (signal?: AbortSignal) => modern.callTool(tool, signal && { signal }), close: () => modern.close() };
  }
  const old = new Client({ name: 'test', version: '1' });
  await old.connect(new StreamableHTTPClientTransport(url, options) as never);
  return {
    run: (signal?: AbortSignal) => old.callTool(tool, undefined, signal && { signal }),
    close: () => old.close(),
  };
}

const charges = async () => (await send(app, 'GET', '/v1/charges', customer.managementKey)).body.charges;
const settled = (chargedUsd = cost) =>
  expect.poll(charges, { timeout: 30_000 }).toMatchObject([{ state: 'settled', chargedUsd }]);
const logged = (outcome: string) =>
  app
    .logged()
    .split('\n')
    .filter((line) => line.includes('CheckRisk') && line.includes(`"outcome":"${outcome}"`)).length;

describe.each(['2025', '2026'] as const)('a client of %s', (year) => {
  test('hears that a slow tool is at work, and then its result', async () => {
    const heard = { sent: [], replies: [] as Response[] };
    const { run, close } = await client(year, heard);
    const succeeded = logged('ok');
    const running = run();
    await asked.promise;
    // The head comes with the first comment.
    await expect.poll(() => heard.replies.length, { timeout: 30_000 }).toBeGreaterThan(0);
    await expect.poll(() => heard.replies.at(-1)?.headers.get('content-type')).toContain('text/event-stream');
    const wire = heard.replies.at(-1) as Response;
    expect(logged('ok')).toBe(succeeded);
    said.resolve();
    expect((await running).structuredContent).toMatchObject({ usage: { costUsd: cost } });
    expect(await wire.text()).toMatch(/^: keep-alive\n\n/);
    expect(logged('ok')).toBe(succeeded + 1);
    await settled();
    await close();
  });

  test('who cancels a call gets no result, and pays once for what the model was asked for', async () => {
    const heard = { sent: [] as string[], replies: [] };
    const { run, close } = await client(year, heard);
    const leaving = new AbortController();
    const running = run(leaving.signal);
    await asked.promise;
    leaving.abort('enough');
    await expect(running).rejects.toThrow('enough');
    // Clients of 2025 say so in a separate message, which cannot tell whose call it means; those of 2026 close the connection.
    expect(heard.sent.some((message) => message.includes('notifications/cancelled'))).toBe(year === '2025');
    if (year === '2026') await expect.poll(() => logged('cancelled')).toBeGreaterThan(0);
    said.resolve();
    // The model's answer is not what was asked for, and the model is not asked to correct it for a caller who is known to have left.
    await settled(year === '2026' ? costOfOneCall : cost);
    await close();
  });
});

test.each(['/mcp', '/v1/risk/check'])(
  'a call of %s that is left keeps its place while its model is at work',
  async (path) => {
    const body = path === '/mcp' ? { jsonrpc: '2.0', id: 1, method: 'tools/call', params: tool } : tool.arguments;
    const headers = {
      authorization: `Bearer ${customer.apiKey}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    };
    const call = (signal?: AbortSignal) =>
      fetch(`${app.url}${path}`, { method: 'POST', headers, body: JSON.stringify(body), ...(signal && { signal }) });
    const cancelled = logged('cancelled');
    for (let calls = 1; calls <= 2; calls++) {
      const leaving = new AbortController();
      const left = call(leaving.signal);
      await expect.poll(() => upstream.seen.length, { timeout: 30_000 }).toBe(calls);
      leaving.abort();
      await expect(left).rejects.toThrow();
    }
    await expect.poll(() => logged('cancelled')).toBe(cancelled + 2);
    expect((await call()).status).toBe(429);
    said.resolve();
    await expect.poll(async () => (await call()).status, { timeout: 30_000 }).toBe(200);
  },
);
