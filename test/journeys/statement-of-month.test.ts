import { afterAll, beforeAll, expect, test } from 'vitest';
import { formatUsd, parseUsd } from '../../src/base/money.ts';
import { openConnection } from '../../src/db/index.ts';
import { WalletService } from '../../src/gen/intelligence/wallet/v1/wallet_service_pb.ts';
import { type Customer, onboard, reasonOf, send, startApp, type TestApp } from '../support/app.ts';
import { eachServer, useDatabase } from '../support/database.ts';
import { grpcClient } from '../support/grpc.ts';

const chat = { provider: 'auto', messages: [{ role: 'user', content: 'Which plan fits? The Basic plan fits.' }] };
const thisMonth = new Date().toISOString().slice(0, 7);
const monthBy = (months: number) => {
  const [year = 0, month = 0] = thisMonth.split('-').map(Number);
  return new Date(Date.UTC(year, month - 1 + months)).toISOString().slice(0, 7);
};
const nano = (usd: string) => {
  const amount = parseUsd(usd.replace('-', ''));
  if (amount === undefined) throw new Error(usd);
  return usd.startsWith('-') ? -amount : amount;
};

interface Movement {
  kind: string;
  count: string;
  amountUsd: string;
}

eachServer((server) => {
  const database = useDatabase(server);
  let app: TestApp;
  let customer: Customer;

  beforeAll(async () => {
    app = await startApp({ databaseUrl: database().url });
    customer = await onboard(app);
    for (let count = 0; count < 3; count++) await send(app, 'POST', '/api/v1/assistant/chat', customer.apiKey, chat);
    const corrected = await send(
      app,
      'POST',
      `/v1/accounts/${customer.accountId}/adjustments`,
      app.operatorToken,
      { direction: 'take', amountUsd: '0.25', reason: 'paid for twice' },
      { 'idempotency-key': 'correction-1' },
    );
    expect(corrected.status, corrected.text).toBe(200);
  });
  afterAll(() => app.close());

  const statement = async (month: string, key = customer.managementKey, query = '') =>
    (await send(app, 'GET', `/v1/statements/${month}${query}`, key)).body.statement;
  const total = (movements: Movement[]) => movements.reduce((sum, { amountUsd }) => sum + nano(amountUsd), 0n);

  test('says what came in, what usage cost and what is left, and adds up to the entries', async () => {
    const read = await statement(thisMonth);
    const { body: wallet } = await send(app, 'GET', '/v1/wallet', customer.managementKey);
    expect(read).toMatchObject({ month: thisMonth, final: false, openingBalanceUsd: '0.00' });
    expect(read.closingBalanceUsd).toBe(wallet.wallet.balanceUsd);
    expect(read.movements.map(({ kind, count }: Movement) => [kind, count])).toEqual([
      ['adjustment', '1'],
      ['top_up', '1'],
      ['usage', '3'],
    ]);
    expect(formatUsd(total(read.movements))).toBe(read.closingBalanceUsd);
    const { body } = await send(app, 'GET', '/v1/wallet/entries', customer.managementKey);
    for (const { kind, amountUsd } of read.movements) {
      const entries = body.entries.filter((entry: Movement) => entry.kind === kind);
      expect([kind, total(entries)]).toEqual([kind, nano(amountUsd)]);
    }
    expect(read.usage).toMatchObject([{ operation: 'chat', charges: '3' }]);
    expect(-nano(read.usage[0].costUsd)).toBe(nano(read.movements[2].amountUsd));
  });

  test('is the same over gRPC, and for operators who name the account', async () => {
    const read = await statement(thisMonth);
    const over = await grpcClient(app.url).unary(
      WalletService.method.getStatement,
      { month: thisMonth },
      { authorization: `Bearer ${customer.managementKey}` },
    );
    expect(over.message?.statement?.closingBalanceUsd).toBe(read.closingBalanceUsd);
    expect(over.message?.statement?.movements).toMatchObject(read.movements.map(({ kind }: Movement) => ({ kind })));
    expect(await statement(thisMonth, app.operatorToken, `?accountId=${customer.accountId}`)).toEqual(read);
  });

  test('of a month begins with what the month before ended with', async () => {
    const connection = await openConnection(database().url);
    const before = Date.parse(`${monthBy(-1)}-20T12:00:00Z`) * 1_000;
    const which = 'posting.wallet_id = wallet.id AND wallet.account_id = ? AND posting.seq <= 2';
    await connection.query(`UPDATE posting JOIN wallet SET posting.created_at_us = ? + posting.seq WHERE ${which}`, [
      before,
      customer.accountId,
    ]);
    await connection.end();
    const [earlier, first, now] = await Promise.all([-2, -1, 0].map((months) => statement(monthBy(months))));
    expect(earlier).toMatchObject({ final: true, openingBalanceUsd: '0.00', closingBalanceUsd: '0.00', movements: [] });
    expect(first).toMatchObject({ final: true, openingBalanceUsd: '0.00', endTime: `${thisMonth}-01T00:00:00Z` });
    expect(first.movements.map(({ kind, count }: Movement) => [kind, count])).toEqual([
      ['top_up', '1'],
      ['usage', '1'],
    ]);
    expect(formatUsd(total(first.movements))).toBe(first.closingBalanceUsd);
    expect(now.openingBalanceUsd).toBe(first.closingBalanceUsd);
    expect(formatUsd(nano(now.openingBalanceUsd) + total(now.movements))).toBe(now.closingBalanceUsd);
  });

  test('is refused for a month that has not begun, or that is none, and to API keys', async () => {
    const ask = (month: string, key = customer.managementKey) => send(app, 'GET', `/v1/statements/${month}`, key);
    const early = await ask(monthBy(1));
    expect([early.status, early.text]).toEqual([400, expect.stringContaining('month: must not be in the future')]);
    for (const month of ['2026-13', '2026-1', 'now', '1999-01']) expect((await ask(month)).status, month).toBe(400);
    const refused = await ask(thisMonth, customer.apiKey);
    expect([refused.status, reasonOf(refused)]).toEqual([403, 'SCOPE_MISSING']);
  });
});
