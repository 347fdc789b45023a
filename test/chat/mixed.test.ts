import { afterAll, expect, test } from 'vitest';
import type { Caller } from '../../src/base/caller.ts';
import { createCatalog, createPriceStore } from '../../src/catalog/index.ts';
import { type Chat, chatInvariants, createChat } from '../../src/chat/index.ts';
import { createProviders, defaultUpstreamLimits } from '../../src/providers/index.ts';
import { auditLedger } from '../../src/wallet/index.ts';
import { eachServer, silent, useDatabase } from '../support/database.ts';
import { testSandbox } from '../support/sandbox.ts';
import { completion, startUpstream, streamedCompletion, type UpstreamReply } from '../support/upstream.ts';
import { addCustomer, startNode } from '../wallet/support.ts';
import { testModel } from './harness.ts';

const requestsMax = Number(process.env.MIXED_REQUESTS ?? 1_500);
const open: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

eachServer((server) => {
  const database = useDatabase(server);

  test('thousands of mixed requests to unreliable upstreams leave a ledger without a flaw', {
    timeout: 300_000,
  }, async () => {
    const random = seeded(Number(process.env.MIXED_SEED ?? 7));
    const { chat, customers, node, catalog } = await service(database().url, random);
    let answered = 0;
    let failed = 0;
    const one = async (index: number) => {
      const caller = customers[Math.floor(random() * customers.length)] as Caller;
      const outcome = await request(chat, caller, index, random);
      if (outcome) answered++;
      else failed++;
    };
    let next = 0;
    await Promise.all(
      Array.from({ length: 48 }, async () => {
        while (next < requestsMax) await one(next++);
      }),
    );
    await chat.drained();
    expect(answered).toBeGreaterThan(0);
    expect(failed).toBeGreaterThan(0);
    expect(await auditLedger(node.db, { more: chatInvariants })).toEqual([]);
    for (const { accountId = '' } of customers) {
      const wallet = await node.wallets.get(accountId, 'api');
      expect(wallet).toMatchObject({ ok: true, value: { held: 0n } });
    }
    expect(catalog.version).toBe(1);
  });

  test('a charge that is not what the book says is found', async () => {
    const { chat, customers, node } = await service(database().url, () => 0.99);
    const reply = await chat.run(
      customers[0] as Caller,
      { messages: [{ role: 'user', content: 'Hi' }], model: 'extractive' },
      { signal: new AbortController().signal },
    );
    if (!reply.ok) throw new Error('no reply');
    await node.db
      .for<{ charge: { id: string; output_tokens: number } }>()
      .updateTable('charge')
      .set({ output_tokens: 999 })
      .where('id', '=', reply.value.id)
      .execute();
    const found = await auditLedger(node.db, { more: chatInvariants });
    expect(found).toContainEqual(
      expect.objectContaining({ invariant: 'chat-is-priced-by-the-book', subject: reply.value.id }),
    );
    // The sums of usage still have what was charged for.
    expect(new Set(found.map(({ invariant }) => invariant)).size).toBe(2);
  });
});

async function request(chat: Chat, caller: Caller, index: number, random: () => number): Promise<boolean> {
  const kind = random();
  const abort = new AbortController();
  if (random() < 0.2) setTimeout(() => abort.abort(), random() * 60);
  const call = {
    signal: abort.signal,
    // Some requests are repeats of others.
    ...(random() < 0.3 ? { idempotency: { key: `k${index % 40}`, fingerprint: Buffer.from('same') } } : {}),
  };
  const message = { role: 'user' as const, content: `question ${'word '.repeat(random() * 200)}` };
  const body = {
    messages: [message],
    routing: { mode: kind < 0.5 ? ('economy' as const) : ('balanced' as const) },
    ...(random() < 0.2
      ? { responseFormat: { kind: 'json' as const, schema: { type: 'object', required: ['a'] } } }
      : {}),
    ...(random() < 0.3 ? { maxOutputTokens: 50 } : {}),
  };
  if (kind < 0.5) return (await chat.run(caller, body, call)).ok;
  const stream = await chat.stream(caller, body, call);
  if (!stream.ok) return false;
  try {
    const stopAfter = random() < 0.2 ? Math.floor(random() * 10) : Number.POSITIVE_INFINITY;
    let count = 0;
    for await (const event of stream.value) {
      if (event.kind === 'end') return true;
      if (count++ >= stopAfter) return false;
    }
  } catch {
    return false;
  }
  return false;
}

