import { afterEach, describe, expect, test } from 'vitest';
import type { ModelSettings } from '../../src/catalog/index.ts';
import type { ChatMessage, ChatRequest } from '../../src/chat/index.ts';
import type { ProviderKind } from '../../src/providers/index.ts';
import { call, caller, chatHarness, say, testModel } from '../chat/harness.ts';
import { script, startAnthropic, startGemini, startResponses } from '../support/thinking-upstreams.ts';
import { completion, startUpstream, type Upstream } from '../support/upstream.ts';

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.close();
});

interface Place {
  price?: ModelSettings['price'];
  kind: ProviderKind;
  model: string;
  start?: () => Promise<Upstream>;
  reasons?: boolean;
}

async function chatOver(...places: Place[]) {
  const started = await Promise.all(
    places.map(async (place) => ({ ...place, upstream: await (place.start ?? startPlain)() })),
  );
  const harness = await chatHarness({
    providers: started.map(({ kind, upstream }) => ({ id: kind, kind, baseUrl: upstream.url, apiKey: 'sk-1' })),
    models: started.map(({ kind, model, reasons, price = prices }) =>
      testModel(kind, model, {
        price,
        capabilities: ['tools', 'json', 'images', 'documents', 'audio', ...(reasons ? (['reasoning'] as const) : [])],
      }),
    ),
  });
  open.push(...started.map(({ upstream }) => upstream), harness);
  return { ...harness, seen: (index = 0) => started[index]?.upstream.seen.at(-1)?.body };
}

const prices = {
  inputPerMillionUsd: '1',
  cachedInputPerMillionUsd: '0.5',
  audioInputPerMillionUsd: '3',
  outputPerMillionUsd: '2',
};

const startPlain = () => startUpstream({ body: completion('Hello') });

const openai: Place = { kind: 'openai', model: 'gpt-5.6', start: startResponses, reasons: true };
const plain: Place = { kind: 'openai-compatible', model: 'plain' };
const claude: Place = { kind: 'anthropic', model: 'claude-sonnet-4-5', start: startAnthropic, reasons: true };

async function answered(chat: Awaited<ReturnType<typeof chatOver>>, request: ChatRequest) {
  const result = await chat.chat.run(caller, request, call());
  if (!result.ok) throw new Error(JSON.stringify(result.failure));
  return result.value;
}

const fieldsOf = (reply: { ignored?: readonly { field: string }[] | undefined }) =>
  (reply.ignored ?? []).map(({ field }) => field).toSorted();

