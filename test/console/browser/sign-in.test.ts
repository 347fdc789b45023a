import type { BrowserContext, Page, Request } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { openConsole, settled, signIn } from './harness.ts';

const site = openConsole();

/** Everything that a page could leave behind for somebody else, as one text. */
async function leftIn(page: Page): Promise<string> {
  const { origins } = await page.context().storageState({ indexedDB: true });
  const markup = await page.content();
  const typed = await page.locator('input').evaluateAll((all) => all.map((each) => (each as { value?: string }).value));
  return JSON.stringify([origins, markup, typed, page.url()]);
}

async function newCode(): Promise<string> {
  return await site.app.rooms.sessions.codes.create({ accountId: site.customer.accountId });
}

test('a stranger signs in on any address, and is then where they wanted to be', async () => {
  const page = await site.open('/?from=mail', { credential: null });
  expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Sign in');
  await signIn(page, site.customer.managementKey);
  expect(new URL(page.url()).pathname + new URL(page.url()).search).toBe('/console/?from=mail');
  expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Overview');
  expect(await page.locator('.account-name').textContent()).toBe('A customer');
});

test('nothing of the key is left in the page, its storage or its address; the cookie is for the browser alone', async () => {
  const page = await site.open('/', { credential: null });
  await signIn(page, site.customer.managementKey);
  await settled(page);
  expect(await leftIn(page)).not.toContain(site.customer.managementKey);
  const [cookie, ...others] = await page.context().cookies();
  expect(others).toEqual([]);
  expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'Strict' });
  expect(await leftIn(page)).not.toContain(cookie?.value ?? '');
});

test('a wrong key is told in words, and stays to be mended', async () => {
  const page = await site.open('/', { credential: null });
  await page.getByLabel('Management key').fill(site.customer.apiKey);
  await page.getByRole('button', { name: 'Sign in' }).click();
  expect(await page.getByRole('alert').textContent()).toContain('This is a key for programs, and cannot sign in.');
  await page.getByLabel('Management key').fill(`${site.customer.managementKey}x`);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('alert').getByText('The key is unknown.').waitFor();
  await signIn(page, site.customer.managementKey);
});

test('a code of a link signs in once, and is out of the address at once', async () => {
  const code = await newCode();
  const seen: string[] = [];
  const watch = async (context: BrowserContext) => {
    context.on('request', (request) => {
      if (request.url().endsWith('/console/session') && request.method() === 'POST') seen.push(request.frame().url());
    });
  };
  const page = await site.open(`/#code=${code}`, { credential: null, prepare: watch });
  await page.locator('.shell').waitFor();
  expect(page.url()).toBe(`${site.app.url}/console/`);
  expect(seen).toEqual([`${site.app.url}/console/`]);

  const again = await site.open(`/#code=${code}`, { credential: null });
  await again.getByText('The sign-in link was already used or has expired.').waitFor();
  expect(again.url()).toBe(`${site.app.url}/console/`);
});

test('who is signed in is asked before the code of a link is used, and it is out of the address at once', async () => {
  const sent: string[] = [];
  const page = await site.open('/', { credential: null });
  await signIn(page, site.customer.managementKey);
  await settled(page);
  page.on('request', (request) => {
    if (request.method() === 'POST') sent.push(new URL(request.url()).pathname);
  });
  const { codes } = site.app.rooms.sessions;
  const code = await codes.create({ accountId: site.newcomer.accountId });
  const dialog = page.getByRole('dialog', { name: 'Sign in with the link instead?' });
  // Pasted into the page that is open.
  await page.evaluate(`location.hash = 'code=${code}'`);
  await dialog.getByText('You are signed in as A customer.').waitFor();
  expect(page.url()).toBe(`${site.app.url}/console/`);
  expect(await leftIn(page)).not.toContain(code);
  await dialog.getByRole('button', { name: 'Stay signed in' }).click();
  await dialog.waitFor({ state: 'hidden' });
  expect(sent).toEqual([]);

  // Opened as a page of its own, the code is as good as before: nothing was sent.
  await page.goto('about:blank');
  await page.goto(`/console/credit#code=${code}`);
  await dialog.waitFor();
  expect(page.url()).toBe(`${site.app.url}/console/credit`);
  expect(await page.locator('.account-name').textContent()).toBe('A customer');
  await dialog.getByRole('button', { name: 'Sign in with the link' }).click();
  await page.locator('.account-name', { hasText: 'A new customer' }).waitFor();
  expect(page.url()).toBe(`${site.app.url}/console/credit`);
  expect(sent.filter((path) => path === '/console/session')).toHaveLength(1);

  // A code that was used is told, and nobody is signed out.
  await page.evaluate(`location.hash = 'code=${code}'`);
  await dialog.getByRole('button', { name: 'Sign in with the link' }).click();
  await dialog.getByText('The sign-in link was already used or has expired.').waitFor();
  await dialog.getByRole('button', { name: 'Stay signed in' }).click();
  await page.reload();
  expect(await page.locator('.account-name').textContent()).toBe('A new customer');
});

