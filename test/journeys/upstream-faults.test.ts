import { Code, ConnectError, createClient, type Transport } from '@connectrpc/connect';
import { createConnectTransport, createGrpcTransport, createGrpcWebTransport } from '@connectrpc/connect-node';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chatInvariants } from '../../src/chat/index.ts';
import { connectDatabase } from '../../src/db/index.ts';
import { ErrorInfoSchema } from '../../src/gen/google/rpc/error_details_pb.ts';
import { ChatService } from '../../src/gen/intelligence/chat/v1/chat_service_pb.ts';
import { auditLedger } from '../../src/wallet/index.ts';
import { type Customer, onboard, reasonOf, send, startApp, type TestApp } from '../support/app.ts';
import { firstServer, silent, useDatabase } from '../support/database.ts';
import { grpcClient } from '../support/grpc.ts';
import {
  completion,
  startUpstream,
  streamedCompletion,
  type Upstream,
  type UpstreamReply,
} from '../support/upstream.ts';

// Every way in which an upstream can fail, seen by a caller of every protocol: the same error, and the same charge or none.

const chatPath = '/api/v1/assistant/chat';
const usage = { prompt_tokens: 10, completion_tokens: 3 };
/** 10 input tokens at 1 USD and 3 output tokens at 2 USD a million, in nano-USD. */
const cost = 16_000;
/** Each case has its own model, so that no circuit opened by another case interferes. */
const modelsMax = 200;

/** What a caller saw of one request. */
interface Heard {
  code?: Code | undefined;
  reason?: string | undefined;
  text: string;
  ended: boolean;
}

interface Question {
  model: string;
  timeoutMs?: number;
}

type Ask = (question: Question) => Promise<Heard>;

let app: TestApp;
let upstream: Upstream;
let customer: Customer;
const database = useDatabase(firstServer());
beforeAll(async () => {
  upstream = await startUpstream();
  const models = Array.from(
    { length: modelsMax },
    (_, index) =>
      `  - { id: m${index}, provider: up, quality: 50, contextTokens: 100000, price: { inputPerMillionUsd: "1", outputPerMillionUsd: "2" } }`,
  );
  app = await startApp({
    databaseUrl: database().url,
    settings: `
providers: [{ id: up, kind: openai-compatible, baseUrl: "${upstream.url}/v1" }]
models:
${models.join('\n')}
limits: { requestsPerMinute: 1000000, tokensPerMinute: 1000000000, concurrent: 1000 }`,
  });
  customer = await onboard(app, '100.00');
});
afterAll(async () => {
  await app.close();
  await upstream.close();
});

let used = 0;
const nextModel = () => `m${used++ % modelsMax}`;
const credential = () => ({ authorization: `Bearer ${customer.apiKey}` });
const messageOf = ({ model }: Question) => ({ model, messages: [{ role: 'user', content: 'Hi' }] });

const transports: Record<string, () => Transport> = {
  gRPC: () => createGrpcTransport({ baseUrl: app.url }),
  'gRPC-Web': () => createGrpcWebTransport({ baseUrl: app.url, httpVersion: '1.1' }),
  Connect: () => createConnectTransport({ baseUrl: app.url, httpVersion: '1.1' }),
};

const unary: Record<string, Ask> = {
  ...Object.fromEntries(
    Object.entries(transports).map(([name, transport]): [string, Ask] => [
      name,
      (question) =>
        heard(async (sofar) => {
          const options = { headers: credential(), ...(question.timeoutMs && { timeoutMs: question.timeoutMs }) };
          const reply = await createClient(ChatService, transport()).chat(messageOf(question), options);
          sofar.text = reply.message?.content ?? '';
        }),
    ]),
  ),
  'gRPC by @grpc/grpc-js': async (question) => {
    const client = grpcClient(app.url);
    const options = question.timeoutMs ? { deadline: Date.now() + question.timeoutMs } : {};
    const reply = await client.unary(ChatService.method.chat, messageOf(question), credential(), options);
    client.close();
    return byGrpc(reply, reply.message?.message?.content ?? '');
  },
  JSON: async (question) => {
    const answer = await send(app, 'POST', chatPath, customer.apiKey, messageOf(question), timeoutOf(question));
    return byStatus(answer, answer.body?.message?.content ?? '');
  },
};

