import { afterEach, describe, expect, test, vi } from 'vitest';
import type { FailureError } from '../../src/base/failure.ts';
import type { ChatEvent, ChatRequest } from '../../src/chat/index.ts';
import { countPiece, piecesOf, type Sandbox } from '../../src/sandbox/index.ts';
import { testSandbox } from '../support/sandbox.ts';
import { startUpstream, streamedCompletion, type Upstream, type UpstreamReply } from '../support/upstream.ts';
import { call, caller, chatHarness, type Harness, say, testModel } from './harness.ts';

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.close();
});

async function streaming(
  replies: readonly UpstreamReply[],
  more: Parameters<typeof chatHarness>[0] = {},
): Promise<{ harness: Harness; upstreams: Upstream[] }> {
  const upstreams = await Promise.all(replies.map((reply) => startUpstream(reply)));
  open.push(...upstreams);
  const harness = await chatHarness({
    providers: upstreams.map(({ url }, index) => ({
      id: `p${index}`,
      kind: 'openai-compatible' as const,
      baseUrl: `${url}/v1`,
    })),
    models: upstreams.map((_, index) =>
      testModel(`p${index}`, `m${index}`, {
        price: { inputPerMillionUsd: `${index + 1}`, outputPerMillionUsd: `${2 * (index + 1)}` },
      }),
    ),
    ...more,
  });
  open.push(harness);
  return { harness, upstreams };
}

async function read(harness: Harness, request: Partial<ChatRequest> = {}, key?: string) {
  const result = await harness.chat.stream(caller, say('Hi', { routing: { mode: 'economy' }, ...request }), call(key));
  if (!result.ok) return { failure: result.failure, events: [] as ChatEvent[] };
  const events: ChatEvent[] = [];
  try {
    for await (const event of result.value) events.push(event);
  } catch (error) {
    return { failure: (error as FailureError).failure, events };
  }
  return { failure: undefined, events };
}

function textOf(events: readonly ChatEvent[]): string {
  return events.map((event) => (event.kind === 'delta' ? (event.content ?? '') : '')).join('');
}

const words = (count: number) => Array.from({ length: count }, () => ' word');

