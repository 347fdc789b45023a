import { newId } from '../../src/base/ids.ts';
import { nanoPerUsd } from '../../src/base/money.ts';
import { priceOf, type Rates } from '../../src/catalog/index.ts';
import { createWallets, type Hold, type HoldRequest, manualPayments, type Settlement } from '../../src/wallet/index.ts';
import { addCustomer, type Customer, holdOf, keyOf, mustHold, type Node, run, startNode } from './support.ts';

/** A model in the books' price list, more expensive in its second version, and for long requests. */
const chatRates: Rates = {
  inputPerMillion: 1_000_000_000n,
  cachedInputPerMillion: 500_000_000n,
  cacheWriteInputPerMillion: 1_250_000_000n,
  cacheWrite1hInputPerMillion: 2_000_000_000n,
  audioInputPerMillion: 3_000_000_000n,
  outputPerMillion: 4_000_000_000n,
  perRequest: 10_000n,
  tiers: [
    {
      aboveInputTokens: 200,
      inputPerMillion: 1_500_000_000n,
      cachedInputPerMillion: 600_000_000n,
      cacheWriteInputPerMillion: 1_750_000_000n,
      cacheWrite1hInputPerMillion: 2_600_000_000n,
      audioInputPerMillion: 3_700_000_000n,
      outputPerMillion: 5_000_000_000n,
    },
  ],
};

const priceBook = `
  INSERT INTO price_book_version (version, imported_at) VALUES (1, '2020-01-01'), (2, '2020-01-02');
  INSERT INTO price (item, account_id, version, effective_at, imported_at, input_per_million, cached_input_per_million,
    cache_write_input_per_million, cache_write_1h_input_per_million, audio_input_per_million, output_per_million, per_request,
    per_thousand_events) VALUES
    ('model:up/one', '', 1, '2020-01-01', '2020-01-01', 1000000000, 500000000, 1250000000, 2000000000, 3000000000, 4000000000, 10000, NULL),
    ('model:up/one', '', 2, '2020-01-02', '2020-01-02', 2000000000, 700000000, 2250000000, 3100000000, 4100000000, 8000000000, 20000, NULL),
    ('model:up/two', '', 1, '2020-01-01', '2020-01-01', 3000000000, NULL, NULL, NULL, NULL, 5000000000, NULL, NULL),
    ('model:other/one', '', 1, '2020-01-01', '2020-01-01', 3000000000, NULL, NULL, NULL, NULL, 5000000000, NULL, NULL),
    ('pulse', '', 1, '2020-01-01', '2020-01-01', NULL, NULL, NULL, NULL, NULL, NULL, NULL, 5000000),
    ('pulse', '', 2, '2020-01-02', '2020-01-02', NULL, NULL, NULL, NULL, NULL, NULL, NULL, 6000000),
    ('workflow', '', 1, '2020-01-01', '2020-01-01', NULL, NULL, NULL, NULL, NULL, NULL, 1000000, NULL),
    ('workflow', '', 2, '2020-01-02', '2020-01-02', NULL, NULL, NULL, NULL, NULL, NULL, 1500000, NULL),
    ('workflow:risk', '', 1, '2020-01-01', '2020-01-01', NULL, NULL, NULL, NULL, NULL, NULL, 2000000, NULL),
    ('workflow:risk', '', 2, '2020-01-02', '2020-01-02', NULL, NULL, NULL, NULL, NULL, NULL, 2500000, NULL);
  INSERT INTO price_tier (item, account_id, version, above_input_tokens, input_per_million, cached_input_per_million,
    cache_write_input_per_million, cache_write_1h_input_per_million, audio_input_per_million, output_per_million) VALUES
    ('model:up/one', '', 1, 200, 1500000000, 600000000, 1750000000, 2600000000, 3700000000, 5000000000),
    ('model:up/one', '', 2, 200, 2500000000, 800000000, 2750000000, 3600000000, 4700000000, 9000000000)`;

const ceiling = nanoPerUsd;

/** The usage and price of a chat with this many output tokens. */
export function chatOf(outputTokens: number): Pick<Settlement, 'cost' | 'usage' | 'provider' | 'model'> {
  const long = outputTokens === 20 ? 210 : 0;
  const input = {
    inputTokens: 100 + long,
    cachedInputTokens: 40,
    cacheWriteInputTokens: 30,
    cacheWrite1hInputTokens: 12,
    audioInputTokens: 7,
  };
  const usage = { ...input, outputTokens, requests: 1 };
  const cost = priceOf(usage, chatRates);
  return { cost, usage: { ...usage, reasoningTokens: 3 }, provider: 'up', model: 'one' };
}

function outcomeOf(tokens: number): NonNullable<Settlement['outcome']> {
  return {
    latencyMs: 10 * tokens,
    modelLatencyMs: 9 * tokens,
    attempts: tokens,
    finishReason: tokens > 10 ? 'length' : 'stop',
  };
}

