import { afterEach, describe, expect, test } from 'vitest';
import type { ModelSettings } from '../../src/catalog/index.ts';
import type { ChatEvent, ChatMessage, ChatReply, ChatRequest } from '../../src/chat/index.ts';
import type { ProviderKind } from '../../src/providers/index.ts';
import { call, caller, chatHarness, type Harness, testModel } from '../chat/harness.ts';
import { script, startAnthropic, startGemini, startResponses, stated } from '../support/thinking-upstreams.ts';
import type { Upstream } from '../support/upstream.ts';

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.close();
});

const kinds: { kind: ProviderKind; model: string; start(): Promise<Upstream>; cacheWrites: number }[] = [
  { kind: 'openai', model: 'gpt-5.6', start: startResponses, cacheWrites: 0 },
  { kind: 'anthropic', model: 'claude-sonnet-4-5', start: startAnthropic, cacheWrites: 20 },
  { kind: 'anthropic', model: 'claude-opus-4-8', start: startAnthropic, cacheWrites: 20 },
  { kind: 'google', model: 'gemini-3-pro', start: startGemini, cacheWrites: 0 },
];

const price = {
  inputPerMillionUsd: '1',
  cachedInputPerMillionUsd: '0.5',
  cacheWriteInputPerMillionUsd: '1.25',
  outputPerMillionUsd: '2',
};
const thinking: Partial<ModelSettings> = { capabilities: ['tools', 'json', 'images', 'reasoning', 'documents'], price };

const question: ChatMessage = { role: 'user', content: 'What is the weather in Paris?' };
const asking: ChatRequest = {
  messages: [question],
  tools: [
    {
      name: script.tool,
      description: 'The weather of a city.',
      parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
    },
  ],
  reasoning: { effort: 'medium', summary: true },
  maxOutputTokens: 4_000,
};

async function over({ kind, model, start }: (typeof kinds)[number]): Promise<Harness & { upstream: Upstream }> {
  const upstream = await start();
  const harness = await chatHarness({
    providers: [{ id: 'thinker', kind, baseUrl: upstream.url, apiKey: 'sk-1' }],
    models: [testModel('thinker', model, thinking)],
  });
  open.push(upstream, harness);
  return { ...harness, upstream };
}

/** The reply, whole or put together from its pieces. */
async function answer({ chat }: Harness, request: ChatRequest, streamed: boolean): Promise<ChatReply> {
  if (!streamed) {
    const result = await chat.run(caller, request, call());
    if (!result.ok) throw new Error(JSON.stringify(result.failure));
    return result.value;
  }
  const result = await chat.stream(caller, request, call());
  if (!result.ok) throw new Error(JSON.stringify(result.failure));
  const events: ChatEvent[] = [];
  for await (const event of result.value) events.push(event);
  const end = events.at(-1);
  if (end?.kind !== 'end') throw new Error('no end');
  expect(events.map((event) => (event.kind === 'reasoning' ? event.summary : '')).join('')).toBe(
    end.reply.reasoningSummary ?? '',
  );
  const states = events.flatMap((event) => (event.kind === 'delta' ? [event.toolCall?.providerState] : []));
  expect(states.filter(Boolean)).toEqual(end.reply.message.toolCalls.map((one) => one.providerState).filter(Boolean));
  return end.reply;
}

/** The first turn's request with its reply and the tool's result. */
function goingOn({ message }: ChatReply, change: (message: ChatMessage) => ChatMessage = (same) => same): ChatRequest {
  const [toolCall] = message.toolCalls;
  const result: ChatMessage = { role: 'tool', toolCallId: toolCall?.id, content: '{"degrees":21}' };
  return { ...asking, messages: [question, change(message), result] };
}

const withoutState = ({ providerState: _state, toolCalls = [], ...message }: ChatMessage): ChatMessage => ({
  ...message,
  toolCalls: toolCalls.map(({ providerState: _stateOfCall, ...one }) => one),
});

describe.each(kinds)('a loop of tools with $model', (kind) => {
  test.each([false, true])('goes on from what was thought, streamed: %s', async (streamed) => {
    const harness = await over(kind);
    const first = await answer(harness, asking, streamed);
    expect(first).toMatchObject({
      finishReason: 'tool_calls',
      message: { content: script.said, toolCalls: [{ name: script.tool }] },
      usage: { inputTokens: stated.first.input, outputTokens: stated.first.output, estimated: false },
    });
    expect(JSON.parse(first.message.toolCalls[0]?.arguments ?? '')).toEqual(script.arguments);
    expect(first.reasoningSummary?.split(/\s+/).join(' ')).toBe(script.thoughts.join(' '));
    expect(first.ignored).toBeUndefined();

    const second = await answer(harness, goingOn(first), streamed);
    expect(second).toMatchObject({ finishReason: 'stop', message: { content: script.answer } });
    expect(harness.upstream.seen).toHaveLength(2);
    // Exact, from what the provider states: cached input at half, written at one and a quarter.
    const costs = [stated.first, stated.second].map(({ input, output }) =>
      BigInt((input - 10) * 1_000 + 10 * 500 + kind.cacheWrites * 250 + output * 2_000),
    );
    expect(harness.ledger.settlements.map(({ cost }) => cost)).toEqual(costs);
  });

  test('without the state says where it is missing, and costs nothing', async () => {
    const harness = await over(kind);
    const first = await answer(harness, asking, false);
    const refused = await harness.chat.run(caller, goingOn(first, withoutState), call());
    expect(refused).toMatchObject({
      ok: false,
      failure: {
        kind: 'invalid_argument',
        violations: [{ field: 'messages[1].providerState', description: expect.stringContaining('providerState') }],
      },
    });
    expect(harness.ledger.settlements).toHaveLength(1);
  });

  test("a state that was changed, or another account's, is refused with its place", async () => {
    const harness = await over(kind);
    const first = await answer(harness, asking, false);
    const stranger = { ...caller, accountId: 'acc_2' };
    const { message } = first;
    const field = message.providerState ? 'messages[1].providerState' : 'messages[1].toolCalls[0].providerState';
    const flip = (state: string | undefined) =>
      state && `${state.slice(0, 60)}${state[60] === 'A' ? 'B' : 'A'}${state.slice(61)}`;
    const changed = goingOn(first, (same) => ({
      ...same,
      providerState: flip(same.providerState),
      toolCalls: same.toolCalls?.map((one) => ({ ...one, providerState: flip(one.providerState) })),
    }));
    for (const [who, request] of [
      [caller, changed],
      [stranger, goingOn(first)],
    ] as const)
      expect(await harness.chat.run(who, request, call())).toMatchObject({
        ok: false,
        failure: { kind: 'invalid_argument', violations: [{ field }] },
      });
    expect(harness.upstream.seen).toHaveLength(1);
  });
});