test('a link that is pasted into a tab with the sign-in signs in', async () => {
  const page = await site.open('/', { credential: null });
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  await page.evaluate(`location.hash = 'code=${await newCode()}'`);
  await page.locator('.account-name', { hasText: 'A customer' }).waitFor();
  expect(page.url()).toBe(`${site.app.url}/console/`);
});

test('each is told when their session ends', async () => {
  const page = await site.open('/', { credential: null });
  await page.getByText('The session ends after an hour without use.').waitFor();
  await page.getByRole('radio', { name: 'Operator' }).check();
  await page.getByText('The session ends after 15 minutes without use.').waitFor();
});

test('a page that nobody has a hand on asks for nothing by itself, and goes on with the next touch', async () => {
  const page = await site.open('/', { credential: null, prepare: (context) => context.clock.install() });
  await signIn(page, site.customer.managementKey);
  await settled(page);
  let asked = 0;
  let answered = 0;
  const isOfWallet = (request: Request) => new URL(request.url()).pathname.endsWith('/v1/wallet');
  page.on('request', (request) => {
    if (isOfWallet(request)) asked += 1;
  });
  page.on('requestfinished', (request) => {
    if (isOfWallet(request)) answered += 1;
  });
  // An answer takes real time: minutes of the page's clock must not go by while it is on its way.
  const allAnswered = () => expect.poll(() => answered === asked).toBe(true);
  await page.clock.runFor('02:30');
  await expect.poll(() => asked).toBeGreaterThan(0);
  await allAnswered();
  await page.clock.runFor('02:31');
  await allAnswered();
  const before = asked;
  for (let minute = 0; minute < 20; minute++) await page.clock.runFor('01:00');
  // A request that was on its way when the time came is not one of these.
  expect(asked - before).toBeLessThanOrEqual(1);
  await page.mouse.move(40, 40);
  await page.mouse.move(60, 60);
  await expect.poll(() => asked).toBeGreaterThan(before);
});

test('a session that ends leads to the sign-in, and back to the same page', async () => {
  const page = await site.open('/', { credential: null });
  await signIn(page, site.customer.managementKey);
  await settled(page);
  const [cookie] = await page.context().cookies();
  await site.app.rooms.sessions.end(cookie?.value ?? '');
  await page.getByRole('link', { name: 'Models' }).click();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  expect(new URL(page.url()).pathname).toBe('/console/models');
  await signIn(page, site.customer.managementKey);
  expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Models and prices');
});

test('signing out ends the session, and the page holds nothing of the account', async () => {
  const page = await site.open('/', { credential: null });
  await signIn(page, site.customer.managementKey);
  const cookies = await page.context().cookies();
  await page.locator('.account-button').click();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  expect(await page.content()).not.toContain('A customer');
  await page.context().addCookies(cookies);
  await page.reload();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
});

test('an operator has another tab, another colour and another menu', async () => {
  const page = await site.open('/', { credential: site.app.operatorToken });
  await page.locator('.shell.operator').waitFor();
  expect(await page.locator('.account-button').textContent()).toBe('Operatorenvironment');
});

test('the service is away: the page says so, counts down and goes on by itself', async () => {
  let away = true;
  const page = await site.open('/', {
    prepare: (context) => context.route('**/v1/wallet', (route) => (away ? route.abort() : route.continue())),
  });
  await page.getByText('The service does not answer.').waitFor();
  away = false;
  await page.getByText(/Trying again in [1-5] seconds?\./).waitFor();
  await page.getByText('$5.00 is there.').waitFor();
  expect(await page.getByText('The service does not answer.').count()).toBe(0);
});

describe('signed out', () => {
  site.matrix('/', { name: 'sign-in', states: ['filled'], signedOut: true });
});
