import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { parseUsd } from '../../../src/base/money.ts';
import { send } from '../../support/app.ts';
import { openConsole } from './harness.ts';

const site = openConsole({
  topUpUsd: '50.00',
  // No test asks the model; what it could cost is part of estimates.
  settings: `
limits: { requestsPerMinute: 1000000 }
providers: [{ id: up, kind: openai-compatible, baseUrl: "http://127.0.0.1:9/v1" }]
models: [{ id: m, provider: up, quality: 50, contextTokens: 100000, capabilities: [json], price: { inputPerMillionUsd: "1", outputPerMillionUsd: "2" } }]`,
  fill: async ({ app, customer }) => {
    const body = {
      purpose: 'Apologise to the customer because the order comes late',
      kind: 'apology_for_delay',
      locale: 'en-GB',
      facts: [{ name: 'recipient', value: 'Ms Adeyemi' }],
      assist: 'off',
    };
    const made = await send(app, 'POST', '/v1/draft/document', customer.apiKey, body);
    expect(made.status, made.text).toBe(200);
  },
});
const owner = (path: string) => send(site.app, 'GET', path, site.customer.managementKey).then(({ body }) => body);
const result = (page: Page) => page.locator('.workflows-result');

async function run(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await result(page).waitFor();
}

/** What the page says that it cost, the ledger's charge of it, and the price of the family. */
async function costs(page: Page, family: string) {
  const shown = parseUsd((await result(page).locator('.workflows-cost data.money').getAttribute('value')) ?? '');
  const chargeId = await result(page).locator('.workflows-cost a').textContent();
  const { charge } = await owner(`/v1/charges/${chargeId}`);
  const { prices } = await owner('/v1/workflows/prices');
  const price = prices.find((each: { family: string }) => each.family === family);
  return { shown, charged: parseUsd(charge.chargedUsd), price: parseUsd(price.priceUsd), charge };
}

test.each([
  ['risk', ['of 100', 'Risky phrases', 'return policy']],
  ['readiness', ['of 100', 'Risky phrases', 'What is missing']],
  ['guidance', ['Do next', 'missing', 'not ready']],
  ['draft', ['Ms Adeyemi', 'waits for review', '48213']],
  ['decision', ['1. South', 'Options that cannot be chosen, and why', 'East']],
  ['scoring', ['of 100', 'Rating', 'What raised or lowered the score']],
])('the family %s runs from its example, and costs what the ledger charged', async (family, words) => {
  const page = await site.open(`/workflows/${family}`);
  const requests: { url: string; authorization: string }[] = [];
  page.on('request', (request) =>
    requests.push({ url: request.url(), authorization: request.headers().authorization ?? '' }),
  );
  await run(page);
  // A draft is read again, as it is now.
  if (family === 'draft') await result(page).getByRole('button', { name: 'Approve' }).waitFor();
  const text = (await result(page).textContent()) ?? '';
  for (const each of words) expect(text).toContain(each);
  const { shown, charged, price, charge } = await costs(page, family);
  expect(charge).toMatchObject({ state: 'settled', keyId: site.customer.keyId });
  expect(shown).toBe(charged);
  expect(shown).toBe(price);
  const paid = requests.filter(({ authorization }) => authorization.startsWith('Bearer eyJ'));
  expect(paid.filter(({ url }) => !url.endsWith(':estimate'))).toHaveLength(1);
  expect(requests.filter(({ authorization }) => authorization.includes('ik_'))).toEqual([]);
});

test('a run whose answer was lost is run again by pressing again, and paid once; a third press is another run', async () => {
  const page = await site.open('/workflows/risk');
  let lost = 0;
  await page.route('**/v1/risk/check', async (route) => {
    if (lost > 0) return route.continue();
    lost += 1;
    expect((await route.fetch()).status()).toBe(200);
    await route.abort('connectionreset');
  });
  const charges = async (): Promise<{ chargeId: string }[]> => (await owner('/v1/charges?pageSize=200')).charges ?? [];
  const before = (await charges()).length;
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await page.getByRole('alert').getByText('The service does not answer.').waitFor();
  expect(await charges()).toHaveLength(before + 1);
  await run(page);
  const { shown, charged, charge } = await costs(page, 'risk');
  expect(shown).toBe(charged);
  const paid = await charges();
  expect(paid).toHaveLength(before + 1);
  expect(charge.chargeId).toBe(paid[0]?.chargeId);
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await expect.poll(async () => (await charges()).length, { timeout: 20_000 }).toBe(before + 2);
});

