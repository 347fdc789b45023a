import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { send } from '../../support/app.ts';
import { openConsole } from './harness.ts';

const hour = 3_600_000;
const began = Date.now();
let eventId = 0;

interface Walk {
  journey: string;
  session: string;
  /** Milliseconds since the epoch. */
  at: number;
  platform?: string;
  /** Steps with what happened at each, some seconds after the one before. */
  steps: readonly [step: string, kind: string, afterSeconds: number, code?: string][];
}

/** The events of one session's walk through a journey. */
function eventsOf({ journey, session, at, platform, steps }: Walk): object[] {
  let time = at;
  return steps.map(([step, kind, afterSeconds, code]) => {
    time += afterSeconds * 1_000;
    return {
      ...{ id: `event-${++eventId}`, journey, step, kind, sessionId: session, userId: `user of ${session}` },
      occurredAt: new Date(time).toISOString(),
      ...(code !== undefined && { error: { code, message: 'declined by the bank' } }),
      ...(platform !== undefined && { properties: { platform } }),
    };
  });
}

/** Every third session buys nothing; on Android most meet an error and stop. */
function checkout(index: number, daysAgo: number): Walk {
  const isAndroid = index % 2 === 0;
  const meetsError = isAndroid && index % 8 !== 0;
  const paid: Walk['steps'] = [
    ['payment', 'completed', 40 + index],
    ['paid', 'completed', 5],
  ];
  return {
    ...{ journey: 'checkout', session: `c-${daysAgo}-${index}`, platform: isAndroid ? 'android' : 'ios' },
    at: began - daysAgo * 24 * hour - (index % 20) * hour - 2 * hour,
    steps: [
      ['cart', 'entered', 0],
      ['cart', 'completed', 10 + (index % 5)],
      ...(index % 10 === 3 ? [] : ([['payment', 'entered', 2]] as Walk['steps'])),
      ...(meetsError ? ([['payment', 'error', 20, 'card_declined']] as Walk['steps']) : []),
      ...(meetsError || index % 10 === 3 ? [] : paid),
    ],
  };
}

const site = openConsole({
  fill: async () => {
    await manage('PUT', '/v1/pulse/properties', { properties: ['platform'] });
    const walks = [
      ...Array.from({ length: 80 }, (_, index) => checkout(index, index % 4)),
      ...Array.from({ length: 50 }, (_, index) => checkout(index, 9 + (index % 3))),
      ...Array.from({ length: 5 }, (_, index) => ({
        ...{ journey: 'sign-up', session: `s-${index}`, at: began - 5 * hour },
        steps: [['name', 'entered', 0] as const, ['name', 'completed', 30] as const] as Walk['steps'],
      })),
    ];
    const events = walks.flatMap(eventsOf);
    const recorded = await send(site.app, 'POST', '/v1/pulse/events', site.customer.apiKey, { events });
    expect(recorded.body).toMatchObject({ accepted: events.length, rejected: [] });
    await manage('PUT', '/v1/pulse/journeys/checkout/alerts/error_rate', { above: 0.05, clearBelow: 0.03 });
  },
});

const manage = async (method: string, path: string, body?: object) => {
  const answer = await send(site.app, method, path, site.customer.managementKey, body);
  expect(answer.status, answer.text).toBe(200);
  return answer.body;
};
/** The report that a page of so many days is of. */
const report = (query = '', days = 7) => {
  const to = Math.ceil(Date.now() / hour) * hour;
  const period = `from=${new Date(to - days * 24 * hour).toISOString()}&to=${new Date(to).toISOString()}`;
  return manage('GET', `/v1/pulse/journeys/checkout/report?${period}&groupBy=day${query}`);
};

test('a long name without a blank goes on in the next line, on a phone as well', async () => {
  const page = await site.open(`/pulse/${'checkout'.repeat(7)}`, { look: 'phone' });
  const heading = page.getByRole('heading', { level: 1 });
  await heading.waitFor();
  expect(await heading.textContent()).toBe('checkout'.repeat(7));
  const { width = 0, x = 0 } = (await heading.boundingBox()) ?? {};
  expect(x + width).toBeLessThanOrEqual(390);
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
});