const streamed: Record<string, Ask> = {
  ...Object.fromEntries(
    Object.entries(transports).map(([name, transport]): [string, Ask] => [
      name,
      (question) =>
        heard(async (sofar) => {
          const options = { headers: credential(), ...(question.timeoutMs && { timeoutMs: question.timeoutMs }) };
          for await (const { event } of createClient(ChatService, transport()).streamChat(messageOf(question), options))
            if (event.case === 'content') sofar.text += event.value;
        }),
    ]),
  ),
  'gRPC by @grpc/grpc-js': async (question) => {
    const client = grpcClient(app.url);
    const reply = await client.serverStream(ChatService.method.streamChat, messageOf(question), credential());
    client.close();
    const pieces = reply.messages.map(({ event }) => (event.case === 'content' ? event.value : ''));
    return byGrpc(reply, pieces.join(''));
  },
  'server-sent events': (question) => lines(question, 'text/event-stream', /^data: (.*)$/gm),
  NDJSON: (question) => lines(question, 'application/x-ndjson', /^(.+)$/gm),
};

async function heard(ask: (sofar: Heard) => Promise<void>): Promise<Heard> {
  const sofar: Heard = { text: '', ended: false };
  try {
    await ask(sofar);
    sofar.ended = true;
  } catch (error) {
    const refusal = ConnectError.from(error);
    sofar.code = refusal.code;
    sofar.reason = refusal.findDetails(ErrorInfoSchema)[0]?.reason;
  }
  return sofar;
}

function byGrpc({ error, reason }: { error?: { code: number }; reason?: string | undefined }, text: string): Heard {
  return error ? { code: error.code as Code, reason, text, ended: false } : { text, ended: true };
}

const codes: Record<string, Code> = { UNAVAILABLE: Code.Unavailable, DEADLINE_EXCEEDED: Code.DeadlineExceeded };

function byStatus(answer: Awaited<ReturnType<typeof send>>, text: string): Heard {
  if (answer.status === 200) return { text, ended: true };
  return { code: codes[answer.body.error.status], reason: reasonOf(answer), text, ended: false };
}

async function lines(question: Question, accept: string, pattern: RegExp): Promise<Heard> {
  const headers = { accept, ...timeoutOf(question) };
  const answer = await send(app, 'POST', chatPath, customer.apiKey, messageOf(question), headers);
  if (answer.status !== 200) return byStatus(answer, '');
  const said: Heard = { text: '', ended: false };
  for (const [, line = ''] of answer.text.matchAll(pattern)) {
    const parsed = JSON.parse(line);
    const event = parsed.result ?? parsed;
    if (event.error) {
      said.code = codes[event.error.status];
      said.reason = reasonOf({ ...answer, body: event });
    }
    said.text += event.content ?? '';
    said.ended ||= event.end !== undefined;
  }
  return said;
}

function timeoutOf({ timeoutMs }: Question): Record<string, string> {
  return timeoutMs === undefined ? {} : { 'grpc-timeout': `${timeoutMs}m` };
}

async function wallet(): Promise<{ nano: number; heldUsd: string }> {
  const { body } = await send(app, 'GET', '/v1/wallet', customer.managementKey);
  return { nano: Math.round(Number(body.wallet.balanceUsd) * 1e9), heldUsd: body.wallet.heldUsd };
}

/** What the customer paid for the work, once nothing is held any more. */
async function paidFor<T>(work: () => Promise<T>): Promise<{ value: T; paid: number }> {
  const before = await wallet();
  const value = await work();
  await expect.poll(async () => (await wallet()).heldUsd).toBe('0.00');
  return { value, paid: before.nano - (await wallet()).nano };
}

const json = { 'content-type': 'application/json' };
/** Faults before any output. */
const faults: Record<string, UpstreamReply> = {
  'a 500': { status: 500, body: 'no' },
  'a 503 with JSON': { status: 503, body: { error: { message: 'overloaded' } } },
  'a 429': { status: 429, headers: { 'retry-after': '1' }, body: { error: { message: 'slow down' } } },
  'a broken connection': { ending: 'reset' },
  'a socket that is half closed in the body': { pieces: ['{"id":'], headers: json, ending: 'half-close' },
  garbage: { body: '<html>not what you asked for</html>' },
  'an empty body': { body: '' },
};
/** Faults after two words. */
const twoWords = streamedCompletion(['Hel', 'lo']).slice(0, 3);
const faultsInTheMiddle: Record<string, UpstreamReply> = {
  'a reset': { pieces: twoWords, pauseMs: 20, ending: 'reset' },
  'a half-closed socket': { pieces: twoWords, pauseMs: 20, ending: 'half-close' },
  'an end without an end': { pieces: twoWords },
  garbage: { pieces: [...twoWords, 'data: {"choices": [\n\n', 'data: [DONE]\n\n'] },
  'an error event': { pieces: [...twoWords, 'data: {"error":{"message":"overloaded","code":500}}\n\n'] },
};

