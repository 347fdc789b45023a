import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { unwrap } from '../../../src/base/failure.ts';
import { digestOf } from '../../../src/sessions/secrets.ts';
import { reasonOf, send } from '../../support/app.ts';
import { isApiCall, openConsole, settled, signIn } from './harness.ts';

const chatPath = '/api/v1/assistant/chat';
const chat = {
  messages: [{ role: 'user', content: 'Which plan fits a small shop? The Basic plan fits small shops.' }],
};

describe('the pages of operators', () => {
  const site = openConsole({
    role: 'operator',
    fill: async ({ app, customer }) => {
      for (let count = 0; count < 3; count++) await send(app, 'POST', chatPath, customer.apiKey, chat);
      const adjust = { direction: 'take', amountUsd: '0.000000001', reason: 'a nano too many' };
      await send(app, 'POST', `/v1/accounts/${customer.accountId}/adjustments`, app.operatorToken, adjust, {
        'idempotency-key': 'a',
      });
    },
  });
  const operate = (path: string) => send(site.app, 'GET', path, site.app.operatorToken);

  test('an operator makes an account, credits it once, and finds all of it in the audit', async () => {
    const page = await site.open('/');
    await settled(page);
    await page.getByRole('button', { name: 'New account' }).click();
    await page.getByLabel('Name').fill('Harrow Tools');
    await page.getByLabel('Reason').fill('contract 12');
    await page.getByRole('button', { name: 'Create the account' }).click();
    const secret = page.locator('.secret code');
    await secret.waitFor();
    const managementKey = (await secret.textContent()) ?? '';
    expect(managementKey).toMatch(/^ik_mgmt_/);
    await page.getByLabel('I have stored it safely').check();
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('link', { name: 'Harrow Tools' }).waitFor();
    expect(await page.content()).not.toContain(managementKey.slice(-20));
    expect(await page.evaluate('JSON.stringify([localStorage, sessionStorage])')).not.toContain('ik_mgmt_');

    await page.getByRole('link', { name: 'Harrow Tools' }).click();
    await page.getByText('You are viewing Harrow Tools').waitFor();
    const accountId = page.url().split('/').at(-1) ?? '';
    await page.getByRole('link', { name: 'Record a payment' }).click();
    await record(page, '50', 'bank 1');
    await page.getByText('$50.00 is recorded. The balance is $50.00.').waitFor();
    await record(page, '50', 'bank 1');
    await page.getByText('This reference was recorded before.').waitFor();
    const wallet = await send(site.app, 'GET', '/v1/wallet', managementKey);
    expect(wallet.body.wallet.balanceUsd).toBe('50.00');

    await page.goto(`/console/audit?account=${accountId}`);
    await settled(page);
    const rows = await texts(page, 'tbody tr');
    expect(rows.map((row) => row.split(/[\n\t]/)[0]?.trim())).toEqual(['Payment recorded', 'Account created']);
    const { body } = await operate(`/v1/audit-events?accountId=${accountId}`);
    expect(body.events.map(({ reason }: { reason: string }) => reason)).toEqual(['transfer seen', 'contract 12']);
  });

  test('the key of a new account stays until it was kept, also after Back and when the session has ended', async () => {
    const page = await site.open('/credits', { credential: null });
    await signIn(page, site.app.operatorToken, 'operator');
    await settled(page);
    await page.getByRole('link', { name: 'Accounts' }).first().click();
    await page.getByRole('button', { name: 'New account' }).click();
    await page.getByLabel('Name').fill('Kept Inc');
    await page.getByLabel('Reason').fill('contract 13');
    await page.getByRole('button', { name: 'Create the account' }).click();
    const secret = page.locator('.secret code');
    await secret.waitFor();
    const managementKey = (await secret.textContent()) ?? '';
    const [cookie] = await page.context().cookies();
    await site.app.rooms.sessions.end(cookie?.value ?? '');
    await page.goBack();
    // What the page reads is refused, so it is the sign-in.
    await page.locator('.sign-in').waitFor({ state: 'attached' });
    expect(new URL(page.url()).pathname).toBe('/console/credits');
    expect(await secret.textContent()).toBe(managementKey);
    await page.getByLabel('I have stored it safely').check();
    await page.getByRole('button', { name: 'Done' }).click();
    await secret.waitFor({ state: 'detached' });
  });

  test('Enter in the field of the token shows the token, and what waited for it is done once', async () => {
    const { accountId } = site.customer;
    const page = await site.open(`/credits?account=${accountId}`, { credential: null });
    await signIn(page, site.app.operatorToken, 'operator');
    await settled(page);
    const form = page.locator('section:has(h2:text("Record a payment"))');
    const payments = async () => (await operate(`/v1/audit-events?accountId=${accountId}`)).body.events.length;
    // Its token was shown more than ten minutes ago. A node reads a session again within seconds.
    const { db, sessions } = site.app.rooms;
    const [cookie] = await page.context().cookies();
    const secret = cookie?.value ?? '';
    const shownAt = Date.now() - 601_000;
    await db
      .for<{ console_session: { digest: Buffer; confirmed_at_ms: number } }>()
      .updateTable('console_session')
      .set({ confirmed_at_ms: shownAt })
      .where('digest', '=', Buffer.from(digestOf(secret), 'hex'))
      .execute();
    const known = async () => unwrap(await sessions.verify(secret, { peer: '127.0.0.1', unseen: true })).confirmTime;
    await expect.poll(known, { timeout: 20_000 }).toBe(shownAt);
    const before = await payments();
    await record(page, '7', 'bank of Enter');
    await form.getByLabel('Operator token').fill(site.app.operatorToken);
    const posted: string[] = [];
    page.on('request', (request) => {
      if (request.method() === 'POST') posted.push(new URL(request.url()).pathname);
    });
    await form.getByLabel('Operator token').press('Enter');
    await page.getByText('$7.00 is recorded.').waitFor();
    expect(posted).toEqual(['/console/session/confirm', `/v1/accounts/${accountId}/credits`]);
    expect(await payments()).toBe(before + 1);
  });

  test('a dialog that is taken away gives the focus back to what opened it', async () => {
    const page = await site.open(`/accounts/${site.newcomer.accountId}`);
    await settled(page);
    const rename = page.getByRole('button', { name: 'Rename' });
    await rename.click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('A newer customer');
    await dialog.getByLabel('Reason').fill('they married');
    await dialog.getByRole('button', { name: 'Save the name' }).click();
    await page.getByRole('heading', { name: 'A newer customer' }).waitFor();
    await expect.poll(() => focused(page)).toBe(await rename.textContent());
  });

  test('a suspended account is refused, says so on its page, and works again once it is resumed', async () => {
    const { accountId, apiKey } = site.customer;
    const theirs = await site.open('/', { credential: site.customer.managementKey });
    await settled(theirs);
    const page = await site.open(`/accounts/${accountId}`);
    await settled(page);
    await page.getByRole('button', { name: 'Suspend' }).click();
    expect(await page.getByRole('button', { name: 'Suspend the account' }).isDisabled()).toBe(true);
    await page.getByLabel('Reason').fill('card stolen');
    await page.getByRole('button', { name: 'Suspend the account' }).click();
    await page.getByText('This account is suspended since').waitFor();
    const models = () => send(site.app, 'GET', '/api/v1/assistant/models', apiKey);
    await expect.poll(async () => reasonOf(await models()), { timeout: 20_000 }).toBe('ACCOUNT_SUSPENDED');
    await theirs.reload();
    await theirs.getByText('The account is suspended.').waitFor();
    expect(await theirs.locator('header').textContent()).toContain('A customer');
    await theirs.getByRole('button', { name: 'Sign out' }).click();
    await theirs.getByRole('heading', { name: 'Sign in' }).waitFor();
    await page.getByRole('button', { name: 'Resume' }).click();
    await page.getByLabel('Reason').fill('settled');
    await page.getByRole('button', { name: 'Resume the account' }).click();
    await page.getByText('This account is suspended since').waitFor({ state: 'detached' });
    await expect.poll(async () => (await models()).status, { timeout: 20_000 }).toBe(200);
  });

  test('every figure of money is that of the API, to the nano-USD, and sums are those of the rows', async () => {
    const { accountId, managementKey } = site.customer;
    const page = await site.open(`/accounts/${accountId}`);
    await settled(page);
    const { wallet } = (await send(site.app, 'GET', '/v1/wallet', managementKey)).body;
    expect(await figures(page, 'dl.cards data')).toEqual([wallet.balanceUsd, wallet.heldUsd, wallet.owedUsd]);
    const usage = (await send(site.app, 'GET', '/v1/usage', managementKey)).body.rows[0];
    expect(await figures(page, 'section:has(h2:text("Use by model")) tfoot data')).toEqual([usage.costUsd]);
    const { charges } = (await send(site.app, 'GET', '/v1/charges', managementKey)).body;
    expect(await figures(page, 'section:has(h2:text("Latest charges")) tbody data')).toEqual(
      charges.map(({ chargedUsd }: { chargedUsd: string }) => chargedUsd),
    );
    expect(sum(charges.map(({ chargedUsd }: { chargedUsd: string }) => chargedUsd))).toBe(nano(usage.costUsd));
    const { entries } = (await send(site.app, 'GET', '/v1/wallet/entries', managementKey)).body;
    expect(await figures(page, 'section:has(h2:text("Entries")) tbody data')).toEqual(
      entries.flatMap((entry: { amountUsd: string; balanceAfterUsd: string }) => [
        entry.amountUsd,
        entry.balanceAfterUsd,
      ]),
    );

    await page.goto('/console/');
    await settled(page);
    const { accounts } = (await operate('/v1/accounts')).body;
    type Summary = { balanceUsd: string; owedUsd: string; cost30DaysUsd: string };
    const shown = (account: Summary) => [account.balanceUsd, account.owedUsd, account.cost30DaysUsd];
    expect(await figures(page, 'tbody data')).toEqual(accounts.flatMap(shown));
    expect((await figures(page, 'tfoot data')).map(nano)).toEqual(
      [0, 1, 2].map((column) => sum(accounts.map((account: Summary) => shown(account)[column]))),
    );

    await page.goto('/console/credits');
    await settled(page);
    const { adjustments } = (await operate('/v1/adjustments')).body;
    expect(await figures(page, 'section:has(h2:text("Corrections")) tbody data')).toEqual(
      adjustments.map(({ adjustment }: { adjustment: { amountUsd: string } }) => adjustment.amountUsd),
    );
  });

  test('a search narrows the list, stands in the address, and says when nothing fits', async () => {
    const page = await site.open('/');
    await settled(page);
    await page.getByLabel('Search').fill('A NEW');
    await page.waitForURL('**/console/?search=A+NEW');
    await expect.poll(async () => await page.locator('tbody tr').count()).toBe(1);
    expect(await page.locator('tbody tr').textContent()).toContain(site.newcomer.accountId);
    await page.getByLabel('Search').fill('nobody has this name');
    await page.getByText('No account matches.').waitFor();
  });

  test('credit is taken, and a charge given back no further than it cost', async () => {
    const { accountId, managementKey } = site.customer;
    const balance = async () => nano((await send(site.app, 'GET', '/v1/wallet', managementKey)).body.wallet.balanceUsd);
    const before = await balance();
    const { charges } = (await send(site.app, 'GET', '/v1/charges', managementKey)).body;
    const [{ chargeId, chargedUsd }] = charges;
    const page = await site.open(`/credits?account=${accountId}`);
    await settled(page);
    const form = page.locator('section:has(h2:text("Correct the credit"))');
    await form.getByLabel('What to do').selectOption({ label: 'refund a charge' });
    await form.getByLabel('Charge').fill(chargeId);
    await form.getByLabel('Amount in USD').fill(chargedUsd);
    await form.getByLabel('Reason').fill('it did not help');
    await form.getByRole('button').click();
    await form.getByText('is done.').waitFor();
    expect(await balance()).toBe(before + nano(chargedUsd));
    await form.getByLabel('Charge').fill(chargeId);
    await form.getByLabel('Amount in USD').fill('0.000000001');
    await form.getByLabel('Reason').fill('once more');
    await form.getByRole('button').click();
    await form.getByText('No more can be given back than was paid for the charge').waitFor();
    expect(await balance()).toBe(before + nano(chargedUsd));
  });

  test('corrections say which wallet in words', async () => {
    const page = await site.open('/credits');
    await settled(page);
    const rows = page.locator('section:has(h2:text("Corrections")) tbody tr');
    expect(await rows.first().getByRole('cell', { name: 'API', exact: true }).count()).toBe(1);
  });

  test('the ledger audit is run from its page, and says that the books are sound', async () => {
    const page = await site.open('/audit');
    await settled(page);
    await page.getByText('The ledger has not been audited from here yet.').waitFor();
    await page.getByLabel('Reason').fill('end of the month');
    await page.getByRole('button', { name: 'Run the audit' }).click();
    await page.getByText('The ledger is sound').waitFor({ timeout: 120_000 });
    const { audit } = (await operate('/v1/operations/audits/last')).body;
    expect(audit).toMatchObject({ state: 'done', violationCount: 0 });
  });

  test('health shows what the API says', async () => {
    const page = await site.open('/health');
    await page.getByText('The node is ready.').waitFor();
    const { health } = (await operate('/v1/operations/health')).body;
    const version = page.locator('.figure', { hasText: 'Price book version' }).locator('dd');
    expect(await version.textContent()).toBe(String(health.priceVersion));
  });

  test('nothing is said to be well below a failure', async () => {
    const page = await site.open('/health');
    const ready = page.getByText('The node is ready.');
    await ready.waitFor();
    await page.route('**/v1/operations/health', (route) => route.fulfill({ status: 503, body: '{}' }));
    // The page asks every ten seconds.
    await page.getByRole('alert').first().waitFor({ timeout: 60_000 });
    expect(await ready.count()).toBe(0);
    // What was known before stays, with its time.
    expect(await page.getByText('As it was at').count()).toBe(2);
    expect(await page.getByText('Requests in flight', { exact: true }).count()).toBe(1);
    await page.unroute('**/v1/operations/health');
    await ready.waitFor({ timeout: 60_000 });
  });

  test('a service that is away is told once, and everything is there when it is back', async () => {
    const page = await site.open('/');
    await page.route(isApiCall, (route) => route.fulfill({ status: 503, body: '{}' }));
    await page.goto('/console/health');
    await page.getByRole('alert').first().waitFor();
    expect(await page.getByRole('alert').count()).toBe(1);
    await page.unroute(isApiCall);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('The node is ready.').waitFor();
    await page.getByRole('table', { name: 'Price book' }).waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
  });

  site.matrix('/health', { name: 'operator-health', states: ['filled', 'slow', 'failing'] });
  site.matrix('/', { name: 'operator-accounts', states: ['filled', 'slow', 'failing'] });
  site.matrix('/credits', { name: 'operator-credits', states: ['filled', 'slow', 'failing'] });
  site.matrix('/audit', { name: 'operator-audit', states: ['filled', 'slow', 'failing'] });
  describe('one account', () => {
    // Its id is known only once the service runs.
    site.matrix('/', {
      name: 'operator-account',
      states: ['filled'],
      arrange: async (page) => {
        await page.locator(`a[href$="${site.customer.accountId}"]`).click();
        await page.getByText('You are viewing').waitFor();
        await settled(page);
      },
    });
    site.matrix('/', {
      name: 'operator-suspend',
      states: ['filled'],
      arrange: async (page) => {
        await page.locator(`a[href$="${site.customer.accountId}"]`).click();
        await page.getByRole('button', { name: 'Suspend' }).click();
      },
    });
  });

  async function record(page: Page, amount: string, reference: string): Promise<void> {
    const form = page.locator('section:has(h2:text("Record a payment"))');
    await form.getByLabel('Amount in USD').fill(amount);
    await form.getByLabel('Reference of the payment').fill(reference);
    await form.getByLabel('Reason').fill('transfer seen');
    await form.getByRole('button', { name: 'Record the payment' }).click();
  }
});

/** The text of what has the focus. */
async function focused(page: Page): Promise<unknown> {
  return await page.evaluate('document.activeElement?.textContent');
}

async function texts(page: Page, selector: string): Promise<string[]> {
  return (await page.locator(selector).allInnerTexts()).map((text) => text.trim());
}

/** Exact amounts as the page has them, in the API's form. */
async function figures(page: Page, selector: string): Promise<string[]> {
  // Tests are typed without a browser's names.
  const values = await page
    .locator(selector)
    .evaluateAll((all) => all.map((each) => (each as unknown as { value: string }).value));
  return values.map((value) => value.replaceAll(',', ''));
}

function sum(amounts: readonly (string | undefined)[]): bigint {
  return amounts.reduce((total, amount) => total + nano(amount ?? ''), 0n);
}

function nano(usd: string): bigint {
  const [whole = '0', decimals = ''] = usd.replace('-', '').split('.');
  const amount = BigInt(whole) * 1_000_000_000n + BigInt(decimals.padEnd(9, '0'));
  return usd.startsWith('-') ? -amount : amount;
}
