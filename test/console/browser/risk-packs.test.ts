import type { Page } from 'playwright-core';
import { beforeEach, expect, test } from 'vitest';
import { send } from '../../support/app.ts';
import { openConsole } from './harness.ts';

const site = openConsole({ settings: 'limits: { requestsPerMinute: 1000000 }' });
const owner = (method: string, path: string, body?: object) =>
  send(site.app, method, path, site.customer.managementKey, body);
const packs = async () => (await owner('GET', '/v1/risk-packs')).body.packs ?? [];

const rules = {
  packId: 'brand-rules',
  displayName: 'Brand rules',
  entries: [{ id: 'grey', phrases: ['grey market', 'parallel import*'], category: 'grey_market', severity: 'high' }],
  allow: [{ phrase: 'Grey Market Street', reason: 'Our address.' }],
};
const later = {
  ...{ packId: 'spring-2027', domain: 'marketplace', enabled: false },
  entries: [{ id: 'early', phrases: ['spring range'], category: 'not_announced' }],
};

beforeEach(async () => {
  for (const { packId } of await packs()) await owner('DELETE', `/v1/risk-packs/${packId}`);
  for (const pack of [rules, later]) expect((await owner('POST', '/v1/risk-packs', { pack })).status).toBe(200);
});

const editor = (page: Page) => page.getByLabel('Risk pack', { exact: true });
const typed = async (page: Page) => JSON.parse(await editor(page).inputValue());
const save = (page: Page) => page.getByRole('button', { name: /^Save/ }).click();
const notes = (page: Page) => page.locator('.workflows-notes li');
const row = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name });

test('the example is made as it stands, and the next risk check finds by it', async () => {
  for (const { packId } of await packs()) await owner('DELETE', `/v1/risk-packs/${packId}`);
  const page = await site.open('/workflows/risk');
  await page.getByRole('link', { name: 'Your own risk packs' }).click();
  await page.getByText('There are none yet.').waitFor();
  await page.getByRole('button', { name: 'New risk pack' }).click();
  const example = await typed(page);
  await save(page);
  await page.getByRole('link', { name: 'brand-rules' }).waitFor();
  expect(await packs()).toMatchObject([{ ...example, version: 1 }]);
  const text = `Here is a ${example.entries[0].phrases[0]} phone.`;
  const { body } = await send(site.app, 'POST', '/v1/risk/check', site.customer.apiKey, { text, assist: 'off' });
  expect(body.findings).toMatchObject([{ pack: 'own/brand-rules@1' }]);
});

test('the list says of each pack whether it is in use, what for, and how much it has', async () => {
  const page = await site.open('/workflows/risk-packs');
  await row(page, 'spring-2027').waitFor();
  const cells = async (name: string) => (await row(page, name).locator('td').allTextContents()).slice(0, 6);
  expect(await cells('brand-rules')).toEqual(['brand-rules Brand rules', 'in use', 'all', '1', '1', '1']);
  expect(await cells('spring-2027')).toEqual(['spring-2027 ', 'only if named', 'marketplace', '1', '0', '1']);
});

test('a pack is looked at and changed; what is taken out of its text is gone', async () => {
  const page = await site.open('/workflows/risk-packs');
  await page.getByRole('link', { name: 'brand-rules' }).click();
  await page.getByText('Our address.').waitFor();
  expect(await page.locator('main').textContent()).toContain('parallel import*');
  await page.getByRole('button', { name: 'Change' }).click();
  const { allow, ...rest } = await typed(page);
  expect(allow).toMatchObject(rules.allow);
  await editor(page).fill(JSON.stringify({ ...rest, enabled: false }, null, 2));
  await save(page);
  await page.getByText('only if named').waitFor();
  await page.getByText('Version 2', { exact: true }).waitFor();
  const { pack } = (await owner('GET', '/v1/risk-packs/brand-rules')).body;
  expect(pack).toMatchObject({ version: 2, enabled: false, displayName: 'Brand rules', allow: [] });
});

test('a change that somebody else made meanwhile is not lost: the save is refused, and the pack is read again', async () => {
  const page = await site.open('/workflows/risk-packs?pack=brand-rules');
  await page.getByRole('button', { name: 'Change' }).click();
  const mine = { ...(await typed(page)), displayName: 'Mine' };
  const theirs = { ...rules, displayName: 'Theirs' };
  expect((await owner('PUT', '/v1/risk-packs/brand-rules', { pack: theirs })).status).toBe(200);
  await editor(page).fill(JSON.stringify(mine, null, 2));
  await save(page);
  await page.getByRole('alert').getByText('somebody changed it').waitFor();
  expect((await owner('GET', '/v1/risk-packs/brand-rules')).body.pack).toMatchObject({ version: 2, ...theirs });
  // What was typed is still there.
  expect(await typed(page)).toEqual(mine);
  page.once('dialog', (dialog) => void dialog.accept());
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('heading', { name: 'Theirs' }).waitFor();
  await page.getByRole('button', { name: 'Change' }).click();
  await editor(page).fill(JSON.stringify(mine, null, 2));
  await save(page);
  await page.getByRole('heading', { name: 'Mine' }).waitFor();
  expect((await owner('GET', '/v1/risk-packs/brand-rules')).body.pack).toMatchObject({ version: 3 });
});

