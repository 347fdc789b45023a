import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { onboard, send } from '../../support/app.ts';
import { openConsole, settled } from './harness.ts';
import { messages, nano, spendSome, spentByEntries, sum } from './spend.ts';

const site = openConsole({ fill: spendSome });

site.matrix('/usage', { name: 'usage' });
site.matrix('/usage?days=1&step=hour&group=key&metric=tokens', { name: 'usage-hours', states: ['filled'] });

const amountsIn = async (page: Page, selector: string) => {
  const values = await page
    .locator(`${selector} data.money`)
    .evaluateAll((all) => all.map((one) => one.getAttribute('value')));
  return values.map((value) => nano(value));
};

test('the total is the sum of the rows and what the ledger took, to the nano-USD, by every group', async () => {
  const spent = await spentByEntries(site);
  expect(spent).toBeGreaterThan(0n);
  const page = await site.open('/usage');
  for (const group of ['Model', 'Operation', 'Provider', 'Key', 'Device', 'End user']) {
    await page.getByLabel('Group by').selectOption({ label: group });
    await page.getByRole('heading', { name: group, exact: true }).waitFor();
    await settled(page);
    const rows = await amountsIn(page, 'section table.table tbody');
    const [total] = await amountsIn(page, 'section table.table tfoot');
    expect(sum(rows), group).toBe(spent);
    expect(total, group).toBe(spent);
  }
  // The chart's own table has the same sum, day by day.
  await page.getByRole('button', { name: 'Table' }).click();
  const cells = await page.locator('.chart-table tbody td:last-child').allTextContents();
  expect(sum(cells.map((text) => nano(text.replace('$', ''))))).toBe(spent);
});

test('filters are in the address, also after Back and in another window, and narrow every figure', async () => {
  const page = await site.open('/usage');
  await settled(page);
  await page.getByLabel('Group by').selectOption('label');
  await page.getByRole('textbox', { name: 'Label', exact: true }).fill('project');
  await page.keyboard.press('Enter');
  await page.getByRole('cell', { name: 'blue' }).waitFor();
  await page.getByLabel('Only label').fill('project=blue');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Remove the filter project is blue' }).waitFor();
  await settled(page);
  await page.getByRole('cell', { name: 'green' }).waitFor({ state: 'detached' });
  const address = new URL(page.url());
  expect(Object.fromEntries(address.searchParams)).toEqual({ group: 'label', label: 'project', only: 'project=blue' });
  const [total] = await amountsIn(page, 'section table.table tfoot');
  const other = await site.open(`/usage${address.search}`);
  await other.getByRole('cell', { name: 'blue' }).waitFor();
  expect((await amountsIn(other, 'section table.table tfoot'))[0]).toBe(total);
  await page.goBack();
  await page.getByRole('cell', { name: 'green' }).waitFor();
});

test('the export is a file with the same sum', async () => {
  const page = await site.open('/usage?group=key');
  await settled(page);
  const downloading = page.waitForEvent('download');
  await page.getByRole('link', { name: 'Export as CSV' }).click();
  const path = await (await downloading).path();
  const [head = '', ...lines] = readFileSync(path, 'utf8').trimEnd().split('\r\n');
  const at = head.split(',').indexOf('costUsd');
  expect(sum(lines.map((line) => nano(line.split(',')[at])))).toBe(await spentByEntries(site));
});

test('a name leads to its charges, whose sum is that of its row', async () => {
  const compare = async (search: string, name: string) => {
    const page = await site.open(`/usage${search}`);
    await settled(page);
    const row = page.locator('section table.table tbody tr').filter({ has: page.getByRole('link', { name }) });
    const amount = nano(await row.locator('data.money').getAttribute('value'));
    await row.getByRole('link', { name }).click();
    await page.getByRole('heading', { name: 'Charges', level: 1 }).waitFor();
    await settled(page);
    expect(await amountsIn(page, 'section table.table tfoot'), search).toEqual([amount]);
    return { amount, address: new URL(page.url()).searchParams };
  };
  const all = await compare('?group=operation', 'chat');
  const blue = await compare('?group=operation&only=project%3Dblue', 'chat');
  expect(blue.amount).toBeGreaterThan(0n);
  expect(blue.amount).toBeLessThan(all.amount);
  expect((await compare('?group=label&label=project', 'blue')).amount).toBe(blue.amount);
  const today = new Date().toISOString().slice(0, 10);
  const { address } = await compare('?group=operation&days=1', 'chat');
  expect([address.get('from'), address.get('to')]).toEqual([today, today]);
  const year = await compare('?group=operation&days=365', 'chat');
  const first = new Date(Date.now() - 364 * 86_400_000).toISOString().slice(0, 10);
  expect([year.address.get('from'), year.address.get('to')]).toEqual([first, today]);
  const page = await site.open(`/usage?group=label&label=user&only=project%3Dblue`);
  await page.getByRole('cell', { name: 'ada' }).waitFor();
  // Charges are listed by one label, so there is no list that is this row's.
  expect(await page.getByRole('link', { name: 'ada' }).count()).toBe(0);
});

test('what was before is not called nothing while it is not known', async () => {
  const isBefore = (url: URL) => url.pathname.endsWith('/v1/usage') && !url.searchParams.has('groupBy');
  for (const known of [false, true]) {
    const page = await site.open('/usage', {
      prepare: (context) =>
        context.route(isBefore, (route) =>
          known ? route.fulfill({ json: {} }) : route.fulfill({ status: 503, json: {} }),
        ),
    });
    await settled(page);
    const nothing = page.getByText('nothing in the 30 days before');
    if (known) await nothing.first().waitFor();
    expect(await nothing.count()).toBe(known ? 3 : 0);
    expect(await page.locator('.usage-figure .small').allTextContents()).toEqual(
      Array.from({ length: 3 }, () => (known ? 'nothing in the 30 days before' : '–')),
    );
  }
});

test('a key is named, however many there are', async () => {
  const customer = await onboard(site.app, '5.00');
  await send(site.app, 'POST', '/api/v1/assistant/chat', customer.apiKey, { messages });
  for (let count = 0; count < 101; count++) {
    const made = { displayName: `key ${count}`, purpose: 'one of many' };
    expect((await send(site.app, 'POST', '/v1/keys', customer.managementKey, made)).status).toBe(200);
  }
  const page = await site.open('/usage?group=key', { credential: customer.managementKey });
  await page.getByRole('link', { name: 'backend', exact: true }).waitFor();
  await page.getByRole('link', { name: 'backend', exact: true }).click();
  const chosen = page.getByLabel('Key', { exact: true }).locator('option:checked');
  await expect.poll(() => chosen.textContent(), { timeout: 20_000 }).toMatch(/^backend …/);
  // The oldest key pays where it is chosen.
  await page.goto(`/console/playground?key=${customer.keyId}`);
  await page.locator('option:checked', { hasText: /^backend …/ }).waitFor({ state: 'attached' });
});

test('a name leads to the charges of an end user', async () => {
  const page = await site.open('/usage?group=subject');
  await page.getByRole('link', { name: 'user-42' }).click();
  await page.getByRole('heading', { name: 'Charges', level: 1 }).waitFor();
  await settled(page);
  expect(await page.locator('section table.table tbody tr').count()).toBe(1);
});
