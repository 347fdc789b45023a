import { sql } from 'kysely';
import type { Page } from 'playwright-core';
import { Webhook } from 'standardwebhooks';
import { afterAll, expect, test, vi } from 'vitest';
import { send } from '../../support/app.ts';
import { type Receiver, startReceiver } from '../../support/receiver.ts';
import { openConsole, settled } from './harness.ts';

let healthy: Receiver;
let ill: Receiver;
let gone: Receiver;

const site = openConsole({
  settings: 'webhooks: { allowPrivateNetworks: true }',
  fill: async () => {
    healthy = await startReceiver();
    ill = await startReceiver();
    gone = await startReceiver();
    ill.status = 500;
    gone.status = 410;
    for (const { url } of [healthy, ill, gone]) {
      const { endpointId } = (await manage('POST', '/v1/webhooks/endpoints', { url })).endpoint;
      await manage('POST', `/v1/webhooks/endpoints/${endpointId}:test`, {});
    }
    await settledDeliveries();
  },
});
afterAll(async () => {
  for (const each of [healthy, ill, gone]) await each?.close();
});

const manage = async (method: string, path: string, body?: object) =>
  (await send(site.app, method, path, site.customer.managementKey, body)).body;
const deliveries = async (query = '') => (await manage('GET', `/v1/webhooks/deliveries${query}`)).deliveries;

/** Until everything that is due was posted and noted. */
const settledDeliveries = () =>
  vi.waitFor(
    async () => {
      await site.app.rooms.webhooks.deliver();
      for (const { state } of await deliveries()) expect(state).not.toBe('pending');
    },
    { timeout: 30_000, interval: 100 },
  );

site.matrix('/webhooks', { name: 'webhooks' });
site.matrix('/webhooks', {
  name: 'webhooks-delivery',
  states: ['filled'],
  arrange: async (page) => {
    await rowOf(page, 'failed').getByRole('button').click();
    await page.getByRole('dialog').getByText('What is posted').waitFor();
  },
});
site.matrix('/webhooks', {
  name: 'webhooks-rotate',
  states: ['filled'],
  arrange: async (page) => {
    await page.getByRole('button', { name: `New secret for ${healthy.url}` }).click();
    await page.getByRole('dialog').getByLabel('The old secret also signs for').waitFor();
  },
});

const tables = (page: Page) => page.getByRole('table');
const rowOf = (page: Page, text: string) => tables(page).nth(1).getByRole('row').filter({ hasText: text }).first();

test('each endpoint and each delivery says what the API says', async () => {
  const page = await site.open('/webhooks');
  await tables(page).nth(1).waitFor();
  await settled(page);
  const { endpoints } = await manage('GET', '/v1/webhooks/endpoints');
  expect(await tables(page).nth(0).getByRole('row').count()).toBe(endpoints.length + 1);
  const shown = await deliveries();
  const rows = tables(page).nth(1).locator('tbody tr');
  expect(await rows.count()).toBe(shown.length);
  const urls = new Map(endpoints.map(({ endpointId, url }: Record<string, string>) => [endpointId, url]));
  for (const [index, delivery] of shown.entries()) {
    const cells = await rows.nth(index).locator('td').allTextContents();
    expect(cells.slice(1)).toEqual([
      'test',
      urls.get(delivery.endpointId),
      delivery.state,
      String(delivery.attempts),
      delivery.lastStatus === undefined ? 'answered 410: the endpoint is disabled' : `answered ${delivery.lastStatus}`,
      '–',
    ]);
  }
  expect(await page.getByText('An endpoint is disabled').isVisible()).toBe(true);
});