test.each(['risk', 'draft'])('what %s could cost is said before it is run, as the API estimates it', async (family) => {
  const page = await site.open(`/workflows/${family}`);
  const shown = page.locator('.workflows-run data.money').last();
  await expect.poll(() => shown.count(), { timeout: 20_000 }).toBe(1);
  const request = JSON.parse(await page.getByLabel('Request').inputValue());
  const estimate = async (body: object) =>
    (await send(site.app, 'POST', '/v1/workflows:estimate', site.customer.apiKey, { [family]: body })).body.ceilingUsd;
  const value = () => shown.getAttribute('value');
  const rules = await estimate(request);
  await expect.poll(value, { timeout: 20_000 }).toBe(rules);
  const assisted = await estimate({ ...request, assist: 'auto' });
  expect(parseUsd(assisted)).toBeGreaterThan(parseUsd(rules) ?? 0n);
  await page.getByLabel('Request').fill(JSON.stringify({ ...request, assist: 'auto' }));
  await expect.poll(value, { timeout: 20_000 }).toBe(assisted);
});

test.each(['risk', 'readiness', 'guidance', 'draft', 'decision', 'scoring'])(
  'on a German page, what the service says in English of %s is marked as English',
  async (family) => {
    const page = await site.open(`/workflows/${family}`, { locale: 'de-DE' });
    await page.getByRole('button', { name: 'Ausführen', exact: true }).click();
    await result(page).locator('details pre').last().waitFor({ state: 'attached' });
    const raw = JSON.parse((await result(page).locator('details pre').last().textContent()) ?? '{}');
    const said = sentencesIn(raw);
    expect(said.length).toBeGreaterThan(0);
    const unmarked = await result(page).evaluate((root) =>
      [...root.querySelectorAll('*')]
        .filter((element) => element.closest('[lang], code, pre')?.localName === 'html')
        .flatMap((element) => [...element.childNodes].filter(({ nodeType }) => nodeType === 3))
        .map(({ nodeValue }) => nodeValue ?? ''),
    );
    expect(unmarked.filter((text) => said.some((sentence) => text.includes(sentence)))).toEqual([]);
    // The texts of the console itself are not.
    expect(unmarked).toContain('Ergebnis');
    const [language] = await result(page)
      .locator('[lang]')
      .evaluateAll((all) => all.map((each) => each.getAttribute('lang')));
    expect(language).toBe('en');
  },
);

test('on a German page, a German answer and what is wrong with a request have their own languages', async () => {
  const page = await site.open('/workflows/risk', { locale: 'de-DE' });
  const text =
    'Garantierte Rendite von 20 % im Monat. Überweisen Sie heute eine Anzahlung, und schreiben Sie mir privat.';
  await page.getByLabel('Anfrage').fill(JSON.stringify({ text, assist: 'off', locale: 'de' }));
  await page.getByRole('button', { name: 'Ausführen', exact: true }).click();
  await result(page).locator('li [lang=de], p[lang=de]').first().waitFor();
  await page.getByLabel('Anfrage').fill('{ "text": 1 }');
  await page.getByRole('button', { name: 'Ausführen', exact: true }).click();
  await page.locator('.workflows-notes li [lang=en]').first().waitFor();
});

/** The sentences of a reply that the service wrote, by the names of their fields. */
function sentencesIn(value: unknown, name = ''): string[] {
  if (Array.isArray(value)) return value.flatMap((each) => sentencesIn(each, name));
  if (typeof value === 'object' && value !== null)
    return Object.entries(value).flatMap(([field, each]) => sentencesIn(each, field));
  const spoken = [
    'message',
    'reason',
    'suggestion',
    'action',
    'summary',
    'rationale',
    'nextBestAction',
    'risks',
    'note',
  ];
  return spoken.includes(name) && typeof value === 'string' && value.includes(' ') ? [value] : [];
}

