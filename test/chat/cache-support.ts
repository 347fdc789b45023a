import type { Logger } from 'pino';
import { afterAll, beforeEach } from 'vitest';
import type { Caller } from '../../src/base/caller.ts';
import { succeed } from '../../src/base/failure.ts';
import { createSeal } from '../../src/base/seal.ts';
import { createCatalog, memoryPriceStore } from '../../src/catalog/index.ts';
import {
  type CacheEvent,
  type Chat,
  type ChatEvent,
  type ChatReply,
  type ChatRequest,
  createChat,
  createReplyCache,
  type ReplyCache,
} from '../../src/chat/index.ts';
import { openConnection } from '../../src/db/index.ts';
import { createProviders } from '../../src/providers/index.ts';
import { silent, type TestServer, useDatabase } from '../support/database.ts';
import { testSandbox } from '../support/sandbox.ts';
import {
  completion,
  startUpstream,
  streamedCompletion,
  type Upstream,
  type UpstreamReply,
} from '../support/upstream.ts';
import { addCustomer, balanceOf, type Node, run as runSql, startNode } from '../wallet/support.ts';
import { say, testModel } from './harness.ts';

const open: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

export const hour = { maxAgeSeconds: 3_600 };
const seal = createSeal({ current: 1, byVersion: new Map([[1, Buffer.alloc(32, 7)]]) });
let request = 0;

export interface Service {
  chat: Chat;
  cache: ReplyCache;
  node: Node;
  events: CacheEvent[];
}

export interface ServiceOptions {
  models?: readonly string[];
  enabled?: boolean;
  maxAgeSeconds?: number;
  entriesPerAccountMax?: number;
  /** How long a look-up may take; absent: as long as a busy machine may need. */
  lookUpMs?: number;
  log?: Logger;
  /** Takes down what is reserved of the model tokens a minute. */
  reserved?: number[];
}

/** A node of the service with the models of one provider. */
export async function startService(url: string, upstream: Upstream, options: ServiceOptions = {}): Promise<Service> {
  const node = startNode(url);
  const providers = createProviders({
    providers: [{ id: 'p', kind: 'openai-compatible', baseUrl: `${upstream.url}/v1` }],
    log: silent,
  });
  const catalog = await createCatalog({
    store: memoryPriceStore(),
    settings: { models: (options.models ?? ['m']).map((id) => testModel('p', id)) },
    enabledProviders: providers.enabled,
    log: silent,
  });
  await catalog.importPrices();
  const events: CacheEvent[] = [];
  const cache = createReplyCache({
    db: node.db,
    wallets: node.wallets,
    seal,
    secret: Buffer.from('secret'),
    log: options.log ?? silent,
    lookUpMs: options.lookUpMs ?? 30_000,
    settings: { enabled: true, maxAgeSeconds: 86_400, entriesPerAccountMax: 1_000, ...options },
    observe: (event) => events.push(event),
  });
  const chat = createChat({
    ledger: node.ledger,
    catalog,
    providers,
    sandbox: testSandbox(),
    log: silent,
    deadlineMs: 60_000,
    cache,
    reserveTokens: (_, tokens) => {
      options.reserved?.push(tokens);
      return succeed({ settle: () => {} });
    },
  });
  open.push(
    () => node.close(),
    () => providers.close(),
    async () => catalog.close(),
    () => cache.close(),
    () => chat.drained(),
  );
  return { chat, cache, node, events };
}

export function callOf(key?: string) {
  const signal = new AbortController().signal;
  return key === undefined ? { signal } : { signal, idempotency: { key, fingerprint: Buffer.from('same') } };
}

export async function reply({ chat }: Service, caller: Caller, asked: ChatRequest, key?: string): Promise<ChatReply> {
  const result = await chat.run(caller, asked, callOf(key));
  if (!result.ok) throw new Error(JSON.stringify(result.failure));
  await chat.drained();
  return result.value;
}

export async function events({ chat }: Service, caller: Caller, asked: ChatRequest): Promise<ChatEvent[]> {
  const opened = await chat.stream(caller, asked, callOf());
  if (!opened.ok) throw new Error(JSON.stringify(opened.failure));
  const seen = await collect(opened.value);
  await chat.drained();
  return seen;
}

/** A service with a cache on a database of its own, and for each test a new customer with a new question. */
export function useCacheService(server: TestServer) {
  const database = useDatabase(server);
  let upstream: Upstream;
  let service: Service;
  let customer: Caller;
  /** What nobody has asked before. */
  let question: ChatRequest;

  async function newCaller(usd = 5n): Promise<Caller> {
    const { accountId, keyId } = await addCustomer(service.node, database().url, usd);
    const scopes = new Set(['chat']);
    return { credential: 'api_key', name: keyId, accountId, key: { id: keyId, version: 1 }, scopes };
  }

  async function balance({ accountId = '', name }: Caller): Promise<bigint> {
    return (await balanceOf(service.node, { accountId, keyId: name })).balance;
  }

  const sql = (statement: string) => runSql(database().url, statement);

  async function stored({ accountId = '' }: Caller): Promise<{ sealed: Buffer; request_digest: Buffer }[]> {
    return service.node.db
      .for<{ chat_cached_reply: { account_id: string; sealed: Buffer; request_digest: Buffer } }>()
      .selectFrom('chat_cached_reply')
      .select(['sealed', 'request_digest'])
      .where('account_id', '=', accountId)
      .execute();
  }

  /** Lets stored replies grow older. */
  const age = ({ accountId }: Caller, seconds: number) =>
    sql(
      `UPDATE chat_cached_reply SET stored_at_us = stored_at_us - ${seconds}000000, expires_at_us = expires_at_us - ${seconds}000000 WHERE account_id = '${accountId}'`,
    );

  beforeEach(async () => {
    if (!upstream) {
      upstream = await startUpstream();
      open.push(upstream.close);
      service = await startService(database().url, upstream);
    }
    customer = await newCaller();
    service.events.length = 0;
    upstream.seen.length = 0;
    let turn = 0;
    upstream.answer(({ body }): UpstreamReply => {
      const usage = { prompt_tokens: 10, completion_tokens: 5 };
      turn++;
      return body.stream === true
        ? { pieces: streamedCompletion(['Answer ', `${turn}.`], usage) }
        : { body: completion(`Answer ${turn}.`, usage) };
    });
    question = say(`Question ${request++}`, { cache: hour });
  });

  return () => ({ url: database().url, service, upstream, customer, question, newCaller, balance, sql, stored, age });
}

export function usageOf(cost: bigint) {
  return { inputTokens: 10, outputTokens: 5, estimated: false, cost };
}

export async function lockTable(url: string): Promise<[Promise<unknown>, () => Promise<void>]> {
  const connection = await openConnection(url);
  return [
    connection.query('LOCK TABLES chat_cached_reply WRITE'),
    async () => {
      await connection.query('UNLOCK TABLES');
      connection.destroy();
    },
  ];
}

export async function collect(events: AsyncIterable<ChatEvent>): Promise<ChatEvent[]> {
  const seen: ChatEvent[] = [];
  for await (const event of events) seen.push(event);
  return seen;
}
