import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import type { ChatEvent, ChatRequest, Overrun } from '../../src/chat/index.ts';
import { TokenBound } from '../../src/chat/token-bound.ts';
import { tokenCounter } from '../../src/chat/tokens.ts';
import { testSandbox } from '../support/sandbox.ts';
import { completion, startUpstream, streamedCompletion, type UpstreamReply } from '../support/upstream.ts';
import { call, caller, chatHarness, say, testModel } from './harness.ts';

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.close();
});

const countTokens = (text: string) => tokenCounter(testSandbox(), 'acc')([text]);

const nano = 5_000_000_000n;
const question = 'Hi, what would you say to a long question such as this one is?';
/** The most tokens of input that the question can be. */
const inputMost = Buffer.byteLength(question) + 8 + 16;

async function asking(reply: UpstreamReply, reasons = false) {
  const upstream = await startUpstream(reply);
  const overruns: Overrun[] = [];
  const harness = await chatHarness({
    providers: [{ id: 'p', kind: 'openai-compatible', baseUrl: `${upstream.url}/v1` }],
    models: [testModel('p', 'm', reasons ? { capabilities: ['tools', 'json', 'reasoning'] } : {})],
    overran: (overrun) => overruns.push(overrun),
  });
  open.push(upstream, harness);
  return { upstream, harness, overruns };
}

type Asked = Awaited<ReturnType<typeof asking>>;

async function whole({ harness }: Asked, more: Partial<ChatRequest>) {
  const answered = await harness.chat.run(caller, say(question, more), call());
  if (!answered.ok) throw new Error(JSON.stringify(answered.failure));
  return answered.value;
}

async function streamed({ harness }: Asked, more: Partial<ChatRequest>) {
  const answered = await harness.chat.stream(caller, say(question, more), call());
  if (!answered.ok) throw new Error(JSON.stringify(answered.failure));
  const events: ChatEvent[] = [];
  for await (const event of answered.value) events.push(event);
  const end = events.at(-1);
  if (end?.kind !== 'end') throw new Error('no end');
  const text = events.map((event) => (event.kind === 'delta' ? (event.content ?? '') : '')).join('');
  expect(text).toBe(end.reply.message.content);
  return end.reply;
}

const words = (count: number) => Array.from({ length: count }, () => ' word');
const stated = (prompt: number, output: number, reasoning?: number) => ({
  ...{ prompt_tokens: prompt, completion_tokens: output, total_tokens: prompt + output },
  ...(reasoning !== undefined && { completion_tokens_details: { reasoning_tokens: reasoning } }),
});
const long = words(200_000).join('');
const overrun = (more: Partial<Overrun> = {}) => ({ provider: 'p', model: 'm', what: 'output', bound: 10, ...more });

describe('an upstream that makes too many tool calls', () => {
  const toolCalls = (count: number) =>
    Array.from({ length: count }, (_, index) => ({
      ...{ index, id: `call_${index}`, type: 'function', function: { name: 'f', arguments: '{}' } },
    }));
  const usage = stated(16, 5_000);
  const tools = [{ name: 'f', description: '', parameters: { type: 'object' } }];
  const wholeReply = (count: number) => {
    const message = { role: 'assistant', content: null, tool_calls: toolCalls(count) };
    return { body: { id: '1', model: 'm', usage, choices: [{ index: 0, message, finish_reason: 'tool_calls' }] } };
  };
  const stream = (count: number) => ({
    pieces: [...toolCalls(count).map((call) => ({ tool_calls: [call] })), {}].map((delta, at) => {
      const choices = [{ index: 0, delta, finish_reason: at === count ? 'tool_calls' : null }];
      return `data: ${JSON.stringify({ id: '1', model: 'm', choices })}\n\n`;
    }),
  });
  const most = { tools, maxOutputTokens: 50_000 };

  test('gives no reply, and nothing is charged', async () => {
    const asked = await asking(wholeReply(1_025));
    const answered = await asked.harness.chat.run(caller, say(question, most), call());
    expect(answered).toMatchObject({ failure: { kind: 'upstream_failed', attempts: [{ outcome: 'invalid_reply' }] } });
    expect(asked.harness.ledger).toMatchObject({ held: 0n, balance: nano });
    const fits = await whole(await asking(wholeReply(1_024)), most);
    expect(fits.message.toolCalls).toHaveLength(1_024);
  });

  test('breaks its stream off, and what came before is charged', async () => {
    const asked = await asking(stream(1_025));
    await expect(streamed(asked, most)).rejects.toMatchObject({ failure: { kind: 'upstream_failed' } });
    const { held, balance } = asked.harness.ledger;
    expect(held).toBe(0n);
    expect(balance).toBeLessThan(nano - 1_024n * 2_000n);
    const fits = await streamed(await asking(stream(1_024)), most);
    expect(fits.message.toolCalls).toHaveLength(1_024);
  });
});