describe('a setting that the model does not have', () => {
  const cases: [string, Place, Partial<ChatRequest>, string[]][] = [
    ['seed and stop', openai, { seed: 1, stop: ['x'] }, ['seed', 'stop']],
    ['temperature of a model that reasons', openai, { temperature: 0.5, topP: 0.5 }, ['temperature', 'topP']],
    ['seed with Anthropic', claude, { seed: 1, stop: ['x'], temperature: 0.5 }, ['seed']],
    [
      'temperature while it thinks',
      claude,
      { temperature: 0.5, reasoning: { effort: 'low' }, maxOutputTokens: 3_000 },
      ['temperature'],
    ],
    [
      'thinking in too few tokens',
      claude,
      { reasoning: { effort: 'high' }, maxOutputTokens: 1_024 },
      ['reasoning.effort'],
    ],
    ['a summary of no thoughts', claude, { reasoning: { summary: true } }, ['reasoning.summary']],
    ['reasoning', plain, { reasoning: { effort: 'low', summary: true } }, ['reasoning.effort', 'reasoning.summary']],
    ['no reasoning', plain, { reasoning: { effort: 'none' } }, []],
    ['seed and stop where they are', plain, { seed: 1, stop: ['x'], temperature: 0.5, topP: 0.5 }, []],
  ];

  test.each(cases)('is named in the reply: %s', async (_name, place, more, fields) => {
    const chat = await chatOver(place);
    expect(fieldsOf(await answered(chat, say('Hi', more)))).toEqual(fields);
  });

  test.each(cases.filter(([, , , fields]) => fields.length > 0))(
    'is refused with its place where the request says so: %s',
    async (_name, place, more, fields) => {
      const chat = await chatOver(place);
      const refused = await chat.chat.run(caller, say('Hi', { ...more, unsupported: 'refuse' }), call());
      expect(refused).toMatchObject({ ok: false, failure: { kind: 'invalid_argument' } });
      if (refused.ok || refused.failure.kind !== 'invalid_argument') throw new Error('not refused');
      expect(refused.failure.violations.map(({ field }) => field).toSorted()).toEqual(fields);
      expect(chat.seen()).toBeUndefined();
    },
  );

  test('leaves the models that have it, where the request says so', async () => {
    const chat = await chatOver(openai, plain);
    const reply = await answered(chat, say('Hi', { seed: 7, unsupported: 'refuse' }));
    expect(reply.provider).toBe('openai-compatible');
    expect(reply.ignored).toBeUndefined();
    expect(chat.seen(1)).toMatchObject({ seed: 7 });
  });

  test('of cache points and citations: Anthropic has them', async () => {
    const messages: ChatMessage[] = [
      { role: 'system', content: 'Be brief.', cachePoint: { ttl: '5m' } },
      {
        role: 'user',
        parts: [
          {
            kind: 'document',
            data: Buffer.from('%PDF-1.4'),
            filename: 'a.pdf',
            citations: true,
            cachePoint: { ttl: '1h' },
          },
          { kind: 'text', text: 'What does it say?' },
        ],
      },
    ];
    const request = { messages };
    const over = await chatOver(claude);
    expect(fieldsOf(await answered(over, request))).toEqual(['messages[1].parts[0].cachePoint.ttl']);
    expect(over.seen()).toMatchObject({
      system: [{ text: 'Be brief.', cache_control: { type: 'ephemeral' } }],
      messages: [
        {
          content: [
            { type: 'document', title: 'a.pdf', citations: { enabled: true }, cache_control: { type: 'ephemeral' } },
            { type: 'text' },
          ],
        },
      ],
    });
    const elsewhere = await chatOver(openai);
    expect(fieldsOf(await answered(elsewhere, request))).toEqual([
      'messages[0].cachePoint',
      'messages[1].parts[0].cachePoint',
      'messages[1].parts[0].document.citations',
    ]);
    expect(elsewhere.seen()).toMatchObject({
      input: [{}, { content: [{ type: 'input_file', filename: 'a.pdf' }, { type: 'input_text' }] }],
    });
  });
});

describe('what is to be kept for an hour', () => {
  const perHour: Place = { ...claude, price: { ...prices, cacheWrite1hInputPerMillionUsd: '2' } };
  const point = (ttl: '5m' | '1h') => ({ cachePoint: { ttl } });
  const asked = (system: '5m' | '1h', part: '5m' | '1h', tool: '5m' | '1h'): ChatRequest => ({
    // Providers read tools first, then the system's words, wherever these stand.
    messages: [
      { role: 'user', parts: [{ kind: 'text', text: 'Hi', ...point(part) }] },
      { role: 'system', content: 'Be brief.', ...point(system) },
    ],
    tools: [{ name: 'look', ...point(tool) }],
  });
  const lifetimes = (body: unknown) => JSON.stringify(body).match(/"cache_control":\{[^}]*\}/g);
  const hour = '"cache_control":{"type":"ephemeral","ttl":"1h"}';
  const minutes = '"cache_control":{"type":"ephemeral"}';

  test('is sent as such where the model has a price for it, and held for at that', async () => {
    const over = await chatOver(perHour);
    expect(fieldsOf(await answered(over, asked('1h', '1h', '1h')))).toEqual([]);
    expect(lifetimes(over.seen())).toEqual([hour, hour, hour]);
    const ceilingOf = async (part: '5m' | '1h') => {
      const estimate = await over.chat.estimate(caller, { ...asked('5m', part, '5m'), maxOutputTokens: 1 });
      if (!estimate.ok) throw new Error('no estimate');
      return estimate.value.ceiling - 2_000n;
    };
    expect(await ceilingOf('1h')).toBe(2n * (await ceilingOf('5m')));
    expect((await over.chat.run(caller, { ...asked('1h', '5m', '1h'), unsupported: 'refuse' }, call())).ok).toBe(true);
  });

  test('is kept for five minutes behind a point for these, and the reply says so', async () => {
    const over = await chatOver(perHour);
    const reply = await answered(over, asked('5m', '1h', '1h'));
    expect(reply.ignored).toEqual([
      { field: 'messages[0].parts[0].cachePoint.ttl', reason: expect.stringContaining('must come before') },
    ]);
    expect(lifetimes(over.seen())).toEqual(expect.arrayContaining([hour, minutes, minutes]));
  });

  test('is kept for five minutes where an hour has no price, in one tier as in all', async () => {
    const tier = {
      aboveInputTokens: 1_000,
      inputPerMillionUsd: '2',
      outputPerMillionUsd: '3',
      audioInputPerMillionUsd: '3',
    };
    const over = await chatOver({ ...claude, price: { ...perHour.price, tiers: [tier] } });
    const reply = await answered(over, asked('1h', '1h', '1h'));
    expect(reply.ignored).toHaveLength(3);
    expect(reply.ignored?.[0]?.reason).toContain('an hour has no price');
    expect(lifetimes(over.seen())).toEqual([minutes, minutes, minutes]);
  });
});