test('an endpoint is added: its secret is shown once, verifies a test, and stays nowhere', async () => {
  const server = await startReceiver();
  const page = await site.open('/webhooks');
  await page.getByRole('button', { name: 'Add an endpoint' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('URL').fill('ftp://example.com');
  await dialog.getByRole('button', { name: 'Add an endpoint' }).click();
  await dialog.getByText('must start with https://').waitFor();
  await dialog.getByLabel('URL').fill(server.url);
  await dialog.getByRole('button', { name: 'Add an endpoint' }).click();
  const secret = (await page.locator('.secret code').textContent()) ?? '';
  expect(secret).toMatch(/^whsec_/);
  // It is not to be closed by mistake.
  await page.keyboard.press('Escape');
  expect(await page.locator('.secret code').isVisible()).toBe(true);
  await page.getByLabel('I have stored it').check();
  await page.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('button', { name: `Send a test to ${server.url}` }).click();
  await vi.waitFor(
    async () => {
      await site.app.rooms.webhooks.deliver();
      expect(server.received).toHaveLength(1);
    },
    { timeout: 20_000 },
  );
  const [{ headers, body } = { headers: {}, body: '' }] = server.received;
  expect(new Webhook(secret).verify(body, headers as Record<string, string>)).toMatchObject({ type: 'webhook.test' });
  // The page asks by itself until the answer is there.
  await tables(page).nth(1).getByRole('row').filter({ hasText: server.url }).getByText('delivered').waitFor();
  const left = await page.evaluate(`[document.documentElement.outerHTML, location.href,
    JSON.stringify(localStorage), JSON.stringify(sessionStorage)].join()`);
  expect(left).not.toContain(secret.slice(6));
  await page.getByRole('button', { name: `Remove ${server.url}` }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove the endpoint' }).click();
  await vi.waitFor(
    async () => {
      const { endpoints } = await manage('GET', '/v1/webhooks/endpoints');
      expect(endpoints.map(({ url }: { url: string }) => url)).not.toContain(server.url);
    },
    { timeout: 30_000 },
  );
  await server.close();
});

test('the secret of an endpoint stays until it was kept, also after Back, and is then nowhere in memory', async () => {
  const server = await startReceiver();
  const page = await site.open('/models');
  await page.getByRole('link', { name: 'Webhooks' }).click();
  await page.getByRole('button', { name: 'Add an endpoint' }).click();
  await page.getByRole('dialog').getByLabel('URL').fill(server.url);
  await page.getByRole('dialog').getByRole('button', { name: 'Add an endpoint' }).click();
  const shown = page.locator('.secret code');
  const secret = (await shown.textContent()) ?? '';
  expect(secret).toMatch(/^whsec_/);
  expect(await memoryOf(page)).toContain(secret);
  await page.goBack();
  await page.locator('h1', { hasText: 'Models and prices' }).waitFor({ state: 'attached' });
  expect(await shown.textContent()).toBe(secret);
  await page.getByLabel('I have stored it').check();
  await page.getByRole('button', { name: 'Done' }).click();
  await shown.waitFor({ state: 'detached' });
  await page.getByRole('link', { name: 'Overview' }).click();
  await page.getByRole('link', { name: 'Webhooks' }).click();
  await tables(page).nth(1).waitFor();
  expect((await memoryOf(page)).includes(secret)).toBe(false);
  const { endpoints } = await manage('GET', '/v1/webhooks/endpoints');
  const made = endpoints.find(({ url }: { url: string }) => url === server.url);
  await manage('DELETE', `/v1/webhooks/endpoints/${made.endpointId}`);
  await server.close();
});

/** Everything that the page's scripts still hold, after what they do not was cleared away. */
async function memoryOf(page: Page): Promise<string> {
  const devtools = await page.context().newCDPSession(page);
  const chunks: string[] = [];
  devtools.on('HeapProfiler.addHeapSnapshotChunk', ({ chunk }) => chunks.push(chunk));
  await devtools.send('HeapProfiler.collectGarbage');
  await devtools.send('HeapProfiler.takeHeapSnapshot', { reportProgress: false });
  await devtools.detach();
  return chunks.join('');
}

test('deliveries are not asked for again and again where nobody is there', async () => {
  const soon = { deliveryId: 'dlv_soon', type: 'test', state: 'pending', attempts: 1 };
  const page = await site.open('/models', { prepare: (context) => context.clock.install() });
  let asked = 0;
  await page.route('**/v1/webhooks/deliveries*', async (route) => {
    asked += 1;
    const nextAttemptTime = new Date().toISOString();
    await route.fulfill({ json: { deliveries: [{ ...soon, nextAttemptTime, createTime: nextAttemptTime }] } });
  });
  await page.getByRole('link', { name: 'Webhooks' }).click();
  await tables(page).nth(1).waitFor();
  const first = asked;
  await expect
    .poll(
      async () => {
        await page.clock.runFor('00:02');
        return asked;
      },
      { timeout: 20_000 },
    )
    .toBeGreaterThan(first);
  await page.clock.runFor('05:01');
  const before = asked;
  for (let minute = 0; minute < 5; minute++) await page.clock.runFor('01:00');
  // A request that was on its way when the time came is not one of these.
  expect(asked - before).toBeLessThanOrEqual(1);
});

test('a secret is replaced, and both sign in the overlap', async () => {
  const server = await startReceiver();
  const added = await manage('POST', '/v1/webhooks/endpoints', { url: server.url });
  const page = await site.open('/webhooks');
  await page.getByRole('button', { name: `New secret for ${server.url}` }).click();
  await page.getByRole('dialog').getByLabel('The old secret also signs for').selectOption('an hour');
  await page.getByRole('button', { name: 'Replace the secret' }).click();
  const secret = (await page.locator('.secret code').textContent()) ?? '';
  await page.getByLabel('I have stored it').check();
  await page.getByRole('button', { name: 'Done' }).click();
  await page.getByText('signed with both secrets until').waitFor();
  await manage('POST', `/v1/webhooks/endpoints/${added.endpoint.endpointId}:test`, {});
  await settledDeliveries();
  const [{ headers, body } = { headers: {}, body: '' }] = server.received;
  for (const by of [secret, added.secret])
    expect(new Webhook(by).verify(body, headers as Record<string, string>)).toMatchObject({ type: 'webhook.test' });
  await manage('DELETE', `/v1/webhooks/endpoints/${added.endpoint.endpointId}`);
  await server.close();
});

test('what failed is found by its state, shows what is posted, and is posted again', async () => {
  const page = await site.open('/webhooks');
  await page.getByLabel('State').selectOption('failed');
  await page.waitForURL(/state=failed/);
  const row = tables(page).nth(1).locator('tbody tr').filter({ hasText: ill.url });
  await row.getByRole('button').click();
  const dialog = page.getByRole('dialog');
  const posted = ill.received.at(-1)?.body ?? '';
  await dialog.getByText('What is posted').waitFor();
  expect(await dialog.locator('.code pre').first().textContent()).toBe(posted);
  ill.status = 204;
  const before = ill.received.length;
  await dialog.getByRole('button', { name: 'Post it again' }).click();
  await dialog.getByText('delivered').waitFor({ timeout: 30_000 });
  expect(ill.received).toHaveLength(before + 1);
  expect(ill.received.at(-1)?.headers['webhook-id']).toBe(ill.received[0]?.headers['webhook-id']);
  // Too soon after it: the page says so.
  await sql`UPDATE webhook_delivery SET retried_at_us = ${BigInt(Date.now() + 3_600_000) * 1_000n}
    WHERE account_id = ${site.customer.accountId}`.execute(site.app.rooms.db.for<never>());
  await dialog.getByRole('button', { name: 'Post it again' }).click();
  await dialog.getByRole('alert').waitFor();
  await page.keyboard.press('Escape');
  await page.getByText('No delivery matches').or(tables(page).nth(1)).waitFor();
});
