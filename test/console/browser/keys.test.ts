import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { parseUsd } from '../../../src/base/money.ts';
import { onboard, send } from '../../support/app.ts';
import { openConsole } from './harness.ts';

const question = { messages: [{ role: 'user', content: 'Which plan fits? The Basic plan fits.' }] };
const site = openConsole({
  fill: async ({ app, customer: { managementKey, apiKey } }) => {
    const made = await send(app, 'POST', '/v1/keys', managementKey, {
      ...{ displayName: 'mobile backend', purpose: 'Answers in the app, for people who look for a used bicycle.' },
      ...{ spendingCapUsd: '2.00', scopes: ['chat', 'tokens'], allowedOrigins: ['https://app.example.com'] },
      guardrails: { input: { action: 'mask', packs: ['general'] } },
    });
    for (const secret of [apiKey, apiKey, String(made.body.secret)])
      await send(app, 'POST', '/api/v1/assistant/chat', secret, question);
    const old = await send(app, 'POST', '/v1/keys', managementKey, { displayName: 'old', purpose: 'a test' });
    await send(app, 'POST', '/api/v1/assistant/chat', String(old.body.secret), question);
    await send(app, 'POST', `/v1/keys/${old.body.key.keyId}:revoke`, managementKey, {});
  },
});

site.matrix('/keys', { name: 'keys' });
site.matrix('/keys', {
  name: 'keys-create',
  states: ['filled'],
  arrange: async (page) => {
    await page.getByRole('button', { name: 'Create a key' }).click();
    await page.getByText('Limits, origins and guardrails').click();
  },
});
site.matrix('/keys', {
  name: 'keys-details',
  states: ['filled'],
  arrange: async (page) => {
    await page.getByRole('link', { name: 'mobile backend' }).click();
    await page.getByRole('dialog').getByRole('table').waitFor();
  },
});

const api = async (path: string) => (await send(site.app, 'GET', path, site.customer.managementKey)).body;
const row = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name });
/** The amounts of a place on the page, as the API writes them. */
const amounts = async (page: Page, name: string) =>
  (await row(page, name).locator('data.money').all()).map((each) => each.getAttribute('value'));
/** What it cost comes with the usage, which is asked for beside the keys. */
const costShown = (page: Page) => row(page, 'mobile backend').locator('data.money').nth(2).waitFor();
const nano = (text: string | null | undefined) => parseUsd(text ?? '');

test("what each key has spent and cost is the API's, to the nano-USD, and the total is their sum", async () => {
  const { keys } = await api('/v1/keys');
  const capped = keys.find(({ displayName }: { displayName: string }) => displayName === 'mobile backend');
  const usage = (await api('/v1/usage?groupBy=key')).rows;
  const costOf = (keyId: string) => usage.find((each: { keyId: string }) => each.keyId === keyId)?.costUsd;
  const page = await site.open('/keys');
  await costShown(page);
  const [spent, cap, cost] = await Promise.all(await amounts(page, 'mobile backend'));
  expect([nano(spent), nano(cap), nano(cost)]).toEqual(
    [capped.spentUsd, capped.spendingCapUsd, costOf(capped.keyId)].map(nano),
  );
  expect(nano(spent)).toBeGreaterThan(0n);
  const active = keys.filter(({ kind, state }: Record<string, string>) => kind === 'live' && state === 'active');
  const sum = active.reduce((total: bigint, { keyId }: { keyId: string }) => total + (nano(costOf(keyId)) ?? 0n), 0n);
  const [total] = await Promise.all(await amounts(page, 'Total'));
  expect(nano(total)).toBe(sum);
  // What the revoked key cost is named, and the list with it has the whole.
  const whole = usage.reduce((all: bigint, { costUsd }: { costUsd: string }) => all + (nano(costUsd) ?? 0n), 0n);
  const hidden = await page.getByText('Keys that are not shown cost').textContent();
  expect(nano(hidden?.match(/[0-9]+\.[0-9]+/)?.[0])).toBe(whole - sum);
  await page.getByLabel('Show').selectOption('All keys');
  await row(page, 'revoked').waitFor();
  expect(page.url()).toContain('show=all');
  expect(nano((await Promise.all(await amounts(page, 'Total')))[0])).toBe(whole);
});