test.each([
  ['a new pack', '/workflows/risk-packs', 'New risk pack'],
  ['a change', '/workflows/risk-packs?pack=brand-rules', 'Change'],
])('what is wrong with %s stands at its line, and goes when it is mended', async (_, path, begin) => {
  const page = await site.open(path);
  await page.getByRole('button', { name: begin }).click();
  const pack = await typed(page);
  pack.entries[0].severity = 'dreadful';
  const text = JSON.stringify(pack, null, 2);
  await editor(page).fill(text);
  await save(page);
  await notes(page).waitFor();
  const line = text.split('\n').findIndex((each) => each.includes('dreadful')) + 1;
  expect(await notes(page).getAttribute('data-line')).toBe(String(line));
  expect(await notes(page).locator('code').textContent()).toBe('entries[0].severity');
  // What only the service's own rules find, too: phrases that can never be found, or are there twice.
  pack.entries[0].severity = 'low';
  pack.entries[0].phrases = ['grey market', 'im*port', 'GREY-MARKET'];
  await editor(page).fill(JSON.stringify(pack, null, 2));
  await expect.poll(() => notes(page).count()).toBe(0);
  await save(page);
  await notes(page).nth(1).waitFor();
  expect(await notes(page).locator('code').allTextContents()).toEqual([
    'entries[0].phrases[1]',
    'entries[0].phrases[2]',
  ]);
  expect(await packs()).toMatchObject([{ version: 1 }, { version: 1 }]);
});

test('a name that is mistyped is told with the line of the page, and with no line of what travelled', async () => {
  const page = await site.open('/workflows/risk-packs');
  await page.getByRole('button', { name: 'New risk pack' }).click();
  await editor(page).fill((await editor(page).inputValue()).replace('"phrases"', '"phrase"'));
  await save(page);
  await notes(page).waitFor();
  expect(await notes(page).getAttribute('data-line')).toBe('7');
  expect(await notes(page).textContent()).toBe(
    'Line 7 entries[0].phrase is not a known field; perhaps phrases is meant',
  );
  expect(await page.getByRole('alert').textContent()).not.toMatch(/line \d/);
});

test('a pack is not made over another: the page says that its id is taken', async () => {
  const page = await site.open('/workflows/risk-packs');
  await page.getByRole('button', { name: 'New risk pack' }).click();
  await save(page);
  await page.getByRole('alert').getByText('A pack with this packId already exists.').waitFor();
  expect(await packs()).toMatchObject([rules, { version: 1 }]);
});

test('a pack is deleted after a question that says what ends', async () => {
  const page = await site.open('/workflows/risk-packs');
  await row(page, 'brand-rules').getByRole('button', { name: 'Delete' }).click();
  const dialog = page.locator('dialog[open]');
  expect(await dialog.textContent()).toContain('no longer look for the phrases of brand-rules');
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await dialog.waitFor({ state: 'detached' });
  expect(await packs()).toHaveLength(2);
  await row(page, 'brand-rules').getByRole('button', { name: 'Delete' }).click();
  await dialog.getByRole('button', { name: 'Delete' }).click();
  await row(page, 'brand-rules').waitFor({ state: 'detached' });
  expect(await packs()).toMatchObject([{ packId: 'spring-2027' }]);
});

site.matrix('/workflows/risk-packs', { name: 'risk-packs' });
site.matrix('/workflows/risk-packs', {
  name: 'risk-packs-make',
  states: ['filled'],
  arrange: (page) => page.getByRole('button', { name: 'New risk pack' }).click(),
});
site.matrix('/workflows/risk-packs?pack=brand-rules', { name: 'risk-packs-one', states: ['filled', 'failing'] });

test('what was typed is not lost without a question: by a link, back, reload, or the form’s own Cancel', async () => {
  const page = await site.open('/workflows');
  await page.getByRole('link', { name: 'Overview' }).first().click();
  await page.goBack();
  await page.goto('/console/workflows/risk-packs');
  await page.getByRole('link', { name: 'brand-rules' }).click();
  await page.getByRole('button', { name: 'Change', exact: true }).click();
  const asked: string[] = [];
  let leave = false;
  page.on('dialog', (dialog) => {
    asked.push(dialog.type());
    void (leave ? dialog.accept() : dialog.dismiss());
  });
  const link = () => page.getByRole('navigation').getByRole('link', { name: 'Usage' }).click();
  const text = (await editor(page).inputValue()).replace('grey market', 'gray market');
  await editor(page).fill(text);
  const { href } = new URL(page.url());

  await link();
  await expect.poll(() => asked).toEqual(['confirm']);
  await page.evaluate('history.back()');
  await expect.poll(() => asked).toEqual(['confirm', 'confirm']);
  await page.evaluate('location.reload()');
  await expect.poll(() => asked).toEqual(['confirm', 'confirm', 'beforeunload']);
  await page.getByRole('button', { name: 'Cancel' }).click();
  await expect.poll(() => asked.splice(3)).toEqual(['confirm']);
  expect([page.url(), await editor(page).inputValue()]).toEqual([href, text]);

  leave = true;
  await link();
  await page.getByRole('heading', { level: 1, name: 'Usage and costs' }).waitFor();
  // What is gone is not asked for again, and neither is what was saved.
  await page.goto('/console/workflows/risk-packs?pack=brand-rules');
  await page.getByRole('button', { name: 'Change', exact: true }).click();
  await editor(page).fill(text);
  await save(page);
  await page.getByText('gray market').waitFor();
  await link();
  await page.getByRole('heading', { level: 1, name: 'Usage and costs' }).waitFor();
  expect(asked).toEqual(['confirm', 'confirm', 'beforeunload', 'confirm']);
});