/** Ends a hold as the reaper does after its time is over. */
async function expire(node: Node, url: string, hold: Hold): Promise<void> {
  await run(url, `UPDATE charge SET expires_at_us = 1 WHERE id = '${hold.chargeId}'`);
  const { walletId, chargeId, caps, idempotency } = hold;
  const capOwners = caps.map(({ owner }) => owner);
  await node.ledger.committer.submit({ type: 'expire', walletId, chargeId, capOwners, idempotency });
}

/** A database in which everything that can happen to money has happened, all of it through the ledger. */
export async function keepBooks(url: string): Promise<Node> {
  const node = startNode(url);
  await run(url, priceBook);
  await useCredit(node, url);
  await oweForUse(node, url);
  await takePaymentsBack(node, url);
  await correct(node, url);
  return node;
}

async function useCredit(node: Node, url: string): Promise<void> {
  const { ledger } = node;
  const user = await addCustomer(node, url, 50n);
  const token = { tokenId: 'tok_1', subject: 'Ann', deviceId: 'dev_1' };
  const caps = ['key:', `token:`, 'device:dev_1'].map((kind) => ({
    owner: kind === 'key:' ? `key:${user.keyId}` : kind === 'token:' ? `token:${user.keyId}:Ann` : kind,
    limit: 40n * nanoPerUsd,
  }));
  const hold = (change: Partial<HoldRequest> = {}) =>
    mustHold(node, holdOf(user, { ceiling, provider: 'up', model: 'one', requestId: newId('req'), ...change }));
  const settle = (held: Hold, tokens: number, reply = false) =>
    ledger.settle(held, {
      ...chatOf(tokens),
      outcome: outcomeOf(tokens),
      ...(reply && { reply: Buffer.from('reply'), delivered: true }),
    });
  const progress = (held: Hold, tokens: number) => ledger.recordProgress(held, chatOf(tokens));

  // Twice each, so that every column has another value.
  for (const tokens of [10, 20]) {
    await settle(await hold(), tokens);
    await settle(
      await hold({ ...token, caps, idempotency: keyOf(user), metadata: { team: `${tokens}`, run: 'a' } }),
      tokens,
      true,
    );
    await hold({ ...token, caps, idempotency: keyOf(user) });
  }
  await hold();
  await ledger.extend(await hold(), 5n);
  await ledger.settle(await hold(), { cost: 0n, usage: {} });
  await ledger.release(await hold({ ...token, caps }), 'test');
  await ledger.release(await hold({ idempotency: keyOf(user) }), 'test');

  const abandoned = await hold();
  await progress(abandoned, 30);
  await expire(node, url, abandoned);
  await expire(node, url, await hold({ ...token, caps }));
  const retriable = await hold({ idempotency: keyOf(user) });
  await progress(retriable, 30);
  await expire(node, url, retriable);
  await expire(node, url, await hold({ idempotency: keyOf(user) }));

  const late = await hold({ ...token, caps });
  await expire(node, url, late);
  await settle(late, 40);
  const rest = await hold({ ...token, caps });
  await progress(rest, 20);
  await expire(node, url, rest);
  await settle(rest, 50);
  const lateKeyed = await hold({ idempotency: keyOf(user) });
  await expire(node, url, lateKeyed);
  await settle(lateKeyed, 40, true);

  const idempotency = keyOf(user, 'taken over');
  const lost = await hold({ idempotency });
  await expire(node, url, lost);
  await settle(await hold({ idempotency }), 60, true);
  await settle(lost, 60, true);
  const released = keyOf(user, 'taken over and released');
  const first = await hold({ idempotency: released });
  await expire(node, url, first);
  await ledger.release(await hold({ idempotency: released }), 'test');
  const open = keyOf(user, 'taken over and open');
  await expire(node, url, await hold({ idempotency: open }));
  await hold({ idempotency: open });

  const work = (operation: string) => mustHold(node, holdOf(user, { ceiling, operation }));
  const events = await work('pulse');
  await ledger.settle(events, {
    cost: priceOf({ events: 7 }, { perThousandEvents: 5_000_000n }),
    usage: { events: 7 },
  });
  const risk = await work('workflow.risk');
  await ledger.settle(risk, { cost: 2_000_000n, usage: { requests: 1 } });
  const guidance = await work('workflow.guidance');
  const usage = { inputTokens: 5, outputTokens: 6, requests: 1 };
  await ledger.settle(guidance, { cost: 1_000_777n, usage, model: 'one' });

  const second = await addCustomer(node, url, 5n);
  const other = await mustHold(
    node,
    holdOf(second, { ceiling, caps: [{ owner: `key:${second.keyId}`, limit: ceiling }] }),
  );
  await settle(other, 5);
  const accountId = newId('acc');
  await node.wallets.create(accountId, 'application');
  await node.wallets.topUps.create({ accountId, kind: 'application', amount: 9n * nanoPerUsd });
  await run(
    url,
    `UPDATE credential_state SET state = 'revoked', revoked_at_ms = TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6)) DIV 1000 + 1
     WHERE id = '${second.keyId}'`,
  );
}