test('phrases are marked where they stand in the text, and checks are sorted by what they cost', async () => {
  const page = await site.open('/workflows/risk');
  await page
    .getByLabel('Request')
    .fill(JSON.stringify({ text: '🙂🙂 Guaranteed returns. Pay a deposit by wire today.', assist: 'off' }));
  await run(page);
  const marked = await result(page).locator('mark').allTextContents();
  const raw = JSON.parse((await result(page).locator('details pre').last().textContent()) ?? '{}');
  expect(marked).toEqual(raw.findings.map(({ phrase }: { phrase: string }) => phrase));
  expect(marked.length).toBeGreaterThan(0);
  expect((await page.locator('.workflows-marked').textContent())?.startsWith('🙂🙂 ')).toBe(true);
  await page.goto('/console/workflows/readiness');
  await run(page);
  const cells = result(page).locator('.workflows-basis tbody tr');
  const rows = await Promise.all((await cells.all()).map((row) => row.locator('td').allTextContents()));
  const failed = rows.filter(([, outcome]) => outcome === 'failed').map(([, , weight]) => Number(weight));
  expect(failed.length).toBeGreaterThan(1);
  expect(failed).toEqual([...failed].sort((one, other) => other - one));
  expect(rows.slice(0, failed.length).every(([, outcome]) => outcome === 'failed')).toBe(true);
  const { checks } = JSON.parse((await result(page).locator('details pre').last().textContent()) ?? '{}').basis;
  expect(rows).toHaveLength(checks.length);
});

test('a violation stands beside its line, and so does the place where JSON ends', async () => {
  const page = await site.open('/workflows/decision');
  const request = JSON.parse(await page.getByLabel('Request').inputValue());
  request.criteria[1].weight = -1;
  const text = JSON.stringify(request, null, 2);
  await page.getByLabel('Request').fill(text);
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  const line = text.split('\n').findIndex((each) => each.includes('"weight": -1')) + 1;
  const note = page.locator('.workflows-notes li');
  await note.waitFor();
  expect(await note.getAttribute('data-line')).toBe(String(line));
  expect(await note.textContent()).toContain('criteria[1].weight');
  expect(await page.locator('.workflows-lines .wrong').textContent()).toBe(String(line));
  await page.getByRole('button', { name: `Line ${line}` }).click();
  expect(await page.evaluate('getSelection().toString()')).toContain('"weight": -1');
  await page.getByLabel('Request').fill('{\n  "text": 1,\n  oops\n}');
  expect(await note.textContent()).toContain('Line 3');
  expect(await page.getByRole('button', { name: 'Run', exact: true }).isDisabled()).toBe(true);
});

test('a draft of the queue is revised, refused with placeholders, approved with a reason, and leaves the queue', async () => {
  const page = await site.open('/workflows/drafts');
  const [draft] = (await owner('/v1/drafts?state=pending_review')).drafts.slice(-1);
  await page.getByRole('row').last().getByRole('button').click();
  const dialog = page.locator('dialog[open]');
  await dialog.getByRole('button', { name: 'Revise' }).click();
  await dialog.getByLabel('Text').fill('Dear Ms Adeyemi,\n\nyour order is late. [[new date]]\n\nHarrow Tools');
  await dialog.getByRole('button', { name: 'Save as a new version' }).click();
  await dialog.getByText('Version 2').waitFor();
  await dialog.getByLabel('Who decides').fill('Eva Lang');
  await dialog.getByLabel('Note').fill('Read.');
  await dialog.getByRole('button', { name: 'Approve' }).click();
  await dialog.getByLabel('Why it is approved anyway').fill('The carrier tells the date by telephone.');
  await dialog.getByRole('button', { name: 'Approve anyway' }).click();
  await dialog.getByText('approved', { exact: true }).first().waitFor();
  const { draft: now } = await owner(`/v1/drafts/${draft.draftId}`);
  expect(now).toMatchObject({ version: 2, state: 'approved' });
  expect(now.reviews.at(-1)).toMatchObject({
    ...{ decision: 'approved', reviewer: 'Eva Lang', note: 'Read.' },
    overrideReason: 'The carrier tells the date by telephone.',
  });
});

