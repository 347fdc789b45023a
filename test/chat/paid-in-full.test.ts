import { afterEach, describe, expect, test } from 'vitest';
import type { FailureError } from '../../src/base/failure.ts';
import type { ChatEvent, ChatRequest } from '../../src/chat/index.ts';
import { loseHolds } from '../support/lose-holds.ts';
import { completion, startUpstream, streamedCompletion, type UpstreamReply } from '../support/upstream.ts';
import { call, caller, chatHarness, say, testModel } from './harness.ts';

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.close();
});

async function service(
  reply: UpstreamReply,
  more: Parameters<typeof testModel>[2] = {},
  { deadlineMs = 60_000, sleep, balance }: { deadlineMs?: number; sleep?: () => Promise<void>; balance?: bigint } = {},
) {
  const upstream = await startUpstream(reply);
  const harness = await chatHarness({
    providers: [{ id: 'p', kind: 'openai-compatible', baseUrl: `${upstream.url}/v1` }],
    models: [testModel('p', 'm', more)],
    deadlineMs,
    ...(sleep ? { sleep } : {}),
    ...(balance === undefined ? {} : { balance }),
  });
  open.push(upstream, harness);
  return { ...harness, upstream };
}

const json = { responseFormat: { kind: 'json' as const, schema: { type: 'object' } } };
const whole: [string, Partial<ChatRequest>, boolean, string][] = [
  ['a reply', {}, false, 'Paid?'],
  ['a reply with a schema', json, false, '{}'],
  ['a stream with a schema', json, true, '{}'],
];

describe('what leaves whole', () => {
  test.for(whole)('does so only when it is paid in full: %s', async ([, request, streamed, content]) => {
    const { chat, ledger } = await service({ body: completion(content) });
    const ask = () => (streamed ? chat.stream : chat.run)(caller, say('Hi', request), call('k'));
    let found = loseHolds(ledger, 'expired');
    expect(await ask()).toMatchObject({ ok: false, failure: { kind: 'insufficient_credit', needed: 20_000n } });
    found();
    found = loseHolds(ledger, 'superseded');
    expect(await ask()).toMatchObject({
      ok: false,
      failure: { kind: 'idempotency_in_flight', chargeId: expect.stringMatching(/^chg_/), retryAfterMs: 1_000 },
    });
    found();
    expect(ledger).toMatchObject({ held: 0n, balance: 5_000_000_000n });
    expect(ledger.settlements.every(({ charged }) => charged === 0n)).toBe(true);
    ledger.settlements.splice(0);
    expect(await ask()).toMatchObject({ ok: true });
    expect(ledger.settlements).toMatchObject([{ charged: 20_000n }]);
    expect(ledger.settlements[0]).not.toHaveProperty('delivered');
  });

  test.for([false, true])('gives its hold back when something throws on the way (streamed: %s)', async (streamed) => {
    const { chat, ledger } = await service(
      { status: 503, body: 'busy' },
      {},
      {
        sleep: () => Promise.reject(new Error('a fault')),
      },
    );
    const request = say('Hi', { routing: { maxRetries: 1 } });
    await expect((streamed ? chat.stream : chat.run)(caller, request, call())).rejects.toThrow('a fault');
    expect(ledger).toMatchObject({ held: 0n, balance: 5_000_000_000n, releases: ['not settled'] });
  });
});

/** Nobody can tell from its bytes how many tokens it is. */
const withDocument: ChatRequest = {
  messages: [{ role: 'user', parts: [{ kind: 'document', data: Buffer.from('%PDF-1.4'), filename: 'a.pdf' }] }],
  maxOutputTokens: 100,
};

