import { afterEach, describe, expect, test, vi } from 'vitest';
import { type Failure, fail, invalid } from '../../src/base/failure.ts';
import type { Sandbox } from '../../src/sandbox/index.ts';
import { testSandbox } from '../support/sandbox.ts';
import { completion, startUpstream, type Upstream, type UpstreamReply } from '../support/upstream.ts';
import { call, caller, chatHarness, type Harness, say, testModel } from './harness.ts';

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.close();
});

async function withUpstreams(
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
      apiKey: 'sk-secret',
    })),
    // The first is cheapest, so that economy tries them in order.
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

async function upstreamWith(answer: string): Promise<Upstream> {
  const upstream = await startUpstream({ body: completion(answer) });
  open.push(upstream);
  return upstream;
}

const economy = { routing: { mode: 'economy' as const } };

describe('a chat request', () => {
  test('on a fresh machine is answered by the embedded model and charged', async () => {
    const harness = await chatHarness({});
    open.push(harness);
    const result = await harness.chat.run(
      caller,
      say('Which colour is the door?', {
        provider: 'auto',
        ...economy,
        messages: [
          { role: 'user', content: 'The door is green. The window is small.' },
          { role: 'user', content: 'Which colour is the door?' },
        ],
      }),
      call(),
    );
    expect(result).toMatchObject({
      ok: true,
      value: { provider: 'builtin', model: 'extractive', finishReason: 'stop' },
    });
    if (!result.ok) return;
    expect(result.value.message.content).toContain('The door is green.');
    expect(result.value.usage.cost).toBeGreaterThan(0n);
    expect(harness.ledger.balance).toBe(5_000_000_000n - result.value.usage.cost);
    expect(harness.ledger.held).toBe(0n);
  });

  test('costs exactly what the provider counted, at the price of the book', async () => {
    const { harness, upstreams } = await withUpstreams([{ body: completion('Hello.') }]);
    const result = await harness.chat.run(caller, say('Hi'), call());
    expect(result).toMatchObject({
      ok: true,
      value: {
        message: { content: 'Hello.' },
        usage: { inputTokens: 10, outputTokens: 5, estimated: false, cost: 10n * 1_000n + 5n * 2_000n },
        balance: 5_000_000_000n - 20_000n,
        routing: { attempts: [{ provider: 'p0', model: 'm0', outcome: 'ok' }] },
      },
    });
    expect(upstreams[0]?.seen[0]?.headers.authorization).toBe('Bearer sk-secret');
    expect(upstreams[0]?.seen[0]?.body).toMatchObject({ model: 'm0', messages: [{ role: 'user', content: 'Hi' }] });
  });

  test('is counted by us, and says so, when the provider states no usage', async () => {
    const { harness } = await withUpstreams([{ body: completion('one two three', null) }]);
    const result = await harness.chat.run(caller, say('Say three words.'), call());
    expect(result).toMatchObject({ ok: true, value: { usage: { estimated: true, outputTokens: 3 } } });
    expect(harness.ledger.settlements[0]?.usage.inputTokens).toBeGreaterThan(3);
  });

  test('costs the reasoning that came with it, too, when the provider states no usage', async () => {
    const body = completion('Rome.', null) as { choices: { message: object }[] };
    const [choice] = body.choices;
    if (choice) choice.message = { ...choice.message, reasoning_content: 'one two three '.repeat(10) };
    const { harness } = await withUpstreams([{ body }]);
    const result = await harness.chat.run(caller, say('Where is the Pantheon?'), call());
    expect(result).toMatchObject({ ok: true, value: { message: { content: 'Rome.' }, usage: { estimated: true } } });
    expect(harness.ledger.settlements[0]?.usage.outputTokens).toBeGreaterThanOrEqual(32);
  });

  test.each([
    ['a count that cannot be read', { prompt_tokens: 10, completion_tokens: '340' }],
    ['none', { prompt_tokens: 10, completion_tokens: 0 }],
  ])('costs its reasoning if that is all of it, and its provider states %s', async (_, usage) => {
    const message = { role: 'assistant', content: '', reasoning_content: 'one two three '.repeat(10) };
    const body = { ...completion('', usage), choices: [{ index: 0, message, finish_reason: 'length' }] };
    const { harness } = await withUpstreams([{ body }]);
    const result = await harness.chat.run(caller, say('Where is the Pantheon?'), call());
    expect(result).toMatchObject({ ok: true, value: { finishReason: 'length', usage: { estimated: true } } });
    expect(harness.ledger.settlements[0]?.usage.outputTokens).toBeGreaterThanOrEqual(30);
  });

  test('is counted by us when more of its input is stated to have been cached than there was', async () => {
    const usage = { prompt_tokens: 10, completion_tokens: 3, prompt_tokens_details: { cached_tokens: 4_000 } };
    const { harness } = await withUpstreams([{ body: completion('one two three', usage) }]);
    const result = await harness.chat.run(caller, say('Say three words. '.repeat(20)), call());
    expect(result).toMatchObject({ ok: true, value: { usage: { estimated: true, outputTokens: 3 } } });
    const [settled] = harness.ledger.settlements;
    expect(settled?.usage.inputTokens).toBeGreaterThan(60);
    expect(settled?.usage.cachedInputTokens).toBeUndefined();
  });

  test.each<[string, UpstreamReply, string]>([
    ['429', { status: 429, body: { error: { message: 'slow down sk-secret' } } }, 'rate_limited'],
    ['500', { status: 500, body: 'oops sk-secret' }, 'server_error'],
    ['503 with HTML', { status: 503, body: '<html>no</html>' }, 'server_error'],
    ['a broken connection', { ending: 'reset' }, 'connection_failed'],
    ['garbage', { body: '{"choices": [' }, 'invalid_reply'],
    ['JSON of another shape', { body: { hello: 1 } }, 'invalid_reply'],
    ['a refused key', { status: 401, body: { error: { message: 'bad key sk-secret' } } }, 'rejected'],
    ['silence', { ending: 'silence' }, 'timeout'],
  ])('falls back to the next model after %s, and pays only for the one that answered', async (_, fault, outcome) => {
    const { harness } = await withUpstreams([fault, { body: completion('Second.') }], {
      // Half of it for one that is silent, and half for the other to answer in.
      deadlineMs: fault.ending === 'silence' ? 6_000 : 60_000,
    });
    const result = await harness.chat.run(caller, say('Hi', economy), call());
    expect(result).toMatchObject({
      ok: true,
      value: {
        provider: 'p1',
        routing: {
          attempts: [
            { provider: 'p0', outcome },
            { provider: 'p1', outcome: 'ok' },
          ],
        },
      },
    });
    expect(harness.ledger.settlements).toHaveLength(1);
    expect(harness.ledger.settlements[0]?.charged).toBe(40_000n);
    expect(harness.ledger.held).toBe(0n);
  });

  test('that every upstream fails is free, and no word of theirs comes out', async () => {
    const { harness } = await withUpstreams([
      { status: 500, body: 'sk-secret' },
      { status: 502, body: { error: { message: 'sk-secret' } } },
    ]);
    const result = await harness.chat.run(caller, say('Hi', economy), call());
    expect(result).toMatchObject({ ok: false, failure: { kind: 'upstream_failed' } });
    expect(JSON.stringify(result)).not.toContain('sk-secret');
    expect(harness.ledger).toMatchObject({ balance: 5_000_000_000n, held: 0n, settlements: [] });
  });

  test('does not fall back when told not to', async () => {
    const { harness, upstreams } = await withUpstreams([{ status: 500 }, { body: completion('Second.') }]);
    const result = await harness.chat.run(caller, say('Hi', { routing: { mode: 'economy', fallback: false } }), call());
    expect(result).toMatchObject({ ok: false, failure: { kind: 'upstream_failed', attempts: [{ provider: 'p0' }] } });
    expect(upstreams[1]?.seen).toHaveLength(0);
  });

  test.each([
    ['a document by its address', { kind: 'document' as const, url: 'https://example.com/a.pdf' }],
    ['an image of no known type', { kind: 'image' as const, data: Buffer.from('no image') }],
  ])(
    'what the protocol of a provider cannot express (%s) is refused, and closes the model to nobody else',
    async (_, part) => {
      const harness = await chatHarness({
        providers: [{ id: 'p0', kind: 'openai-compatible', baseUrl: `${(await upstreamWith('Hello.')).url}/v1` }],
        models: [testModel('p0', 'm0', { capabilities: ['images', 'documents'] })],
      });
      open.push(harness);
      for (let time = 0; time < 6; time++) {
        const refused = await harness.chat.run(
          caller,
          say('', { messages: [{ role: 'user', parts: [part] }] }),
          call(),
        );
        expect(refused).toMatchObject({
          ok: false,
          failure: { kind: 'invalid_argument', violations: [{ field: 'messages' }] },
        });
      }
      expect(await harness.chat.run(caller, say('Hi'), call())).toMatchObject({ ok: true });
      expect(harness.ledger.settlements).toHaveLength(1);
      expect(harness.ledger.held).toBe(0n);
    },
  );

  test('never tries another model for what is certainly the mistake of the caller', async () => {
    const { harness, upstreams } = await withUpstreams([
      { status: 400, body: { error: { message: 'too long', code: 'context_length_exceeded' } } },
      { body: completion('Second.') },
    ]);
    const result = await harness.chat.run(caller, say('Hi', economy), call());
    expect(result).toMatchObject({ ok: false, failure: { kind: 'invalid_argument' } });
    expect(upstreams[1]?.seen).toHaveLength(0);
    expect(harness.ledger.held).toBe(0n);
  });

  test('whose every attempt was too slow is a time-out', async () => {
    const { harness } = await withUpstreams([{ ending: 'silence' }, { ending: 'silence' }], { deadlineMs: 300 });
    const result = await harness.chat.run(caller, say('Hi', economy), call());
    expect(result).toMatchObject({ ok: false, failure: { kind: 'upstream_timeout' } });
    expect(harness.ledger.held).toBe(0n);
  });

  test.each([
    ['for which no time is left', { deadlineMs: 0 }, 'upstream_timeout'],
    ['whose provider is gone by now', { gone: ['p0'] }, 'upstream_failed'],
  ] as const)('%s is not told that credit is missing', async (_, more, kind) => {
    const { harness, upstreams } = await withUpstreams([{ body: completion('Hi.') }], more);
    const result = await harness.chat.run(caller, say('Hi', economy), call());
    expect(result).toMatchObject({ ok: false, failure: { kind, attempts: [] } });
    expect(upstreams[0]?.seen).toHaveLength(0);
    expect(harness.ledger).toMatchObject({ held: 0n, balance: 5_000_000_000n });
  });

  test('whose input, counted for real, costs more than could be held is told so, with the balance', async () => {
    const { harness, upstreams } = await withUpstreams([{ body: completion('Hi.') }], { balance: 200_000n });
    const result = await harness.chat.run(caller, say('龘'.repeat(200), economy), call());
    expect(result).toMatchObject({ ok: false, failure: { kind: 'insufficient_credit', balance: 200_000n, held: 0n } });
    expect(upstreams[0]?.seen).toHaveLength(0);
    expect(harness.ledger).toMatchObject({ held: 0n, balance: 200_000n });
  });

  test('repeated with its idempotency key gets the stored reply, pays once, and needs no upstream', async () => {
    const { harness, upstreams } = await withUpstreams([{ body: completion('Once.') }]);
    const first = await harness.chat.run(caller, say('Hi'), call('k1'));
    upstreams[0]?.answer(() => ({ status: 500 }));
    for (let index = 0; index < 6; index++) await harness.chat.run(caller, say('Hi'), call());
    const again = await harness.chat.run(caller, say('Hi'), call('k1'));
    expect(again).toEqual(first);
    expect(harness.ledger.settlements).toHaveLength(1);
  });

  test('is completed and paid for when the caller goes away', async () => {
    const { harness, upstreams } = await withUpstreams([{}]);
    const gone = new AbortController();
    const left = Promise.withResolvers<void>();
    upstreams[0]?.answer(async () => {
      gone.abort();
      await left.promise;
      return { body: completion('Late.') };
    });
    expect(await harness.chat.run(caller, say('Hi'), { signal: gone.signal })).toMatchObject({
      ok: false,
      failure: { kind: 'cancelled' },
    });
    left.resolve();
    await harness.chat.drained();
    expect(harness.ledger.settlements).toHaveLength(1);
  });

  test('with less credit than the worst case has a shorter reply, which ends with credit', async () => {
    const upstream = await startUpstream();
    open.push(upstream);
    upstream.answer(({ body }) => ({
      body: {
        ...completion('cut', { prompt_tokens: 8, completion_tokens: body.max_tokens }),
        choices: [{ index: 0, message: { role: 'assistant', content: 'cut' }, finish_reason: 'length' }],
      },
    }));
    const poor = await chatHarness({
      balance: 100_000n,
      models: [testModel('p', 'm')],
      providers: [{ id: 'p', kind: 'openai-compatible', baseUrl: `${upstream.url}/v1` }],
    });
    open.push(poor);
    const result = await poor.chat.run(caller, say('Hi'), call());
    expect(result).toMatchObject({ ok: true, value: { finishReason: 'credit' } });
    const asked = upstream.seen[0]?.body.max_tokens as number;
    expect(asked).toBeGreaterThan(30);
    expect(asked).toBeLessThanOrEqual(48);
    expect(poor.ledger.balance).toBeGreaterThanOrEqual(0n);
  });

  test('whose provider counts more than we do is paid in full: what is missing is owed', async () => {
    const upstream = await startUpstream();
    open.push(upstream);
    upstream.answer(() => ({ body: completion('Hello', { prompt_tokens: 120, completion_tokens: 2 }) }));
    const poor = await chatHarness({
      balance: 100_000n,
      models: [testModel('p', 'm')],
      providers: [{ id: 'p', kind: 'openai-compatible', baseUrl: `${upstream.url}/v1` }],
    });
    open.push(poor);
    const text = 'seven short words are in this sentence '.repeat(3);
    const result = await poor.chat.run(caller, say(text), call());
    expect(result).toMatchObject({ ok: true, value: { usage: { inputTokens: 120, cost: 124_000n } } });
    expect(poor.ledger.balance).toBe(0n);
    expect(poor.ledger.settlements).toMatchObject([{ cost: 124_000n, charged: 100_000n, delivered: true }]);
  });

  test('whose input cannot be paid is refused before anything is called', async () => {
    const { harness, upstreams } = await withUpstreams([{ body: completion('x') }], { balance: 1_000n });
    const result = await harness.chat.run(caller, say('Hi'), call());
    expect(result).toMatchObject({ ok: false, failure: { kind: 'insufficient_credit' } });
    expect(upstreams[0]?.seen).toHaveLength(0);
  });

  describe('with a schema for its reply', () => {
    const schema = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] };
    const structured = { ...economy, responseFormat: { kind: 'json' as const, schema } };

    test('tries the next model when the reply does not fit, and pays for both, for an upstream accepted both', async () => {
      const { harness } = await withUpstreams([
        { body: completion('{"n": "five"}') },
        { body: completion('{"n": 5}') },
      ]);
      const result = await harness.chat.run(caller, say('Hi', structured), call());
      expect(result).toMatchObject({
        ok: true,
        value: {
          provider: 'p1',
          message: { content: '{"n": 5}' },
          routing: { attempts: [{ outcome: 'invalid_reply' }, { outcome: 'ok' }] },
          usage: { inputTokens: 20, outputTokens: 10, cost: 60_000n },
        },
      });
      expect(harness.ledger.settlements).toMatchObject([{ charged: 60_000n, usage: { requests: 2 } }]);
    });

    test('fails when no reply fits, and what was accepted is paid for', async () => {
      const { harness } = await withUpstreams([{ body: completion('no JSON') }, { body: completion('[]') }]);
      const result = await harness.chat.run(caller, say('Hi', structured), call());
      expect(result).toMatchObject({ ok: false, failure: { kind: 'upstream_failed' } });
      expect(harness.ledger.settlements).toMatchObject([{ charged: 60_000n }]);
      expect(harness.ledger.held).toBe(0n);
    });

    test('whose check takes too long counts as one that does not fit; nor is what nobody has time to check given away', async () => {
      const busy = { kind: 'overloaded', retryAfterMs: 1_000 } as const;
      const cases: [Failure, object, object[]][] = [
        [invalid('responseFormat.schema', 'takes longer'), { kind: 'upstream_failed' }, [{ charged: 60_000n }]],
        // One model, as the reply of another could not be checked either.
        [busy, { kind: 'upstream_failed', attempts: [{ outcome: 'invalid_reply' }] }, [{ charged: 20_000n }]],
      ];
      for (const [ended, failure, settlements] of cases) {
        const real = testSandbox();
        const run = async (...[owner, kind, job, terms]: Parameters<Sandbox['run']>) =>
          'text' in job ? fail(ended) : real.run(owner, kind, job, terms);
        const { harness } = await withUpstreams([{ body: completion('{"n": 5}') }, { body: completion('{"n": 5}') }], {
          sandbox: { ...real, run: run as Sandbox['run'] },
        });
        expect(await harness.chat.run(caller, say('Hi', structured), call())).toMatchObject({ ok: false, failure });
        expect(harness.ledger.settlements).toMatchObject(settlements);
        expect(harness.ledger.settlements).toHaveLength(settlements.length);
        expect(harness.ledger.held).toBe(0n);
      }
    });

    test('that is no schema is refused before anything is held', async () => {
      const { harness, upstreams } = await withUpstreams([{ body: completion('{}') }]);
      const responseFormat = { kind: 'json' as const, schema: { type: 'strange' } };
      expect(await harness.chat.run(caller, say('Hi', { responseFormat }), call())).toMatchObject({
        failure: { violations: [{ field: 'responseFormat.schema#/type' }] },
      });
      expect(upstreams[0]?.seen).toHaveLength(0);
    });

    test('is not proven for a model that is not there', async () => {
      const sandbox = testSandbox();
      const run = vi.spyOn(sandbox, 'run');
      const { harness } = await withUpstreams([{ body: completion('{}') }], { sandbox });
      const responseFormat = { kind: 'json' as const, schema: { type: 'object', title: 'of nobody' } };
      const refused = await harness.chat.run(caller, say('Hi', { model: 'nowhere', responseFormat }), call());
      expect(refused).toMatchObject({ failure: { violations: [{ field: 'model' }] } });
      expect(run).not.toHaveBeenCalled();
      expect((await harness.chat.run(caller, say('Hi', { responseFormat }), call())).ok).toBe(true);
      expect(run).toHaveBeenCalled();
    });
  });

  test('keeps to its price cap: a shorter reply where its length was left open, else another model or none', async () => {
    const { harness, upstreams } = await withUpstreams([{ body: completion('Short.') }]);
    const capped = { routing: { mode: 'economy' as const, maxCost: 1_000_000n } };
    expect((await harness.chat.run(caller, say('Hi', capped), call())).ok).toBe(true);
    const asked = upstreams[0]?.seen[0]?.body.max_tokens as number;
    expect(asked).toBeLessThanOrEqual(500);
    expect(asked).toBeGreaterThan(400);
    expect(await harness.chat.run(caller, say('Hi', { ...capped, maxOutputTokens: 4_000 }), call())).toMatchObject({
      failure: { violations: [{ field: 'routing.maxCostUsd' }] },
    });
  });

  test('for a model that does not exist says which field to change', async () => {
    const { harness } = await withUpstreams([{ body: completion('x') }]);
    expect(await harness.chat.run(caller, say('Hi', { model: 'nope' }), call())).toMatchObject({
      ok: false,
      failure: { kind: 'invalid_argument', violations: [{ field: 'model' }] },
    });
  });
});
