import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ChatService } from '../../src/gen/intelligence/chat/v1/chat_service_pb.ts';
import { type Answer, type Customer, onboard, send, startApp, type TestApp } from '../support/app.ts';
import { firstServer, useDatabase } from '../support/database.ts';
import { grpcClient } from '../support/grpc.ts';

// Names that callers chose come back in errors as they wrote them, and never at any length.

const database = useDatabase(firstServer());
let app: TestApp;
let customer: Customer;
beforeAll(async () => {
  app = await startApp({
    databaseUrl: database().url,
    settings: `
providers: [{ id: up, kind: openai-compatible, baseUrl: "http://127.0.0.1:1/v1" }]
models:
  - { id: m, provider: up, quality: 50, contextTokens: 2000000, capabilities: [json], price: { inputPerMillionUsd: "1", outputPerMillionUsd: "2" } }`,
  });
  customer = await onboard(app);
});
afterAll(() => app.close());

const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
  send(app, 'POST', path, customer.apiKey, body, headers);
const define = (definition: object) =>
  send(app, 'POST', '/v1/workflow-definitions', customer.managementKey, { definition });
const firstField = ({ body }: Answer) =>
  (body.error.details as { fieldViolations?: { field: string }[] }[]).flatMap(({ fieldViolations = [] }) =>
    fieldViolations.map(({ field }) => field),
  )[0];

describe('a name that a caller chose is repeated as it was written', () => {
  const messages = [{ role: 'user', content: 'Hi' }];
  const odd = ['first_name', 'last_1st', 'a_bC'];

  test.each(odd)('%s in a sample of a workflow', async (name) => {
    const inputSchema = JSON.parse(`{"type":"object","properties":{"${name}":{"type":"integer"}}}`);
    const input = JSON.parse(`{"${name}":"x"}`);
    const definition = {
      client: 'acme',
      workflow: 'w',
      inputSchema,
      outputSchema: { type: 'object' },
      samples: [{ input }],
    };
    expect(firstField(await define(definition))).toBe(`definition.samples[0].input.${name}`);
  });

  test.each(odd)('%s in a schema', async (name) => {
    const schema = JSON.parse(`{"properties":{"${name}":{"type":"strange"}}}`);
    const place = `schema#/properties/${name}/type`;
    const ours = await post('/api/v1/assistant/chat', { messages, responseFormat: { kind: 'json', schema } });
    expect(firstField(ours)).toBe(`responseFormat.${place}`);
    const theirs = await post('/v1/chat/completions', {
      ...{ model: 'auto', messages },
      response_format: { type: 'json_schema', json_schema: { name: 'a', schema } },
    });
    expect(theirs.body.error.param).toBe(`response_format.json_schema.${place}`);
  });

  test('__proto__ in a schema', async () => {
    const schema = JSON.parse('{"properties":{"__proto__":{"type":"integer"}}}');
    const answer = await post('/api/v1/assistant/chat', { messages, responseFormat: { kind: 'json', schema } });
    expect(firstField(answer)).toBe('responseFormat.schema#/properties/__proto__');
  });

  test('a key of metadata, in each API', async () => {
    const metadata = { a_bC: 'x'.repeat(513) };
    expect(firstField(await post('/api/v1/assistant/chat', { messages, metadata }))).toBe('metadata["a_bC"]');
    const completion = await post('/v1/chat/completions', { model: 'auto', messages, metadata });
    expect(completion.body.error.param).toBe('metadata["a_bC"]');
    const response = await post('/v1/responses', { model: 'auto', input: 'Hi', metadata: { a_bC: 1 } });
    expect(response.body.error.param).toContain('metadata["a_bC"]');
  });

  test('while fields of the contract are named as in JSON', async () => {
    const answer = await post('/api/v1/assistant/chat', { messages, routing: { maxCostUsd: '-1' } });
    expect(firstField(answer)).toBe('routing.maxCostUsd');
  });
});

describe('of a long name, an error repeats the first part', () => {
  const long = 'n'.repeat(5_000);
  /** The longest run of the name in a text. */
  const repeated = (text: string) => Math.max(0, ...(text.match(/n{20,}/g) ?? []).map((run) => run.length));

  test.each<[string, string, object, Record<string, string>]>([
    ['a key of metadata', '/api/v1/assistant/chat', { messages: [], metadata: { [long]: 'x' } }, {}],
    ['an unknown field', '/api/v1/assistant/chat', { [long]: 1 }, {}],
    ['an unknown parameter of OpenAI', '/v1/chat/completions', { model: 'auto', messages: [], [long]: 1 }, {}],
    ['a key of metadata of OpenAI', '/v1/responses', { model: 'auto', input: 'Hi', metadata: { [long]: 1 } }, {}],
    ['an unknown model of Anthropic', '/v1/messages', { model: long, messages: [], max_tokens: 1 }, {}],
    ['a tool of MCP', '/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: long } }, {}],
    ['a method of MCP', '/mcp', { jsonrpc: '2.0', id: 1, method: long, params: { [long]: long } }, {}],
    ['a version in MCP', '/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/list' }, { 'mcp-protocol-version': long }],
    [
      'a version in a message of MCP',
      '/mcp',
      {
        ...{ jsonrpc: '2.0', id: 1, method: 'tools/list' },
        params: { _meta: { 'io.modelcontextprotocol/protocolVersion': long } },
      },
      {},
    ],
    ['a form’s field', '/v1/guidance/profile-check', { form: { name: 'own', fields: [{ name: long }] } }, {}],
    ['a metric', '/v1/scoring/business-readiness', { scorecard: 'general', metrics: { [long]: 'x' } }, {}],
  ])('%s', async (_, path, body, headers) => {
    const answer = await post(path, body, headers);
    expect(answer.text).toMatch(/error/);
    expect(repeated(answer.text)).toBeLessThanOrEqual(300);
    expect(repeated([...answer.headers.values()].join('\n'))).toBeLessThanOrEqual(300);
  });

  test('over gRPC, within the 8 KiB that clients read of trailers, also of characters that take the most', async () => {
    const client = grpcClient(app.url);
    for (const letter of ['n', '東', '😀', '"']) {
      const metadata = Object.fromEntries(
        Array.from({ length: 40 }, (_, at) => [`${letter.repeat(5_000)}${at}`, 'x'.repeat(600)]),
      );
      const { error } = await client.unary(
        ChatService.method.chat,
        { metadata, tools: [{ name: letter.repeat(3_000) }] },
        { authorization: `Bearer ${customer.apiKey}` },
      );
      const trailers = Object.entries(error?.metadata.toHttp2Headers() ?? {});
      const size = trailers.reduce((sum, [name, value]) => sum + name.length + String(value).length + 32, 0);
      expect(size).toBeGreaterThan(500);
      expect(size + encodeURIComponent(error?.details ?? '').length, letter).toBeLessThan(8_192);
    }
    client.close();
  });
});
