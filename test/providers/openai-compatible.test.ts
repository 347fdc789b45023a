import type { LanguageModelV4 } from '@ai-sdk/provider';
import { pino } from 'pino';
import { afterEach, expect, test } from 'vitest';
import { createProviders, type ProviderSettings, upstreamFailure } from '../../src/providers/index.ts';
import { completion, startUpstream, streamedCompletion } from '../support/upstream.ts';

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.close();
});

async function modelAt(reply: Parameters<typeof startUpstream>[0], settings: Partial<ProviderSettings> = {}) {
  const upstream = await startUpstream(reply);
  const providers = createProviders({
    providers: [{ id: 'local', kind: 'openai-compatible', baseUrl: `${upstream.url}/`, ...settings }],
    log: pino({ level: 'silent' }),
  });
  open.push(upstream, providers);
  return { upstream, model: providers.model('local', 'the-model') as LanguageModelV4 };
}

const prompt = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'Hello' }] }];

test('unary and streamed calls reach the same place with the same head and the same question', async () => {
  const settings = { apiKey: 'sk-1', headers: { 'X-Team': 'blue', 'User-Agent': 'ours/1' } };
  const unary = await modelAt({ body: completion('Hi', { prompt_tokens: 1, completion_tokens: 1 }) }, settings);
  await unary.model.doGenerate({ prompt, temperature: 0.5, maxOutputTokens: 7 });
  const streamed = await modelAt(
    { pieces: streamedCompletion(['Hi'], { prompt_tokens: 1, completion_tokens: 1 }) },
    settings,
  );
  const { stream } = await streamed.model.doStream({ prompt, temperature: 0.5, maxOutputTokens: 7 });
  for await (const _ of stream);

  const [one] = unary.upstream.seen;
  const [other] = streamed.upstream.seen;
  for (const name of ['authorization', 'x-team', 'content-type']) {
    expect(one?.headers[name]).toBeDefined();
    expect(other?.headers[name]).toBe(one?.headers[name]);
  }
  expect(one?.headers['user-agent']).toMatch(/^ours\/1 ai-sdk-openai-compatible\//);
  expect(other?.headers['user-agent']).toMatch(/^ours\/1 ai-sdk-openai-compatible\//);
  expect(other?.path).toBe(one?.path);
  expect(one?.path).toBe('/chat/completions');
  expect(other?.body).toMatchObject(one?.body as object);
});

test.each([
  ['begins with a byte order mark', {}],
  ['calls itself a stream', { headers: { 'content-type': 'text/event-stream' } }],
])('a reply that %s is read', async (_, head) => {
  const text = JSON.stringify(completion('Hi', { prompt_tokens: 1, completion_tokens: 1 }));
  const { model } = await modelAt({ ...head, body: `\ufeff${text}` });
  expect((await model.doGenerate({ prompt })).content).toEqual([{ type: 'text', text: 'Hi' }]);
});

test.each([
  ['no JSON', { body: '<html>busy</html>' }, { outcome: 'invalid_reply' }],
  ['JSON without an answer', { body: { choices: [] } }, { outcome: 'invalid_reply' }],
  ['JSON of another kind', { body: [1, 2] }, { outcome: 'invalid_reply' }],
  ['a refusal that is no JSON', { status: 503, body: 'busy' }, { outcome: 'server_error', status: 503 }],
  ['a redirect', { status: 307, body: '' }, { outcome: 'invalid_reply', status: 307 }],
  [
    'a refusal for a while',
    { status: 429, headers: { 'retry-after': '7' }, body: { error: { message: 'slow down' } } },
    { outcome: 'rate_limited', status: 429, retryAfterMs: 7_000 },
  ],
  [
    'a refusal for want of credit',
    { status: 429, body: { error: { message: 'You exceeded your current quota', code: 'insufficient_quota' } } },
    { outcome: 'misconfigured', status: 402 },
  ],
  [
    'a refusal for want of credit in words',
    { status: 400, body: { error: { message: 'Your credit balance is too low to access the API.' } } },
    { outcome: 'misconfigured', status: 402 },
  ],
  [
    'a refusal of the input',
    { status: 400, body: { error: { message: 'secret words', code: 'context_length_exceeded' } } },
    { outcome: 'caller_mistake', status: 400 },
  ],
])('%s is told apart, and quotes nothing', async (_, reply, expected) => {
  const { model } = await modelAt(reply);
  const failure = await model.doGenerate({ prompt }).then(
    () => undefined,
    (error: unknown) => error,
  );
  expect(upstreamFailure(failure)).toMatchObject(expected);
  expect(String(failure)).not.toMatch(/Hello|secret|busy/);
});
