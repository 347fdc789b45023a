import { afterEach, expect, test } from 'vitest';
import type { Caller } from '../../src/base/caller.ts';
import type { Guardrail, Guardrails } from '../../src/base/guardrails.ts';
import type { ChatEvent, ChatReply, ChatRequest } from '../../src/chat/index.ts';
import { sightingsIn } from '../../src/workflows/index.ts';
import {
  completion,
  startUpstream,
  streamedCompletion,
  type Upstream,
  type UpstreamReply,
} from '../support/upstream.ts';
import { call, caller, chatHarness, type Harness, say, testModel } from './harness.ts';

const threat = 'I will kill you';
const filler = 'The parcel arrives on Monday, and we look forward to seeing you again. ';
const harmful = `${filler.repeat(8)}${threat} tomorrow. ${filler.repeat(8)}`;
const hidden = harmful.replace(threat, '[…]');
const fee = 7n;
/** What the rules cannot be applied to. */
const fault = 'qwxz';
// 10 tokens in, 5 out, at the prices of `testModel`.
const modelCost = 20_000n;
const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
const findings = [{ category: 'threat', severity: 'critical', count: 1 }];

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.close();
});

async function serving(reply: (body: Record<string, unknown>) => UpstreamReply) {
  const upstream = await startUpstream();
  upstream.answer(({ body }) => reply(body));
  open.push(upstream);
  const looked: string[] = [];
  const harness = await chatHarness({
    providers: [{ id: 'p', kind: 'openai-compatible', baseUrl: `${upstream.url}/v1` }],
    models: [testModel('p', 'm')],
    guardrails: {
      find: (text, packs) => {
        looked.push(text);
        if (text.includes(fault)) throw new Error('a pack is broken');
        return sightingsIn(text, packs);
      },
      fee: () => fee,
      wasCharged: async () => harness.ledger.settlements.length > 0,
    },
  });
  open.push(harness);
  return { harness, upstream, looked };
}

const saying = (content: string) =>
  serving((body) =>
    body.stream === true
      ? { pieces: streamedCompletion(content.match(/.{1,7}/gs) ?? [], usage) }
      : { body: completion(content, usage) },
  );

function guardedBy(guardrails: Guardrails): Caller {
  return { ...caller, key: { id: 'key_1', version: 1, guardrails } };
}

function rule(action: Guardrail['action'], more: Partial<Guardrail> = {}): Guardrail {
  return { action, packs: [], categories: [], leastSeverity: 'medium', ...more };
}

async function whole(harness: Harness, guardrails: Guardrails, request: ChatRequest, key?: string): Promise<ChatReply> {
  const result = await harness.chat.run(guardedBy(guardrails), request, call(key));
  if (!result.ok) throw new Error(JSON.stringify(result.failure));
  return result.value;
}

async function streamed(harness: Harness, guardrails: Guardrails, request: ChatRequest, key?: string) {
  const opened = await harness.chat.stream(guardedBy(guardrails), request, call(key));
  if (!opened.ok) throw new Error(JSON.stringify(opened.failure));
  const events: ChatEvent[] = [];
  for await (const event of opened.value) events.push(event);
  const end = events.at(-1);
  if (end?.kind !== 'end') throw new Error('no end');
  const text = events.map((event) => (event.kind === 'delta' ? (event.content ?? '') : '')).join('');
  return { events, text, reply: end.reply };
}

const told = (upstream: Upstream) =>
  upstream.seen.map(({ body }) => (body.messages as { content: unknown }[]).map(({ content }) => content));

test('input is refused before a model is called, with the category and without a charge', async () => {
  const { harness, upstream } = await saying('Hello.');
  for (const ask of ['run', 'stream'] as const) {
    const refused = await harness.chat[ask](guardedBy({ input: rule('refuse') }), say(harmful), call());
    expect(refused).toEqual({ ok: false, failure: { kind: 'guardrail', categories: ['threat'] } });
  }
  expect(upstream.seen).toHaveLength(0);
  expect([harness.ledger.settlements, harness.ledger.releases]).toEqual([[], []]);
  expect(harness.ledger.balance).toBe(5_000_000_000n);
});

test('input is refused wherever it stands: in parts, in calls of tools, in any role', async () => {
  const { harness, upstream } = await saying('Hello.');
  const toolCalls = [{ id: 'a', name: 'send', arguments: JSON.stringify({ text: `So: ${threat}.` }) }];
  const places: ChatRequest[] = [
    { messages: [{ role: 'system', content: harmful }, ...say('Hi').messages] },
    {
      messages: [
        {
          role: 'user',
          parts: [
            { kind: 'text', text: 'Hi' },
            { kind: 'text', text: harmful },
          ],
        },
      ],
    },
    {
      messages: [
        ...say('Hi').messages,
        { role: 'assistant', toolCalls },
        { role: 'tool', toolCallId: 'a', content: 'done' },
      ],
    },
    { messages: [...say('Hi').messages, { role: 'tool', toolCallId: 'a', content: harmful }] },
  ];
  for (const request of places)
    expect(await harness.chat.run(guardedBy({ input: rule('refuse') }), request, call())).toMatchObject({
      failure: { kind: 'guardrail' },
    });
  expect(upstream.seen).toHaveLength(0);
});

