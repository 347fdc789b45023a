import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { send } from '../../support/app.ts';
import { axeViolations } from './axe.ts';
import { openConsole, settled } from './harness.ts';
import { nano, spendSome, spentByEntries, sum } from './spend.ts';

const site = openConsole({ fill: spendSome });

site.matrix('/charges', { name: 'charges' });
site.matrix('/charges', {
  name: 'charges-panel',
  states: ['filled'],
  arrange: async (page) => {
    await page.getByRole('link', { name: 'chat' }).last().click();
    await page.getByRole('heading', { name: 'What it consists of' }).waitFor();
    await settled(page);
  },
});

const amountsIn = async (page: Page, selector: string) => {
  const values = await page
    .locator(`${selector} data.money`)
    .evaluateAll((all) => all.map((one) => one.getAttribute('value')));
  return values.map((value) => nano(value));
};
/** For a busy machine. */
const patient = { timeout: 20_000 };
const listed = 'section > .table-scroll > table.table';

test('the total of the charges shown is their sum and what the ledger took, to the nano-USD', async () => {
  const page = await site.open('/charges');
  await settled(page);
  const spent = await spentByEntries(site);
  expect(sum(await amountsIn(page, `${listed} tbody`))).toBe(spent);
  expect(await amountsIn(page, `${listed} tfoot`)).toEqual([spent]);
});

test('the lines of each charge add up to it, and to what the API says', async () => {
  const { body } = await send(site.app, 'GET', '/v1/charges', site.customer.managementKey);
  expect(body.charges.length).toBe(7);
  const page = await site.open('/charges');
  for (const { chargeId, chargedUsd } of body.charges) {
    await page.goto(`/console/charges/${chargeId}`);
    const panel = page.getByRole('dialog', { name: chargeId });
    await panel.getByRole('heading', { name: 'What it consists of' }).waitFor();
    await settled(page);
    const lines = await panel
      .locator('tbody td:last-child data.money')
      .evaluateAll((all) => all.map((one) => one.getAttribute('value')));
    const [total] = await panel
      .locator('tfoot data.money')
      .evaluateAll((all) => all.map((one) => one.getAttribute('value')));
    expect(sum(lines.map((value) => nano(value)))).toBe(nano(chargedUsd));
    expect(nano(total)).toBe(nano(chargedUsd));
  }
});

test('what was given back for a charge is listed one by one, and adds up to the API’s sum', async () => {
  const { app, customer } = site;
  const { body } = await send(app, 'GET', '/v1/charges?operation=chat', customer.managementKey);
  const { chargeId } = body.charges[0];
  const path = `/v1/accounts/${customer.accountId}/adjustments`;
  for (const amountUsd of ['0.000000001', '0.000000002']) {
    const back = { direction: 'add', amountUsd, chargeId, reason: 'ours alone' };
    const { status, text } = await send(app, 'POST', path, app.operatorToken, back, { 'idempotency-key': amountUsd });
    expect(status, text).toBe(200);
  }
  const { charge } = (await send(app, 'GET', `/v1/charges/${chargeId}`, customer.managementKey)).body;
  const page = await site.open(`/charges/${chargeId}`);
  const given = page.getByRole('table', { name: 'Given back since, one by one' });
  await given.waitFor();
  expect(await given.locator('tbody code').allTextContents()).toEqual(
    charge.corrections.map(({ adjustmentId }: { adjustmentId: string }) => adjustmentId),
  );
  const amounts = await amountsIn(page, 'table:has(caption:text("Given back")) tbody');
  expect(amounts).toEqual([2n, 1n]);
  expect(sum(amounts)).toBe(nano(charge.reversedUsd));
  expect(await page.getByText('ours alone').count()).toBe(0);
  expect(await axeViolations(page)).toEqual([]);
});

test('the panel says how the request went, and its id leads back to it', async () => {
  const { body } = await send(site.app, 'GET', '/v1/charges?operation=chat', site.customer.managementKey);
  const [{ chargeId, requestId, attempts }] = body.charges;
  const page = await site.open(`/charges/${chargeId}`);
  const facts = page.getByRole('dialog', { name: chargeId }).locator('dl.pairs');
  await facts.waitFor();
  const pairs = await facts.evaluate((list) =>
    Object.fromEntries(
      [...list.querySelectorAll('dt')].map((name) => [name.textContent, name.nextElementSibling?.textContent]),
    ),
  );
  expect(pairs).toMatchObject({
    'Request id': requestId,
    'Calls of models': String(attempts),
    'Reply ended': 'by itself',
  });
  expect(pairs.Took).toMatch(/^[0-9.,]+ (ms|s)$/);
  expect(pairs['Of that, the model']).toMatch(/^[0-9.,]+ (ms|s)$/);
  await page.goto('/console/charges');
  await page.getByLabel('Request id').fill(requestId);
  await page.keyboard.press('Enter');
  await expect.poll(() => page.locator(`${listed} tbody tr`).count(), patient).toBe(1);
  expect(await page.locator(`${listed} tbody a`).getAttribute('href')).toContain(chargeId);
});

