import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Customer, onboard, send, startApp, type TestApp } from '../../support/app.ts';
import { signIn } from '../../support/browser.ts';
import { firstServer, useDatabase } from '../../support/database.ts';
import { axeViolations } from './axe.ts';
import { launchChromium } from './chromium.ts';

const shots = fileURLToPath(new URL('../../../.cache/console/', import.meta.url));
/** axe takes long over a long page on a busy machine. */
const timeout = 240_000;
const looks: Record<string, BrowserContextOptions> = {
  light: { colorScheme: 'light', viewport: { width: 1280, height: 900 } },
  dark: { colorScheme: 'dark', viewport: { width: 1280, height: 900 } },
  phone: { colorScheme: 'light', viewport: { width: 390, height: 844 } },
};

const database = useDatabase(firstServer());
let app: TestApp;
let browser: Browser;
let customer: Customer;
beforeAll(async () => {
  browser = await launchChromium();
  app = await startApp({ databaseUrl: database().url });
  customer = await onboard(app);
});
afterAll(async () => {
  await browser?.close();
  await app?.close();
});

/** Opens a page, and collects what the browser finds wrong with it. */
async function open(path: string, look = 'light', cookie?: string): Promise<{ page: Page; faults: string[] }> {
  const context = await browser.newContext({ baseURL: app.url, ...looks[look] });
  if (cookie !== undefined) {
    const [name = '', value = ''] = cookie.split('=');
    await context.addCookies([{ name, value, domain: '127.0.0.1', path: '/', httpOnly: true, sameSite: 'Strict' }]);
  }
  const page = await context.newPage();
  const faults: string[] = [];
  page.on('console', (message) => message.type() === 'error' && faults.push(message.text()));
  page.on('pageerror', (error) => faults.push(String(error)));
  page.on('request', (request) => {
    if (!request.url().startsWith(app.url)) faults.push(`asks elsewhere: ${request.url()}`);
  });
  await page.goto(path);
  if (path.startsWith('/docs')) await page.locator('details.operation').first().waitFor();
  return { page, faults };
}

async function isClean(page: Page, faults: readonly string[], name: string): Promise<void> {
  mkdirSync(shots, { recursive: true });
  await page.screenshot({ path: join(shots, `${name}.png`) });
  expect(await axeViolations(page)).toEqual([]);
  expect(await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')).toBe(0);
  expect(faults).toEqual([]);
}

test.each(Object.keys(looks))('the reference is accessible and fits, %s', { timeout }, async (look) => {
  const { page, faults } = await open('/docs', look);
  await isClean(page, faults, `docs-${look}`);
  await page.goto('/docs#WalletService_CreateTopUp');
  await page.reload();
  const operation = page.locator('#WalletService_CreateTopUp');
  await operation.locator('.sample pre').waitFor();
  for (const part of await operation.locator('summary').all())
    if ((await part.innerText()).startsWith('Fields')) await part.click();
  await isClean(page, faults, `docs-operation-${look}`);
  await page.context().close();
});

test.each(Object.keys(looks))('the page for devices is accessible and fits, %s', { timeout }, async (look) => {
  const { page, faults } = await open('/device?user_code=BCDF-GHJK', look);
  expect(new URL(page.url()).pathname).toBe('/activate');
  expect(await page.getByLabel('Code').inputValue()).toBe('BCDF-GHJK');
  const link = page.getByRole('link', { name: 'I am signed in to the console' });
  expect(await link.getAttribute('href')).toBe('/console/devices?user_code=BCDF-GHJK');
  await isClean(page, faults, `activate-${look}`);
  await page.context().close();
});

test('a newcomer finds the way: start first, a skip link, a search, anchors and samples', { timeout }, async () => {
  const { page } = await open('/docs');
  const headings = await page.locator('h2').allInnerTexts();
  expect(headings.slice(0, 4).map((text) => text.replace(/ #$/, ''))).toEqual(['Start', 'Key', 'Wallet', 'Chat']);
  // What is for operators comes last.
  expect(headings.slice(-3).map((text) => text.replace(/ #$/, ''))).toEqual(['Account', 'Operations', 'Audit']);
  await page.keyboard.press('Tab');
  expect(await page.evaluate('document.activeElement.textContent')).toBe('Skip to the content');

  await page.getByLabel('Search').fill('top-up post');
  const shown = page.locator('details.operation:visible code:first-of-type');
  await expect.poll(() => page.getByRole('status').innerText()).toMatch(/^\d+ operations found$/);
  const paths = await shown.allInnerTexts();
  expect(paths).toContain('/v1/wallet/top-ups');
  expect(paths).not.toContain('/v1/keys');
  await page.getByLabel('Search').fill('');

  await page.goto('/docs#KeyService_CreateKey');
  const sample = page.locator('#KeyService_CreateKey .sample pre');
  expect(await sample.innerText()).toContain('curl -X POST "$BASE_URL/v1/keys"');
  for (const [language, text] of [
    ['TypeScript', 'await fetch('],
    ['Python', 'requests.request('],
    ['Go', 'http.NewRequest('],
  ] as const) {
    await page.getByLabel('Samples').selectOption({ label: language });
    expect(await sample.innerText()).toContain(text);
  }
  // Nobody is signed in, and no key is asked for.
  expect(await page.locator('input[type=password]').count()).toBe(0);
  expect(await page.getByRole('link', { name: 'sign in to the console' }).first().getAttribute('href')).toBe(
    'console/',
  );
  await page.context().close();
});

test('whoever is signed in to the console sends requests from the reference', { timeout }, async () => {
  const owner = await signIn(app, customer.managementKey);
  const { page, faults } = await open('/docs#WalletService_GetWallet', 'light', owner.cookie());
  const operation = page.locator('#WalletService_GetWallet');
  await operation.getByText('Send it').click();
  await operation.getByRole('button', { name: 'Send GET' }).click();
  await operation.getByText('200 OK').waitFor();
  const shown = await operation.locator('form pre').innerText();
  const { body } = await send(app, 'GET', '/v1/wallet', customer.managementKey);
  expect(JSON.parse(shown.slice(shown.indexOf('{')))).toEqual(body);

  await page.goto('/docs#KeyService_CreateKey');
  const create = page.locator('#KeyService_CreateKey');
  await create.getByText('Send it').click();
  await create.getByRole('button', { name: 'Send POST' }).click();
  await create.getByText('200 OK').waitFor();
  await page.goto('/docs#ChatService_Chat');
  await page.locator('#ChatService_Chat').getByText('which does not belong in a page').waitFor();
  await isClean(page, faults, 'docs-signed-in');
  await page.context().close();
});