test('documents and audio go to models that take them, and hold what the window costs', async () => {
  const file: ChatRequest = {
    messages: [{ role: 'user', parts: [{ kind: 'audio', data: Buffer.from('RIFF'), mediaType: 'audio/wav' }] }],
    maxOutputTokens: 100,
  };
  const chat = await chatOver(plain);
  await answered(chat, file);
  expect(chat.seen()).toMatchObject({
    messages: [{ content: [{ type: 'input_audio', input_audio: { format: 'wav' } }] }],
  });
  // 100,000 tokens of audio at 3,000 nano-USD, and 100 of output at 2,000.
  expect(await chat.chat.estimate(caller, file)).toMatchObject({ ok: true, value: { ceiling: 300_200_000n } });

  const without = await chatHarness({ models: [] });
  open.push(without);
  expect(await without.chat.run(caller, file, call())).toMatchObject({
    ok: false,
    failure: { kind: 'invalid_argument', violations: [{ field: 'messages' }] },
  });
});

test('a fifth cache point is refused', async () => {
  const chat = await chatOver(claude);
  const parts = Array.from({ length: 5 }, (_, index) => ({
    ...{ kind: 'text' as const, text: `${index}` },
    cachePoint: { ttl: '5m' as const },
  }));
  expect(await chat.chat.run(caller, { messages: [{ role: 'user', parts }] }, call())).toMatchObject({
    ok: false,
    failure: { kind: 'invalid_argument' },
  });
});

describe('the state of another provider', () => {
  const asking: ChatRequest = {
    messages: [{ role: 'user', content: 'What is the weather in Paris?' }],
    tools: [{ name: script.tool }],
    reasoning: { effort: 'medium' },
    maxOutputTokens: 4_000,
  };

  async function begun() {
    const gemini: Place = { kind: 'google', model: 'gemini-3-pro', start: startGemini, reasons: true };
    const chat = await chatOver(openai, claude, gemini);
    const { message } = await answered(chat, { ...asking, provider: 'openai' });
    const result: ChatMessage = { role: 'tool', toolCallId: message.toolCalls[0]?.id, content: '{"degrees":21}' };
    return { chat, request: { ...asking, messages: [...asking.messages, message, result] } };
  }

  test('is the reason to stay with that provider', async () => {
    const { chat, request } = await begun();
    for (let times = 0; times < 5; times++) expect((await answered(chat, request)).provider).toBe('openai');
  });

  test('is left out by a model of another provider, which says so and does not think', async () => {
    const { chat, request } = await begun();
    const reply = await answered(chat, { ...request, provider: 'anthropic' });
    expect(reply.message.content).toBe(script.answer);
    expect(fieldsOf(reply)).toEqual(['messages[1].providerState', 'reasoning.effort']);
    expect(chat.seen(1)).not.toHaveProperty('thinking');
  });

  test('is refused where nothing may be left out', async () => {
    const { chat, request } = await begun();
    expect(
      await chat.chat.run(caller, { ...request, provider: 'anthropic', unsupported: 'refuse' }, call()),
    ).toMatchObject({ ok: false, failure: { kind: 'invalid_argument' } });
  });
});