test('a draft is rejected with its reason', async () => {
  const page = await site.open('/workflows/draft');
  await run(page);
  await result(page).getByLabel('Note').fill('The new date is not confirmed.');
  await result(page).getByRole('button', { name: 'Reject' }).click();
  await result(page).getByText('rejected', { exact: true }).first().waitFor();
  const { drafts } = await owner('/v1/drafts?state=rejected');
  expect(drafts).toHaveLength(1);
});

test('a workflow of one’s own is made, runs at the price of its family, is retired and deleted', async () => {
  const page = await site.open('/workflows/definitions');
  await page.getByRole('button', { name: 'New definition' }).click();
  const wrong = JSON.parse(await page.getByLabel('Definition').inputValue());
  wrong.checks[0].pass = 'input.incom > 0.0';
  await page.getByLabel('Definition').fill(JSON.stringify(wrong, null, 2));
  await page.getByRole('button', { name: 'Save the definition' }).click();
  await page.locator('.workflows-notes li').first().waitFor();
  wrong.checks[0].pass = 'input.income > 0.0';
  await page.getByLabel('Definition').fill(JSON.stringify(wrong, null, 2));
  await page.getByRole('button', { name: 'Save the definition' }).click();
  await page.getByRole('link', { name: 'acme/loan-check' }).click();
  await run(page);
  expect(await result(page).locator('pre').first().textContent()).toContain('"affordable": true');
  const { shown, charged, price } = await costs(page, 'custom');
  expect(shown).toBe(charged);
  expect(shown).toBe(price);
  await page.getByLabel('Request').fill('{\n  "income": "much",\n  "rate": 900\n}');
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await page.locator('.workflows-notes li').first().waitFor();
  expect(await page.locator('.workflows-notes li').first().getAttribute('data-line')).toBe('2');

  await page.goto('/console/workflows/definitions');
  for (const step of ['Retire', 'Delete']) {
    await page.getByRole('row').getByRole('button', { name: step }).click();
    await page.locator('dialog[open]').getByRole('button', { name: step }).click();
    await page.locator('dialog[open]').waitFor({ state: 'detached' });
  }
  await page.getByText('There are none yet.').waitFor();
  expect((await owner('/v1/workflow-definitions')).definitions ?? []).toEqual([]);
});

test('a request that was typed and not answered is not lost without a question', async () => {
  const page = await site.open('/workflows/risk?key=');
  const asked: string[] = [];
  let answer = false;
  page.on('dialog', (dialog) => {
    asked.push(dialog.type());
    void (answer ? dialog.accept() : dialog.dismiss());
  });
  const request = page.getByLabel('Request');
  const link = () => page.getByRole('link', { name: 'Usage' }).first().click();
  const typed = JSON.stringify({ text: 'Pay by gift card, today.' }, null, 2);
  await request.fill(typed);
  await page.getByRole('button', { name: 'Example' }).click();
  await link();
  await expect.poll(() => asked).toEqual(['confirm', 'confirm']);
  expect(await request.inputValue()).toBe(typed);
  // Another key is another filter of the same page.
  await page.locator('.workflows-run select').selectOption({ index: 0 });
  expect(asked).toHaveLength(2);
  // What was answered needs no keeping, until it is changed.
  await run(page);
  await request.fill(`${typed} `);
  answer = true;
  await page.getByRole('button', { name: 'Example' }).click();
  await expect.poll(() => asked).toHaveLength(3);
  await request.fill(typed);
  await link();
  await page.getByRole('heading', { level: 1, name: 'Usage and costs' }).waitFor();
  expect(asked).toHaveLength(3);
});

site.matrix('/workflows/readiness', { name: 'workflows-readiness', arrange: (page, state) => ran(page, state) });
site.matrix('/workflows/decision', { name: 'workflows-decision', states: ['filled'], arrange: ran });
site.matrix('/workflows/drafts', { name: 'workflows-drafts' });
site.matrix('/workflows/definitions', {
  name: 'workflows-definitions',
  states: ['filled', 'empty'],
  arrange: async (page) => page.getByRole('button', { name: 'New definition' }).click(),
});

async function ran(page: Page, state: string): Promise<void> {
  if (state === 'filled') await run(page);
}
