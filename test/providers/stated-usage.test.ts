import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import type { ChatReply, ChatRequest } from '../../src/chat/index.ts';
import type { ProviderKind } from '../../src/providers/index.ts';
import { makeUsageReadable, usageShapes } from '../../src/providers/stated-usage.ts';
import { UsageInEvents } from '../../src/providers/usage-in-events.ts';
import { call, caller, chatHarness, testModel } from '../chat/harness.ts';
import { startUpstream } from '../support/upstream.ts';

/** A provider's recorded reply: whole, or as events of a stream. */
interface Recorded {
  kind: ProviderKind;
  streamed?: boolean;
  request?: object;
  reply?: object;
  events?: string[];
  expect: Partial<ChatReply>;
}

type Json = { [name: string]: Json | unknown };

const folder = new URL('./recorded/', import.meta.url);
const recordings = readdirSync(fileURLToPath(folder))
  .map((file) => [file, JSON.parse(readFileSync(new URL(file, folder), 'utf8')) as Recorded] as const)
  .filter(([, { expect, request }]) => expect.message?.content && !request);

/** What a server may write where its package expects a count, as JSON. `1e999` is read as infinity. */
const notCounts = ['"10"', '-40', '1.5', 'true', '{}', '[]', '""', '1e20', '1e999', 'null'];

/** Counts without which nobody knows what a reply used. */
const totals = /^(prompt|completion|input|output)_tokens$|^(prompt|candidates)TokenCount$|^usage(Metadata)?$/;

const usageNames = new Set(['usage', 'usageMetadata']);

/** Each way to break one member of a usage in a JSON text: the member's name, and the text with `value` in its place, or without it. */
function* broken(json: string, value: string): Generator<{ name: string; text: string }> {
  const mark = 'THIS-ONE';
  const parsed = JSON.parse(json) as Json;
  function* at(node: unknown, within: boolean): Generator<{ name: string; text: string }> {
    if (typeof node !== 'object' || node === null) return;
    const members = node as Json;
    for (const [name, old] of Object.entries(members)) {
      const isUsage = usageNames.has(name);
      if (isUsage || (within && (typeof old === 'number' || /details$/i.test(name)))) {
        members[name] = mark;
        yield { name, text: JSON.stringify(parsed).replace(`"${mark}"`, value) };
        delete members[name];
        yield { name, text: JSON.stringify(parsed) };
        members[name] = old;
      }
      yield* at(old, within || isUsage);
    }
  }
  yield* at(parsed, false);
}

function* brokenReplies({ reply, events = [] }: Recorded): Generator<{ name: string; reply: object }> {
  for (const value of notCounts) {
    if (reply) for (const { name, text } of broken(JSON.stringify(reply), value)) yield { name, reply: { body: text } };
    for (const [index, event] of events.entries()) {
      const start = event.indexOf('{');
      if (start < 0) continue;
      for (const { name, text } of broken(event.slice(start), value)) {
        const pieces = events.map((each, at) => `${at === index ? event.slice(0, start) + text : each}\n\n`);
        yield { name, reply: { pieces } };
      }
    }
  }
}

const content = 'What is the capital of Italy? '.repeat(40);

async function answer(chat: Awaited<ReturnType<typeof chatHarness>>['chat'], streamed: boolean): Promise<ChatReply> {
  const request: ChatRequest = { model: 'the-model', messages: [{ role: 'user', content }] };
  if (!streamed) {
    const result = await chat.run(caller, request, call());
    if (!result.ok) throw new Error(JSON.stringify(result.failure));
    return result.value;
  }
  const result = await chat.stream(caller, request, call());
  if (!result.ok) throw new Error(JSON.stringify(result.failure));
  for await (const event of result.value) if (event.kind === 'end') return event.reply;
  throw new Error('no end');
}

test.each(recordings)(
  'a reply is delivered and paid, whatever stands in its usage: %s',
  async (_, recorded) => {
    const upstream = await startUpstream();
    const harness = await chatHarness({
      providers: [{ id: 'recorded', kind: recorded.kind, baseUrl: upstream.url, apiKey: 'sk-1' }],
      models: [testModel('recorded', 'the-model')],
    });
    try {
      const seen: string[] = [];
      for (const { name, reply } of brokenReplies(recorded)) {
        upstream.answer(() => reply);
        const about = `${name} in ${JSON.stringify(reply)}`;
        const given = await answer(harness.chat, recorded.streamed ?? false).catch((error: Error) => {
          throw new Error(`${error.message}: ${about}`);
        });
        expect(given.message.content, about).toBe(recorded.expect.message?.content);
        expect(given.usage.inputTokens, about).toBeGreaterThan(0);
        expect(given.usage.outputTokens, about).toBeGreaterThan(0);
        // A later event of a stream may state it again.
        if (!recorded.streamed && totals.test(name)) expect(given.usage.estimated, about).toBe(true);
        expect(harness.ledger.settlements.at(-1)?.cost, about).toBe(given.usage.cost);
        seen.push(name);
      }
      expect(harness.ledger.settlements).toHaveLength(seen.length);
    } finally {
      await harness.close();
      await upstream.close();
    }
  },
  60_000,
);

test.each([
  ['anthropic', { input_tokens: 1_000, cache_read_input_tokens: -990, output_tokens: 500 }],
  ['google', { promptTokenCount: 1_000, candidatesTokenCount: 500, thoughtsTokenCount: -490 }],
] as const)('a negative part lowers no sum: %s', (kind, usage) => {
  const reply = { type: 'message', [usageShapes[kind].member]: { ...usage } };
  expect(makeUsageReadable(reply, usageShapes[kind])).toBe(true);
  const counts = Object.values(reply[usageShapes[kind].member] as object);
  expect(counts.every((count) => (count ?? 0) >= 0)).toBe(true);
});

test('events are the same wherever the network cuts them, and only a usage that cannot be read is changed', () => {
  const events = [
    'data: {"choices":[{"delta":{"content":"The \\"usage\\" of é"}}],"usage":null}\r\n\r\n',
    ': a comment with "usage"\n\ndata: [DONE "usage"]\n\n',
    'data: {"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":"4"}}\n\n',
    'data: {"choices":[],"usage":{"prompt_tokens":3}}',
  ];
  const whole = Buffer.from(events.join(''));
  const changed = whole.toString().replace('"4"', 'null');
  for (let first = 0; first <= whole.length; first++)
    for (const size of [1, 7, whole.length]) {
      const reader = new UsageInEvents(usageShapes['openai-compatible']);
      const parts = [reader.next(whole.subarray(0, first))];
      for (let at = first; at < whole.length; at += size) parts.push(reader.next(whole.subarray(at, at + size)));
      expect(Buffer.concat([...parts, reader.rest()]).toString()).toBe(changed);
    }
});