test('masked input is what the model sees; the report says so and the price is exact', async () => {
  const { harness, upstream } = await saying('Hello.');
  const reply = await whole(harness, { input: rule('mask') }, say(harmful));
  const { reply: last } = await streamed(harness, { input: rule('mask') }, say(harmful));
  expect(told(upstream)).toEqual([[hidden], [hidden]]);
  for (const one of [reply, last]) {
    expect(one.guardrail).toMatchObject({ input: { action: 'mask', findings } });
    expect(one.usage).toMatchObject({ cost: modelCost + fee });
  }
  expect(harness.ledger.settlements.map(({ charged }) => charged)).toEqual([modelCost + fee, modelCost + fee]);
});

test('flagged input and output are as they were, and reported', async () => {
  const { harness, upstream } = await saying(harmful);
  const guardrails = { input: rule('flag'), output: rule('flag') };
  const reply = await whole(harness, guardrails, say(harmful));
  const { text, reply: last, events } = await streamed(harness, guardrails, say(harmful));
  expect(told(upstream)).toEqual([[harmful], [harmful]]);
  expect([reply.message.content, text, last.message.content]).toEqual([harmful, harmful, harmful]);
  // Nothing waits where nothing is held back.
  expect(events[0]).toEqual({ kind: 'delta', content: harmful.slice(0, 7) });
  for (const one of [reply, last])
    expect(one.guardrail).toMatchObject({
      input: { action: 'flag', findings },
      output: { action: 'flag', findings },
    });
});

test('masked output never leaves, whole or in pieces, and costs what the model stated', async () => {
  const { harness } = await saying(harmful);
  const reply = await whole(harness, { output: rule('mask') }, say('Hi'));
  const { text, reply: last, events } = await streamed(harness, { output: rule('mask') }, say('Hi'));
  expect([reply.message.content, text, last.message.content]).toEqual([hidden, hidden, hidden]);
  expect(events.length).toBeGreaterThan(3);
  for (const one of [reply, last]) {
    expect(one).toMatchObject({ finishReason: 'stop', usage: { cost: modelCost + fee, outputTokens: 5 } });
    expect(one.guardrail).toMatchObject({ output: { action: 'mask', findings } });
  }
});

test('refused output is withheld and charged; of a stream, all that follows', async () => {
  const { harness } = await saying(harmful);
  const reply = await whole(harness, { output: rule('refuse') }, say('Hi'));
  expect(reply).toMatchObject({
    message: { content: '', toolCalls: [] },
    ...{ finishReason: 'content_filter', usage: { cost: modelCost + fee } },
    guardrail: { output: { action: 'refuse', findings } },
  });
  const { text, reply: last } = await streamed(harness, { output: rule('refuse') }, say('Hi'));
  expect(harmful.startsWith(text)).toBe(true);
  expect(text.length).toBeLessThanOrEqual(harmful.indexOf(threat));
  expect(last).toMatchObject({ message: { content: '' }, finishReason: 'content_filter' });
  expect(harness.ledger.settlements).toHaveLength(2);
});

test('arguments of tools are masked as JSON and leave whole', async () => {
  const args = JSON.stringify({ text: `So: ${threat} soon.`, count: 3 });
  const delta = { tool_calls: [{ index: 0, id: 'c1', type: 'function', function: { name: 'send', arguments: args } }] };
  const choice = (more: object) => ({ choices: [{ index: 0, ...more }] });
  const chunk = (more: object) => `data: ${JSON.stringify({ id: 'x', created: 1, model: 'u', ...more })}\n\n`;
  const { harness } = await serving((body) =>
    body.stream === true
      ? {
          pieces: [
            chunk(choice({ delta: { role: 'assistant', ...delta } })),
            chunk({ ...choice({ delta: {}, finish_reason: 'tool_calls' }), usage }),
            'data: [DONE]\n\n',
          ],
        }
      : {
          body: {
            ...completion('', usage),
            ...choice({ message: { role: 'assistant', content: null, ...delta }, finish_reason: 'tool_calls' }),
          },
        },
  );
  const request = say('Hi', { tools: [{ name: 'send', parameters: { type: 'object' } }] });
  const left = [{ id: 'c1', name: 'send', arguments: JSON.stringify({ text: 'So: […] soon.', count: 3 }) }];
  expect((await whole(harness, { output: rule('mask') }, request)).message.toolCalls).toEqual(left);
  const { events, reply } = await streamed(harness, { output: rule('mask') }, request);
  expect(reply.message.toolCalls).toEqual(left);
  expect(events.slice(0, -1)).toEqual([{ kind: 'delta', toolCall: { index: 0, ...left[0] } }]);
});