site.matrix('/pulse', { name: 'pulse' });
site.matrix('/pulse/checkout?by=platform', { name: 'pulse-journey', states: ['filled', 'slow', 'failing'] });
site.matrix('/pulse/sign-up', { name: 'pulse-few', states: ['filled'] });

/** As the console writes a share: percent with one decimal. */
const percent = (share: number | undefined) =>
  share === undefined
    ? '–'
    : new Intl.NumberFormat('en-GB', { style: 'percent', maximumFractionDigits: 1 }).format(share);
const points = (difference: number) =>
  new Intl.NumberFormat('en-GB', { maximumFractionDigits: 1, signDisplay: 'exceptZero' })
    .format(difference * 100)
    .replace('-', '−');

/** The texts of a table's cells, row by row. */
async function cellsOf(page: Page, name: string): Promise<string[][]> {
  const table = page.getByRole('table', { name, exact: true });
  await table.waitFor();
  const rows = await table.locator('tbody tr').all();
  return Promise.all(rows.map((row) => row.locator('td').allInnerTexts()));
}

test('journeys say what the API says, and which are of few sessions', async () => {
  const page = await site.open('/pulse');
  const { journeys } = await manage('GET', '/v1/pulse/journeys');
  const cells = await cellsOf(page, 'Journeys');
  expect(cells.map((row) => row.slice(0, 2))).toEqual(
    journeys.map(({ journey, sessionsLast30Days }: Record<string, string>) => [journey, sessionsLast30Days]),
  );
  expect(cells.map((row) => row[2]?.includes('few'))).toEqual([false, true]);
  for (const [index, { errorRate }] of journeys.entries()) expect(cells[index]?.[2]).toContain(percent(errorRate));
  await page.getByRole('link', { name: 'checkout' }).click();
  await page.getByRole('heading', { level: 1, name: 'checkout' }).waitFor();
});

test('the report’s figures, funnel, errors and stalls are the API’s', async () => {
  const page = await site.open('/pulse/checkout');
  await page.getByRole('table', { name: 'Step by step' }).waitFor();
  const { totals, trend, funnel, stalls, errors, nextBestAction, series } = await report();
  expect(Number(totals.sessions)).toBe(80);
  expect(await page.getByText(nextBestAction).isVisible()).toBe(true);
  const figures = await page.locator('dl.cards .figure').allInnerTexts();
  const expected = [
    ['Sessions', totals.sessions, 'on the period before', 'half of the sessions took at most'],
    ['Reached the goal', percent(totals.conversion), `${points(trend.conversionChange)} points`],
    ['Gave up', percent(totals.abandonmentRate), `${points(trend.abandonmentRateChange)} points`],
    ['Met an error', percent(totals.errorRate), `${points(trend.errorRateChange)} points`],
  ];
  for (const [index, texts] of expected.entries()) for (const text of texts) expect(figures[index]).toContain(text);

  const stallOf = (step: string) => stalls.find((stall: { step: string }) => stall.step === step) ?? {};
  const rows = await cellsOf(page, 'Step by step');
  expect(rows).toHaveLength(funnel.length);
  for (const [index, line] of funnel.entries()) {
    const row = rows[index] ?? [];
    expect(row[0]?.trim()).toBe(line.step);
    expect(row[1]?.trim()).toBe(line.entered);
    expect([row[2], row[3], row[5]]).toEqual([
      percent(line.fromPrevious),
      percent(line.conversion),
      percent(stallOf(line.step).abandonmentRate),
    ]);
    const worst = errors.find(({ step }: { step: string }) => step === line.step);
    expect(row[6]).toContain(worst ? `${worst.code}, ${worst.sessions} sessions` : '–');
  }

  const shownErrors = await cellsOf(page, 'Errors by step');
  expect(shownErrors.map((row) => row.slice(0, 6))).toEqual(
    errors.map((line: Record<string, string> & { rate: number }) => [
      ...[line.code, line.step, line.sessions, percent(line.rate), line.recoveredSessions, line.occurrences],
    ]),
  );
  const shownStalls = await cellsOf(page, 'Where time is lost');
  expect(shownStalls.map((row) => [row[0], row[1], row[6], row[7]])).toEqual(
    stalls.map((stall: Record<string, string> & { abandonmentRate: number }) => [
      ...[stall.step, stall.sessions, `${stall.abandoned} (${percent(stall.abandonmentRate)})`, stall.leftAfter],
    ]),
  );

  await page.getByRole('figure').getByRole('button', { name: 'Table' }).click();
  const points80 = await cellsOf(page, 'Sessions over time');
  const shown = points80.filter((row) => row[1] !== '0').map((row) => row.slice(1));
  expect(shown).toEqual(
    series.map((point: { totals: Record<string, string> }) => [
      ...[point.totals.sessions, point.totals.completed, point.totals.abandoned],
    ]),
  );
  expect(points80.reduce((sum, row) => sum + Number(row[1]), 0)).toBe(80);
});

