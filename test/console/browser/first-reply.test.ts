import { expect, test } from 'vitest';
import { parseUsd } from '../../../src/base/money.ts';
import { send } from '../../support/app.ts';
import { openConsole, settled } from './harness.ts';

const site = openConsole({ topUpUsd: '0' });

const addresses = (selector: string) =>
  `[...document.querySelectorAll(${JSON.stringify(selector)})].map(({ href }) => href)`;

test('from the link of quickstart to a paid reply and what it cost, by clicking alone', async () => {
  const code = await site.app.rooms.sessions.codes.create({ accountId: site.newcomer.accountId });
  const page = await site.open(`/#code=${code}`, { credential: null });
  const next = (name: string) => page.getByRole('main').getByRole('link', { name, exact: true }).click();
  const api = async (path: string) => (await send(site.app, 'GET', path, site.newcomer.managementKey)).body;
  await page.getByRole('heading', { name: 'Three steps to the first reply' }).waitFor();

  await next('Top up');
  await page.getByLabel('Amount in USD').first().fill('5');
  await page.getByRole('main').getByRole('button', { name: 'Top up', exact: true }).click();
  await page.getByText('$5.00 was added.').waitFor();

  await next('Go on');
  await next('Create an API key');
  const form = page.getByRole('dialog');
  await form.getByLabel('Name').fill('backend');
  await form.getByLabel('What you build with it').fill('A first try');
  await form.getByRole('button', { name: 'Create a key' }).click();
  await page.getByLabel('I have stored it').check();
  await page.getByRole('button', { name: 'Done' }).click();

  await next('Go on');
  await page.getByRole('heading', { name: 'Send a request' }).waitFor();
  expect(await page.getByRole('main').locator('a.primary').allTextContents()).toEqual(['Open the playground']);
  await next('Open the playground');
  await page.getByLabel('Message').fill('Paris is the capital of France. What is the capital of France?');
  await page.getByRole('button', { name: 'Send' }).click();
  const reply = page.locator('article').first();
  await reply.getByText('Paris is the capital of France.').waitFor();
  const shown = await reply.locator('dl data.money').first().getAttribute('value');
  const { charges } = await api('/v1/charges');
  expect(charges.map(({ state }: Record<string, string>) => state)).toEqual(['settled']);
  expect(parseUsd(shown ?? '')).toBe(parseUsd(charges[0].chargedUsd));
  expect(5_000_000_000n - (parseUsd((await api('/v1/wallet')).wallet.balanceUsd) ?? 0n)).toBe(parseUsd(shown ?? ''));

  await reply.getByRole('link', { name: 'The charge' }).click();
  const panel = page.getByRole('dialog');
  await panel.getByText(charges[0].chargeId).first().waitFor();
});

test('no link of the console leads to a page that is not there', async () => {
  const { managementKey, apiKey } = site.customer;
  await send(site.app, 'POST', '/v1/wallet/top-ups', managementKey, { amountUsd: '5.00' });
  const chat = { messages: [{ role: 'user', content: 'Hello' }] };
  const { status } = await send(site.app, 'POST', '/api/v1/assistant/chat', apiKey, chat);
  expect(status).toBe(200);
  const page = await site.open('/');
  const waiting = ['/console/'];
  const seen = new Set(waiting);
  for (let path = waiting.shift(); path !== undefined && seen.size < 80; path = waiting.shift()) {
    const answer = await page.goto(path);
    expect(answer?.status(), path).toBe(200);
    // The documentation has no links of the console's.
    if (!path.startsWith('/console')) continue;
    await settled(page);
    expect(await page.locator('h1').textContent(), path).not.toBe('Page not found');
    for (const address of (await page.evaluate(addresses('a[href]'))) as string[]) {
      const { origin, pathname, search } = new URL(address);
      // Downloads are tested with their pages, and other filters of a list are the same page.
      if (origin !== site.app.url || pathname.startsWith('/v1/') || seen.has(pathname)) continue;
      seen.add(pathname);
      waiting.push(pathname + search);
    }
  }
  // Each page of the menu, a charge and the documentation.
  expect(seen.size).toBeGreaterThan(14);
}, 240_000);