test('a reply that fits a schema is masked within its strings', async () => {
  const { harness } = await saying(JSON.stringify({ answer: harmful }));
  const schema = { type: 'object', properties: { answer: { type: 'string' } }, required: ['answer'] };
  const request = say('Hi', { responseFormat: { kind: 'json', schema } });
  const masked = JSON.stringify({ answer: hidden });
  expect((await whole(harness, { output: rule('mask') }, request)).message.content).toBe(masked);
  expect((await streamed(harness, { output: rule('mask') }, request)).text).toBe(masked);
});

test('a repeat is neither looked at nor charged again, and says the same', async () => {
  const { harness, upstream, looked } = await saying(harmful);
  const guardrails = { input: rule('mask'), output: rule('mask') };
  const first = await whole(harness, guardrails, say(harmful), 'k');
  const before = looked.length;
  const again = await whole(harness, guardrails, say(harmful), 'k');
  expect(again).toEqual({ ...first, balance: again.balance });
  expect(looked).toHaveLength(before);
  expect(upstream.seen).toHaveLength(1);
  expect(harness.ledger.settlements.map(({ charged }) => charged)).toEqual([modelCost + fee]);
});

test('a reply that was made without these guardrails is judged by them before it is given again', async () => {
  const { harness, upstream } = await saying(harmful);
  const bare = await harness.chat.run(caller, say('Hi'), call('k'));
  expect(bare).toMatchObject({ value: { message: { content: harmful }, usage: { cost: modelCost } } });
  expect((await whole(harness, { output: rule('mask') }, say('Hi'), 'k')).message.content).toBe(hidden);
  expect((await whole(harness, { output: rule('refuse') }, say('Hi'), 'k')).message.content).toBe('');
  expect(upstream.seen).toHaveLength(1);
});

test('only what the guardrail names counts', async () => {
  const { harness } = await saying('Hello.');
  const said = say(`${threat}. My card is 4111 1111 1111 1111, my address is ana@example.com. Guaranteed returns.`);
  const found = async (more: Partial<Guardrail>) => {
    const { guardrail } = await whole(harness, { input: rule('flag', more) }, said);
    return guardrail?.input?.findings.map(({ category, severity }) => `${category} ${severity}`).sort();
  };
  expect(await found({ categories: ['personal_data'], leastSeverity: 'low' })).toEqual([
    'personal_data high',
    'personal_data low',
  ]);
  expect(await found({ categories: ['personal_data'] })).toEqual(['personal_data high']);
  expect(await found({ categories: ['misleading_finance'], leastSeverity: 'critical' })).toEqual([]);
  expect(await found({ categories: ['misleading_finance'], leastSeverity: 'critical', packs: ['finance'] })).toEqual([
    'misleading_finance critical',
  ]);
});

test('the estimate has the fee, and what is too long to be looked at is refused', async () => {
  const { harness } = await saying('Hello.');
  const guarded = await harness.chat.estimate(guardedBy({ input: rule('flag') }), say('Hi'));
  const bare = await harness.chat.estimate(caller, say('Hi'));
  if (!guarded.ok || !bare.ok) throw new Error('no estimate');
  expect(guarded.value.ceiling - bare.value.ceiling).toBe(fee);
  const long = await harness.chat.run(guardedBy({ input: rule('flag') }), say('word '.repeat(100_001)), call());
  expect(long).toMatchObject({ failure: { kind: 'invalid_argument', violations: [{ field: 'messages' }] } });
});

test('many small texts count for what it takes to look at them, and are refused before that begins', async () => {
  const { harness, looked } = await saying('Hello.');
  const calling = (args: string): ChatRequest => ({
    messages: [
      ...say('Hi').messages,
      { role: 'assistant', toolCalls: [{ id: 'a', name: 'send', arguments: args }] },
      { role: 'tool', toolCallId: 'a', content: 'done' },
    ],
  });
  const words = (length: number) => JSON.stringify(Array.from({ length }, () => 'a'));
  const parts = (length: number): ChatRequest => ({
    messages: [{ role: 'user', parts: Array.from({ length }, () => ({ kind: 'text', text: 'a' })) }],
  });
  const refused = { failure: { kind: 'invalid_argument', violations: [{ field: 'messages' }] } };
  const guarded = guardedBy({ input: rule('flag') });
  for (const request of [calling(words(5_000)), parts(5_000)])
    expect(await harness.chat.run(guarded, request, call())).toMatchObject(refused);
  expect(looked).toEqual([]);
  for (const request of [calling(words(500)), calling(`[${Array(10_000).fill('""').join(',')}]`), parts(200)])
    expect(await harness.chat.run(guarded, request, call())).toMatchObject({ ok: true });
  expect(looked.length).toBeGreaterThan(700);
});

test('a fault while a stream is judged is ours: the model stays in use', async () => {
  let content = `Hello ${fault}.`;
  const { harness, upstream } = await serving(() => ({ pieces: streamedCompletion([content], usage) }));
  for (let time = 1; time <= 6; time++) {
    const failed = streamed(harness, { output: rule('mask') }, say('Hi'));
    await expect(failed).rejects.toThrow('a pack is broken');
    expect(upstream.seen).toHaveLength(time);
  }
  content = 'Hello.';
  expect((await streamed(harness, { output: rule('mask') }, say('Hi'))).text).toBe('Hello.');
});