const failed = { code: Code.Unavailable, reason: 'UPSTREAM_FAILED', ended: false };

describe.each(Object.entries(unary))('a reply that comes whole, over %s', (_, ask) => {
  test.each(Object.entries(faults))('%s of the upstream is an error that costs nothing', async (_fault, reply) => {
    upstream.answer(() => reply);
    const { value, paid } = await paidFor(() => ask({ model: nextModel() }));
    expect(value).toEqual({ ...failed, text: '' });
    expect(paid).toBe(0);
  });

  test('a slow upstream is waited for, and paid once', async () => {
    upstream.answer(() => ({ delayMs: 300, body: completion('Hello.', usage) }));
    const { value, paid } = await paidFor(() => ask({ model: nextModel() }));
    expect(value).toEqual({ text: 'Hello.', ended: true });
    expect(paid).toBe(cost);
  });

  test("a silent upstream is left at the caller's own deadline; what it says after that is paid for", async () => {
    const left = Promise.withResolvers<void>();
    upstream.answer(() => left.promise.then(() => ({ body: completion('Late.', usage) })));
    const before = await wallet();
    // A busy machine needs its time to call the model at all: what is late before that is not paid for.
    const value = await ask({ model: nextModel(), timeoutMs: 2_000 });
    expect(value).toMatchObject({ code: Code.DeadlineExceeded, text: '', ended: false });
    left.resolve();
    await expect.poll(async () => before.nano - (await wallet()).nano).toBe(cost);
    const { paid } = await paidFor(async () => undefined);
    expect(paid).toBe(0);
  });
});

describe.each(Object.entries(streamed))('a streamed reply, over %s', (_, ask) => {
  test.each(Object.entries(faults))(
    '%s before the first piece is an error that costs nothing',
    async (_fault, reply) => {
      upstream.answer(() => reply);
      const { value, paid } = await paidFor(() => ask({ model: nextModel() }));
      expect(value).toEqual({ ...failed, text: '' });
      expect(paid).toBe(0);
    },
  );

  test.each(Object.entries(faultsInTheMiddle))(
    '%s in the middle is an error after what came, which is paid for',
    async (_fault, reply) => {
      upstream.answer(() => reply);
      const { value, paid } = await paidFor(() => ask({ model: nextModel() }));
      expect(value).toEqual({ ...failed, text: 'Hello' });
      expect(paid).toBeGreaterThan(0);
      expect(paid).toBeLessThanOrEqual(2 * cost);
    },
  );
});

test('hundreds of requests over every protocol to an upstream that fails in every way leave a ledger without a flaw', {
  timeout: 600_000,
}, async () => {
  const requests = Number(process.env.MIXED_REQUESTS ?? 500);
  const replies: UpstreamReply[] = [
    ...Object.values(faults),
    ...Object.values(faultsInTheMiddle),
    ...Array.from({ length: 40 }, () => ({ body: completion('Hello.', usage) })),
    { delayMs: 80, body: completion('Late.', usage) },
  ];
  const whole = streamedCompletion(['Hel', 'lo', '.'], usage);
  upstream.answer(({ body }) => {
    const reply = replies[Math.floor(Math.random() * replies.length)] ?? {};
    return body.stream === true && reply.body !== undefined && reply.status === undefined ? { pieces: whole } : reply;
  });
  const ways = [...Object.values(unary), ...Object.values(streamed)];
  const outcomes = new Map<string, number>();
  let next = 0;
  const { paid } = await paidFor(() =>
    Promise.all(
      Array.from({ length: 24 }, async () => {
        while (next < requests) {
          const index = next++;
          const deadline = index % 10 === 0 ? { timeoutMs: 20 + (index % 60) } : {};
          const said = await ways[index % ways.length]?.({ model: nextModel(), ...deadline });
          const outcome = said?.ended ? 'answered' : `${said?.code && Code[said.code]} ${said?.reason}`;
          outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
        }
      }),
    ),
  );
  expect(outcomes.get('answered')).toBeGreaterThan(requests / 4);
  expect(outcomes.get('Unavailable UPSTREAM_FAILED')).toBeGreaterThan(requests / 20);
  expect(paid).toBeGreaterThanOrEqual((outcomes.get('answered') ?? 0) * cost);
  const db = connectDatabase({ url: database().url, log: silent });
  expect(await auditLedger(db, { more: chatInvariants })).toEqual([]);
  await db.close();
  process.stderr.write(
    `${requests} requests: ${[...outcomes].map(([what, count]) => `${what} ${count}`).join(', ')}\n`,
  );
});