test('period, goal and segment are in the address, and change the report', async () => {
  const page = await site.open('/pulse/checkout');
  const sessions = page.locator('dl.cards .figure').first().locator('dd').first();
  await page.getByLabel('Period').selectOption('30 days');
  await page.waitForURL(/days=30/);
  const month = await report('', 30);
  expect(Number(month.totals.sessions)).toBe(130);
  await page.locator('dl.cards').getByText('130', { exact: true }).waitFor();
  await page.getByLabel('Goal').selectOption('cart');
  await page.waitForURL(/goal=cart/);
  const byCart = await report('&goal=cart', 30);
  await page.locator('dl.cards').getByText(percent(byCart.totals.conversion), { exact: true }).first().waitFor();

  await page.getByLabel('Group by').selectOption('platform');
  const rows = await cellsOf(page, 'Segments');
  const { segments } = await report('&goal=cart&breakDownBy=platform', 30);
  expect(rows.map((row) => [row[0], row[1], row[2]?.trim()])).toEqual(
    segments.map(({ value, totals }: { value: string; totals: { sessions: string; conversion: number } }) => [
      ...[value, totals.sessions, percent(totals.conversion)],
    ]),
  );
  await page.getByRole('button', { name: 'Report of platform android only' }).click();
  await page.waitForURL(/value=android/);
  const android = await report('&goal=cart&property=platform&value=android', 30);
  await page.locator('dl.cards').getByText(android.totals.sessions, { exact: true }).first().waitFor();
  expect(await sessions.textContent()).toBe(android.totals.sessions);
  await page.getByRole('button', { name: 'Remove the filter platform: android' }).click();
  await page.locator('dl.cards').getByText('130', { exact: true }).waitFor();
});

test('what differs, and two segments side by side, are the API’s', async () => {
  const page = await site.open('/pulse/checkout?by=platform');
  const to = Math.ceil(Date.now() / hour) * hour;
  const period = `from=${new Date(to - 7 * 24 * hour).toISOString()}&to=${new Date(to).toISOString()}`;
  const { differences, tested } = await manage(
    'GET',
    `/v1/pulse/journeys/checkout/differences?${period}&loss=abandoned`,
  );
  expect(differences.length).toBeGreaterThan(0);
  const rows = await cellsOf(page, 'What differs');
  expect(rows).toHaveLength(differences.length);
  for (const [index, each] of differences.entries()) {
    expect(rows[index]?.[0]).toBe(`${each.property}: ${each.value}`);
    expect(rows[index]?.[1]).toBe(`${percent(each.rate)} (${each.lost} of ${each.sessions})`);
    expect(rows[index]?.[2]).toBe(percent(each.rateOfOthers));
    expect(rows[index]?.[3]).toBe(`${percent(each.explained)}, at least ${percent(each.explainedAtLeast)}`);
  }
  expect(await page.getByText(`${tested} groups were compared`).isVisible()).toBe(true);

  await page.getByLabel('First').selectOption('android');
  await page.getByLabel('Second').selectOption('ios');
  await page.getByRole('columnheader', { name: 'ios' }).waitFor();
  const { metrics } = await manage(
    'GET',
    `/v1/pulse/journeys/checkout/comparison?${period}&property=platform&first=android&second=ios`,
  );
  const compared = await cellsOf(page, 'Compare two values');
  expect(compared).toHaveLength(metrics.length);
  for (const [index, { first, second, difference }] of metrics.entries()) {
    expect(compared[index]?.[1]).toContain(percent(first.share));
    expect(compared[index]?.[2]).toContain(percent(second.share));
    if (difference) expect(compared[index]?.[3]).toContain(points(difference.value));
  }
});

