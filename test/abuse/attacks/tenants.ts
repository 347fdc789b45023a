import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Account, Reply, RequestOptions, Stage, Stranger } from '../stage.ts';
import { type Attack, chatPath, messages, mustAnswer, tooMuch } from './attack.ts';

/** What one customer, or an end user of one, can take from others or learn. */

const pageBytesMax = 4_000_000;
/** Another tenant's message waits no longer than this while one floods; it used to wait 123 s. */
const deliveredWithinMs = 15_000;
const endpointsMax = 10;
/** An amount that no reply has by chance. */
const walletUsd = '7353.00';
/** What remains of it, whatever was charged meanwhile. */
const balance = /\b735[23]\b/;
const tokensAsked = 10;

export const tenantAttacks: readonly Attack[] = [
  {
    name: 'lists',
    about: '40 lists at once of 100 definitions of 1 MB',
    right: ['200', '429', '503'],
    width: 40,
    open: async (stage) => {
      const { managementKey } = await stage.openAccount();
      const caller = stage.stranger();
      await makeLarge(caller, managementKey, 100);
      let most = 0;
      return {
        send: async () => {
          const page = await caller.request('GET', '/v1/workflow-definitions?pageSize=100', {
            credential: managementKey,
          });
          most = Math.max(most, page.bytes);
          return page.status;
        },
        found: async () => (most > pageBytesMax ? [`a page of ${most} bytes (at most ${pageBytesMax})`] : []),
      };
    },
  },
  {
    name: 'texts-long',
    about: '16 texts at once of 100,000 characters, to be judged by rules',
    right: ['200', '402', ...tooMuch],
    width: 16,
    open: async (stage) => {
      const { apiKey } = await stage.openAccount();
      const caller = stage.stranger();
      const words = [
        'never pay by western union, ',
        'Bj. 2017, 84.000 km, 1.200 € ',
        'p4y m3 n0w ',
        'http://a.example/d ',
        'not 1 ',
        'du bist 1 ',
        'x',
      ];
      const policies = ['', 'vehicles', 'jobs', 'electronics'];
      const texts = words.map((part) => part.repeat(Math.ceil(100_000 / part.length)).slice(0, 100_000));
      return {
        send: async (turn) => {
          const text = texts[turn % texts.length];
          const [path, body] =
            turn % 2 === 0
              ? ['/v1/risk/check', { text }]
              : [
                  '/v1/readiness/listing',
                  { listing: { title: 'A bicycle', description: text }, policy: policies[(turn >> 1) % 4] },
                ];
          const reply = await caller.request('POST', path as string, {
            credential: apiKey,
            body: { ...(body as object), assist: 'off' },
          });
          return reply.status;
        },
      };
    },
  },
  {
    name: 'webhook-flood',
    about: '80 webhook tests of one tenant, whose endpoint is slow, and another tenant’s message',
    right: ['200', '400', '409', '429'],
    width: 8,
    turns: 80,
    whole: true,
    open: async (stage) => {
      const flooder = await endpointOf(stage, await startEndpoint(60_000));
      const victim = await endpointOf(stage, await startEndpoint(0));
      let waited: Promise<void> | undefined;
      return {
        send: async (turn) => {
          const { status } = await flooder.test();
          if (turn === 79) {
            await victim.test();
            waited = victim.endpoint.arrived;
          }
          return status;
        },
        found: async () => {
          const late = sleep(deliveredWithinMs, 'late' as const);
          const isLate = (await Promise.race([waited ?? 'unsent', late])) !== undefined;
          flooder.endpoint.close();
          victim.endpoint.close();
          return isLate ? [`another tenant's message did not arrive within ${deliveredWithinMs / 1_000} s`] : [];
        },
      };
    },
  },
  {
    name: 'webhook-creates',
    about: '25 endpoints created at once, where 10 are allowed',
    right: ['200', '400', '409', '429'],
    width: 25,
    turns: 25,
    whole: true,
    open: async (stage) => {
      const { managementKey } = await stage.openAccount();
      const caller = stage.stranger();
      const path = '/v1/webhooks/endpoints';
      return {
        send: async (turn) => {
          const body = { url: `http://127.0.0.1:9/${turn}` };
          return (await caller.request('POST', path, { credential: managementKey, body })).status;
        },
        found: async () => {
          const { text } = await caller.request('GET', `${path}?pageSize=100`, { credential: managementKey });
          const { length } = JSON.parse(text).endpoints ?? [];
          return length > endpointsMax ? [`${length} endpoints (at most ${endpointsMax})`] : [];
        },
      };
    },
  },
  {
    name: 'token-balance',
    about: 'an end user looks for the company’s balance: chats, workflows, streams, and a refusal for want of credit',
    right: ['200', '402', '429'],
    width: 2,
    open: async (stage) => {
      const { token, apiKey } = await stage.openAccount(walletUsd);
      const caller = stage.stranger();
      const poor = await caller.request('POST', '/v1/tokens', {
        credential: apiKey,
        body: { subject: 'poor', spendingCapUsd: '0.000000001' },
      });
      const asks = looks(caller, token, JSON.parse(poor.text).accessToken);
      return {
        send: async (turn) => {
          const reply = await asks[turn % asks.length]?.();
          if (!reply) return 'nothing';
          const heard = `${JSON.stringify(reply.headers)} ${reply.text}`;
          return balance.test(heard) ? 'the balance' : reply.status;
        },
      };
    },
  },
  {
    name: 'count-cjk',
    about: 'chats of 900 KB of CJK whose tokens the service has to count',
    right: ['200', ...tooMuch],
    width: 2,
    open: async (stage) => {
      const { apiKey } = await stage.openAccount();
      const caller = stage.stranger();
      const text = Array.from({ length: 300_000 }, (_, at) => String.fromCodePoint(0x4e00 + ((at * 7_919) % 20_000)));
      const body = { model: 'uncounted', messages: [{ role: 'user', content: text.join('') }], maxOutputTokens: 100 };
      return { send: async () => (await caller.request('POST', chatPath, { credential: apiKey, body })).status };
    },
  },
  {
    name: 'output-beyond-bound',
    about: 'an upstream that ignores a bound of 10 tokens',
    right: ['200', '429'],
    width: 1,
    open: async (stage) => {
      const { apiKey } = await stage.openAccount();
      const caller = stage.stranger();
      const body = { model: 'flood', messages, maxOutputTokens: tokensAsked };
      return {
        send: async (turn) => {
          const headers = { accept: turn % 2 === 0 ? 'application/json' : 'text/event-stream' };
          const reply = await caller.request('POST', chatPath, { credential: apiKey, body, headers });
          const [, output] = /"outputTokens":\s*"?(\d+)/.exec(reply.text) ?? [];
          return output !== undefined && Number(output) > tokensAsked
            ? 'more tokens charged than asked for'
            : reply.status;
        },
      };
    },
  },
  {
    name: 'foreign-tokens',
    about: 'an API key with the scope tokens or devices manages what another key made',
    right: ['403', '404'],
    width: 1,
    turns: 6,
    open: async (stage) => {
      const account = await stage.openAccount();
      const caller = stage.stranger();
      const owner = { ...account, ...(await keyWith(caller, account, ['chat', 'tokens', 'devices'])) };
      const { apiKey: other } = await keyWith(caller, account, ['tokens', 'devices']);
      const tokenId = await newToken(caller, owner);
      const deviceId = await newDevice(caller, owner);
      const revoke = (path: string) => caller.request('POST', `${path}:revoke`, { credential: other, body: {} });
      const listed = async (): Promise<Reply> => {
        const reply = await caller.request('GET', '/v1/devices', { credential: other });
        return reply.text.includes(deviceId) ? reply : { ...reply, status: '404' };
      };
      const asks = [
        listed,
        () => caller.request('GET', `/v1/devices/${deviceId}`, { credential: other }),
        () => revoke(`/v1/tokens/${tokenId}`),
        () => revoke(`/v1/devices/${deviceId}`),
      ];
      return { send: async (turn) => (await (asks[turn % asks.length] ?? listed)()).status };
    },
  },
];

