import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { send } from '../../support/app.ts';
import { axeViolations } from './axe.ts';
import { openConsole, settled } from './harness.ts';

const run = promisify(execFile);
const site = openConsole({
  fill: async ({ app, customer }) => {
    for (const [index, content] of ['What is the capital of France?', 'Who wrote Faust?', 'Say hello.'].entries())
      await send(app, 'POST', '/api/v1/assistant/chat', customer.apiKey, {
        messages: [{ role: 'user', content }],
        metadata: { index: String(index) },
      });
    await send(app, 'PATCH', '/v1/wallet/low-balance-alert', customer.managementKey, { thresholdUsd: '1' });
  },
});

/** Amounts as they are in the markup: exact, whatever is shown. */
async function amountsIn(page: Page, selector: string): Promise<string[]> {
  return await page
    .locator(`${selector} data.money`)
    .evaluateAll((all) => all.map((each) => each.getAttribute('value') ?? ''));
}

test('shows what the API says, to the nano-USD', async () => {
  const { app, customer } = site;
  const read = async (path: string) => (await send(app, 'GET', path, customer.managementKey)).body;
  const { wallet } = await read('/v1/wallet');
  const { rows } = await read('/v1/usage?groupBy=key');
  const { charges } = await read('/v1/charges');
  expect(charges).toHaveLength(3);

  const page = await site.open('/');
  await settled(page);
  expect(await amountsIn(page, '.figure >> nth=0 >>')).toEqual([wallet.availableUsd]);
  expect(await amountsIn(page, '.figure >> nth=1 >>')).toEqual([rows[0].costUsd]);
  const keys = page.getByRole('table', { name: 'Top keys, 30 days' });
  expect(await keys.locator('tbody tr').count()).toBe(1);
  expect(await keys.locator('data.money').evaluateAll((all) => all.map((each) => each.getAttribute('value')))).toEqual([
    rows[0].costUsd,
    rows[0].costUsd,
  ]);
  const latest = page.getByRole('table', { name: 'Latest charges' });
  expect(
    await latest.locator('data.money').evaluateAll((all) => all.map((each) => each.getAttribute('value'))),
  ).toEqual(charges.map(({ chargedUsd }: { chargedUsd: string }) => chargedUsd));
  const whats = await latest.locator('tbody tr').allInnerTexts();
  for (const [index, { operation, model }] of charges.entries())
    expect(whats[index]).toContain(`${operation} ${model}`);
});

