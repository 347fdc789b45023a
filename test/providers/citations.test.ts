import { afterEach, expect, test } from 'vitest';
import type { ChatReply, ChatRequest } from '../../src/chat/index.ts';
import { call, caller, chatHarness, testModel } from '../chat/harness.ts';
import { startUpstream } from '../support/upstream.ts';

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.close();
});

const request: ChatRequest = {
  messages: [
    {
      role: 'user',
      parts: [
        { kind: 'document', data: Buffer.from('%PDF-1.4'), filename: 'lease.pdf', citations: true },
        { kind: 'text', text: 'When does it end?' },
      ],
    },
  ],
};

const citation = {
  ...{ type: 'page_location', cited_text: 'ends on 31 May', document_index: 0, document_title: 'lease.pdf' },
  ...{ start_page_number: 3, end_page_number: 4 },
};
const blocks = [
  { text: 'The lease ', citations: [] },
  { text: 'ends on 31 May', citations: [citation] },
  { text: '.', citations: [] },
];
const usage = { input_tokens: 40, output_tokens: 9 };
const message = { id: 'msg_1', type: 'message', role: 'assistant', model: 'm', stop_sequence: null };

const whole = {
  body: {
    ...message,
    content: blocks.map(({ text, citations }) => ({ type: 'text', text, ...(citations.length > 0 && { citations }) })),
    ...{ stop_reason: 'end_turn', usage },
  },
};
const events: object[] = [
  { type: 'message_start', message: { ...message, content: [], stop_reason: null, usage } },
  ...blocks.flatMap(({ text, citations }, index) => [
    { type: 'content_block_start', index, content_block: { type: 'text', text: '', citations: [] } },
    ...citations.map((one) => ({
      type: 'content_block_delta',
      index,
      delta: { type: 'citations_delta', citation: one },
    })),
    { type: 'content_block_delta', index, delta: { type: 'text_delta', text } },
    { type: 'content_block_stop', index },
  ]),
  { type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null }, usage: { output_tokens: 9 } },
  { type: 'message_stop' },
];
const streamed = { pieces: events.map((event) => `data: ${JSON.stringify(event)}\n\n`) };

test.each([false, true])('say which words rest on which page of a document, streamed: %s', async (isStreamed) => {
  const upstream = await startUpstream(isStreamed ? streamed : whole);
  const harness = await chatHarness({
    providers: [{ id: 'claude', kind: 'anthropic', baseUrl: upstream.url, apiKey: 'sk-1' }],
    models: [testModel('claude', 'claude-sonnet-4-5', { capabilities: ['documents'] })],
  });
  open.push(upstream, harness);

  const reply = isStreamed ? await lastOf(harness.chat) : await wholeOf(harness.chat);
  expect(reply.message.content).toBe('The lease ends on 31 May.');
  expect(reply.citations).toEqual([
    {
      title: 'lease.pdf',
      citedText: 'ends on 31 May',
      startIndex: 10,
      endIndex: 24,
      page: 3,
      lastPage: 3,
      document: 0,
    },
  ]);
});

type Chat = Awaited<ReturnType<typeof chatHarness>>['chat'];

async function wholeOf(chat: Chat): Promise<ChatReply> {
  const result = await chat.run(caller, request, call());
  if (!result.ok) throw new Error(JSON.stringify(result.failure));
  return result.value;
}

async function lastOf(chat: Chat): Promise<ChatReply> {
  const result = await chat.stream(caller, request, call());
  if (!result.ok) throw new Error(JSON.stringify(result.failure));
  for await (const event of result.value) if (event.kind === 'end') return event.reply;
  throw new Error('no end');
}
