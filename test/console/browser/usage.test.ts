import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { openConsole, settled } from './harness.ts';
import { nano, spendSome, spentByEntries, sum } from './spend.ts';

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
  await page.getByLabel('Label', { exact: true }).fill('project');
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

test('a name leads to its charges', async () => {
  const page = await site.open('/usage?group=subject');
  await page.getByRole('link', { name: 'user-42' }).click();
  await page.getByRole('heading', { name: 'Charges', level: 1 }).waitFor();
  await settled(page);
  expect(await page.locator('section table.table tbody tr').count()).toBe(1);
});
