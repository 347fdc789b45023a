import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { send } from '../../support/app.ts';
import { englishLeft } from './english-left.ts';
import { isApiCall, type MatrixOptions, openConsole, settled } from './harness.ts';
import { spendSome } from './spend.ts';

const locale = 'de-DE';
const site = openConsole({
  settings: 'limits: { requestsPerMinute: 1000000, tokensPerMinute: 1000000000 }',
  fill: async (filled) => {
    await spendSome(filled);
    const { app, customer } = filled;
    await send(app, 'PATCH', '/v1/wallet/low-balance-alert', customer.managementKey, { thresholdUsd: '6.5' });
    await send(app, 'POST', '/v1/clients', customer.managementKey, { displayName: 'Laden', keyId: customer.keyId });
    const entries = [{ id: 'grau', phrases: ['grauer Markt'], category: 'grey_market', reason: 'Ohne Garantie.' }];
    const allow = [{ phrase: 'Grauer Markt 5', reason: 'Unsere Anschrift.' }];
    await send(app, 'POST', '/v1/risk-packs', customer.managementKey, { pack: { packId: 'marke', entries, allow } });
  },
});

/** For a busy machine. */
const patient = { timeout: 20_000 };

/** Of the accounts of the tests: the name of a key that came with one, and what another key is for. */
const data = ['Management key', 'test'];

async function noEnglish(page: Page): Promise<void> {
  expect(await page.locator('html').getAttribute('lang')).toBe('de');
  expect(await englishLeft(page, 'de', data)).toEqual([]);
}

/** Cards and dialogs that something in them is too wide for; what scrolls by itself, such as code, is not too wide. */
async function cutOff(page: Page): Promise<string[]> {
  const boxes = page.locator('.card, dialog[open], dialog[open] .dialog-body, .banner, .popover:popover-open');
  return await boxes.evaluateAll((all) =>
    all
      .filter((box) => box.scrollWidth > box.clientWidth + 1)
      .map((box) => `${box.className} ${box.scrollWidth} > ${box.clientWidth}: ${box.textContent?.slice(0, 60)}`),
  );
}

async function wholeAndGerman(page: Page): Promise<void> {
  expect(await cutOff(page)).toEqual([]);
  await noEnglish(page);
}

/** A page in the matrix, on which everything is German. What is not a main page is looked at on a phone, where texts are cut first. */
function looked(path: string, name: string, options: Partial<MatrixOptions> = {}): void {
  const { arrange, ...others } = options;
  site.matrix(path, {
    ...{ name: `de-${name}`, states: ['filled'], looks: ['phone'], locale, check: wholeAndGerman, ...others },
    arrange: async (page, state) => {
      await arrange?.(page, state);
      await settled(page);
    },
  });
}

const main = { looks: ['light', 'dark', 'phone'] } as const;