describe('an upstream that ignores how long its reply may be', () => {
  test('and states a count that so many words cannot have: its text is cut, and what it stated is charged', async () => {
    const asked = await asking({ body: completion(long, stated(16, 5)) });
    const reply = await whole(asked, { maxOutputTokens: 10 });
    expect(reply.message.content).toBe(words(10).join(''));
    expect(reply).toMatchObject({ finishReason: 'length', usage: { outputTokens: 5 } });
    expect(asked.overruns).toEqual([overrun()]);
  });

  test.each([
    ['states nothing', null],
    ['states all that it gave', stated(16, 200_000)],
  ])('and %s: its text is cut, and ten tokens are charged', async (_, usage) => {
    const asked = await asking({ body: completion(long, usage) });
    const reply = await whole(asked, { maxOutputTokens: 10 });
    expect(asked.upstream.seen[0]?.body).toMatchObject({ max_tokens: 10 });
    expect(reply.message.content).toBe(words(10).join(''));
    expect(reply).toMatchObject({ finishReason: 'length', usage: { outputTokens: 10, estimated: true } });
    const charged = BigInt(reply.usage.inputTokens ?? 0) * 1_000n + 10n * 2_000n;
    expect(reply.usage.cost).toBe(charged);
    expect(asked.harness.ledger).toMatchObject({ held: 0n, balance: nano - charged });
    expect(asked.overruns).toEqual([overrun(usage ? { stated: 200_000 } : {})]);
  });

  test('with words that are few but counts that are many is charged its bound, and its words are not cut', async () => {
    const asked = await asking({ body: completion('Rome.', stated(16, 5_000, 4_990)) });
    const reply = await whole(asked, { maxOutputTokens: 10 });
    expect(reply.message.content).toBe('Rome.');
    expect(reply).toMatchObject({ finishReason: 'stop', usage: { outputTokens: 10, reasoningTokens: 10 } });
    expect(asked.harness.ledger.balance).toBe(nano - 16_000n - 20_000n);
    expect(asked.overruns).toEqual([overrun({ stated: 5_000 })]);
  });

  test('is believed where its own count is within the bound, whatever ours is', async () => {
    const asked = await asking({ body: completion(words(12).join(''), stated(16, 9)) });
    const reply = await whole(asked, { maxOutputTokens: 10 });
    expect(reply).toMatchObject({ finishReason: 'stop', usage: { outputTokens: 9, estimated: false } });
    expect(reply.message.content).toBe(words(12).join(''));
    expect(asked.overruns).toEqual([]);
  });

  test.each([
    ['in small pieces', words(5_000)],
    ['in one piece', [long]],
    ['in single letters', [...words(5_000).join('')]],
  ])('%s: the stream ends at the bound, and the upstream is stopped', async (_, pieces) => {
    const asked = await asking({ pieces: streamedCompletion(pieces), pauseMs: 1, ending: 'silence' });
    const reply = await streamed(asked, { maxOutputTokens: 10 });
    expect(reply.message.content.length).toBeGreaterThanOrEqual(50);
    expect(words(11).join('').startsWith(reply.message.content)).toBe(true);
    expect(await countTokens(reply.message.content)).toBe(10);
    expect(reply).toMatchObject({ finishReason: 'length', usage: { outputTokens: 10, estimated: true } });
    const charged = BigInt(reply.usage.inputTokens ?? 0) * 1_000n + 10n * 2_000n;
    expect(asked.harness.ledger).toMatchObject({ held: 0n, balance: nano - charged });
    await asked.upstream.seen[0]?.aborted;
    expect(asked.overruns).toEqual([overrun()]);
  });

  test.each([
    ['and shows it', false],
    ['unseen', true],
  ])('and states more at the end of a stream %s is charged its bound', async (_, reasons) => {
    const asked = await asking({ pieces: streamedCompletion(['Rome.'], stated(16, 9_000, 8_990)) }, reasons);
    const reply = await streamed(asked, { maxOutputTokens: 10 });
    expect(reply).toMatchObject({ message: { content: 'Rome.' }, finishReason: 'stop', usage: { outputTokens: 10 } });
    expect(asked.harness.ledger).toMatchObject({ held: 0n, balance: nano - 16_000n - 20_000n });
    expect(asked.overruns).toEqual([overrun({ stated: 9_000 })]);
  });

  test('calls of tools that go beyond the bound are not made', async () => {
    const body = completion('', null) as { choices: { message: object }[] };
    const toolCall = (id: string, count: number) => ({
      ...{ id, type: 'function' },
      function: { name: 'find', arguments: JSON.stringify({ text: words(count).join('') }) },
    });
    const [choice] = body.choices;
    if (choice)
      choice.message = { role: 'assistant', content: null, tool_calls: [toolCall('a', 5), toolCall('b', 500)] };
    const asked = await asking({ body });
    const tools = [{ name: 'find', description: undefined, parameters: { type: 'object' } }];
    const reply = await whole(asked, { maxOutputTokens: 40, tools });
    expect(reply.message.toolCalls.map(({ id }) => id)).toEqual(['a']);
    expect(reply).toMatchObject({ finishReason: 'length', usage: { estimated: true } });
    expect(reply.usage.outputTokens).toBeLessThanOrEqual(40);
  });
});