test('filters are in the address and find what they say; Escape closes the panel and leaves them', async () => {
  const page = await site.open('/charges');
  const rows = page.locator(`${listed} tbody tr`);
  await settled(page);
  await page.getByLabel('Operation').selectOption('chat');
  await expect.poll(() => rows.count(), patient).toBe(5);
  await page.getByLabel('End user').fill('user-42');
  await page.keyboard.press('Enter');
  await expect.poll(() => rows.count(), patient).toBe(1);
  await rows.getByRole('link').click();
  await page.getByRole('heading', { name: 'What it consists of' }).waitFor();
  await page.keyboard.press('Escape');
  await page
    .getByRole('dialog')
    .waitFor({ state: 'detached' })
    .catch(() => undefined);
  await expect.poll(() => new URL(page.url()).pathname, patient).toBe('/console/charges');
  expect(Object.fromEntries(new URL(page.url()).searchParams)).toEqual({ operation: 'chat', subject: 'user-42' });
  await page.getByRole('button', { name: 'Clear the filters' }).click();
  await expect.poll(() => rows.count(), patient).toBe(7);
  await page.getByLabel('Key', { exact: true }).selectOption({ index: 1 });
  await expect.poll(() => rows.count(), patient).toBeLessThan(7);
});

test('Back closes the panel, and the way forward is still there', async () => {
  const page = await site.open('/charges');
  await settled(page);
  await page.locator(`${listed} tbody a`).first().click();
  const panel = page.getByRole('dialog');
  await panel.getByRole('heading', { name: 'What it consists of' }).waitFor();
  const { pathname } = new URL(page.url());
  await page.goBack();
  await panel.waitFor({ state: 'hidden' });
  await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
  expect(new URL(page.url()).pathname).toBe('/console/charges');
  await page.goForward();
  await panel.getByRole('heading', { name: 'What it consists of' }).waitFor();
  expect(new URL(page.url()).pathname).toBe(pathname);
});

test('what was read stays when minutes go by: the period begins where it did', async () => {
  const page = await site.open('/models', { prepare: (context) => context.clock.install() });
  const starts = new Set<string | null>();
  page.on('request', (request) => {
    const { pathname, searchParams } = new URL(request.url());
    if (pathname.endsWith('/v1/charges')) starts.add(searchParams.get('startTime'));
  });
  await page.getByRole('link', { name: 'Charges', exact: true }).click();
  await settled(page);
  await page.locator(`${listed} tbody a`).first().waitFor();
  await page.clock.runFor('03:00');
  await page.locator(`${listed} tbody a`).first().click();
  await page.getByRole('heading', { name: 'What it consists of' }).waitFor();
  await settled(page);
  expect(starts.size).toBe(1);
  // New filters are a new list, until now.
  await page.goBack();
  await page.getByLabel('Operation').selectOption('chat');
  await expect.poll(() => starts.size, patient).toBe(2);
});

test('a label is forgotten everywhere after it was asked, and what was charged stays', async () => {
  const spent = await spentByEntries(site);
  const page = await site.open('/charges?label=project%3Dgreen');
  await page.locator(`${listed} tbody a`).first().click();
  await page.getByRole('button', { name: 'Forget project=green' }).click();
  const asked = page.getByRole('dialog', { name: 'Forget project=green?' });
  await asked.getByText('All labels of every charge that has this one are deleted').waitFor();
  expect(await axeViolations(page)).toEqual([]);
  await asked.getByRole('button', { name: 'Delete the labels' }).click();
  await page.getByText('It has no labels.').waitFor();
  const found = await send(
    site.app,
    'GET',
    '/v1/charges?metadata.key=project&metadata.value=green',
    site.customer.managementKey,
  );
  expect(found.body.charges ?? []).toEqual([]);
  expect(await spentByEntries(site)).toBe(spent);
});
