import { Command } from 'commander';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { registerTopUps } from '../../src/cli/top-ups.ts';
import { auditLedger } from '../../src/wallet/index.ts';
import { type Customer, onboard, reasonOf, send, startApp, type TestApp, testConfig } from '../support/app.ts';
import { eachServer, useDatabase } from '../support/database.ts';
import { type FakeSession, type FakeStripe, sendEvent, startStripe, webhookSecret } from '../support/stripe.ts';

const variables = { STRIPE_SECRET_KEY: 'sk_test_1', STRIPE_WEBHOOK_SECRET: `whsec_old, ${webhookSecret}` };
const paymentsOf = (url: string) =>
  `{ provider: stripe, allowSandbox: true, stripe: { successUrl: "https://shop.test/paid", apiUrl: "${url}" } }`;

eachServer((server) => {
  const database = useDatabase(server);
  let stripe: FakeStripe;
  let app: TestApp;
  let customer: Customer;
  beforeAll(async () => {
    stripe = await startStripe();
    app = await startApp({ databaseUrl: database().url, payments: paymentsOf(stripe.url), variables });
  });
  afterAll(async () => {
    await app.close();
    await stripe.close();
  });
  beforeEach(async () => {
    customer = await onboard(app, '0');
  });

  const topUp = async (amountUsd = '10.00', key = 'k') =>
    send(app, 'POST', '/v1/wallet/top-ups', customer.managementKey, { amountUsd }, { 'idempotency-key': key });
  const balance = async () =>
    (await send(app, 'GET', '/v1/wallet', customer.managementKey)).body.wallet.balanceUsd as string;
  const stateOf = async (id: string) =>
    (await send(app, 'GET', `/v1/wallet/top-ups/${id}`, customer.managementKey)).body.topUp.state as string;
  const sound = async () => expect(await auditLedger(database().database)).toEqual([]);
  const events = app_events();

  /** A top-up whose session is paid, before any event tells so. */
  async function paidSession(amountUsd = '10.00'): Promise<{ id: string; session: FakeSession }> {
    const { body } = await topUp(amountUsd);
    const id = body.topUp.topUpId as string;
    return { id, session: stripe.pay(id) };
  }

  function app_events() {
    const send = (type: string) => (object: object, options?: Parameters<typeof sendEvent>[3]) =>
      sendEvent(app, type, object, options);
    return {
      completed: send('checkout.session.completed'),
      succeeded: send('checkout.session.async_payment_succeeded'),
      asyncFailed: send('checkout.session.async_payment_failed'),
      expired: send('checkout.session.expired'),
      refunded: send('refund.created'),
      refundFailed: send('refund.failed'),
      disputed: send('charge.dispute.created'),
      disputeClosed: send('charge.dispute.closed'),
    };
  }

  let numbers = 0;
  const refund = ({ payment_intent }: FakeSession, cents: number, status = 'succeeded') => ({
    id: `re_${++numbers}`,
    object: 'refund',
    amount: cents,
    currency: 'usd',
    payment_intent,
    status,
  });
  const dispute = ({ payment_intent }: FakeSession, cents: number, status = 'needs_response') => ({
    id: `dp_${++numbers}`,
    object: 'dispute',
    amount: cents,
    currency: 'usd',
    payment_intent,
    status,
  });

  test('payment options say that Stripe takes whole cents, and that a test key moves no money', async () => {
    const { body } = await send(app, 'GET', '/v1/wallet/payment-options', customer.managementKey);
    expect(body.options).toEqual({
      ...{ provider: 'stripe_test', sandbox: true, currency: 'USD', instructions: '' },
      ...{ minimumUsd: '5.00', maximumUsd: '10000.00', stepUsd: '0.01' },
    });
  });

  test('a top-up waits on Stripe’s page, and several events about its payment credit it once', async () => {
    const first = await topUp();
    expect(first.body.topUp).toMatchObject({ state: 'pending', provider: 'stripe_test', amountUsd: '10.00' });
    expect(first.body.topUp.paymentUrl).toContain('https://checkout.stripe.test/');
    const again = await topUp();
    expect(again.body.topUp).toEqual(first.body.topUp);
    const id = first.body.topUp.topUpId;
    const session = stripe.pay(id);
    expect(await balance()).toBe('0.00');
    const statuses = await Promise.all([
      events.completed(session, { id: 'evt_same' }),
      events.completed(session, { id: 'evt_same' }),
      events.completed(session),
      events.succeeded(session),
    ]);
    expect(statuses).toEqual([200, 200, 200, 200]);
    expect(await balance()).toBe('10.00');
    expect(await stateOf(id)).toBe('paid');
    await sound();
  });

  test('a forged, stale or unsigned event changes nothing', async () => {
    const { session } = await paidSession();
    expect(await events.completed(session, { secret: 'whsec_forged' })).toBe(400);
    const old = `t=${Math.floor(Date.now() / 1_000) - 3_600},v1=00`;
    expect(await events.completed(session, { signature: old })).toBe(400);
    const unsigned = await fetch(`${app.url}/webhooks/stripe`, { method: 'POST', body: '{}' });
    expect(unsigned.status).toBe(400);
    const large = await fetch(`${app.url}/webhooks/stripe`, {
      method: 'POST',
      headers: { 'stripe-signature': 't=1,v1=00' },
      body: 'x'.repeat(600_000),
    });
    expect(large.status).toBe(413);
    expect(await balance()).toBe('0.00');
  });

  test.each([
    ['a payment that is not there yet', { payment_status: 'unpaid' }],
    ['a payment of nothing', { payment_status: 'no_payment_required' }],
    ['another currency', { currency: 'eur' }],
    ['another amount', { amount_subtotal: 100 }],
    ['a discount', { total_details: { amount_discount: 100, amount_tax: 0, amount_shipping: 0 } }],
    ['a subscription', { mode: 'subscription' }],
    ['the other mode', { livemode: true }],
    ['a session that is not the top-up’s own', { id: 'cs_test_other' }],
    ['a session of something else', { metadata: {} }],
    ['a top-up that does not exist', { metadata: { top_up_id: 'top_01k0000000000000000000000a' } }],
  ])('%s credits nothing', async (_, change: Partial<FakeSession>) => {
    const { session } = await paidSession();
    expect(await events.completed({ ...session, ...change })).toBe(200);
    expect(await balance()).toBe('0.00');
  });

  test('an event of the other mode is not ours', async () => {
    const { session } = await paidSession();
    expect(await events.completed(session, { livemode: true })).toBe(200);
    expect(await balance()).toBe('0.00');
  });

  test('tax on top is not credited and does not hinder', async () => {
    const { session } = await paidSession();
    const total_details = { amount_discount: 0, amount_tax: 190, amount_shipping: 0 };
    await events.completed({ ...session, amount_total: 1190, total_details });
    expect(await balance()).toBe('10.00');
  });

  describe('of a payment with tax', () => {
    const taxed = async () => {
      const { session } = await paidSession();
      const total_details = { amount_discount: 0, amount_tax: 190, amount_shipping: 0 };
      await events.completed(Object.assign(session, { amount_total: 1190, total_details }));
      return session;
    };

    test('a refund takes as much of the credit as it is of the payment, and refunds of all of it take all', async () => {
      const session = await taxed();
      await events.refunded(refund(session, 595));
      expect(await balance()).toBe('5.00');
      // 1.00 of 11.90 USD; rounded up to a billionth of a dollar.
      await events.refunded(refund(session, 100));
      expect(await balance()).toBe('4.159663865');
      await events.refunded(refund(session, 495));
      expect(await balance()).toBe('0.00');
      await sound();
    });

    test('a refund that fails gives back what it took, and a dispute takes the credit alone', async () => {
      const session = await taxed();
      const made = refund(session, 595, 'pending');
      await events.refunded(made);
      await events.refundFailed({ ...made, status: 'failed' });
      expect(await balance()).toBe('10.00');
      await events.disputed(dispute(session, 595));
      expect(await balance()).toBe('5.00');
      await sound();
    });

    test('a refund that comes before its session takes the same', async () => {
      const { session } = await paidSession();
      await events.refunded(refund(session, 595));
      Object.assign(session, { amount_total: 1190 });
      await events.completed(session);
      expect(await balance()).toBe('5.00');
      await sound();
    });

    test('that was noted before tax was, a refund takes its whole amount, until the session is told again', async () => {
      const session = await taxed();
      await sql`UPDATE provider_payment SET paid_cents = NULL`.execute(database().database.for<never>());
      await events.refunded(refund(session, 119));
      expect(await balance()).toBe('8.81');
      await events.completed(session);
      await events.refunded(refund(session, 119));
      expect(await balance()).toBe('7.81');
      await sound();
    });
  });

  test('a session that expires or fails closes its top-up; a payment that comes late is still credited', async () => {
    const { body } = await topUp();
    const id = body.topUp.topUpId;
    const session = stripe.sessions.find(({ metadata }) => metadata.top_up_id === id) as FakeSession;
    await events.expired({ ...session, status: 'expired' });
    expect(await stateOf(id)).toBe('expired');
    await events.completed(stripe.pay(id));
    expect(await stateOf(id)).toBe('paid');
    await events.expired({ ...session, status: 'expired', payment_status: 'unpaid' });
    expect(await stateOf(id)).toBe('paid');
    expect(await balance()).toBe('10.00');
    const other = await topUp('5.00', 'other');
    const failing = stripe.sessions.find(({ metadata }) => metadata.top_up_id === other.body.topUp.topUpId);
    await events.asyncFailed({ ...failing, status: 'complete' });
    expect(await stateOf(other.body.topUp.topUpId)).toBe('failed');
  });

  test('a refund that comes before its session waits for it', async () => {
    const { session } = await paidSession();
    expect(await events.refunded(refund(session, 400))).toBe(200);
    expect(await balance()).toBe('0.00');
    await events.completed(session);
    expect(await balance()).toBe('6.00');
    await sound();
  });

  test('what is parked is settled by asking Stripe when no other event comes', async () => {
    const { session } = await paidSession();
    await events.refunded(refund(session, 400));
    await events.refunded({ ...refund(session, 400), payment_intent: 'pi_of_another_shop' });
    await makeDue();
    expect(await app.rooms.stripeEvents?.retry()).toBe(2);
    expect(await balance()).toBe('6.00');
    await makeDue();
    expect(await app.rooms.stripeEvents?.retry()).toBe(0);
    await sound();
  });

  test('an event that was stored while Stripe was away is settled when it is back', async () => {
    const { session } = await paidSession();
    await events.refunded(refund(session, 400));
    stripe.failing = true;
    await makeDue();
    await app.rooms.stripeEvents?.retry();
    expect(await balance()).toBe('0.00');
    stripe.failing = false;
    await makeDue();
    await app.rooms.stripeEvents?.retry();
    expect(await balance()).toBe('6.00');
  });

  test('an event that is sent again while it is parked counts as the attempt that it is', async () => {
    const { session } = await paidSession();
    const early = refund(session, 400);
    for (let sent = 0; sent < 40; sent += 1) expect(await events.refunded(early, { id: 'evt_again' })).toBe(200);
    const { rows } = await sql<{ state: string; attempts: number }>`
      SELECT state, attempts FROM provider_event WHERE event_id = 'evt_again'`.execute(
      database().database.for<never>(),
    );
    expect(rows).toEqual([{ state: 'failed', attempts: 40 }]);
  });

  test('a refund that fails gives back what it took, in whatever order its events come', async () => {
    for (const order of [
      ['made', 'failed'],
      ['failed', 'made'],
    ]) {
      const { session } = await paidSession();
      await events.completed(session);
      const before = await balance();
      const made = refund(session, 400, 'pending');
      for (const which of order)
        await (which === 'made' ? events.refunded(made) : events.refundFailed({ ...made, status: 'failed' }));
      expect(await balance()).toBe(before);
      customer = await onboard(app, '0');
    }
    await sound();
  });

  describe('a dispute', () => {
    const spend = () =>
      send(app, 'POST', '/api/v1/assistant/chat', customer.apiKey, { messages: [{ role: 'user', content: 'Hello.' }] });

    test('stops use while it is open; won, it gives everything back', async () => {
      const { session } = await paidSession();
      await events.completed(session);
      expect((await spend()).status).toBe(200);
      const before = await balance();
      const open = dispute(session, 400);
      await events.disputed(open);
      await events.disputed(open);
      expect(Number(await balance())).toBeLessThan(6);
      expect((await spend()).status).toBe(402);
      await events.disputeClosed({ ...open, status: 'won' });
      await events.disputed(open);
      expect(await balance()).toBe(before);
      expect((await spend()).status).toBe(200);
      await sound();
    });

    test('stops earlier replies of the cache too', async () => {
      const { session } = await paidSession();
      await events.completed(session);
      const ask = () =>
        send(app, 'POST', '/api/v1/assistant/chat', customer.apiKey, {
          messages: [{ role: 'user', content: 'Hello.' }],
          cache: { maxAgeSeconds: 600 },
        });
      // Kept after the answer, so asked until it is there.
      await expect.poll(async () => (await ask()).body.cache).toMatchObject({ hit: true });
      const open = dispute(session, 400);
      await events.disputed(open);
      expect((await ask()).status).toBe(402);
      await events.disputeClosed({ ...open, status: 'won' });
      expect((await ask()).body.cache).toMatchObject({ hit: true });
    });

    test('lost after the money is spent leaves a debt that the next top-up pays first', async () => {
      const { session } = await paidSession('5.00');
      await events.completed(session);
      await send(
        app,
        'POST',
        `/v1/accounts/${customer.accountId}/adjustments`,
        app.operatorToken,
        { direction: 'take', amountUsd: '3.00', reason: 'spent' },
        { 'idempotency-key': 'spent' },
      );
      const open = dispute(session, 500);
      await events.disputeClosed({ ...open, status: 'lost' });
      await events.disputed(open);
      const { body } = await send(app, 'GET', '/v1/wallet', customer.managementKey);
      expect(body.wallet).toMatchObject({ balanceUsd: '0.00', owedUsd: '3.00' });
      expect((await spend()).status).toBe(402);
      const next = await topUp('10.00', 'next');
      await events.completed(stripe.pay(next.body.topUp.topUpId));
      expect(await balance()).toBe('7.00');
      expect((await spend()).status).toBe(200);
      await sound();
    });

    test('that is only a question takes nothing', async () => {
      const { session } = await paidSession();
      await events.completed(session);
      await events.disputed(dispute(session, 1_000, 'warning_needs_response'));
      expect(await balance()).toBe('10.00');
    });

    test('and refunds together never take more than the payment', async () => {
      const { session } = await paidSession();
      await events.completed(session);
      await events.refunded(refund(session, 700));
      const open = dispute(session, 700);
      await events.disputed(open);
      // What is left of the payment is taken, and use is blocked until the dispute ends.
      expect(await balance()).toBe('0.00');
      await events.disputeClosed({ ...open, status: 'won' });
      expect(await balance()).toBe('3.00');
      await sound();
    });
  });

  test('whatever order all events of a payment come in, the balance ends the same', async () => {
    for (const order of permutations(['paid', 'refund', 'disputed', 'lost'])) {
      customer = await onboard(app, '0');
      const { session } = await paidSession();
      const [taken, disputed] = [refund(session, 200), dispute(session, 300)];
      for (const name of order) {
        if (name === 'paid') await events.completed(session);
        if (name === 'refund') await events.refunded(taken);
        if (name === 'disputed') await events.disputed(disputed);
        if (name === 'lost') await events.disputeClosed({ ...disputed, status: 'lost' });
      }
      expect([order, await balance()]).toEqual([order, '5.00']);
    }
    await sound();
  });

  test('a refund beside a dispute that is won takes all of its amount, whichever of them is told first', async () => {
    for (const order of permutations(['paid', 'refund', 'disputed', 'won'])) {
      customer = await onboard(app, '0');
      const { session } = await paidSession();
      const [taken, disputed] = [refund(session, 700), dispute(session, 700)];
      for (const name of order) {
        if (name === 'paid') await events.completed(session);
        if (name === 'refund') await events.refunded(taken);
        if (name === 'disputed') await events.disputed(disputed);
        if (name === 'won') await events.disputeClosed({ ...disputed, status: 'won' });
      }
      expect([order, await balance()]).toEqual([order, '3.00']);
    }
    await sound();
  });

  test('reconciling asks Stripe and settles what no event has told', async () => {
    const { id, session } = await paidSession();
    const reversal = refund(session, 300);
    stripe.refunds.push(reversal);
    stripe.sessions.push({ ...session, id: 'cs_test_lost', metadata: { top_up_id: 'top_01k0000000000000000000000b' } });
    const problems: string[] = [];
    const seen = await app.rooms.stripeEvents?.reconcile(Date.now() - 86_400_000, (problem) => problems.push(problem));
    stripe.sessions.pop();
    stripe.refunds.pop();
    expect(seen?.credited).toBeGreaterThanOrEqual(1);
    expect(await stateOf(id)).toBe('paid');
    expect(await balance()).toBe('7.00');
    expect(problems.join('\n')).toContain(
      'cs_test_lost: paid, but top_01k0000000000000000000000b is not in this database',
    );
    await events.completed(session);
    await events.refunded(reversal);
    expect(await balance()).toBe('7.00');
    await sound();
  });

  test('the command tells what it found, and fails when something needs a person', async () => {
    const events = app.rooms.stripeEvents;
    if (!events) throw new Error('Stripe is not the provider.');
    const run = async (...args: string[]) => {
      const lines: string[] = [];
      const openPayments = async () => ({ payments: events, close: async () => {} });
      const program = new Command().exitOverride();
      registerTopUps(program, { openPayments, write: (line) => lines.push(line) });
      await program.parseAsync(['top-ups', 'reconcile', ...args], { from: 'user' });
      const code = process.exitCode;
      process.exitCode = undefined;
      return { code, lines };
    };
    const { session } = await paidSession();
    // Sessions of other tests stay unfit for ever.
    const others = stripe.sessions.splice(0, stripe.sessions.length, session);
    const sound = await run();
    expect(sound).toEqual({
      code: undefined,
      lines: ['1 sessions, 0 refunds and 0 disputes looked at; 1 top-ups credited; 0 problems.'],
    });
    stripe.sessions.push({ ...session, id: 'cs_test_again' });
    const unsound = await run('--days', '30');
    expect(unsound.code).toBe(1);
    expect(unsound.lines[0]).toMatch(/^PROBLEM {2}cs_test_again: top_.* is paid by another session$/);
    await expect(run('--days', '0')).rejects.toThrow('--days');
    stripe.sessions.splice(0, stripe.sessions.length, ...others);
  });

  test('an amount that is not whole cents, and Stripe being away, are told and make no second session', async () => {
    const cents = await topUp('5.001');
    expect(cents.status).toBe(400);
    expect(cents.body.error.message).toContain('0.01');
    stripe.failing = true;
    const away = await topUp();
    stripe.failing = false;
    expect(away.status).toBe(502);
    expect(reasonOf(away)).toBe('UPSTREAM_FAILED');
    expect(away.body.error.message).toContain('payment provider');
    const sessions = stripe.sessions.length;
    expect((await topUp()).body.topUp.state).toBe('pending');
    expect(stripe.sessions.length).toBe(sessions + 1);
  });

  test('a service with real payments refuses to start over wallets with test money', async () => {
    const { session } = await paidSession();
    await events.completed(session);
    for (const payments of ['{ provider: manual }', paymentsOf(stripe.url).replace('allowSandbox: true, ', '')])
      await expect(
        startApp({
          databaseUrl: database().url,
          payments,
          variables: { ...variables, STRIPE_SECRET_KEY: 'sk_live_1' },
        }),
      ).rejects.toThrow(/sandbox money/);
  });

  async function makeDue(): Promise<void> {
    const { sql } = await import('kysely');
    await sql`UPDATE provider_event SET next_attempt_at_us = 1 WHERE state = 'parked'`.execute(
      database().database.for<never>(),
    );
  }
});