describe('a request with a document', () => {
  test.for([false, true])('begins only where the model’s whole window is paid for (streamed: %s)', async (streamed) => {
    // 100,000 tokens at 1,000 nano-USD, and one of output at 2,000.
    const needed = 100_002_000n;
    const usage = { prompt_tokens: 90_000, completion_tokens: 5 };
    const reply = streamed ? { pieces: streamedCompletion(['Read.'], usage) } : { body: completion('Read.', usage) };
    const { chat, ledger, upstream } = await service(reply, { capabilities: ['documents'] }, { balance: needed - 1n });
    const ask = () => (streamed ? chat.stream : chat.run)(caller, withDocument, call());
    expect(await ask()).toMatchObject({ ok: false, failure: { kind: 'insufficient_credit', needed } });
    expect(upstream.seen).toHaveLength(0);
    ledger.balance = 100_010_000n;
    const answered = await ask();
    if (answered.ok && 'next' in answered.value) await all(answered.value);
    expect(ledger.settlements).toMatchObject([{ charged: 90_010_000n }]);
  });
});

describe('a request with a scan of more bytes than words of the window have', () => {
  const parts = [{ kind: 'document' as const, data: Buffer.alloc(4_000_000, '%'), filename: 'scan.pdf' }];
  const scanned: ChatRequest = { messages: [{ role: 'user', parts }] };

  test('is asked for, is held for the window and no more, and leaves room for a reply', async () => {
    const usage = { prompt_tokens: 30_000, completion_tokens: 5 };
    const reply = { body: completion('A receipt.', usage) };
    const { chat, ledger, upstream } = await service(reply, { capabilities: ['documents'] });
    const ceilings: bigint[] = [];
    const { hold } = ledger;
    ledger.hold = (request) => {
      ceilings.push(request.ceiling);
      return hold(request);
    };
    expect(await chat.run(caller, scanned, call())).toMatchObject({ ok: true });
    expect(upstream.seen[0]?.body.max_tokens).toBe(4_096);
    // 100,000 tokens at 1,000 nano-USD, and 4,096 of output at 2,000.
    expect(ceilings).toEqual([108_192_000n]);
    expect(ledger.settlements).toMatchObject([{ charged: 30_010_000n }]);
  });

  test('is refused for its words alone, which are counted alone', async () => {
    const { chat } = await service({ body: completion('') }, { capabilities: ['documents'] });
    const words = { role: 'user' as const, content: 'word '.repeat(90_000) };
    const messages = [...scanned.messages, words];
    const said = /about 1125\d\d tokens; the models accept at most 100000/;
    expect(await chat.run(caller, { messages }, call())).toMatchObject({
      failure: { kind: 'invalid_argument', violations: [{ description: expect.stringMatching(said) }] },
    });
  });
});