/** Most of a definition is its samples: ten of 98,000 characters. */
async function makeLarge(caller: Stranger, credential: string, count: number): Promise<void> {
  const samples = Array.from({ length: 10 }, () => ({ input: { text: 'x'.repeat(98_000) } }));
  for (let at = 0; at < count; at++) {
    const definition = {
      client: 'acme',
      workflow: `large-${at}`,
      inputSchema: { type: 'object' },
      outputSchema: { type: 'object' },
      fields: [{ name: 'a', expression: '1' }],
      samples,
    };
    const made = await caller.request('POST', '/v1/workflow-definitions', { credential, body: { definition } });
    if (at === 0) mustAnswer(made);
    // A quota may stop it earlier.
    if (made.status !== '200') return;
  }
}

interface Endpoint {
  url: string;
  /** Resolves when the first message arrives. */
  arrived: Promise<void>;
  close(): void;
}

/** A customer's server, which answers after a while. */
async function startEndpoint(delayMs: number): Promise<Endpoint> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const server = createServer((request, response) => {
    request.resume();
    resolve();
    setTimeout(() => response.writeHead(204).end(), delayMs).unref();
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const close = () => {
    server.close();
    server.closeAllConnections();
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, arrived: promise, close };
}

async function endpointOf(stage: Stage, endpoint: Endpoint) {
  const { managementKey: credential } = await stage.openAccount();
  const caller = stage.stranger();
  const made = await caller.request('POST', '/v1/webhooks/endpoints', { credential, body: { url: endpoint.url } });
  const { endpointId } = JSON.parse(made.text).endpoint;
  const path = `/v1/webhooks/endpoints/${endpointId}:test`;
  return { endpoint, test: () => caller.request('POST', path, { credential, body: {} }) };
}

/** Each place where a reply may reveal a wallet's balance. */
function looks(caller: Stranger, token: string, poor: string): (() => Promise<Reply>)[] {
  const chat = { model: 'plain', messages, maxOutputTokens: 50 };
  const ask = (path: string, body: object, credential = token, headers: Record<string, string> = {}) =>
    caller.request('POST', path, { credential, body, headers });
  const completions = { model: 'plain', messages, max_tokens: 50 };
  return [
    () => ask(chatPath, chat),
    () => ask(chatPath, chat, token, { accept: 'text/event-stream' }),
    () => ask('/v1/chat/completions', completions),
    () => ask('/v1/chat/completions', { ...completions, stream: true, stream_options: { include_usage: true } }),
    () => ask('/intelligence.chat.v1.ChatService/Chat', chat).then(asHttpStatus),
    () => ask('/v1/risk/check', { text: 'Pay me now.', assist: 'off' }),
    () =>
      ask('/v1/pulse/events', { events: [{ journey: 'buy', person: 'ann', name: 'opened', kind: 'step' }] }).then(
        anyRefusal,
      ),
    () => ask(chatPath, chat, poor),
    () => ask('/v1/chat/completions', completions, poor),
    () => ask('/v1/risk/check', { text: 'Pay me now.', assist: 'off' }, poor),
  ];
}

/** Connect answers 400 to every failed precondition; here it is the cap of the token, which HTTP names 402. */
function asHttpStatus(reply: Reply): Reply {
  return reply.status === '400' && reply.text.includes('SPENDING_CAP_REACHED') ? { ...reply, status: '402' } : reply;
}

/** Whether the events are valid does not matter here, only what the reply says. */
function anyRefusal(reply: Reply): Reply {
  return reply.status === '400' ? { ...reply, status: '200' } : reply;
}

/** Sends a request that must succeed, and returns its reply. */
// biome-ignore lint/suspicious/noExplicitAny: a parsed JSON body
async function ask(caller: Stranger, path: string, options: RequestOptions): Promise<any> {
  const reply = await caller.request('POST', path, options);
  mustAnswer(reply);
  return JSON.parse(reply.text);
}

async function keyWith(caller: Stranger, { managementKey: credential }: Account, scopes: string[]) {
  const body = { displayName: 'a key', purpose: 'a test', scopes };
  const made = await ask(caller, '/v1/keys', { credential, body });
  return { apiKey: made.secret as string, keyId: made.key.keyId as string };
}

async function newToken(caller: Stranger, { apiKey: credential }: Account): Promise<string> {
  return (await ask(caller, '/v1/tokens', { credential, body: { subject: 'ann' } })).tokenId;
}

/** Creates an application of this key and a device of it, which the key has approved. */
async function newDevice(caller: Stranger, { managementKey, apiKey, keyId }: Account): Promise<string> {
  const made = await ask(caller, '/v1/clients', {
    credential: managementKey,
    body: { displayName: 'A shop', keyId },
  });
  const started = await ask(caller, '/oauth/device_authorization', {
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: `client_id=${made.client.clientId}`,
  });
  const body = { userCode: started.user_code, subject: 'ann' };
  const approved = await ask(caller, '/v1/devices:approve', { credential: apiKey, body });
  return approved.device.deviceId;
}
