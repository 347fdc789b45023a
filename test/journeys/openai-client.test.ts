import OpenAI from 'openai';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Customer, onboard, send, startApp, type TestApp } from '../support/app.ts';
import { eachServer, useDatabase } from '../support/database.ts';
import { strictOpenAi } from '../support/strict-openai.ts';
import { startUpstream, type Upstream } from '../support/upstream.ts';

type Json = Record<string, unknown>;

// 20 tokens in and 7 out, at 1 and 2 USD a million.
const costUsd = '0.000034';
const cost = 34_000n;
const messages = [{ role: 'user' as const, content: 'Hi' }];

eachServer((server) => {
  const database = useDatabase(server);
  let app: TestApp;
  let upstream: Upstream;
  let customer: Customer;
  let client: OpenAI;
  const answers = (reply: (body: Json) => Json | Promise<Json>) => upstream.answer(strictOpenAi(reply));

  beforeAll(async () => {
    upstream = await startUpstream();
    const price = '{ inputPerMillionUsd: "1", outputPerMillionUsd: "2" }';
    app = await startApp({
      databaseUrl: database().url,
      variables: { UPSTREAM_KEY: 'sk-upstream' },
      settings: [
        `providers: [{ id: up, kind: openai-compatible, baseUrl: "${upstream.url}/v1", apiKeyEnv: UPSTREAM_KEY }]`,
        `models: [{ id: m, provider: up, quality: 50, contextTokens: 100000, capabilities: [tools, json, images], price: ${price} }]`,
      ].join('\n'),
    });
  });
  afterAll(async () => {
    await app.close();
    await upstream.close();
  });
  beforeEach(async () => {
    customer = await onboard(app);
    client = new OpenAI({ apiKey: customer.apiKey, baseURL: `${app.url}/v1`, maxRetries: 0 });
    upstream.seen.length = 0;
    answers(() => ({ role: 'assistant', content: 'Hello there.' }));
  });

  /** Charges of the account, oldest first, and what is left of its 5 USD. */
  async function charges(): Promise<{ charges: Json[]; spent: bigint }> {
    const { body } = await send(app, 'GET', '/v1/charges', customer.managementKey);
    const wallet = await send(app, 'GET', '/v1/wallet', customer.managementKey);
    expect(wallet.body.wallet.heldUsd).toBe('0.00');
    return { charges: body.charges.toReversed(), spent: nano('5.00') - nano(wallet.body.wallet.balanceUsd) };
  }

  describe("OpenAI's own client", () => {
    test('chats, and is told the charge', async () => {
      const { data, response } = await client.chat.completions.create({ model: 'm', messages }).withResponse();
      expect(data.choices[0]?.message.content).toBe('Hello there.');
      const { charges: made, spent } = await charges();
      expect(made).toMatchObject([
        { chargeId: response.headers.get('x-charge-id'), chargedUsd: costUsd, operation: 'chat' },
      ]);
      expect(data.id).toBe(`chatcmpl-${response.headers.get('x-charge-id')}`);
      expect(data).toMatchObject({ charge_id: response.headers.get('x-charge-id'), usage: { cost_usd: costUsd } });
      expect(spent).toBe(cost);
    });

    test.each([true, false])(
      'streams, and is told the charge in the head and the last chunk (usage: %s)',
      async (usage) => {
        const { data, response } = await client.chat.completions
          .create({ model: 'm', messages, stream: true, ...(usage && { stream_options: { include_usage: true } }) })
          .withResponse();
        const chunks: OpenAI.ChatCompletionChunk[] = [];
        for await (const chunk of data) chunks.push(chunk);
        expect(chunks.map((chunk) => chunk.choices[0]?.delta.content ?? '').join('')).toBe('Hello there.');
        const { charges: made, spent } = await charges();
        const chargeId = made[0]?.chargeId;
        expect(chargeId).toMatch(/^chg_/);
        expect(response.headers.get('x-charge-id')).toBe(chargeId);
        expect(chunks.at(-1)).toMatchObject({ charge_id: chargeId });
        if (usage)
          expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { prompt_tokens: 20, cost_usd: costUsd } });
        else expect(chunks.filter((chunk) => chunk.usage != null)).toEqual([]);
        expect(spent).toBe(cost);
      },
    );

    test.each([false, true])('runs a loop of two strict tools, one after another (stream: %s)', async (stream) => {
      const told: string[] = [];
      answers(({ messages: said }) => {
        const answered = (said as Json[]).filter(({ role }) => role === 'tool').length;
        const [name, args] = answered === 0 ? ['weather', '{"city":"Rome"}'] : ['clothes', '{"weather":"sunny"}'];
        return answered === 2
          ? { role: 'assistant', content: 'A hat.' }
          : {
              role: 'assistant',
              content: null,
              tool_calls: [{ id: `call_${answered}`, type: 'function', function: { name, arguments: args } }],
            };
      });
      const tool = (name: string, parameter: string, answer: string) => ({
        type: 'function' as const,
        function: {
          name,
          description: name,
          strict: true,
          parameters: {
            type: 'object' as const,
            properties: { [parameter]: { type: 'string' } },
            required: [parameter],
            additionalProperties: false,
          },
          parse: JSON.parse,
          function: (args: Record<string, string>) => {
            told.push(`${name} ${args[parameter]}`);
            return answer;
          },
        },
      });
      const asked = {
        model: 'm',
        messages,
        parallel_tool_calls: false,
        tools: [tool('weather', 'city', 'sunny'), tool('clothes', 'weather', 'hat')],
      };
      const runner = stream
        ? client.chat.completions.runTools({ ...asked, stream: true })
        : client.chat.completions.runTools(asked);
      expect(await runner.finalContent()).toBe('A hat.');
      expect(told).toEqual(['weather Rome', 'clothes sunny']);
      expect(upstream.seen).toHaveLength(3);
      for (const { body } of upstream.seen) expect(body.parallel_tool_calls).toBe(false);
      expect(upstream.seen[0]?.body.tools).toMatchObject([
        { function: { strict: true } },
        { function: { strict: true } },
      ]);
      const { charges: made, spent } = await charges();
      expect(made.map(({ chargedUsd }) => chargedUsd)).toEqual([costUsd, costUsd, costUsd]);
      expect(spent).toBe(3n * cost);
    });

    test('gets structured output, whose schema need not be strict', async () => {
      answers(() => ({ role: 'assistant', content: '{"n": 5}' }));
      const schema = { type: 'object', properties: { n: { type: 'integer' } } };
      const format = (strict: boolean) => ({
        model: 'm',
        messages,
        response_format: { type: 'json_schema' as const, json_schema: { name: 'n', schema, strict } },
      });
      const reply = await client.chat.completions.create(format(false));
      expect(JSON.parse(reply.choices[0]?.message.content ?? '')).toEqual({ n: 5 });
      expect(upstream.seen[0]?.body.response_format).toMatchObject({ json_schema: { strict: false } });
      // A schema that OpenAI does not accept as strict is refused there, free of charge.
      await expect(client.chat.completions.create(format(true))).rejects.toMatchObject({ status: 400 });
      expect((await charges()).spent).toBe(cost);
    });

    test('sends an image, and penalties', async () => {
      const url = 'data:image/png;base64,iVBORw0KGgo=';
      const { response } = await client.chat.completions
        .create({
          model: 'm',
          presence_penalty: 0.5,
          frequency_penalty: -0.5,
          messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url, detail: 'low' } }] }],
        })
        .withResponse();
      expect(upstream.seen[0]?.body).toMatchObject({ presence_penalty: 0.5, frequency_penalty: -0.5 });
      expect(upstream.seen[0]?.body.messages).toMatchObject([{ content: [{ image_url: { url } }] }]);
      expect(response.headers.get('x-ignored-parameters')).toBe('image_url.detail');
      expect((await charges()).spent).toBe(cost);
    });

    test('may have an empty text in its history', async () => {
      const history: OpenAI.ChatCompletionMessageParam[] = [
        { role: 'system', content: '' },
        { role: 'user', content: 'Hi' },
        { role: 'assistant', content: '' },
        { role: 'user', content: [{ type: 'text', text: '' }] },
        { role: 'user', content: 'Still there?' },
      ];
      await client.chat.completions.create({ model: 'm', messages: history });
      const said = (upstream.seen[0]?.body.messages as Json[] | undefined)?.map(({ content }) => content);
      expect(said).toEqual(['Hi', 'Still there?']);
      await expect(
        client.chat.completions.create({ model: 'm', messages: [{ role: 'user', content: '' }] }),
      ).rejects.toMatchObject({ status: 400, param: 'messages' });
    });

    test('sends a reply back as it came', async () => {
      const { choices } = await client.chat.completions.create({ model: 'm', messages });
      const reply = choices[0]?.message as OpenAI.ChatCompletionMessage;
      const more = { ...reply, annotations: [], audio: null, vendor_note: 'x' };
      const { response } = await client.chat.completions
        .create({ model: 'm', messages: [...messages, more, { role: 'user', content: 'More', name: 'ada' }] })
        .withResponse();
      expect(response.headers.get('x-ignored-parameters')).toBe('messages.vendor_note, messages.name');
    });

    test.each<[string, Json, Json]>([
      ['an unknown model', { model: 'nope' }, { status: 404, code: 'model_not_found', param: 'model' }],
      ['log probabilities', { logprobs: true }, { status: 400, param: 'logprobs' }],
      ['top log probabilities', { logprobs: true, top_logprobs: 2 }, { status: 400 }],
      ['functions', { functions: [{ name: 'f', parameters: {} }] }, { status: 400, param: 'functions' }],
      ['a function call', { function_call: 'auto' }, { status: 400, param: 'function_call' }],
      ['a bias', { logit_bias: { 50256: -100 } }, { status: 400, param: 'logit_bias' }],
      ['audio', { modalities: ['text', 'audio'] }, { status: 400, param: 'modalities' }],
      ['a stored reply', { store: true }, { status: 400, param: 'store' }],
      ['a web search', { web_search_options: {} }, { status: 400, param: 'web_search_options' }],
      ['a parameter of no API', { temprature: 1 }, { status: 400, param: 'temprature' }],
      ['one in camel case', { maxTokens: 1 }, { status: 400, param: 'maxTokens' }],
      ['an unknown option of streams', { stream: true, stream_options: { x: 1 } }, { param: 'stream_options.x' }],
      ['a large penalty', { presence_penalty: 3 }, { status: 400, param: 'presence_penalty' }],
      ['a flag that is none', { parallel_tool_calls: 'no' }, { status: 400, param: 'parallel_tool_calls' }],
      ['a stream that is none', { stream: 'yes' }, { status: 400, param: 'stream' }],
      [
        'penalties that the model does not take',
        { model: 'extractive', presence_penalty: 1 },
        { status: 400, param: 'presence_penalty' },
      ],
      [
        'a strict tool where the model takes none',
        { model: 'extractive', tools: [{ type: 'function', function: { name: 'f', strict: true } }] },
        { status: 400, param: 'tools' },
      ],
      [
        'a member of a tool',
        { tools: [{ type: 'function', function: { name: 'f', x: 1 } }] },
        { status: 400, param: 'tools[0].function.x' },
      ],
      [
        'a function call in the history',
        { messages: [{ role: 'assistant', content: null, function_call: { name: 'f', arguments: '{}' } }] },
        { status: 400, param: 'messages[0].function_call' },
      ],
    ])('is told about %s by name, and is not charged', async (_, more, expected) => {
      const asked = { model: 'm', messages, ...more } as unknown as OpenAI.ChatCompletionCreateParamsNonStreaming;
      await expect(client.chat.completions.create(asked)).rejects.toMatchObject(expected);
      expect(upstream.seen).toHaveLength(0);
      expect((await charges()).charges).toEqual([]);
    });

    test('may say what is so anyway, and is told what was ignored', async () => {
      const { response } = await client.chat.completions
        .create({
          ...{ model: 'm', messages, n: 1, store: false, logprobs: false, service_tier: 'auto', modalities: ['text'] },
          ...{ presence_penalty: 0, prompt_cache_key: 'k', safety_identifier: 'u', logit_bias: {}, verbosity: 'low' },
        })
        .withResponse();
      expect(response.headers.get('x-ignored-parameters')).toBe('prompt_cache_key, safety_identifier, verbosity');
    });

    test('finds no model by an unknown name', async () => {
      await expect(client.models.retrieve('nope')).rejects.toMatchObject({ status: 404, code: 'model_not_found' });
    });

    test('leaves a stream, which is charged as received', async () => {
      upstream.answer(() => ({
        pieces: [`data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: 'word ' } }] })}\n\n`],
        ending: 'silence',
      }));
      const stream = await client.chat.completions.create({ model: 'm', messages, stream: true });
      for await (const chunk of stream) if (chunk.choices[0]?.delta.content) break;
      await upstream.seen[0]?.aborted;
      await app.rooms.chat.drained();
      const { charges: made, spent } = await charges();
      expect(made).toMatchObject([{ state: 'settled' }]);
      expect(spent).toBe(nano(String(made[0]?.chargedUsd)));
      expect(spent).toBeGreaterThan(0n);
    });
  });
});

function nano(usd: string): bigint {
  const [whole = '0', fraction = ''] = usd.split('.');
  return BigInt(whole) * 1_000_000_000n + BigInt(fraction.padEnd(9, '0'));
}