test('a rate is watched and no longer', async () => {
  const page = await site.open('/pulse/checkout');
  const [declared = []] = await cellsOf(page, 'Alerts');
  expect(declared[0]).toBe('sessions that meet an error');
  expect(declared[1]).toBe('above 5%, back below 3%');
  await page.getByRole('button', { name: 'Watch a rate' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Rate').selectOption('sessions that are abandoned');
  await dialog.getByLabel('Alert above').fill('120');
  await dialog.getByText('A share above 0 and below 100').waitFor();
  await dialog.getByLabel('Alert above').fill('12.5');
  await dialog.getByRole('button', { name: 'Watch a rate' }).click();
  await page.getByText('above 12.5%, back below 10%').waitFor();
  const { alerts } = await manage('GET', '/v1/pulse/alerts');
  expect(alerts.find(({ metric }: { metric: string }) => metric === 'stall_rate')).toMatchObject({
    ...{ journey: 'checkout', above: 0.125, windowHours: 1, leastSessions: 50 },
  });
  await page.getByRole('button', { name: 'End the alert of sessions that are abandoned' }).click();
  await page.getByText('above 12.5%').waitFor({ state: 'detached' });
  expect((await manage('GET', '/v1/pulse/alerts')).alerts).toHaveLength(1);
});

test('a journey is declared, and properties are', async () => {
  const page = await site.open('/pulse/sign-up');
  await page.getByRole('button', { name: 'Set the steps' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Steps').fill('name\nphoto ?\nagreed');
  await dialog.getByLabel('Seconds without an event until a session is over').fill('600');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.locator('.pulse-steps').getByText('agreed').waitFor();
  expect(await manage('GET', '/v1/pulse/journeys/sign-up/declaration')).toMatchObject({
    steps: [
      { step: 'name', optional: false },
      { step: 'photo', optional: true },
      { step: 'agreed', optional: false },
    ],
    sessionTimeoutSeconds: 600,
  });
  await page.getByRole('button', { name: 'Choose properties' }).click();
  await page.getByRole('dialog').getByLabel('Properties').fill('platform\nversion');
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
  await page.getByLabel('Group by').getByRole('option', { name: 'version' }).waitFor({ state: 'attached' });
  const { properties } = await manage('GET', '/v1/pulse/properties');
  expect(properties.map(({ property }: { property: string }) => property)).toEqual(['platform', 'version']);
});

test('a person is forgotten', async () => {
  const page = await site.open('/pulse');
  await page.getByRole('button', { name: 'Forget a person' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('The person').fill('user of c-0-0');
  const sent = page.waitForRequest((request) => request.url().endsWith('/v1/pulse/persons:erase'));
  await dialog.getByRole('button', { name: 'Forget this person' }).click();
  expect((await sent).postDataJSON()).toEqual({ userId: 'user of c-0-0' });
  await page.getByText('will be forgotten within minutes').waitFor();
  // What was typed is gone with the dialog.
  await page.getByRole('button', { name: 'Forget a person' }).click();
  expect(await dialog.getByLabel('The person').inputValue()).toBe('');
});
