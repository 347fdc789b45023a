import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, test } from 'vitest';
import type { ChatReply, ChatRequest } from '../../src/chat/index.ts';
import type { ProviderKind } from '../../src/providers/index.ts';
import { call, caller, chatHarness, testModel } from '../chat/harness.ts';
import { startUpstream } from '../support/upstream.ts';

/** A reply as a provider puts it on the wire, and what must become of it. */
interface Recorded {
  kind: ProviderKind;
  streamed?: boolean;
  /** What the request has beside its message; `image` is a PNG in base64, `audio` a WAV; `keptFor`: its cache point. */
  request?: Partial<ChatRequest> & { image?: string; audio?: string; keptFor?: '5m' | '1h' };
  reply?: object;
  /** Server-sent events, without the blank lines between them. */
  events?: string[];
  expect: Partial<ChatReply>;
  /** What the provider must have been sent. */
  sent?: object;
}

const folder = new URL('./recorded/', import.meta.url);
const names = readdirSync(fileURLToPath(folder)).map((file) => file.replace('.json', ''));
const key = 'sk-the-secret-key';
const authorization: Record<string, [string, string]> = {
  openai: ['authorization', `Bearer ${key}`],
  'openai-compatible': ['authorization', `Bearer ${key}`],
  anthropic: ['x-api-key', key],
  google: ['x-goog-api-key', key],
};

const price = {
  inputPerMillionUsd: '1',
  cachedInputPerMillionUsd: '0.5',
  cacheWriteInputPerMillionUsd: '1.25',
  cacheWrite1hInputPerMillionUsd: '2',
  audioInputPerMillionUsd: '3',
  outputPerMillionUsd: '2',
};

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.close();
});

describe('a recorded reply', () => {
  test.each(names)('%s', async (name) => {
    const recorded = JSON.parse(readFileSync(new URL(`${name}.json`, folder), 'utf8')) as Recorded;
    const upstream = await startUpstream(
      recorded.streamed
        ? { pieces: (recorded.events ?? []).map((event) => `${event}\n\n`) }
        : { body: recorded.reply ?? {} },
    );
    const harness = await chatHarness({
      providers: [{ id: 'recorded', kind: recorded.kind, baseUrl: upstream.url, apiKey: key }],
      models: [testModel('recorded', 'the-model', { price, capabilities: ['tools', 'json', 'images', 'audio'] })],
    });
    open.push(upstream, harness);

    const reply = await answer(harness.chat, requestOf(recorded), recorded.streamed ?? false);
    expect(reply).toMatchObject(recorded.expect);
    expect(reply.routing.attempts).toMatchObject([{ outcome: 'ok' }]);
    const [request] = upstream.seen;
    const [header, value] = authorization[recorded.kind] ?? ['', ''];
    expect(request?.headers[header]).toBe(value);
    expect(request?.body).toMatchObject(recorded.sent ?? {});
    expect(harness.ledger.settlements).toHaveLength(1);
    expect(harness.ledger.settlements[0]?.cost).toBe(exactCost(reply));
  });
});

async function answer(
  chat: Awaited<ReturnType<typeof chatHarness>>['chat'],
  request: ChatRequest,
  streamed: boolean,
): Promise<ChatReply> {
  if (!streamed) {
    const result = await chat.run(caller, request, call());
    if (!result.ok) throw new Error(JSON.stringify(result.failure));
    return result.value;
  }
  const result = await chat.stream(caller, request, call());
  if (!result.ok) throw new Error(JSON.stringify(result.failure));
  let content = '';
  const argumentsOf: string[] = [];
  for await (const event of result.value) {
    if (event.kind === 'end') {
      expect(content).toBe(event.reply.message.content);
      expect(argumentsOf).toEqual(event.reply.message.toolCalls.map((toolCall) => toolCall.arguments));
      return event.reply;
    }
    if (event.kind !== 'delta') continue;
    if (event.toolCall)
      argumentsOf[event.toolCall.index] = (argumentsOf[event.toolCall.index] ?? '') + event.toolCall.arguments;
    else content += event.content;
  }
  throw new Error('no end');
}

function requestOf({ request = {}, expect: { usage } }: Recorded): ChatRequest {
  const { image, audio, keptFor, ...rest } = request;
  // Recorded with a long conversation: a short one cannot have so many tokens.
  const before = 'It was long. '.repeat(Math.ceil((usage?.inputTokens ?? 0) / 12));
  const content = `${(usage?.inputTokens ?? 0) > 100 ? before : ''}What is the capital of Italy?`;
  const cachePoint = keptFor && { ttl: keptFor };
  if (image === undefined && audio === undefined) return { messages: [{ role: 'user', content, cachePoint }], ...rest };
  const data = Buffer.from(image ?? audio ?? '', 'base64');
  return {
    messages: [
      {
        role: 'user',
        parts: [
          { kind: 'text', text: 'What is this?' },
          audio ? { kind: 'audio', data, mediaType: 'audio/wav' } : { kind: 'image', data, mediaType: 'image/png' },
        ],
      },
    ],
  };
}

/** At 1,000 nano-USD an input token, 500 a cached one, 1,250 one that was written into the cache, 2,000 one for an hour, 3,000 one of audio and 2,000 an output token. */
function exactCost({ usage }: ChatReply): bigint {
  const cached = BigInt(usage.cachedInputTokens ?? 0);
  const written = BigInt(usage.cacheWriteInputTokens ?? 0);
  const hour = BigInt(usage.cacheWrite1hInputTokens ?? 0);
  const audio = BigInt(usage.audioInputTokens ?? 0);
  const plain = BigInt(usage.inputTokens ?? 0) - cached - written - audio;
  const kinds = cached * 500n + (written - hour) * 1_250n + hour * 2_000n + audio * 3_000n;
  return plain * 1_000n + kinds + BigInt(usage.outputTokens ?? 0) * 2_000n;
}
