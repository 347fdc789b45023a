import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { onboard, send } from '../../support/app.ts';
import { openConsole, signIn } from './harness.ts';

const site = openConsole({
  fill: async ({ app, customer: { managementKey } }) => {
    const person = { kind: 'management', displayName: 'Grace Hopper', purpose: 'Looks after the bills.' };
    await send(app, 'POST', '/v1/keys', managementKey, person);
  },
});

site.matrix('/team', { name: 'team' });

const section = (page: Page, title: string) =>
  page.locator('section').filter({ has: page.getByRole('heading', { name: title, exact: true }) });
const keysOf = async (managementKey: string) => (await send(site.app, 'GET', '/v1/keys', managementKey)).body.keys;

test('a person gets a management key, which is shown once and signs in', async () => {
  const customer = await onboard(site.app, '0');
  const page = await site.open('/team', { credential: customer.managementKey });
  // Alone, it stays.
  expect(await section(page, 'Management keys').getByRole('button', { name: 'Revoke' }).isDisabled()).toBe(true);
  await page.getByRole('button', { name: 'Add a person' }).click();
  const form = page.getByRole('dialog');
  await form.getByLabel('Name of the person').fill('Ada Lovelace');
  await form.getByRole('button', { name: 'Add a person' }).click();
  const shown = page.getByRole('dialog', { name: 'The management key of Ada Lovelace' });
  const secret = String(await shown.locator('.secret code').textContent());
  expect(secret).toMatch(/^ik_mgmt_/);
  await shown.getByLabel('I have stored it').check();
  await shown.getByRole('button', { name: 'Done' }).click();
  await section(page, 'Management keys').getByText('Ada Lovelace').waitFor();
  expect(await page.content()).not.toContain(secret.slice(36, 79));

  const theirs = await site.open('/team', { credential: null });
  await signIn(theirs, secret);
  await section(theirs, 'Management keys')
    .getByRole('row', { name: /Ada Lovelace.*you/ })
    .waitFor();
  // Both are signed in, and each sees which one is its own.
  await section(theirs, 'Sessions')
    .getByRole('row', { name: /Ada Lovelace/ })
    .getByText('this one')
    .waitFor();
  expect(await section(theirs, 'Sessions').locator('tbody tr').count()).toBeGreaterThan(1);
});

/** Refuses the next write to a path. */
async function refuseOnce(page: Page, path: string): Promise<void> {
  let refused = false;
  await page.route(path, (route) => {
    if (refused || route.request().method() !== 'POST') return route.continue();
    refused = true;
    return route.fulfill({ status: 429, contentType: 'application/json', body: JSON.stringify(tooMany) });
  });
}
const tooMany = {
  error: {
    ...{ code: 429, status: 'RESOURCE_EXHAUSTED', message: 'Too many.' },
    details: [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'RATE_LIMITED' }],
  },
};

test('a dialog opens without the refusal of what it was opened for before', async () => {
  const page = await site.open('/team');
  const dialog = page.getByRole('dialog');
  await refuseOnce(page, '**/v1/keys/*:rotate');
  const rotate = section(page, 'Management keys')
    .getByRole('row', { name: /Grace Hopper/ })
    .getByRole('button', {
      name: 'Rotate',
    });
  await rotate.click();
  await dialog.getByLabel('The old secret keeps working for').selectOption('An hour');
  await dialog.getByRole('button', { name: 'Rotate' }).click();
  await dialog.getByText('Too many requests.').waitFor();
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await section(page, 'Management keys')
    .getByRole('row', { name: /you/ })
    .getByRole('button', { name: 'Rotate' })
    .click();
  await dialog.getByText('You are signed in with this key.').waitFor();
  expect(await dialog.getByText('Too many requests.').count()).toBe(0);
  expect(await dialog.getByLabel('The old secret keeps working for').inputValue()).toBe('0');
  await dialog.getByRole('button', { name: 'Cancel' }).click();

  await refuseOnce(page, '**/v1/keys');
  const add = () => section(page, 'Management keys').getByRole('button', { name: 'Add a person' }).click();
  await add();
  await dialog.getByLabel('Name of the person').fill('Ada Lovelace');
  await dialog.getByRole('button', { name: 'Add a person' }).click();
  await dialog.getByText('Too many requests.').waitFor();
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await add();
  await dialog.getByLabel('Name of the person').waitFor();
  expect(await dialog.getByText('Too many requests.').count()).toBe(0);
});