describe('a stream', () => {
  test('that can’t be collected says what is owed for its pieces', async () => {
    const usage = { prompt_tokens: 10, completion_tokens: 5 };
    const { chat, ledger } = await service({ pieces: streamedCompletion(['Un', 'paid.'], usage) });
    const seen: unknown[] = [];
    const settle = ledger.settle.bind(ledger);
    ledger.settle = (hold, settlement) => {
      seen.push(settlement);
      return settle(hold, settlement);
    };
    loseHolds(ledger, 'expired');
    const opened = await chat.stream(caller, say('Hi'), call());
    if (!opened.ok) throw new Error('not opened');
    const { events } = await all(opened.value);
    expect(events.at(-1)).toMatchObject({
      kind: 'end',
      reply: { message: { content: 'Unpaid.' }, usage: { cost: 20_000n } },
    });
    expect(seen).toMatchObject([{ delivered: true, cost: 20_000n }]);
  });

  test('whose hold has expired is paid up to what is left of its cap, which a repeat states too', async () => {
    const usage = { prompt_tokens: 10, completion_tokens: 5 };
    const { chat, ledger } = await service({ pieces: streamedCompletion(['Late', '.'], usage) });
    const capped = { ...caller, key: { id: 'key_1', version: 1, spendingCap: 30_000n } };
    const stream = async (key: string, midway?: () => Promise<unknown>) => {
      const opened = await chat.stream(capped, say('Hi'), call(key));
      if (!opened.ok) throw new Error('not opened');
      await opened.value.next();
      await midway?.();
      return (await all(opened.value)).events.at(-1);
    };
    const late = await stream('k', async () => {
      await ledger.expireHolds();
      // Another one spends most of the cap.
      await stream('other');
    });
    expect(late).toMatchObject({ kind: 'end', reply: { usage: { cost: 10_000n } } });
    expect(await stream('k')).toMatchObject({ kind: 'end', reply: { usage: { cost: 10_000n } } });
    expect(ledger).toMatchObject({ held: 0n, balance: 5_000_000_000n - 30_000n });
  });

  test('of which no piece has left is paid in full, or fails', async () => {
    const { chat, ledger } = await service({ pieces: streamedCompletion([]) });
    loseHolds(ledger, 'expired');
    const opened = await chat.stream(caller, say('Hi'), call());
    if (!opened.ok) throw new Error('not opened');
    expect(await all(opened.value)).toMatchObject({ events: [], failure: { kind: 'insufficient_credit' } });
  });

  test('of a model that reasons is read on when it is left, and a retry gets all of it', async () => {
    const usage = { prompt_tokens: 10, completion_tokens: 1_000 };
    const { chat, ledger, upstream } = await service(
      { pieces: streamedCompletion(['Yes', ', ', 'sir.'], usage), pauseMs: 20 },
      { capabilities: ['reasoning'] },
    );
    const opened = await chat.stream(caller, say('Hi'), call('k'));
    if (!opened.ok) throw new Error('not opened');
    await opened.value.next();
    await opened.value.return();
    await chat.drained();
    expect(ledger.settlements).toMatchObject([{ charged: 2_010_000n, usage: { estimated: false } }]);
    const again = await chat.stream(caller, say('Hi'), call('k'));
    if (!again.ok) throw new Error('not answered');
    expect((await all(again.value)).events[0]).toEqual({ kind: 'delta', content: 'Yes, sir.' });
    expect(upstream.seen).toHaveLength(1);
  });

  test('of a request with a document is read on when it is left, and costs what its provider counts', async () => {
    const usage = { prompt_tokens: 60_000, completion_tokens: 3 };
    const { chat, ledger } = await service(
      { pieces: streamedCompletion(['Yes', ', ', 'sir.'], usage), pauseMs: 20 },
      { capabilities: ['documents'] },
    );
    const opened = await chat.stream(caller, withDocument, call());
    if (!opened.ok) throw new Error('not opened');
    await opened.value.next();
    await opened.value.return();
    await chat.drained();
    expect(ledger.settlements).toMatchObject([{ charged: 60_006_000n, usage: { inputTokens: 60_000 } }]);
  });

  // A token for 16 bytes of the document, within the window, and what was said around it and came.
  test.for([
    ['small', 16_000, 1_000n],
    ['large', 1_000_000, 62_500n],
  ] as const)(
    'that its upstream breaks off over a %s document costs what came, and no more than was held',
    async ([, bytes, tokens]) => {
      const worst = 100_200_000n;
      const { chat, ledger } = await service(
        { pieces: streamedCompletion(['Yes', ', ', 'sir.']).slice(0, 3), ending: 'end' },
        { capabilities: ['documents'] },
      );
      const data = Buffer.alloc(bytes, '%');
      const parts = [{ kind: 'document' as const, data, filename: 'a.pdf' }];
      const opened = await chat.stream(caller, { ...withDocument, messages: [{ role: 'user', parts }] }, call());
      if (!opened.ok) throw new Error('not opened');
      expect(await all(opened.value)).toMatchObject({ failure: { kind: 'upstream_failed' } });
      const [{ charged, usage } = { charged: 0n, usage: undefined }] = ledger.settlements;
      expect(usage).toMatchObject({ outputTokens: 3, estimated: true });
      expect(charged).toBeGreaterThanOrEqual(1_000n * tokens + 6_000n);
      expect(charged).toBeLessThanOrEqual(1_000n * tokens + 6_000n + 50_000n);
      expect(charged).toBeLessThanOrEqual(worst);
    },
  );

  /** More tokens by our count than by the provider's: our count reaches the limit while the provider still writes. */
  const longByOurCount = streamedCompletion(['Yes. ', 'ᏣᎳᎩ ', 'ᎦᏬᏂᎯᏍᏗ'], {
    prompt_tokens: 90_000,
    completion_tokens: 5,
  });

  test.for([['documents'], ['reasoning']] as const)(
    'that is full by our own count is still charged what its provider states: %s',
    async (capabilities) => {
      const { chat, ledger } = await service({ pieces: longByOurCount }, { capabilities });
      const request = capabilities[0] === 'documents' ? withDocument : say('Hi'.repeat(50_000));
      const opened = await chat.stream(caller, { ...request, maxOutputTokens: 5 }, call());
      if (!opened.ok) throw new Error('not opened');
      const { events } = await all(opened.value);
      expect(events.at(-1)).toMatchObject({ kind: 'end', reply: { finishReason: 'length' } });
      const text = events.map((event) => (event.kind === 'delta' ? event.content : '')).join('');
      expect('Yes. ᏣᎳᎩ ᎦᏬᏂᎯᏍᏗ'.startsWith(text)).toBe(true);
      expect(text.length).toBeLessThan(15);
      expect(ledger.settlements).toMatchObject([
        { usage: { inputTokens: 90_000, outputTokens: 5, estimated: false }, charged: 90_010_000n },
      ]);
      expect(ledger.held).toBe(0n);
    },
  );

  test('that is full by our own count ends as full even if the upstream then breaks off', async () => {
    const pieces = longByOurCount.slice(0, -2);
    const { chat, ledger } = await service({ pieces, pauseMs: 20, ending: 'reset' }, { capabilities: ['documents'] });
    const opened = await chat.stream(caller, { ...withDocument, maxOutputTokens: 5 }, call());
    if (!opened.ok) throw new Error('not opened');
    const { events } = await all(opened.value);
    expect(events.at(-1)).toMatchObject({ kind: 'end', reply: { finishReason: 'length', usage: { estimated: true } } });
    expect(ledger.settlements).toMatchObject([{ delivered: true, usage: { estimated: true } }]);
    expect(ledger.held).toBe(0n);
  });

  test('that is read on ends some minutes later at the latest, and is charged as received', async () => {
    const { chat, ledger, upstream } = await service(
      { pieces: streamedCompletion(['Yes', ', ']).slice(0, 3), ending: 'silence' },
      { capabilities: ['reasoning'] },
      { deadlineMs: 1_000 },
    );
    const gone = new AbortController();
    const opened = await chat.stream(caller, say('Hi'), { signal: gone.signal });
    if (!opened.ok) throw new Error('not opened');
    let isAborted = false;
    const aborted = upstream.seen[0]?.aborted.then(() => {
      isAborted = true;
    });
    const reading = all(opened.value);
    setTimeout(() => gone.abort(), 50);
    expect(await reading).toMatchObject({ failure: { kind: 'cancelled' } });
    expect(isAborted).toBe(false);
    expect(ledger.settlements).toEqual([]);
    await aborted;
    await chat.drained();
    expect(ledger.settlements).toMatchObject([{ delivered: true, usage: { estimated: true } }]);
  });
});

async function all(
  events: AsyncGenerator<ChatEvent, void>,
): Promise<{ events: ChatEvent[]; failure?: FailureError['failure'] }> {
  const seen: ChatEvent[] = [];
  try {
    for await (const event of events) seen.push(event);
    return { events: seen };
  } catch (error) {
    return { events: seen, failure: (error as FailureError).failure };
  }
}
