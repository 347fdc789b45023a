import { expect, test } from 'vitest';
import { parseUsd } from '../../../src/base/money.ts';
import { send } from '../../support/app.ts';
import { openConsole, settled } from './harness.ts';

const question = { messages: [{ role: 'user', content: 'Which plan fits? The Basic plan fits.' }] };
const month = new Date().toISOString().slice(0, 7);
const site = openConsole({
  topUpUsd: '20.00',
  fill: async ({ app, customer: { apiKey } }) => {
    for (let count = 0; count < 3; count++) await send(app, 'POST', '/api/v1/assistant/chat', apiKey, question);
  },
});

site.matrix(`/statements/${month}`, { name: 'statement' });

const api = async (path: string) => (await send(site.app, 'GET', path, site.customer.managementKey)).body;
const nano = (text: string | null | undefined) => {
  const amount = parseUsd((text ?? '').replace(/^-/, ''));
  return amount !== undefined && text?.startsWith('-') ? -amount : amount;
};

test("a statement's figures are the API's, and its rows add up to the balance, to the nano-USD", async () => {
  const page = await site.open('/credit');
  await page.getByRole('link', { name: 'Monthly statements' }).click();
  await page.getByRole('row', { name: /Opening balance/ }).waitFor();
  await settled(page);
  const { statement } = await api(`/v1/statements/${month}`);
  const amountsOf = async (caption: string) => {
    const money = page.getByRole('table', { name: caption }).locator('data.money');
    return await Promise.all((await money.all()).map(async (each) => nano(await each.getAttribute('value'))));
  };
  const amounts = await amountsOf('Balance');
  expect(amounts).toEqual(
    [
      statement.openingBalanceUsd,
      ...statement.movements.map((each: { amountUsd: string }) => each.amountUsd),
      statement.closingBalanceUsd,
    ].map(nano),
  );
  const closing = amounts.pop();
  expect(amounts.reduce<bigint>((total, amount) => total + (amount ?? 0n), 0n)).toBe(closing);
  const usage = await amountsOf('Usage');
  expect(usage.pop()).toBe(usage.reduce<bigint>((total, amount) => total + (amount ?? 0n), 0n));
});

test('a paid top-up has a receipt, and on paper there is neither menu nor button', async () => {
  const page = await site.open('/credit');
  await page.getByRole('link', { name: 'Receipt', exact: true }).first().click();
  await page.getByRole('heading', { name: 'Receipt of a top-up' }).waitFor();
  const { topUps } = await api('/v1/wallet/top-ups');
  // The head of the page is there before the top-up has been read.
  await page.getByText(topUps[0].topUpId).waitFor();
  const text = (await page.locator('main').textContent()) ?? '';
  expect(text).toContain('Simulated payments: no money moved');
  await page.locator('data.money').waitFor();
  expect(nano(await page.locator('data.money').getAttribute('value'))).toBe(nano(topUps[0].amountUsd));
  await page.emulateMedia({ media: 'print' });
  expect(await page.getByRole('button', { name: 'Print or save as PDF' }).isVisible()).toBe(false);
  expect(await page.getByRole('navigation').first().isVisible()).toBe(false);
  expect(await page.getByText(topUps[0].topUpId).isVisible()).toBe(true);
});