test('asks for six things at most, and for each once', async () => {
  const asked: string[] = [];
  const page = await site.open('/models');
  // What that page asks for is not the overview's.
  await settled(page);
  page.on('request', (request) => {
    const { pathname, search } = new URL(request.url());
    if (/^\/(api\/)?v1\//.test(pathname)) asked.push(pathname + search);
  });
  await page.goto('/console/');
  await settled(page);
  expect(new Set(asked).size, asked.join('\n')).toBe(asked.length);
  expect(asked.length).toBeGreaterThan(0);
  expect(asked.length, asked.join('\n')).toBeLessThanOrEqual(6);
});

test('a new account is led to its first reply, and nothing else', async () => {
  const page = await site.open('/', { credential: site.newcomer.managementKey });
  await settled(page);
  expect(await page.getByRole('heading', { level: 3 }).allTextContents()).toEqual([
    'Top up ',
    'Create an API key ',
    'Send a request ',
  ]);
  expect(await page.locator('.figure').count()).toBe(0);
  // Nothing was lost yet, so nothing alarms.
  expect(await page.locator('main .banner').count()).toBe(0);
  await page.getByRole('link', { name: 'Create an API key' }).click();
  await page.getByRole('dialog', { name: 'Create an API key' }).waitFor();
  await expect.poll(() => page.evaluate('document.activeElement.labels?.[0]?.textContent')).toBe('Name');
  expect(new URL(page.url()).search).toBe('');
  await page.keyboard.press('Escape');
  await page.getByText('Add credit to start.').waitFor();
  expect(await page.getByRole('alert').count()).toBe(0);
});

test('the sample request of the first steps works as it stands, and its answer is one', async () => {
  const page = await site.open('/', { credential: site.newcomer.managementKey });
  await settled(page);
  const shown = (await page.locator('.code pre').textContent()) ?? '';
  expect(shown).toContain("export API_KEY='ik_live_...'");
  const { stdout } = await run('sh', [
    '-c',
    shown.replace('ik_live_...', site.customer.apiKey).replace('curl ', 'curl -s '),
  ]);
  expect(JSON.parse(stdout).message.content).toContain('Paris');
});

test('code wraps on a phone, and its button is below it', async () => {
  const page = await site.open('/', { credential: site.newcomer.managementKey, look: 'phone' });
  await settled(page);
  const code = page.locator('.code pre');
  expect(await code.evaluate((box) => box.scrollWidth - box.clientWidth)).toBe(0);
  const [text, button] = await Promise.all([code.boundingBox(), page.locator('.code button').boundingBox()]);
  expect(button?.y).toBeGreaterThanOrEqual((text?.y ?? 0) + (text?.height ?? 0));
});

test('an account of today has no forecast, and no comparison with last month', async () => {
  const page = await site.open('/');
  await settled(page);
  const lasts = page.locator('.figure').filter({ hasText: 'Credit lasts' });
  expect(await lasts.locator('.value').textContent()).toBe('not known yet');
  expect(await lasts.textContent()).toContain('known after 3 days of use');
  expect(await page.locator('.figure').filter({ hasText: 'Spent in' }).locator('.small').count()).toBe(0);
});

site.matrix('/', { name: 'overview' });

describe('the menu', () => {
  site.matrix('/', {
    name: 'menu',
    states: ['filled'],
    arrange: async (page) => {
      const more = page.getByRole('button', { name: 'More' });
      await ((await more.isVisible()) ? more : page.locator('.account-button')).click();
      await page.locator('dialog[open], :popover-open').waitFor();
    },
  });
});

test('the keyboard reaches the content first, and the menu gives the focus back', async () => {
  const page = await site.open('/');
  await settled(page);
  await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('Overview');
  await page.keyboard.press('?');
  const help = page.getByRole('dialog', { name: 'Keys' });
  await help.waitFor();
  expect(await axeViolations(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await help.waitFor({ state: 'hidden' });
  await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('Overview');
  await page.reload();
  await settled(page);
  await page.locator('body').press('Shift+Tab');
  await page.getByRole('link', { name: 'Models' }).press('Enter');
  await page.getByRole('heading', { name: 'Models and prices', level: 1 }).waitFor();
  await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('Models and prices');
});

test('the chart has the same values as a table, and arrow keys read them out', async () => {
  const { app, customer } = site;
  const { rows } = (await send(app, 'GET', '/v1/usage?groupBy=day', customer.managementKey)).body;
  const page = await site.open('/');
  await settled(page);
  const chart = page.getByRole('img', { name: 'Cost by model, 30 days' });
  await chart.press('End');
  expect(await page.locator('.readout').textContent()).toContain(`$${rows[0].costUsd}`);
  await page.getByRole('button', { name: 'Table' }).click();
  const table = page.getByRole('table', { name: 'Cost by model, 30 days' });
  expect(await table.locator('tbody tr').count()).toBe(30);
  expect(await table.locator('tbody tr').last().locator('td').last().textContent()).toBe(`$${rows[0].costUsd}`);
});

test('the look that was chosen stays', async () => {
  const page = await site.open('/');
  const background = () => page.evaluate('getComputedStyle(document.documentElement).backgroundColor');
  const light = await background();
  await page.locator('.account-button').click();
  await page.getByLabel('Appearance').selectOption('dark');
  const dark = await background();
  expect(dark).not.toBe(light);
  await page.reload();
  await page.locator('.shell').waitFor();
  expect(await background()).toBe(dark);
});