test('who has a key and no reply yet is led on, and who had one is not', async () => {
  const page = await site.open('/keys');
  await page.getByRole('row', { name: /Total/ }).waitFor();
  const next = (on: Page) => on.getByText('The first reply is still to come.');
  expect(await next(page).count()).toBe(0);
  const customer = await onboard(site.app, '5.00');
  const other = await site.open('/keys', { credential: customer.managementKey });
  await next(other).waitFor();
});

test('a new key is shown once, works, and is nowhere in the page after that', async () => {
  const page = await site.open('/keys');
  await page.getByRole('button', { name: 'Create a key' }).click();
  const form = page.getByRole('dialog');
  await form.getByLabel('Name').fill('reports');
  await form.getByLabel('What you build').fill('Monthly reports.');
  await form.getByLabel('Spending cap').fill('0');
  await form.getByText('Enter an amount above 0').waitFor();
  expect(await form.getByRole('button', { name: 'Create a key' }).isDisabled()).toBe(true);
  await form.getByLabel('Spending cap').fill('12.5');
  await form.getByLabel('Pulse').uncheck();
  await form.getByRole('button', { name: 'Create a key' }).click();

  const shown = page.getByRole('dialog', { name: 'The key reports' });
  const secret = String(await shown.locator('.secret code').textContent());
  expect(secret).toMatch(/^ik_live_/);
  // It stays until it was kept, whatever is pressed. Chromium closes it at a repeated Escape, and then it is opened again.
  for (let press = 0; press < 3; press++) await page.keyboard.press('Escape');
  await shown.waitFor();
  expect(await shown.locator('.secret code').textContent()).toBe(secret);
  expect(await shown.getByRole('button', { name: 'Done' }).isDisabled()).toBe(true);
  await shown.getByLabel('I have stored it').check();
  await shown.getByRole('button', { name: 'Done' }).click();
  await row(page, 'reports').waitFor();
  await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('Create a key');
  await expectNowhere(page, secret);

  const made = (await api('/v1/keys')).keys.find((key: { displayName: string }) => key.displayName === 'reports');
  expect(made).toMatchObject({ spendingCapUsd: '12.50', scopes: ['chat', 'workflows', 'tokens', 'devices'] });
  expect((await send(site.app, 'GET', '/v1/wallet', secret)).status).toBe(200);
});

test('a key is edited: only what was changed is sent', async () => {
  const page = await site.open('/keys');
  await page.getByRole('link', { name: 'mobile backend' }).click();
  await page.getByRole('button', { name: 'Edit' }).click();
  const form = page.getByRole('dialog', { name: 'Edit mobile backend' });
  expect(await form.getByLabel('Spending cap').inputValue()).toBe('2.00');
  await form.getByLabel('Spending cap').fill('3');
  const sent = page.waitForRequest((request) => request.method() === 'PATCH');
  await form.getByRole('button', { name: 'Save' }).click();
  expect((await sent).postDataJSON()).toEqual({ updateMask: 'spendingCapUsd', spendingCapUsd: '3' });
  await page.getByText('mobile backend is saved.').waitFor();
  const { keys } = await api('/v1/keys');
  const edited = keys.find(({ displayName }: { displayName: string }) => displayName === 'mobile backend');
  expect(edited).toMatchObject({
    ...{ spendingCapUsd: '3.00', allowedOrigins: ['https://app.example.com'], scopes: ['chat', 'tokens'] },
    guardrails: { input: { action: 'mask', packs: ['general'] } },
  });
});

test('a form that is cancelled gives the focus back, and Back from a key leaves the way forward', async () => {
  const page = await site.open('/keys');
  await page.getByRole('link', { name: 'mobile backend' }).click();
  const edit = page.getByRole('button', { name: 'Edit' });
  await edit.click();
  const form = page.getByRole('dialog', { name: 'Edit mobile backend' });
  await form.getByRole('button', { name: 'Cancel' }).click();
  await form.waitFor({ state: 'detached' });
  await expect.poll(() => page.evaluate('document.activeElement?.textContent')).toBe(await edit.textContent());
  const { pathname } = new URL(page.url());
  await page.goBack();
  await edit.waitFor({ state: 'detached' });
  await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
  expect(new URL(page.url()).pathname).toBe('/console/keys');
  await page.goForward();
  await edit.waitFor();
  expect(new URL(page.url()).pathname).toBe(pathname);
});

