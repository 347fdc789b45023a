import { randomUUID } from 'node:crypto';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { formatUsd, parseUsd } from '../../../src/base/money.ts';
import { type Customer, onboard, reasonOf, send } from '../../support/app.ts';
import { openConsole, settled } from './harness.ts';

const question = { messages: [{ role: 'user', content: 'Which plan fits? The Basic plan fits.' }] };
const site = openConsole({
  topUpUsd: '20.00',
  fill: async ({ app, customer: { accountId, managementKey, apiKey } }) => {
    for (let count = 0; count < 3; count++) await send(app, 'POST', '/api/v1/assistant/chat', apiKey, question);
    const body = { direction: 'take', amountUsd: '0.000000007', reason: 'a test' };
    const path = `/v1/accounts/${accountId}/adjustments`;
    await send(app, 'POST', path, app.operatorToken, body, { 'idempotency-key': randomUUID() });
    const { topUps } = (await send(app, 'GET', '/v1/wallet/top-ups', managementKey)).body;
    const refund = { topUpId: topUps[0].topUpId, kind: 'refund', amount: 1_250_000_000n, reference: 're_1' } as const;
    await app.rooms.wallets.topUps.reverse(refund);
    await send(app, 'POST', '/v1/wallet/top-ups', managementKey, { amountUsd: '5.00' });
  },
});

site.matrix('/credit', { name: 'credit' });

const api = async (path: string, key = site.customer.managementKey) => (await send(site.app, 'GET', path, key)).body;
const nano = (text: string | null | undefined) => {
  const amount = parseUsd((text ?? '').replace(/^-/, ''));
  return amount !== undefined && text?.startsWith('-') ? -amount : amount;
};
const section = (page: Page, title: string) =>
  page.locator('section').filter({ has: page.getByRole('heading', { name: title, exact: true }) });
const amountsIn = async (page: Page, title: string) => {
  const money = section(page, title).locator('data.money');
  return await Promise.all((await money.all()).map(async (each) => nano(await each.getAttribute('value'))));
};
const topUp = async (page: Page, amount: string) => {
  const form = section(page, 'Top up');
  await form.getByLabel('Amount in USD').fill(amount);
  await form.getByRole('button', { name: 'Top up', exact: true }).click();
};

test("balances, entries and top-ups are the API's, to the nano-USD, and the sum is that of the rows shown", async () => {
  const page = await site.open('/credit');
  await section(page, 'Entries')
    .getByRole('row', { name: /Refund/ })
    .waitFor();
  await settled(page);
  const { wallet } = await api('/v1/wallet');
  expect(await amountsIn(page, 'Credit of the API')).toEqual([
    ...[wallet.availableUsd, wallet.heldUsd, wallet.balanceUsd].map(nano),
  ]);
  const { entries } = await api('/v1/wallet/entries');
  const rows = entries.flatMap((each: Record<string, string>) => [nano(each.amountUsd), nano(each.balanceAfterUsd)]);
  const sum = entries.reduce((total: bigint, each: Record<string, string>) => total + (nano(each.amountUsd) ?? 0n), 0n);
  expect(await amountsIn(page, 'Entries')).toEqual([...rows, sum]);
  expect(sum).toBe(nano(wallet.balanceUsd));
  const { topUps } = await api('/v1/wallet/top-ups');
  expect(await amountsIn(page, 'Top-ups')).toEqual(topUps.map((each: Record<string, string>) => nano(each.amountUsd)));
  const other = (await api('/v1/application-wallet')).wallet;
  expect(await amountsIn(page, 'Application wallet')).toEqual(
    [other.availableUsd, other.heldUsd, other.balanceUsd].map(nano),
  );
  expect(await section(page, 'Application wallet').textContent()).toContain('never pays for API use');
});

test('entries of a kind are those of the API, and the choice is in the address', async () => {
  const page = await site.open('/credit');
  await page.getByLabel('Kind').selectOption('Usage');
  await expect.poll(() => page.url()).toContain('kind=usage');
  const { entries } = await api('/v1/wallet/entries?kinds=usage');
  await expect
    .poll(() => section(page, 'Entries').locator('tbody tr').count(), { timeout: 20_000 })
    .toBe(entries.length);
  const shown = await amountsIn(page, 'Entries');
  const rows = entries.flatMap((each: Record<string, string>) => [nano(each.amountUsd), nano(each.balanceAfterUsd)]);
  expect(shown.slice(0, -1)).toEqual(rows);
  expect(shown.at(-1)).toBeLessThan(0n);
});

test('at 0 USD use is paused on every page, and a top-up of 5.00 lets the same key go on', async () => {
  const customer = await onboard(site.app, '0');
  const chat = () => send(site.app, 'POST', '/api/v1/assistant/chat', customer.apiKey, question);
  expect(reasonOf(await chat())).toBe('INSUFFICIENT_CREDIT');
  const page = await site.open('/credit', { credential: customer.managementKey });
  const begin = page.locator('.banner').filter({ hasText: 'Add credit to start.' });
  await begin.waitFor();
  // A link to the page that one is on would lead nowhere.
  expect(await begin.getByRole('link').count()).toBe(0);
  await topUp(page, '5.00');
  await page.getByText('$5.00 was added.').waitFor();
  expect(await section(page, 'Top up').getByLabel('Amount in USD').inputValue()).toBe('');
  await page.getByText('Add credit to start.').waitFor({ state: 'detached' });
  const answer = await chat();
  expect(answer.status, answer.text).toBe(200);
  const { wallet } = await api('/v1/wallet', customer.managementKey);
  expect(nano(wallet.balanceUsd)).toBe(5_000_000_000n - (nano(answer.body.usage.costUsd) ?? 0n));
  await page.reload();
  await section(page, 'Entries').getByRole('row', { name: /Usage/ }).waitFor();
  const [available, , balance] = await amountsIn(page, 'Credit of the API');
  expect([available, balance].map((amount) => formatUsd(amount ?? 0n))).toEqual([
    wallet.availableUsd,
    wallet.balanceUsd,
  ]);
});

