import type { DescMethod, JsonObject } from '@bufbuild/protobuf';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { AccountService } from '../../src/gen/intelligence/account/v1/account_service_pb.ts';
import { ChatService } from '../../src/gen/intelligence/chat/v1/chat_service_pb.ts';
import { KeyService } from '../../src/gen/intelligence/key/v1/key_service_pb.ts';
import { WalletService } from '../../src/gen/intelligence/wallet/v1/wallet_service_pb.ts';
import { startApp, type TestApp } from '../support/app.ts';
import type { JourneyClient, Outcome } from '../support/clients/client.ts';
import { grpcJs, niceGrpc } from '../support/clients/grpc.ts';
import { officialGrpcWeb, protobufTs } from '../support/clients/grpc-web.ts';
import { bufCurl, grpcio, hasGrpcio } from '../support/clients/processes.ts';
import { firstServer, useDatabase } from '../support/database.ts';
import { completion, startUpstream, streamedCompletion, type Upstream } from '../support/upstream.ts';

const services = [AccountService, KeyService, WalletService, ChatService];
const clients: Record<string, (url: string) => JourneyClient> = {
  'grpc-js': grpcJs,
  'nice-grpc': niceGrpc,
  'grpcio (Python)': (url) =>
    grpcio(
      url,
      services.map(({ file }) => file),
    ),
  'buf curl, gRPC': (url) => bufCurl(url, 'grpc'),
  'buf curl, gRPC-Web': (url) => bufCurl(url, 'grpcweb'),
  'protobuf-ts, text': (url) => protobufTs(url, 'text'),
  'protobuf-ts, binary': (url) => protobufTs(url, 'binary'),
  'grpc-web, text': (url) => officialGrpcWeb(url, 'text'),
  'grpc-web, binary': (url) => officialGrpcWeb(url, 'binary'),
};
/** In binary form, the official client delivers nothing of a stream before its end: there is no piece at which to leave. */
const collects = new Set(['grpc-web, binary']);

const usage = { prompt_tokens: 10, completion_tokens: 3 };
/** 10 input tokens at 1 USD and 3 output tokens at 2 USD a million. */
const cost = '0.000016';
const chat: JsonObject = { model: 'm', messages: [{ role: 'user', content: 'Hi' }] };

/** Some of them start a process for each call. */
const timeout = 180_000;

let app: TestApp;
let upstream: Upstream;
const database = useDatabase(firstServer());
beforeAll(async () => {
  upstream = await startUpstream();
  app = await startApp({
    databaseUrl: database().url,
    settings: `
providers: [{ id: up, kind: openai-compatible, baseUrl: "${upstream.url}/v1" }]
models: [{ id: m, provider: up, quality: 50, contextTokens: 100000, price: { inputPerMillionUsd: "1", outputPerMillionUsd: "2" } }]`,
  });
});
afterAll(async () => {
  await app.close();
  await upstream.close();
});

/** What each client's account has left after the same journey. */
const balances = new Map<string, string>();

describe.each(Object.keys(clients))('%s', (name) => {
  const missing = name.startsWith('grpcio') && !hasGrpcio();
  const skipped = missing ? ' (skipped: install python3-grpcio and python3-protobuf)' : '';
  let client: JourneyClient;
  let managementKey = '';
  let key = '';
  afterAll(() => client?.close?.());
  const call = (method: DescMethod, request: JsonObject, credential: string) =>
    client.call({ method, request, credential });
  const one = async (method: DescMethod, request: JsonObject, credential: string) => {
    const { messages, ...rest } = await call(method, request, credential);
    expect(rest).toEqual({ code: 0 });
    expect(messages).toHaveLength(1);
    // biome-ignore lint/suspicious/noExplicitAny: the test says what it expects of it
    return messages[0] as any;
  };
  const wallet = async () => (await one(WalletService.method.getWallet, {}, managementKey)).wallet;

  test.skipIf(missing)(`has the journey that every client has${skipped}`, { timeout }, async () => {
    client = clients[name]?.(app.url) as JourneyClient;
    const opened = await one(AccountService.method.createAccount, { displayName: 'Müller & Söhne' }, app.operatorToken);
    expect(opened.account).toMatchObject({ displayName: 'Müller & Söhne' });
    managementKey = opened.managementKey;
    const made = await one(KeyService.method.createKey, { displayName: 'k', purpose: 'a journey' }, managementKey);
    key = made.secret;

    refused(
      await call(ChatService.method.chat, chat, key),
      9,
      'INSUFFICIENT_CREDIT',
      /^API use is paused: .* 5\.00 USD/,
    );
    await one(WalletService.method.createTopUp, { amountUsd: '5.00' }, managementKey);
    expect(await wallet()).toMatchObject({ balanceUsd: '5.00' });

    upstream.answer(() => ({ body: completion('Grüße – 你好.', usage) }));
    const reply = await one(ChatService.method.chat, chat, key);
    expect(reply).toMatchObject({ message: { content: 'Grüße – 你好.' }, usage: { costUsd: cost } });

    upstream.answer(() => ({ pieces: streamedCompletion(['Hel', 'lo', '.'], usage) }));
    const { code, messages } = await call(ChatService.method.streamChat, chat, key);
    expect([code, messages.map(({ content }) => content).filter(Boolean)]).toEqual([0, ['Hel', 'lo', '.']]);
    expect(messages.at(-1)?.end).toMatchObject({ finishReason: 'stop', usage: { costUsd: cost } });

    const wrong = await call(ChatService.method.chat, { ...chat, messages: [], temperature: 3 }, key);
    refused(wrong, 3, 'INVALID_ARGUMENT', /^messages: .* \(and 1 more\)$/);
    expect(wrong.fields).toEqual(['messages', 'temperature']);
    refused(await call(ChatService.method.chat, chat, `${key}x`), 16, 'CREDENTIAL_INVALID', /^The credential is not/);
    refused(await call(ChatService.method.streamChat, chat, managementKey), 7, 'SCOPE_MISSING', /"chat"/);

    expect(await wallet()).toMatchObject({ balanceUsd: '4.999968', heldUsd: '0.00' });
  });

  if (collects.has(name)) return;
  test.skipIf(missing)(`leaves a stream in the middle, and pays for what came${skipped}`, { timeout }, async () => {
    upstream.seen.length = 0;
    upstream.answer(() => ({ pieces: streamedCompletion(['Yes.']).slice(0, 2), ending: 'silence' }));
    const leaving = new AbortController();
    const left = await client.call({
      ...{ method: ChatService.method.streamChat, request: chat, credential: key },
      ...{ signal: leaving.signal, onMessage: () => leaving.abort() },
    });
    expect([left.code, left.messages]).toEqual([1, [{ content: 'Yes.' }]]);
    await upstream.seen[0]?.aborted;
    await expect.poll(async () => (await wallet()).heldUsd, { timeout: 60_000 }).toBe('0.00');
    balances.set(name, (await wallet()).balanceUsd);
  });
});

test('and each has paid the same', () => {
  expect(balances.size).toBeGreaterThan(5);
  expect(new Set(balances.values()).size).toBe(1);
  expect([...balances.values()][0]).not.toBe('4.999968');
});

function refused(outcome: Outcome, code: number, reason: string, says: RegExp): void {
  expect([outcome.code, outcome.reason, outcome.messages]).toEqual([code, reason, []]);
  expect(outcome.message).toMatch(says);
}
