import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { formatUsd, parseUsd } from '../../src/base/money.ts';
import { WalletService } from '../../src/gen/intelligence/wallet/v1/wallet_service_pb.ts';
import { type Customer, onboard, send, startApp, type TestApp } from '../support/app.ts';
import { eachServer, firstServer, useDatabase } from '../support/database.ts';
import { grpcClient } from '../support/grpc.ts';

const question = { messages: [{ role: 'user', content: 'Which plan fits? The Basic plan fits.' }] };

interface EntryJson {
  entryId: string;
  kind: string;
  amountUsd: string;
  balanceAfterUsd: string;
  time: string;
}

eachServer((server) => {
  const database = useDatabase(server);
  let app: TestApp;
  let customer: Customer;

  const get = (path: string) => send(app, 'GET', path, customer.managementKey);
  const list = async (query: string): Promise<EntryJson[]> => {
    const answer = await get(`/v1/wallet/entries?${query}`);
    expect(answer.status, answer.text).toBe(200);
    return answer.body.entries;
  };
  const chat = async () => {
    const answer = await send(app, 'POST', '/api/v1/assistant/chat', customer.apiKey, question);
    expect(answer.status, answer.text).toBe(200);
  };

  // In this order: top_up, usage, usage, adjustment, refund, usage, dispute, top_up.
  beforeAll(async () => {
    app = await startApp({ databaseUrl: database().url });
    customer = await onboard(app, '20.00');
    const [topUp] = (await get('/v1/wallet/top-ups')).body.topUps;
    await chat();
    await chat();
    const adjusted = await send(
      app,
      'POST',
      `/v1/accounts/${customer.accountId}/adjustments`,
      app.operatorToken,
      { direction: 'add', amountUsd: '0.000000001', reason: 'a test' },
      { 'idempotency-key': 'one' },
    );
    expect(adjusted.status, adjusted.text).toBe(200);
    const { topUps } = app.rooms.wallets;
    await topUps.reverse({ topUpId: topUp.topUpId, kind: 'refund', amount: 2_000_000_000n, reference: 're_1' });
    await chat();
    await topUps.reverse({ topUpId: topUp.topUpId, kind: 'dispute', amount: 1_000_000_000n, reference: 'dp_1' });
    await topUps.conclude(topUp.topUpId, 'dp_1', 'lost');
    await send(app, 'POST', '/v1/wallet/top-ups', customer.managementKey, { amountUsd: '5.00' });
  });
  afterAll(() => app.close());

  test('entries of some kinds are exactly those of all that have the kind, in the same order', async () => {
    const all = await list('');
    expect(all.map(({ kind }) => kind).reverse()).toEqual(
      'top_up usage usage adjustment refund usage dispute top_up'.split(' '),
    );
    for (const kinds of [
      ['usage'],
      ['top_up'],
      ['refund'],
      ['dispute'],
      ['adjustment'],
      ['top_up', 'refund', 'dispute', 'adjustment'],
      ['usage', 'refund'],
    ]) {
      const query = kinds.map((kind) => `kinds=${kind}`).join('&');
      expect(await list(query), query).toEqual(all.filter(({ kind }) => kinds.includes(kind)));
    }
  });

  test('a time has the entries from its start on and before its end, of one kind or of all', async () => {
    const all = await list('');
    const third = all.at(-3);
    const sixth = all.at(-6);
    if (!third || !sixth) throw new Error('eight entries');
    const range = `startTime=${third.time}&endTime=${sixth.time}`;
    const inRange = all.filter(({ time }) => time >= third.time && time < sixth.time);
    expect(inRange.length).toBeGreaterThan(0);
    expect(await list(range)).toEqual(inRange);
    expect(await list(`kinds=adjustment&kinds=refund&${range}`)).toEqual(
      inRange.filter(({ kind }) => kind === 'adjustment' || kind === 'refund'),
    );
    expect(await list('startTime=2020-01-01T00:00:00Z&endTime=2020-02-01T00:00:00Z')).toEqual([]);
    const over = await grpcClient(app.url).unary(
      WalletService.method.listEntries,
      {
        kinds: ['usage'],
        startTime: timestampFromMs(Date.parse(third.time)),
        endTime: timestampFromMs(Date.parse(sixth.time)),
      },
      { authorization: `Bearer ${customer.managementKey}` },
    );
    expect(over.message?.entries.map(({ entryId }) => entryId)).toEqual(
      inRange.filter(({ kind }) => kind === 'usage').map(({ entryId }) => entryId),
    );
  });

  test('pages of a filtered list go on where they ended, and only with the same filter', async () => {
    for (const kinds of [['usage'], ['top_up', 'refund', 'dispute', 'adjustment']]) {
      const query = kinds.map((kind) => `kinds=${kind}`).join('&');
      const whole = await list(query);
      const seen: EntryJson[] = [];
      let pageToken = '';
      do {
        const { body } = await get(`/v1/wallet/entries?${query}&pageSize=1&pageToken=${pageToken}`);
        expect(body.entries).toHaveLength(1);
        seen.push(...body.entries);
        pageToken = body.nextPageToken;
      } while (pageToken !== '');
      expect(seen).toEqual(whole);
    }
    const { nextPageToken } = (await get('/v1/wallet/entries?kinds=usage&pageSize=1')).body;
    expect((await get(`/v1/wallet/entries?kinds=refund&pageToken=${nextPageToken}`)).status).toBe(400);
    expect((await get(`/v1/wallet/entries?pageToken=${nextPageToken}`)).status).toBe(400);
  });

  test('what cannot be is refused: another kind, one kind twice, an end before the start', async () => {
    for (const query of [
      'kinds=gift',
      'kinds=usage&kinds=usage',
      'startTime=2026-01-02T00:00:00Z&endTime=2026-01-01T00:00:00Z',
    ])
      expect((await get(`/v1/wallet/entries?${query}`)).status, query).toBe(400);
  });

  test('balances after the entries are the running sum of their amounts, to the nano-USD', async () => {
    let balance = 0n;
    for (const { amountUsd, balanceAfterUsd } of (await list('')).reverse()) {
      balance += signed(amountUsd);
      expect(balanceAfterUsd).toBe(formatUsd(balance));
    }
    expect(signed((await get('/v1/wallet')).body.wallet.balanceUsd)).toBe(balance);
  });
});