test('credit that was used up is told as an alarm, unlike credit that never was', async () => {
  const customer = await onboard(site.app, '5.00');
  const path = `/v1/accounts/${customer.accountId}/adjustments`;
  const body = { direction: 'take', amountUsd: '5.00', reason: 'a test' };
  await send(site.app, 'POST', path, site.app.operatorToken, body, { 'idempotency-key': randomUUID() });
  const page = await site.open('/credit', { credential: customer.managementKey });
  const alarm = page.getByRole('alert').filter({ hasText: 'Use is paused: the balance is $0.00.' });
  await alarm.waitFor();
  expect(await alarm.textContent()).toMatch(/Requests are refused until you add credit.*402 INSUFFICIENT_CREDIT/);
  expect(await page.getByText('Add credit to start.').count()).toBe(0);
});

test('what cannot be bought is refused in a clear word, and nothing is sent', async () => {
  const page = await site.open('/credit');
  const before = (await api('/v1/wallet/top-ups')).topUps.length;
  const sent: string[] = [];
  page.on('request', (request) => {
    if (request.method() === 'POST') sent.push(request.url());
  });
  for (const [amount, word] of [
    ['4.99', 'A top-up is at least $5.00.'],
    ['4.999999999', 'A top-up is at least $5.00.'],
    ['-5', 'Enter an amount in USD'],
    ['five', 'Enter an amount in USD'],
    ['', 'Enter an amount in USD'],
    ['10000.01', 'A top-up is at most $10,000.00.'],
  ] as const) {
    await topUp(page, amount);
    await section(page, 'Top up').getByRole('alert').filter({ hasText: word }).waitFor();
  }
  expect(sent).toEqual([]);
  expect((await api('/v1/wallet/top-ups')).topUps).toHaveLength(before);
});

test('an answer that is lost, and a second press, buy once', async () => {
  const customer = await onboard(site.app, '0');
  let lost = 0;
  const page = await site.open('/credit', {
    credential: customer.managementKey,
    prepare: async (context) => {
      await context.route('**/v1/wallet/top-ups', async (route) => {
        if (route.request().method() !== 'POST' || lost > 0) return route.fallback();
        lost += 1;
        await route.fetch();
        await route.abort();
      });
    },
  });
  await topUp(page, '7');
  await section(page, 'Top up').getByRole('alert').waitFor();
  await section(page, 'Top up').getByRole('button', { name: 'Top up', exact: true }).click();
  await page.getByText('$7.00 was added.').waitFor();
  expect(lost).toBe(1);
  expect((await api('/v1/wallet', customer.managementKey)).wallet.balanceUsd).toBe('7.00');
});

test('an alert is kept, and can be taken away', async () => {
  const customer = await onboard(site.app);
  const page = await site.open('/credit', { credential: customer.managementKey });
  const alert = section(page, 'Low-balance alert');
  await alert.getByLabel('Alert me below').fill('2.50');
  await alert.getByRole('button', { name: 'Save' }).click();
  await page.getByText('The alert is saved.').waitFor();
  const stored = () => api('/v1/wallet/low-balance-alert', customer.managementKey);
  expect(await stored()).toEqual({ alert: { thresholdUsd: '2.50', below: false } });
  await alert.getByLabel('Alert me below').fill('nothing');
  await alert.getByText('Enter an amount with at most nine decimals').waitFor();
  expect(await alert.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true);
  await alert.getByLabel('Alert me below').fill('');
  await alert.getByRole('button', { name: 'Save' }).click();
  await expect.poll(async () => (await stored()).alert.thresholdUsd, { timeout: 20_000 }).toBe('0.00');
});

test('the application wallet is topped up by itself, and the API has nothing of it', async () => {
  const customer: Customer = await onboard(site.app, '0');
  const page = await site.open('/credit', { credential: customer.managementKey });
  const apart = section(page, 'Application wallet');
  await apart.locator('summary').click();
  await apart.getByLabel('Amount in USD').fill('6');
  await apart.getByRole('button', { name: 'Top up the application wallet' }).click();
  await page.getByText('$6.00 was added.').waitFor();
  expect((await api('/v1/application-wallet', customer.managementKey)).wallet.balanceUsd).toBe('6.00');
  expect((await api('/v1/wallet', customer.managementKey)).wallet.paused).toBe(true);
  await page.getByText('Add credit to start.').waitFor();
});

test('entries are downloaded as a file, with the cookie alone', async () => {
  const page = await site.open('/credit');
  const download = page.waitForEvent('download');
  await page.getByRole('link', { name: 'Download CSV' }).click();
  const file = await download;
  const chunks: Buffer[] = [];
  for await (const chunk of await file.createReadStream()) chunks.push(chunk);
  const lines = Buffer.concat(chunks).toString('utf8').trim().split('\r\n');
  const { entries } = await api('/v1/wallet/entries');
  expect(lines).toHaveLength(entries.length + 1);
  expect(lines.at(-1)).toContain(entries[0].balanceAfterUsd);
});