test('management keys are listed also when the API keys were looked at before', async () => {
  const page = await site.open('/keys');
  await row(page, 'mobile backend').waitFor();
  await page.getByRole('link', { name: 'Team and limits' }).click();
  const section = page.locator('section').filter({ has: page.getByRole('heading', { name: 'Management keys' }) });
  await section.getByText('you', { exact: true }).first().waitFor();
  expect(await section.getByText('mobile backend').count()).toBe(0);
});

test('a rotation with an overlap leaves the old secret working, and one without ends it', async () => {
  const customer = await onboard(site.app, '0');
  const page = await site.open(`/keys/${customer.keyId}`, { credential: customer.managementKey });
  const rotate = async (overlap: string): Promise<string> => {
    await page.getByRole('button', { name: 'Rotate' }).click();
    const dialog = page.getByRole('dialog', { name: 'Rotate backend' });
    await dialog.getByLabel('The old secret keeps working for').selectOption(overlap);
    await dialog.getByRole('button', { name: 'Rotate' }).click();
    const shown = page.getByRole('dialog', { name: 'The new secret of backend' });
    const secret = String(await shown.locator('.secret code').textContent());
    await shown.getByLabel('I have stored it').check();
    await shown.getByRole('button', { name: 'Done' }).click();
    return secret;
  };
  const works = async (secret: string) => (await send(site.app, 'GET', '/v1/wallet', secret)).status === 200;
  const second = await rotate('An hour');
  expect([await works(customer.apiKey), await works(second)]).toEqual([true, true]);
  await page.getByText('Old secret works until').waitFor();
  const third = await rotate('Not at all');
  await expect.poll(async () => [await works(second), await works(third)], { timeout: 20_000 }).toEqual([false, true]);
});

test.each([
  ['Create a key', '**/v1/keys', ['Name', 'What you build']],
  ['Add a provider key', '**/v1/provider-keys', ['The key at the provider']],
])('the dialog of "%s" opens without the refusal of before', async (name, path, fields) => {
  const page = await site.open('/keys');
  const dialog = page.getByRole('dialog');
  await page.route(path, (route) =>
    route.request().method() === 'POST' ? route.fulfill({ status: 500, body: '{}' }) : route.continue(),
  );
  await page.getByRole('button', { name }).click();
  for (const field of fields) await dialog.getByLabel(field).fill('abc');
  await dialog.getByRole('button', { name }).click();
  await dialog.getByRole('alert').waitFor();
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('button', { name }).click();
  await dialog.getByLabel(fields[0] ?? '').waitFor();
  expect(await dialog.getByRole('alert').count()).toBe(0);
});

test('a key is revoked only once its name was typed', async () => {
  const { managementKey } = site.customer;
  const named = { displayName: 'to be revoked', purpose: 'a test' };
  const { key, secret } = (await send(site.app, 'POST', '/v1/keys', managementKey, named)).body;
  const page = await site.open(`/keys/${key.keyId}`);
  await page.getByRole('button', { name: 'Revoke' }).click();
  const dialog = page.getByRole('dialog', { name: 'Revoke to be revoked' });
  const revoke = dialog.getByRole('button', { name: 'Revoke' });
  expect(await revoke.isDisabled()).toBe(true);
  await dialog.getByLabel('Type the name').fill('to be');
  expect(await revoke.isDisabled()).toBe(true);
  await dialog.getByLabel('Type the name').fill('to be revoked');
  await revoke.click();
  await page.getByText('to be revoked is revoked.').waitFor();
  expect((await api(`/v1/keys/${key.keyId}`)).key.state).toBe('revoked');
  await expect
    .poll(async () => (await send(site.app, 'GET', '/v1/wallet', secret)).status, { timeout: 20_000 })
    .toBe(401);
});

/** That a secret is in no text, attribute or field of the page, in no storage and in no address. */
async function expectNowhere(page: Page, secret: string): Promise<void> {
  const kept = await page.locator('html').evaluate((html) => {
    const { localStorage, sessionStorage, location } = html.ownerDocument.defaultView ?? {};
    const typed = [...html.querySelectorAll('input, textarea')].map((field) => ('value' in field ? field.value : ''));
    return [html.outerHTML, location?.href, JSON.stringify([localStorage, sessionStorage]), ...typed].join(' ');
  });
  expect(kept).not.toContain(secret);
  expect(kept).not.toContain(secret.slice(36, 79));
}