describe('a streamed reply', () => {
  test('comes piece by piece and ends with what it cost, after the charge', async () => {
    const usage = { prompt_tokens: 10, completion_tokens: 3, prompt_tokens_details: { cached_tokens: 4 } };
    const { harness } = await streaming([{ pieces: streamedCompletion(['Hel', 'lo', '.'], usage) }]);
    const { events } = await read(harness);
    expect(events.slice(0, 3)).toEqual(['Hel', 'lo', '.'].map((content) => ({ kind: 'delta', content })));
    expect(events.at(-1)).toMatchObject({
      kind: 'end',
      reply: {
        message: { content: 'Hello.' },
        finishReason: 'stop',
        usage: { inputTokens: 10, cachedInputTokens: 4, outputTokens: 3, estimated: false, cost: 16_000n },
        balance: 5_000_000_000n - 16_000n,
      },
    });
    expect(harness.ledger).toMatchObject({ held: 0n, balance: 5_000_000_000n - 16_000n });
  });

  test('whose provider counts only its output pays for that count, and for our count of the input', async () => {
    const usage = { prompt_tokens: 0, completion_tokens: 2 };
    const { harness } = await streaming([{ pieces: streamedCompletion(words(9), usage) }]);
    const { events } = await read(harness);
    expect(textOf(events)).toBe(words(9).join(''));
    expect(harness.ledger.settlements).toMatchObject([{ usage: { outputTokens: 2, estimated: true } }]);
  });

  test.each([
    ['for which no time is left', { deadlineMs: 0 }, 'upstream_timeout'],
    ['whose provider is gone by now', { gone: ['p0'] }, 'upstream_failed'],
  ] as const)('%s is not told that credit is missing', async (_, more, kind) => {
    const { harness, upstreams } = await streaming([{ pieces: streamedCompletion(['Hi.']) }], more);
    expect(await read(harness)).toMatchObject({ failure: { kind, attempts: [] }, events: [] });
    expect(upstreams[0]?.seen).toHaveLength(0);
    expect(harness.ledger).toMatchObject({ held: 0n, balance: 5_000_000_000n });
  });

  test('whose input, counted for real, costs more than could be held is told so, with the balance', async () => {
    const { harness, upstreams } = await streaming([{ pieces: streamedCompletion(['Hi.']) }], { balance: 200_000n });
    const { failure } = await read(harness, { messages: [{ role: 'user', content: '龘'.repeat(200) }] });
    expect(failure).toMatchObject({ kind: 'insufficient_credit', balance: 200_000n, held: 0n });
    expect(upstreams[0]?.seen).toHaveLength(0);
    expect(harness.ledger).toMatchObject({ held: 0n, balance: 200_000n });
  });

  test.each<[string, UpstreamReply]>([
    ['an error status', { status: 503, body: 'busy' }],
    ['a stream that breaks before its first token', { pieces: [': hello\n\n'], ending: 'reset' }],
    ['an error inside the stream before its first token', { pieces: ['data: {"error":{"message":"overloaded"}}\n\n'] }],
    ['garbage', { pieces: ['data: {"nonsense\n\n'] }],
    ['an end without a reply', { pieces: ['data: [DONE]\n\n'] }],
    ['silence', { pieces: [': hello\n\n'], ending: 'silence' }],
  ])('falls back after %s', async (_, fault) => {
    const { harness } = await streaming([fault, { pieces: streamedCompletion(['Second.']) }], {
      // Half of it for one that is silent, and half for the other to answer in.
      deadlineMs: fault.ending === 'silence' ? 6_000 : 60_000,
    });
    const { events } = await read(harness);
    expect(textOf(events)).toBe('Second.');
    expect(events.at(-1)).toMatchObject({ reply: { provider: 'p1', routing: { attempts: [{}, { outcome: 'ok' }] } } });
    expect(harness.ledger.settlements).toHaveLength(1);
    expect(harness.ledger.held).toBe(0n);
  });

  test.each<[string, UpstreamReply['ending']]>([
    ['breaks off', 'reset'],
    ['ends half closed', 'half-close'],
    ['just ends', 'end'],
  ])('that %s in the middle is an error, and what came is paid for', async (_, ending) => {
    const pieces = streamedCompletion(words(10)).slice(0, 8);
    const { harness, upstreams } = await streaming([{ pieces, pauseMs: 3, ...(ending ? { ending } : {}) }, {}]);
    const { events, failure } = await read(harness);
    expect(textOf(events)).toBe(words(7).join(''));
    expect(failure).toMatchObject({ kind: 'upstream_failed' });
    expect(upstreams[1]?.seen).toHaveLength(0);
    expect(harness.ledger.settlements).toMatchObject([{ usage: { outputTokens: 7, estimated: true } }]);
    expect(harness.ledger.held).toBe(0n);
  });

  test('that breaks off and came letter by letter is paid for as the text that it was', async () => {
    const letters = [...'Internationalization of documentation.'];
    const pieces = streamedCompletion(letters).slice(0, -2);
    const { harness } = await streaming([{ pieces, ending: 'reset', pauseMs: 1 }]);
    const { events } = await read(harness);
    expect(textOf(events)).toBe(letters.join(''));
    expect(harness.ledger.settlements).toMatchObject([{ usage: { estimated: true } }]);
    expect(harness.ledger.settlements[0]?.usage.outputTokens).toBeLessThan(10);
  });

  test('whose provider states nothing is counted once, at its end', async () => {
    const sandbox = testSandbox();
    let counted = 0;
    const counting: Sandbox = {
      ...sandbox,
      run: (owner, kind, job, options) => {
        if ('pieces' in job) counted += job.pieces.join('').length;
        return sandbox.run(owner, kind, job, options);
      },
    };
    const sentences = Array.from({ length: 350 }, () => 'All work and no play makes a dull day. ');
    const text = sentences.join('');
    const pieces = streamedCompletion(sentences).slice(0, -2);
    const { harness } = await streaming([{ pieces, ending: 'end' }], { sandbox: counting });
    const { events } = await read(harness);
    expect(textOf(events) === text).toBe(true);
    const outputTokens = [...piecesOf(text)].reduce((sum, piece) => sum + countPiece(piece), 0);
    expect(harness.ledger.settlements).toMatchObject([{ usage: { outputTokens, estimated: true } }]);
    // All of it, and its last piece of at most 4,096 units a second time.
    expect(counted).toBeLessThanOrEqual(text.length + 4_096);
  });

  test('whose node dies is charged for its real input and what came, not for what was held', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    try {
      const pieces = streamedCompletion([' word', ' word']).slice(0, 3);
      // The first route fails, so what is charged is the second one's, and says so.
      const { harness } = await streaming([{ status: 500 }, { pieces, ending: 'silence' }]);
      const gone = new AbortController();
      const long = 'the quick brown fox jumps over the lazy dog '.repeat(100);
      const request = say(long, { routing: { mode: 'economy' } });
      const result = await harness.chat.stream(caller, request, { signal: gone.signal });
      if (!result.ok) throw new Error('not opened');
      for (let index = 0; index < 2; index++) await result.value.next();
      const recorded = vi.spyOn(harness.ledger, 'recordProgress');
      vi.advanceTimersByTime(15_000);
      // A text of this length is counted by a process that may have to start.
      await vi.waitFor(() => expect(recorded.mock.settledResults[0]?.type).toBe('fulfilled'), 25_000);
      expect(recorded).toHaveBeenCalledTimes(1);
      expect(recorded.mock.calls[0]?.[1]).toMatchObject({ provider: 'p1', model: 'm1' });
      await harness.ledger.expireHolds();
      const charged = 5_000_000_000n - harness.ledger.balance;
      expect(charged).toBeGreaterThan(1_800_000n);
      expect(charged).toBeLessThan(1_900_000n);
      gone.abort();
      await harness.chat.drained();
    } finally {
      vi.useRealTimers();
    }
  });

  test.each(['abort', 'return'] as const)(
    'that the caller ends (%s) stops the upstream and is paid as received',
    async (way) => {
      const { harness, upstreams } = await streaming([{ pieces: streamedCompletion(words(1_000)), pauseMs: 10 }]);
      const gone = new AbortController();
      const result = await harness.chat.stream(caller, say('Hi'), { signal: gone.signal });
      if (!result.ok) throw new Error('not opened');
      for (let index = 0; index < 5; index++) await result.value.next();
      if (way === 'abort') gone.abort();
      else await result.value.return();
      await upstreams[0]?.seen[0]?.aborted;
      await harness.chat.drained();
      expect(harness.ledger.settlements).toHaveLength(1);
      expect(harness.ledger.settlements[0]?.usage.outputTokens).toBeGreaterThanOrEqual(5);
      expect(harness.ledger.settlements[0]?.usage.outputTokens).toBeLessThan(900);
      expect(harness.ledger.held).toBe(0n);
    },
  );

  test('that is ended before its first token pays for the input that the upstream took', async () => {
    const { harness, upstreams } = await streaming([{ pieces: [': thinking\n\n'], ending: 'silence' }]);
    const gone = new AbortController();
    const opening = harness.chat.stream(caller, say('Hi'), { signal: gone.signal });
    await expect.poll(() => upstreams[0]?.seen.length).toBe(1);
    gone.abort();
    expect(await opening).toMatchObject({ ok: false, failure: { kind: 'cancelled' } });
    await harness.chat.drained();
    expect(harness.ledger.settlements).toMatchObject([{ usage: { outputTokens: 0 } }]);
    expect(harness.ledger.held).toBe(0n);
  });

  test('holds credit in steps while it grows', async () => {
    const { harness } = await streaming([{ pieces: streamedCompletion(words(3_000)) }]);
    const result = await harness.chat.stream(caller, say('Hi'), call());
    if (!result.ok) throw new Error('not opened');
    await result.value.next();
    const heldAtFirst = harness.ledger.held;
    expect(heldAtFirst).toBeLessThan(1_200n * 2_000n);
    for (let index = 0; index < 2_500; index++) await result.value.next();
    expect(harness.ledger.held).toBeGreaterThan(heldAtFirst);
    for await (const _ of result.value);
    expect(harness.ledger.held).toBe(0n);
    expect(harness.ledger.settlements[0]?.usage.outputTokens).toBe(3_000);
  });

  test('ends with credit when credit ends, and the balance reaches exactly 0', async () => {
    const { harness, upstreams } = await streaming([{ pieces: streamedCompletion(words(3_000)), pauseMs: 0 }], {
      balance: 1_000_000n,
    });
    const { events } = await read(harness);
    const last = events.at(-1);
    expect(last).toMatchObject({ kind: 'end', reply: { finishReason: 'credit', balance: 0n } });
    expect(textOf(events).length / 5).toBeGreaterThan(450);
    expect(harness.ledger).toMatchObject({ balance: 0n, held: 0n });
    expect(upstreams[0]?.seen).toHaveLength(1);
  });

  test.each([
    ['its first piece', [words(3_000).join('')]],
    ['a later piece', [...words(10), words(3_000).join('')]],
  ])('of which %s is longer than the credit gives out no more than is paid for', async (_, pieces) => {
    const { harness } = await streaming([{ pieces: streamedCompletion(pieces) }], { balance: 1_000_000n });
    const { events } = await read(harness);
    expect(events.at(-1)).toMatchObject({ kind: 'end', reply: { finishReason: 'credit', balance: 0n } });
    const [settlement] = harness.ledger.settlements;
    const { inputTokens = 0, outputTokens = 0 } = settlement?.usage ?? {};
    expect(textOf(events)).toBe(words(outputTokens).join(''));
    // The credit ends within the last token.
    expect(outputTokens).toBe(Math.ceil((1_000_000 - inputTokens * 1_000) / 2_000));
    expect(harness.ledger).toMatchObject({ balance: 0n, held: 0n });
  });

  test('of which a piece is longer than what is held is whole where the credit pays for it', async () => {
    const huge = words(3_000).join('');
    const { harness } = await streaming([{ pieces: streamedCompletion([huge]) }], { balance: 7_000_000n });
    const { events } = await read(harness);
    expect(textOf(events)).toBe(huge);
    expect(events.at(-1)).toMatchObject({ reply: { finishReason: 'stop', usage: { outputTokens: 3_000 } } });
    expect(harness.ledger.settlements).toMatchObject([{ usage: { outputTokens: 3_000 } }]);
  });

  test('whose call of a tool is longer than the credit is not made', async () => {
    const huge = JSON.stringify({ text: words(3_000).join('') });
    const call1 = { index: 0, id: 'call_1', type: 'function', function: { name: 'write', arguments: huge } };
    const piece = (delta: object, finish_reason: string | null = null) =>
      `data: ${JSON.stringify({ id: 'c', choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
    const { harness } = await streaming(
      [{ pieces: [piece({ tool_calls: [call1] }), piece({}, 'tool_calls'), 'data: [DONE]\n\n'] }],
      { balance: 2_000_000n },
    );
    const { events } = await read(harness, { tools: [{ name: 'write' }] });
    const given = events.map((event) => (event.kind === 'delta' ? (event.toolCall?.arguments ?? '') : '')).join('');
    expect(given.length).toBeLessThan(huge.length / 2);
    expect(events.at(-1)).toMatchObject({ kind: 'end', reply: { finishReason: 'credit' } });
  });

  test('costs what its provider states, also where that is more than was counted and held so far', async () => {
    // The first step of the hold pays for 1,024 tokens; the provider counts 1,900 where we count 950.
    const stated = { prompt_tokens: 5, completion_tokens: 1_900 };
    const { harness } = await streaming([{ pieces: streamedCompletion(words(950), stated) }]);
    const before = harness.ledger.balance;
    const { events } = await read(harness, { maxOutputTokens: 4_000 });
    const cost = 5n * 1_000n + 1_900n * 2_000n;
    expect(events.at(-1)).toMatchObject({ kind: 'end', reply: { usage: { outputTokens: 1_900, cost } } });
    expect(before - harness.ledger.balance).toBe(cost);
    expect(harness.ledger.held).toBe(0n);
  });

  test('whose caller leaves after one huge piece pays for all of that piece', async () => {
    const huge = JSON.stringify({ text: words(6_000).join('') });
    const piece = (delta: object) => `data: ${JSON.stringify({ id: 'c', choices: [{ index: 0, delta }] })}\n\n`;
    const call1 = { index: 0, id: 'call_1', type: 'function', function: { name: 'write', arguments: huge } };
    const { harness } = await streaming([
      { pieces: [piece({ tool_calls: [call1] }), ...words(50).map((content) => piece({ content }))], pauseMs: 20 },
    ]);
    const before = harness.ledger.balance;
    const request = say('Hi', { tools: [{ name: 'write' }], maxOutputTokens: 8_000 });
    const result = await harness.chat.stream(caller, request, call());
    if (!result.ok) throw new Error('not opened');
    let received = 0;
    while (received < huge.length) {
      const { value } = await result.value.next();
      received += value?.kind === 'delta' ? (value.toolCall?.arguments.length ?? 0) : 0;
    }
    await result.value.return();
    await harness.chat.drained();
    const [settlement] = harness.ledger.settlements;
    expect(settlement?.usage.outputTokens).toBeGreaterThanOrEqual(6_000);
    const { inputTokens = 0, outputTokens = 0 } = settlement?.usage ?? {};
    expect(before - harness.ledger.balance).toBe(BigInt(inputTokens * 1_000 + outputTokens * 2_000));
    expect(harness.ledger.held).toBe(0n);
  });

  test('is repeated for its idempotency key as one piece and its end', async () => {
    const { harness } = await streaming([{ pieces: streamedCompletion(['On', 'ce.']) }]);
    const first = await read(harness, {}, 'k');
    const again = await read(harness, {}, 'k');
    expect(again.events).toEqual([{ kind: 'delta', content: 'Once.' }, first.events.at(-1)]);
    expect(harness.ledger.settlements).toHaveLength(1);
  });

  test('has tool calls in pieces and whole', async () => {
    const tool = (value: object) =>
      `data: ${JSON.stringify({ id: 'c', choices: [{ index: 0, delta: { tool_calls: [{ index: 0, ...value }] } }] })}\n\n`;
    const { harness } = await streaming([
      {
        pieces: [
          tool({ id: 'call_1', type: 'function', function: { name: 'weather', arguments: '' } }),
          tool({ function: { arguments: '{"city":' } }),
          tool({ function: { arguments: '"Rome"}' } }),
          'data: {"id":"c","choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}\n\n',
          'data: [DONE]\n\n',
        ],
      },
    ]);
    const { events } = await read(harness, { tools: [{ name: 'weather' }] });
    const pieces = events.flatMap((event) =>
      event.kind === 'delta' && event.toolCall ? [event.toolCall.arguments] : [],
    );
    expect(pieces.join('')).toBe('{"city":"Rome"}');
    expect(events.at(-1)).toMatchObject({
      reply: {
        finishReason: 'tool_calls',
        message: { toolCalls: [{ id: 'call_1', name: 'weather', arguments: '{"city":"Rome"}' }] },
      },
    });
  });

  test('reads no faster from the upstream than the caller takes it', async () => {
    const piece = 'x'.repeat(10_000);
    const total = 4_000;
    let sent = 0;
    const { harness, upstreams } = await streaming([{}]);
    const pieces = {
      *[Symbol.iterator]() {
        for (const text of streamedCompletion(Array.from({ length: total }, () => piece))) {
          sent++;
          yield text;
        }
      },
    };
    upstreams[0]?.answer(() => ({ pieces: pieces as unknown as string[] }));
    const result = await harness.chat.stream(caller, say('Hi'), call());
    if (!result.ok) throw new Error('not opened');
    await result.value.next();
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(sent).toBeLessThan(total / 2);
    await result.value.return();
  });

  test('runs five hundred at a time without a stall', { timeout: 240_000 }, async () => {
    const { harness } = await streaming([{ pieces: streamedCompletion(words(100)) }], {
      deadlineMs: 200_000,
    });
    const results = await Promise.all(Array.from({ length: 500 }, () => read(harness)));
    for (const { events } of results) expect(events).toHaveLength(101);
    expect(harness.ledger.held).toBe(0n);
    expect(harness.ledger.settlements).toHaveLength(500);
  });
});