looked('/', 'overview', main);
looked('/', 'menu', {
  ...main,
  arrange: async (page) => {
    const more = page.getByRole('button', { name: 'Mehr' });
    await ((await more.isVisible()) ? more : page.locator('.account-button')).click();
    await page.locator('dialog[open], :popover-open').waitFor();
  },
});
looked('/keys', 'keys', main);
looked('/keys', 'keys-create', {
  arrange: async (page) => {
    await page.getByRole('button', { name: 'Schlüssel erstellen', exact: true }).click();
    await page.getByText('Limits, Web-Origins und Schutzregeln').click();
  },
});
looked('/keys', 'keys-revoke', {
  arrange: async (page) => {
    await page.getByRole('link', { name: 'Mobile app' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Widerrufen' }).click();
    await page.getByRole('dialog', { name: 'Schlüssel Mobile app widerrufen' }).waitFor();
  },
});
looked('/credit', 'credit', main);
looked('/usage', 'usage', main);
looked('/usage?days=1&step=hour&group=key&metric=tokens', 'usage-hours');
looked('/charges', 'charges', main);
looked('/charges', 'charges-panel', {
  arrange: async (page) => {
    await page.getByRole('link', { name: 'chat' }).last().click();
    await page.getByRole('heading', { name: 'Woraus sie besteht' }).waitFor();
  },
});
looked('/playground', 'playground', {
  ...main,
  arrange: async (page) => {
    await page.getByText('Systemtext und Grenzen').click();
    await page.getByLabel('Nachricht').fill('Which plan fits? The Basic plan fits.');
    await page.getByRole('button', { name: 'Senden' }).click();
    await page.getByRole('link', { name: 'Zur Abbuchung' }).waitFor(patient);
  },
});
looked('/models', 'models');
looked('/workflows/readiness', 'workflows');
looked('/workflows/drafts', 'workflows-drafts');
looked('/workflows/definitions', 'workflows-definitions');
looked('/workflows/risk-packs', 'workflows-risk-packs', { states: ['filled', 'empty'] });
looked('/workflows/risk-packs?pack=marke', 'workflows-risk-pack');
looked('/workflows/outcomes', 'workflows-outcomes');
looked('/pulse', 'pulse');
looked('/pulse/checkout', 'pulse-journey');
looked('/devices', 'devices');
looked('/webhooks', 'webhooks');
looked('/team', 'team');
looked('/no-such-page', 'not-found');
looked('/', 'sign-in', { ...main, signedOut: true });
looked('/', 'overview', { states: ['empty'] });
looked('/keys', 'keys', { states: ['empty', 'failing'] });

describe('what operators see', () => {
  const operators = openConsole({ role: 'operator' });
  const pages = [
    ['/', 'accounts'],
    ['/credits', 'credits'],
    ['/health', 'health'],
    ['/audit', 'audit'],
  ] as const;
  for (const [path, name] of pages)
    operators.matrix(path, {
      name: `de-operator-${name}`,
      states: ['filled'],
      looks: ['phone'],
      locale,
      check: wholeAndGerman,
    });

  test('one account', async () => {
    const page = await operators.open(`/accounts/${operators.customer.accountId}`, { locale });
    await settled(page);
    await noEnglish(page);
  });
});

const texts = async (page: Page, path: string): Promise<string[]> => {
  const files: string[] = [];
  page.on('request', (request) => files.push(...(/texts-[a-z]{2}-[a-z]+/.exec(request.url()) ?? [])));
  await page.goto(`/console${path}`);
  await settled(page);
  return files.sort();
};

test('the browser says which language, the choice goes before it, and stays', async () => {
  const page = await site.open('/', { locale });
  await settled(page);
  expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Übersicht');
  expect(await page.title()).toBe('Übersicht · Intelligence API');
  await page.locator('.account-button').click();
  await page.getByLabel('Sprache').selectOption('English');
  await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
  expect(await page.locator('html').getAttribute('lang')).toBe('en');
  await page.reload();
  await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
  await page.locator('.account-button').click();
  await page.getByLabel('Language').selectOption('Deutsch');
  await page.getByRole('heading', { name: 'Übersicht', level: 1 }).waitFor();
  await page.reload();
  await page.getByRole('heading', { name: 'Übersicht', level: 1 }).waitFor();
  await noEnglish(page);
});

test('a stranger chooses the language before the sign-in', async () => {
  const page = await site.open('/', { credential: null });
  await page.getByLabel('Language').selectOption('Deutsch');
  await page.getByRole('heading', { name: 'Anmelden' }).waitFor();
  await page.getByLabel('Verwaltungsschlüssel').fill(`${site.customer.managementKey}x`);
  await page.getByRole('button', { name: 'Anmelden' }).click();
  await page.getByRole('alert').getByText('Dieser Schlüssel ist hier nicht bekannt.').waitFor();
  await page.getByLabel('Verwaltungsschlüssel').fill(site.customer.managementKey);
  await page.getByRole('button', { name: 'Anmelden' }).click();
  await page.getByRole('heading', { name: 'Übersicht', level: 1 }).waitFor();
});

test('each language reads its own texts, and none of the other', async () => {
  expect(await texts(await site.open('/models'), '/')).toEqual(['texts-en-overview']);
  expect(await texts(await site.open('/models', { locale }), '/')).toEqual(['texts-de-common', 'texts-de-overview']);
});

test('amounts are the API’s to the nano-USD, written as German writes them', async () => {
  const { wallet } = (await send(site.app, 'GET', '/v1/wallet', site.customer.managementKey)).body;
  const page = await site.open('/credit', { locale });
  await settled(page);
  const money = page.locator(`data.money[value="${wallet.balanceUsd}"]`).first();
  const shown = [await money.textContent(), await money.getAttribute('title')].join(' ');
  expect(wallet.balanceUsd).toMatch(/\.\d{3,}$/);
  expect(shown).toContain(`${String(wallet.balanceUsd).replace('.', ',')}\u00a0$`);
});

test('an amount is typed with a comma, and one that could be two amounts is not sent', async () => {
  const sent: unknown[] = [];
  const page = await site.open('/credit', { locale });
  await settled(page);
  await page.route(isApiCall, (route) => {
    if (route.request().method() === 'GET') return route.continue();
    sent.push(route.request().postDataJSON());
    return route.abort();
  });
  const amount = page.getByLabel('Betrag in USD').first();
  const submit = page.getByRole('button', { name: 'Aufladen', exact: true });
  await amount.fill('1.500');
  await submit.click();
  await page.getByText('Geben Sie einen Betrag in USD ein, etwa 20 oder 12,50.').waitFor();
  expect(sent).toEqual([]);
  await amount.fill('12,50');
  await submit.click();
  await expect.poll(() => sent, patient).toEqual([{ amountUsd: '12.50' }]);
});

test('a refusal is German, with the service’s own text below where the reason does not say it all', async () => {
  const refusal = (reason: string) => ({
    status: 400,
    contentType: 'application/json',
    body: JSON.stringify({
      error: {
        ...{ code: 400, status: 'FAILED_PRECONDITION', message: 'The thing is as it is.' },
        details: [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason }],
      },
    }),
  });
  const page = await site.open('/webhooks', {
    locale,
    prepare: (context) => context.route('**/v1/webhooks**', (route) => route.fulfill(refusal('PRECONDITION_FAILED'))),
  });
  const alert = page.getByRole('alert').first();
  await alert.waitFor(patient);
  expect(await alert.locator('strong').textContent()).toBe('Das ist im Moment nicht möglich.');
  expect(await alert.locator('[lang=en]').textContent()).toBe('The thing is as it is.');
  await noEnglish(page);
});

test('on a phone the numbers of the calculator stand beside each other, though a label takes two lines', async () => {
  const page = await site.open('/models', { locale, look: 'phone' });
  await settled(page);
  const boxes = page.locator('.models-numbers .input');
  const tops = await boxes.evaluateAll((all) => all.map((each) => Math.round(each.getBoundingClientRect().top)));
  expect(tops).toHaveLength(4);
  expect([tops[1], tops[3]]).toEqual([tops[0], tops[2]]);
});

test('what to do next in a journey is said in German', async () => {
  const page = await site.open('/pulse/checkout', { locale });
  await settled(page);
  const next = page.locator('.banner', { hasText: 'Als Nächstes' });
  expect(await next.textContent()).toMatch(/Nichts fällt auf|Schritt/);
  expect(await next.locator('[lang=en]').count()).toBe(0);
});