async function service(url: string, random: () => number) {
  const upstreams = await Promise.all(
    [0.5, 0.2, 0.02].map(async (badness) => {
      const upstream = await startUpstream();
      upstream.answer(({ body }) => replyFor(body.stream === true, badness, random));
      open.push(upstream.close);
      return upstream;
    }),
  );
  const providers = createProviders({
    providers: upstreams.map(({ url: baseUrl }, index) => ({
      id: `p${index}`,
      kind: 'openai-compatible' as const,
      baseUrl: `${baseUrl}/v1`,
    })),
    log: silent,
    limits: { ...defaultUpstreamLimits, bodyIdleMs: 1_000 },
  });
  const node = startNode(url);
  const catalog = await createCatalog({
    store: createPriceStore(node.db),
    settings: {
      models: upstreams.map((_, index) =>
        testModel(`p${index}`, `m${index}`, {
          price: {
            inputPerMillionUsd: `0.${index + 1}`,
            cachedInputPerMillionUsd: '0.05',
            outputPerMillionUsd: `1.${index}`,
            // What the upstreams state is in the tier, what the service counts is not.
            tiers: [{ aboveInputTokens: 39, inputPerMillionUsd: '0.7', outputPerMillionUsd: '1.9' }],
          },
        }),
      ),
    },
    enabledProviders: providers.enabled,
    log: silent,
  });
  await catalog.importPrices();
  const chat = createChat({
    ...{ ledger: node.ledger, catalog, providers, sandbox: testSandbox(), log: silent },
    ...{ deadlineMs: 1_500, random },
  });
  open.push(
    async () => catalog.close(),
    () => node.close(),
    () => providers.close(),
    () => chat.drained(),
  );
  const customers = await Promise.all(
    // Some run out of credit on the way: they have a fifth of a cent.
    Array.from({ length: 6 }, async (_, index): Promise<Caller> => {
      const customer = await addCustomer(node, url, 5n);
      if (index % 3 === 2)
        await node.wallets.adjust({
          accountId: customer.accountId,
          kind: 'api',
          amount: -4_998_000_000n,
          reason: 'a test',
          actor: 'test',
          idempotencyKey: `less-${customer.accountId}`,
        });
      return {
        credential: 'api_key',
        name: customer.keyId,
        accountId: customer.accountId,
        key: { id: customer.keyId, version: 1 },
        scopes: new Set(['chat']),
      };
    }),
  );
  return { chat, customers, node, catalog };
}

function replyFor(streamed: boolean, badness: number, random: () => number): UpstreamReply {
  const usage =
    random() < 0.8 ? { prompt_tokens: 40, completion_tokens: 30, prompt_tokens_details: { cached_tokens: 8 } } : null;
  const good: UpstreamReply = streamed
    ? {
        pieces: streamedCompletion(
          Array.from({ length: 30 }, () => ' word'),
          usage,
        ),
        pauseMs: random() < 0.3 ? 2 : 0,
      }
    : { body: completion(random() < 0.5 ? '{"a": 1}' : 'word '.repeat(30), usage), delayMs: random() * 20 };
  if (random() >= badness) return good;
  const faults: UpstreamReply[] = [
    { status: 500, body: 'no' },
    { status: 503, body: '<html>' },
    { status: 429, headers: { 'retry-after-ms': '50' }, body: { error: { message: 'slow' } } },
    { ending: 'reset' },
    { body: '{"garbage' },
    { delayMs: 400, status: 502 },
    { ...good, ending: 'half-close', ...(streamed ? { pieces: good.pieces?.slice(0, 12) ?? [] } : {}) },
    { ...good, ending: 'reset', ...(streamed ? { pieces: good.pieces?.slice(0, 7) ?? [] } : {}) },
    { pieces: ['data: {"error":{"message":"overloaded","type":"server_error"}}\n\n'] },
  ];
  if (random() < 0.02) return { ending: 'silence' };
  return faults[Math.floor(random() * faults.length)] as UpstreamReply;
}

// mulberry32: small, and the same everywhere.
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