test.each(['whole', 'streamed'] as const)('input beyond what the request can have is not charged: %s', async (how) => {
  const usage = { ...stated(4_000_000, 3), prompt_tokens_details: { cached_tokens: 3_999_999 } };
  const asked = await asking(
    how === 'whole' ? { body: completion('Rome.', usage) } : { pieces: streamedCompletion(['Rome.'], usage) },
  );
  const reply = await (how === 'whole' ? whole : streamed)(asked, { maxOutputTokens: 10 });
  expect(reply.usage).toMatchObject({ inputTokens: inputMost, cachedInputTokens: inputMost, outputTokens: 3 });
  expect(asked.harness.ledger.balance).toBe(nano - BigInt(inputMost) * 500n - 6_000n);
  expect(asked.overruns).toEqual([overrun({ what: 'input', bound: inputMost, stated: 4_000_000 })]);
});

describe('the bound of a text', () => {
  const prose = fc
    .array(fc.constantFrom('the', 'Übermaß', 'tokens', '数量', '😀', '1234', 'x', '\n', 'antidisestablishment'), {
      minLength: 1,
      maxLength: 400,
    })
    .map((list) => list.join(' '));

  test('is kept however the text is cut into pieces, and what is taken is its beginning', async () => {
    await fc.assert(
      fc.asyncProperty(
        prose,
        fc.integer({ min: 1, max: 300 }),
        fc.integer({ min: 1, max: 40 }),
        async (text, most, size) => {
          const bound = new TokenBound(most);
          let taken = '';
          for (let start = 0; start < text.length; start += size) taken += bound.take(text.slice(start, start + size));
          expect(text.startsWith(taken)).toBe(true);
          const all = await countTokens(text);
          expect(await countTokens(taken)).toBeLessThanOrEqual(most);
          // Blanks that end a piece count by themselves now and then: what is near the bound may be cut, nothing else.
          if (all <= most * 0.9) expect(taken).toBe(text);
          if (all > most) expect(bound.full).toBe(true);
        },
      ),
      { numRuns: 300, seed: 20_261_122 },
    );
  });

  test('is found in a long text without counting the rest of it', () => {
    const bound = new TokenBound(3_000);
    const taken = bound.take('word '.repeat(4_000_000));
    expect(taken.length).toBeGreaterThan(14_000);
    expect(taken.length).toBeLessThan(16_000);
    expect(bound.take('more')).toBe('');
  });

  test('never parts a surrogate pair', () => {
    for (let most = 1; most < 12; most++) {
      const taken = new TokenBound(most).take('😀'.repeat(2_000));
      expect(taken.isWellFormed()).toBe(true);
    }
  });
});
