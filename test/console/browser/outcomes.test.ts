import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { send } from '../../support/app.ts';
import { englishLeft } from './english-left.ts';
import { openConsole, settled } from './harness.ts';

const count = 260;

const site = openConsole({
  topUpUsd: '50.00',
  settings: 'limits: { requestsPerMinute: 1000000 }',
  fill: async ({ app, customer }) => {
    const items = Array.from({ length: count }, (_, index) => ({
      readiness: {
        listing: {
          title: 'City bike, 7 gears, serviced in spring',
          currency: 'EUR',
          ...(index % 2 === 0 && { price: 180 }),
          ...(index % 3 === 0 && { location: 'Graz' }),
        },
        assist: 'off',
        metadata: { subjectId: `bike-${index}` },
      },
    }));
    const risk = { risk: { text: 'A table of oak.', assist: 'off', metadata: { subjectId: 'table' } } };
    const judged = await send(app, 'POST', '/v1/workflows/batch', customer.apiKey, { items: [...items, risk] });
    expect(judged.body, judged.text).toMatchObject({ succeeded: count + 1 });
    // What has no price sells seldom; where it is does not matter.
    const outcomeOf = (index: number) => (index % 10 < 2 === (index % 2 === 0) ? 'not_sold' : 'sold');
    const outcomes = items.map((_, index) => ({ subjectId: `bike-${index}`, outcome: outcomeOf(index) }));
    outcomes.push({ subjectId: 'table', outcome: 'fraud' });
    const reported = await send(app, 'POST', '/v1/outcomes/batch', customer.apiKey, { outcomes });
    expect(reported.body, reported.text).toMatchObject({ succeeded: count + 1 });
  },
});
const path = '/workflows/outcomes';
const calibration = async (query = '') =>
  (await send(site.app, 'GET', `/v1/outcomes/calibration${query}`, site.customer.managementKey)).body;
const percent = (share: number) => share.toLocaleString('en-US', { style: 'percent', maximumFractionDigits: 1 });
const points = (share: number) =>
  (share * 100).toLocaleString('en-US', { maximumFractionDigits: 1, signDisplay: 'exceptZero' }).replace('-', '−');

interface Rate {
  outcomes: number;
  adverse: number;
  rate: { value: number; low: number; high: number };
}
interface Check {
  checkId: string;
  failed: Rate;
  notFailed: Rate;
  difference: Rate['rate'];
  foretells: boolean;
}
const rateOf = ({ outcomes, adverse, rate }: Rate) =>
  `${percent(rate.value)} ${percent(rate.low)} to ${percent(rate.high)}, ${adverse} of ${outcomes}`;

const families = (page: Page) => page.locator('section', { has: page.getByText('Rules: ') });
const familyOf = (page: Page, name: string) => families(page).filter({ has: page.getByRole('heading', { name }) });

test('each check has the rates, the intervals and the weights that the API states', async () => {
  const page = await site.open(path);
  const shown = familyOf(page, 'Listing check');
  const [family] = (await calibration('?family=readiness')).families;
  await shown.getByText(`Came out badly ${rateOf(family.overall)}`).waitFor();
  const rowsOf = async (caption: string) => {
    const rows = await shown.getByRole('table', { name: caption }).locator('tbody tr').all();
    return Promise.all(rows.map((row) => row.locator('td').allTextContents()));
  };
  expect(family.checks.length).toBeGreaterThan(1);
  expect(await rowsOf('What checks predict')).toEqual(
    family.checks.map((check: Check) => [
      check.checkId,
      rateOf(check.failed),
      rateOf(check.notFailed),
      `${points(check.difference.value)} ${points(check.difference.low)} to ${points(check.difference.high)}`,
      check.foretells ? 'predicts a bad outcome' : 'may be chance',
    ]),
  );
  const said = family.checks.map(({ foretells }: { foretells: boolean }) => foretells);
  expect(new Set(said)).toEqual(new Set([true, false]));
  const two = (weight: number) => weight.toLocaleString('en-US', { maximumFractionDigits: 2 });
  expect(await rowsOf('Weights that the reports support')).toEqual(
    family.reweighing.weights.map((weight: { checkId: string; present: number; proposed: number }) => [
      weight.checkId,
      two(weight.present),
      two(weight.proposed),
    ]),
  );
  await shown.getByText(`and ${percent(family.reweighing.proposedAuc)} with the proposed weights`).waitFor();
});

test('too few reports give counts and no figures, and one family can be looked at alone', async () => {
  const page = await site.open(path);
  const risk = familyOf(page, 'Risk check');
  const [{ overall }] = (await calibration('?family=risk')).families;
  await risk.getByText(`Came out badly ${overall.adverse} of ${overall.outcomes}`).waitFor();
  await risk.getByText(`not enough data: ${overall.outcomes} of 50 outcomes`).waitFor();
  expect(await risk.getByRole('table').count()).toBe(0);
  expect(await families(page).count()).toBe(2);
  await page.getByLabel('Workflow', { exact: true }).selectOption('Risk check');
  await expect.poll(() => families(page).count(), { timeout: 20_000 }).toBe(1);
  await risk.waitFor();
  await page.getByLabel('Period').selectOption('30 days');
  await risk.waitFor();
  expect(new URL(page.url()).search).toBe('?family=risk&days=30');
});

test('where nothing is reported, the page says how: its command reports what was judged under that name', async () => {
  const page = await site.open(`${path}?family=draft`);
  await page.getByText('Nothing is reported for this choice.').waitFor();
  const body = JSON.parse(/-d '(.*)'/.exec((await page.locator('.curl code').textContent()) ?? '')?.[1] ?? '');
  const judged = { text: 'A chair.', assist: 'off', metadata: { subjectId: body.subjectId } };
  expect((await send(site.app, 'POST', '/v1/risk/check', site.customer.apiKey, judged)).status).toBe(200);
  const reported = await send(site.app, 'POST', '/v1/outcomes', site.customer.apiKey, body);
  expect(reported.body, reported.text).toMatchObject({ effects: [{ effect: 'recorded' }] });
});

test('with figures, nothing on a German page is English', async () => {
  const page = await site.open(path, { locale: 'de-DE' });
  await page.getByRole('table').first().waitFor();
  await settled(page);
  expect(await englishLeft(page, 'de', ['Management key', 'test'])).toEqual([]);
});

site.matrix(path, { name: 'outcomes' });
