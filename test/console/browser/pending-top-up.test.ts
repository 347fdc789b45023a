import { afterAll, describe, expect, test } from 'vitest';
import { send } from '../../support/app.ts';
import { type FakeStripe, sendEvent, startStripe, webhookSecret } from '../../support/stripe.ts';
import { openConsole } from './harness.ts';

const stripe: FakeStripe = await startStripe();
const site = openConsole({
  topUpUsd: '0',
  payments: `{ provider: stripe, allowSandbox: true, stripe: { successUrl: "https://shop.test/paid", apiUrl: "${stripe.url}" } }`,
  variables: { STRIPE_SECRET_KEY: 'sk_test_1', STRIPE_WEBHOOK_SECRET: webhookSecret },
});
afterAll(() => stripe.close());

const topUps = async () => (await send(site.app, 'GET', '/v1/wallet/top-ups', site.customer.managementKey)).body.topUps;

test('a top-up waits for its payment, and the page says when it came, without being asked', async () => {
  const page = await site.open('/credit');
  await page.getByRole('button', { name: '$50' }).click();
  await page.getByRole('button', { name: 'Top up', exact: true }).click();
  await page.getByText('Waiting for the payment of $50.00').waitFor();
  const [{ topUpId, paymentUrl, state }] = await topUps();
  expect(state).toBe('pending');
  expect(page.url()).toContain(`/console/credit/${topUpId}`);
  expect(await page.getByRole('link', { name: 'Pay now' }).getAttribute('href')).toBe(paymentUrl);
  // Back from the provider's page, or by a reload, it waits on.
  await page.reload();
  await page.getByText('Waiting for the payment of $50.00').waitFor();
  await page.getByText('Add credit to start.').waitFor();

  await sendEvent(site.app, 'checkout.session.completed', stripe.pay(topUpId));
  await page.getByText('$50.00 was paid').waitFor();
  await page.getByText('Add credit to start.').waitFor({ state: 'detached' });
  expect((await topUps())[0].state).toBe('paid');
});

test('an amount that is no whole cent is refused before it is sent', async () => {
  const page = await site.open('/credit');
  await page.getByLabel('Amount in USD').first().fill('5.001');
  await page.getByRole('button', { name: 'Top up', exact: true }).click();
  await page.getByText('Enter a multiple of $0.01.').waitFor();
});

describe('where payments are taken by hand', () => {
  const manual = openConsole({ topUpUsd: '0', payments: '{ provider: manual }' });

  test('a top-up of the application wallet says that it was asked for', async () => {
    const page = await manual.open('/credit');
    const apart = page
      .locator('section')
      .filter({ has: page.getByRole('heading', { name: 'Application wallet', exact: true }) });
    await apart.locator('summary').click();
    await apart.getByLabel('Amount in USD').fill('6');
    await apart.getByRole('button', { name: 'Top up the application wallet' }).click();
    await page.getByText('The top-up of $6.00 was requested.').waitFor();
    // A second press asks for nothing more.
    expect(await apart.getByLabel('Amount in USD').inputValue()).toBe('');
  });
});