/** Delivers more than can be collected: once it is repaid, in two parts; once it stays owed. */
async function oweForUse(node: Node, url: string): Promise<void> {
  for (const credit of [[1n, 5n], []] as const) {
    const user = await addCustomer(node, url, 5n);
    const chat = chatOf(1_000_000);
    const hold = await mustHold(
      node,
      holdOf(user, { ceiling: chat.cost, caps: [{ owner: `key:${user.keyId}`, limit: 100n * nanoPerUsd }] }),
    );
    await expire(node, url, hold);
    const spent = chatOf(1_100_000);
    const other = await mustHold(node, holdOf(user, { ceiling: spent.cost }));
    await node.ledger.settle(other, spent);
    await node.ledger.settle(hold, { ...chat, delivered: true });
    for (const usd of credit) await adjust(node, user, { amount: usd * nanoPerUsd });
    // More than was collected at first: the repaid debt is given back as well.
    if (credit.length > 0) await adjust(node, user, { amount: chat.cost - 1n, reversesChargeId: hold.chargeId });
  }
}

async function takePaymentsBack(node: Node, url: string): Promise<void> {
  const manual = createWallets({ db: node.db, ledger: node.ledger, payments: manualPayments });
  const pay = async (accountId: string, usd: bigint) => {
    const made = await node.wallets.topUps.create({ accountId, kind: 'api', amount: usd * nanoPerUsd });
    if (!made.ok) throw new Error('The top-up failed.');
    return made.value.topUpId;
  };
  const { topUps } = node.wallets;
  const user = await addCustomer(node, url, 5n);
  const { accountId } = user;
  await topUps.reverse({ topUpId: await pay(accountId, 6n), kind: 'refund', amount: 7n, reference: 're_1' });
  const failed = await pay(accountId, 6n);
  await topUps.reverse({ topUpId: failed, kind: 'refund', amount: 8n, reference: 're:2' });
  await topUps.conclude(failed, 're:2', 'won');
  const won = await pay(accountId, 6n);
  await topUps.reverse({ topUpId: won, kind: 'dispute', amount: 9n, reference: 'dp_1' });
  await topUps.conclude(won, 'dp_1', 'won');
  await topUps.reverse({ topUpId: won, kind: 'dispute', amount: 10n, reference: 'dp_2' });
  await topUps.conclude(won, 'dp_2', 'lost');
  await topUps.reverse({ topUpId: won, kind: 'dispute', amount: 11n, reference: 'dp_3' });
  await topUps.record({
    accountId,
    kind: 'api',
    amount: 5n * nanoPerUsd,
    reference: 'b1',
    actor: 'op',
    idempotencyKey: 'b1',
  });

  const spender = await addCustomer(node, url, 0n);
  const topUpId = await pay(spender.accountId, 5n);
  const chat = chatOf(1_000_000);
  await node.ledger.settle(await mustHold(node, holdOf(spender, { ceiling: chat.cost })), chat);
  await topUps.reverse({ topUpId, kind: 'refund', amount: 4n * nanoPerUsd, reference: 're:3' });
  await adjust(node, spender, { amount: nanoPerUsd });
  const debtor = await addCustomer(node, url, 0n);
  const lost = await pay(debtor.accountId, 5n);
  const all = chatOf(1_249_000);
  await node.ledger.settle(await mustHold(node, holdOf(debtor, { ceiling: all.cost })), all);
  await adjust(node, debtor, { amount: all.cost - 5n * nanoPerUsd });
  await topUps.reverse({ topUpId: lost, kind: 'dispute', amount: 3n * nanoPerUsd, reference: 'dp_4' });
  await topUps.conclude(lost, 'dp_4', 'lost');

  await manual.topUps.create({ accountId, kind: 'api', amount: 6n * nanoPerUsd });
  const given = await manual.topUps.create({ accountId, kind: 'api', amount: 7n * nanoPerUsd });
  if (given.ok) await manual.topUps.close(given.value.topUpId, 'failed');
}

async function correct(node: Node, url: string): Promise<void> {
  const user = await addCustomer(node, url, 20n);
  await adjust(node, user, { amount: 5n });
  await adjust(node, user, { amount: -6n });
  const ids: string[] = [];
  for (const tokens of [7, 8]) {
    const hold = await mustHold(node, holdOf(user, { ceiling }));
    await node.ledger.settle(hold, chatOf(tokens));
    ids.push(hold.chargeId);
  }
  await adjust(node, user, { amount: 9n, reversesChargeId: ids[0] ?? '' });
  await adjust(node, user, { amount: 10n, reversesChargeId: ids[0] ?? '' });
}

let corrections = 0;
async function adjust(
  node: Node,
  { accountId }: Customer,
  change: { amount: bigint; reversesChargeId?: string },
): Promise<void> {
  const idempotencyKey = `correction ${corrections++}`;
  const adjusted = await node.wallets.adjust({
    accountId,
    kind: 'api',
    reason: 'test',
    actor: 'op',
    idempotencyKey,
    ...change,
  });
  if (!adjusted.ok) throw new Error(`No correction: ${adjusted.failure.kind}`);
}