const optionsDatabase = useDatabase(firstServer());

test('payment options say who takes payments here, and what a top-up may be', async () => {
  const manual = `{ provider: manual, maximumTopUpUsd: "250", instructions: "Transfer to AT00 1234, naming your account." }`;
  for (const [payments, options] of [
    [manual, { provider: 'manual', maximumUsd: '250.00', instructions: 'Transfer to AT00 1234, naming your account.' }],
    [undefined, { provider: 'sandbox', sandbox: true, minimumUsd: '5.00', maximumUsd: '10000.00', currency: 'USD' }],
  ] as const) {
    const app = await startApp({ databaseUrl: optionsDatabase().url, ...(payments && { payments }) });
    try {
      const { managementKey, apiKey } = await onboard(app, '0');
      const answer = await send(app, 'GET', '/v1/wallet/payment-options', managementKey);
      expect(answer.body.options).toMatchObject(options);
      expect(answer.body.options).not.toHaveProperty('stepUsd');
      const over = await grpcClient(app.url).unary(
        WalletService.method.getPaymentOptions,
        {},
        { authorization: `Bearer ${managementKey}` },
      );
      expect(over.message?.options).toMatchObject(options);
      expect((await send(app, 'GET', '/v1/wallet/payment-options', apiKey)).status).toBe(403);
      // The limits that it states are the ones enforced.
      const buy = (amountUsd: string) => send(app, 'POST', '/v1/wallet/top-ups', managementKey, { amountUsd });
      for (const bound of [answer.body.options.minimumUsd, answer.body.options.maximumUsd])
        expect((await buy(bound)).status).toBe(200);
      expect((await buy('4.999999999')).status).toBe(400);
      expect((await buy(answer.body.options.maximumUsd.replace(/0$/, '1'))).status).toBe(400);
    } finally {
      await app.close();
    }
  }
});

function signed(usd: string): bigint {
  const amount = parseUsd(usd.replace(/^-/, '')) ?? 0n;
  return usd.startsWith('-') ? -amount : amount;
}
