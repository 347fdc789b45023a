import Anthropic from '@anthropic-ai/sdk';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Customer, onboard, startApp, type TestApp } from '../support/app.ts';
import { firstServer, useDatabase } from '../support/database.ts';
import { startUpstream, type Upstream } from '../support/upstream.ts';

const database = useDatabase(firstServer());
let app: TestApp;
let upstream: Upstream;
let customer: Customer;
let client: Anthropic;

/** As the provider sees it: about the only document that it gets. */
const cited = {
  ...{ type: 'page_location', cited_text: 'until 31 May', document_index: 0, document_title: 'lease.pdf' },
  ...{ start_page_number: 3, end_page_number: 5 },
};
const blocks = [
  { text: 'It ', citations: [] },
  { text: 'ends on 31 May', citations: [cited] },
  { text: '.', citations: [] },
];
const usage = { input_tokens: 40, output_tokens: 9 };
const message = { id: 'msg_1', type: 'message', role: 'assistant', model: 'm', stop_sequence: null };
const call = { type: 'tool_use', id: 'toolu_1', name: 'note', input: {} };

function whole(more: object[]) {
  const content = [...blocks.map((block) => ({ type: 'text', ...block })), ...more];
  return { body: { ...message, content, stop_reason: more.length > 0 ? 'tool_use' : 'end_turn', usage } };
}

function streamed(more: object[]) {
  const events: { type: string }[] = [
    { type: 'message_start', ...{ message: { ...message, content: [], stop_reason: null, usage } } },
    ...blocks.flatMap(({ text, citations }, index) => [
      { type: 'content_block_start', index, content_block: { type: 'text', text: '', citations: [] } },
      ...citations.map((citation) => ({
        ...{ type: 'content_block_delta', index, delta: { type: 'citations_delta', citation } },
      })),
      { type: 'content_block_delta', index, delta: { type: 'text_delta', text } },
      { type: 'content_block_stop', index },
    ]),
    ...more.flatMap((content_block, place) => {
      const index = blocks.length + place;
      const delta = { type: 'input_json_delta', partial_json: '{}' };
      return [
        { type: 'content_block_start', index, content_block },
        { type: 'content_block_delta', index, delta },
        { type: 'content_block_stop', index },
      ];
    }),
    { type: 'message_delta', ...{ delta: { stop_reason: more.length > 0 ? 'tool_use' : 'end_turn' }, usage } },
    { type: 'message_stop' },
  ];
  return { pieces: events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`) };
}

beforeAll(async () => {
  upstream = await startUpstream();
  app = await startApp({
    databaseUrl: database().url,
    variables: { KEY_OF_CLAUDE: 'sk-1' },
    settings: `
providers: [{ id: claude, kind: anthropic, baseUrl: "${upstream.url}", apiKeyEnv: KEY_OF_CLAUDE }]
models:
  - { id: claude-sonnet-4-5, provider: claude, quality: 50, contextTokens: 100000, maxOutputTokens: 500, capabilities: [documents, tools], price: { inputPerMillionUsd: "1", outputPerMillionUsd: "2" } }`,
  });
  customer = await onboard(app);
  client = new Anthropic({ apiKey: customer.apiKey, authToken: null, baseURL: app.url, maxRetries: 0 });
});
afterAll(async () => {
  await app.close();
  await upstream.close();
});

const pdf = Buffer.from('%PDF-1.4').toString('base64');
const content: Anthropic.ContentBlockParam[] = [
  { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'Notes.' }, title: 'notes' },
  {
    type: 'document',
    source: { type: 'base64', media_type: 'application/pdf', data: pdf },
    title: 'lease.pdf',
    citations: { enabled: true },
  },
  { type: 'text', text: 'When does it end?' },
];
const tools: Anthropic.Tool[] = [{ name: 'note', input_schema: { type: 'object' } }];
const asked = { model: 'claude-sonnet-4-5', max_tokens: 300, tools, messages: [{ role: 'user' as const, content }] };
/** The text before the PDF is one of the caller's documents, but not of the provider's. */
const told = { ...cited, document_index: 1, file_id: null };

test('a part of a reply that rests on a document is a block of its own, with the pages', async () => {
  upstream.answer(() => whole([]));
  const reply = await client.messages.create(asked);
  expect(reply.content).toEqual([
    { type: 'text', text: 'It ', citations: null },
    { type: 'text', text: 'ends on 31 May', citations: [told] },
    { type: 'text', text: '.', citations: null },
  ]);
});

test('a stream tells them in the block of its text, at its end', async () => {
  upstream.answer(() => streamed([]));
  const reply = await client.messages.stream(asked).finalMessage();
  expect(reply.content).toEqual([{ type: 'text', text: 'It ends on 31 May.', citations: [told] }]);
});

test('a stream that ends with a call tells them with its end', async () => {
  upstream.answer(() => streamed([call]));
  const deltas: object[] = [];
  const stream = client.messages.stream(asked);
  stream.on('streamEvent', (event) => event.type === 'message_delta' && deltas.push(event));
  const reply = await stream.finalMessage();
  expect(reply.content).toMatchObject([{ type: 'text', text: 'It ends on 31 May.' }, { type: 'tool_use' }]);
  expect(deltas).toMatchObject([{ citations: [told] }]);
});