test('rotating the key that one is signed in with shows the new secret, and ends the session', async () => {
  const customer = await onboard(site.app, '0');
  const page = await site.open('/team', { credential: customer.managementKey });
  await section(page, 'Management keys').getByRole('button', { name: 'Rotate' }).click();
  const dialog = page.getByRole('dialog', { name: /^Rotate/ });
  await dialog.getByText('You are signed in with this key.').waitFor();
  await dialog.getByRole('button', { name: 'Rotate' }).click();
  const shown = page.getByRole('dialog', { name: /^The new secret/ });
  const secret = String(await shown.locator('.secret code').textContent());
  // Below the dialog the page has become the sign-in; the secret is still there to be kept.
  await page.locator('.sign-in').waitFor({ state: 'attached' });
  expect(await shown.isVisible()).toBe(true);
  const refused = await page.request.get(`${site.app.url}/v1/wallet`, { headers: { 'sec-fetch-site': 'same-origin' } });
  expect(refused.status()).toBe(401);
  await shown.getByLabel('I have stored it').check();
  await shown.getByRole('button', { name: 'Done' }).click();
  await signIn(page, secret);
  expect(page.url()).toContain('/console/team');
  await page.getByRole('heading', { level: 1, name: 'Team and limits' }).waitFor();
});

test('the sessions of others are ended from here', async () => {
  const customer = await onboard(site.app, '0');
  const page = await site.open('/team', { credential: customer.managementKey });
  const other = await site.open('/team', { credential: null });
  await signIn(other, customer.managementKey);
  await page.reload();
  const rows = section(page, 'Sessions').locator('tbody tr');
  await rows.filter({ hasNotText: 'this one' }).first().getByRole('button', { name: 'End' }).waitFor();
  const before = await rows.count();
  while ((await rows.filter({ hasNotText: 'this one' }).count()) > 0) {
    const left = await rows.count();
    await rows.filter({ hasNotText: 'this one' }).first().getByRole('button', { name: 'End' }).click();
    await expect.poll(() => rows.count(), { timeout: 20_000 }).toBe(left - 1);
  }
  expect(before).toBeGreaterThan(1);
  await other.reload();
  await other.locator('.sign-in').waitFor();
  // One's own goes on.
  await page.reload();
  await section(page, 'Sessions').getByText('this one').waitFor();
});

test('a session that is older than ten minutes shows its key once more before it makes a management key', async () => {
  const customer = await onboard(site.app, '0');
  const page = await site.open('/team', { credential: customer.managementKey });
  await section(page, 'Management keys').getByRole('button', { name: 'Rotate' }).waitFor();
  await site.app.rooms.db
    .for<{ console_session: { confirmed_at_ms: number } }>()
    .updateTable('console_session')
    .set({ confirmed_at_ms: Date.now() - 601_000 })
    .execute();
  await page.getByRole('button', { name: 'Add a person' }).click();
  const form = page.getByRole('dialog');
  await form.getByLabel('Name of the person').fill('Ada Lovelace');
  // Nodes read a session again within seconds.
  await expect
    .poll(
      async () => {
        const answer = page.waitForResponse((response) => response.request().method() === 'POST');
        await form.getByRole('button', { name: 'Add a person' }).click();
        const status = (await answer).status();
        if (status === 200) await keep(page);
        if (status === 200) await page.getByRole('button', { name: 'Add a person' }).click();
        if (status === 200) await form.getByLabel('Name of the person').fill('Ada Lovelace');
        return status;
      },
      { timeout: 30_000 },
    )
    .toBe(403);
  const count = (await keysOf(customer.managementKey)).length;
  const confirm = page.getByRole('dialog').filter({ has: page.locator('input[type=password]') });
  await confirm.locator('input').fill('ik_mgmt_wrong');
  await confirm.getByRole('button', { name: 'Go on' }).click();
  await confirm.getByRole('alert').waitFor();
  await confirm.locator('input').fill(customer.managementKey);
  await confirm.getByRole('button', { name: 'Go on' }).click();
  await page.getByRole('dialog', { name: 'The management key of Ada Lovelace' }).waitFor();
  expect(await keysOf(customer.managementKey)).toHaveLength(count + 1);
});

test('the limits are those that are in force', async () => {
  const page = await site.open('/team');
  const { limits } = (await send(site.app, 'GET', '/v1/limits', site.customer.managementKey)).body;
  const table = section(page, 'Limits in force');
  await table
    .getByRole('row', { name: /Streams at one time/ })
    .first()
    .waitFor();
  const shown = await table.locator('tbody tr td:nth-child(3)').allTextContents();
  const written = (count: number) => count.toLocaleString('en');
  expect(shown).toEqual(
    limits.map(({ name, most, burst }: { name: string; most: number; burst: number }) =>
      name.startsWith('concurrent') ? written(most) : `${written(most)} a minute; bursts of ${written(burst)}`,
    ),
  );
});

async function keep(page: Page): Promise<void> {
  const shown = page.getByRole('dialog', { name: /^The management key of/ });
  await shown.getByLabel('I have stored it').check();
  await shown.getByRole('button', { name: 'Done' }).click();
}