describe('the configuration', () => {
  const decided = (payments: string, given: Record<string, string>) =>
    testConfig({ databaseUrl: 'mysql://127.0.0.1/x', payments, variables: given });

  test.each([
    ['without its settings', '{ provider: stripe }', variables, 'payments.stripe'],
    ['without a key', paymentsOf('http://x.test'), {}, 'STRIPE_SECRET_KEY'],
    [
      'with a test key where play money is not allowed',
      '{ provider: stripe, stripe: { successUrl: "https://x.test" } }',
      variables,
      'allowSandbox',
    ],
    [
      'without a webhook secret',
      paymentsOf('http://x.test'),
      { STRIPE_SECRET_KEY: 'sk_live_1' },
      'STRIPE_WEBHOOK_SECRET',
    ],
  ])('%s is refused and no secret is quoted', (_, payments, given: Record<string, string>, problem) => {
    expect(() => decided(payments, given)).toThrow(problem);
    try {
      decided(payments, given);
    } catch (error) {
      for (const secret of Object.values(given)) expect(String(error)).not.toContain(secret);
    }
  });
});

function permutations<T>(items: T[]): T[][] {
  if (items.length === 0) return [[]];
  return items.flatMap((item, index) => permutations(items.toSpliced(index, 1)).map((rest) => [item, ...rest]));
}
