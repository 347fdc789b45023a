import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { isApiCall, openConsole } from './harness.ts';

const site = openConsole();
const operators = openConsole({ role: 'operator', topUpUsd: '0' });

const ownerPages = [
  ...[
    '/',
    '/usage',
    '/charges',
    '/credit',
    '/models',
    '/workflows',
    '/pulse',
    '/keys',
    '/devices',
    '/webhooks',
    '/team',
  ],
  ...['/playground', '/charges/chg_01', '/credit/top_01', '/pulse/checkout', '/webhooks/wh_01'],
];
const operatorPages = ['/', '/credits', '/health', '/audit', '/accounts/acc_01'];

/** What the service refuses with, and what a page must say then: what is wrong, and what to do about it. */
const refusals: [status: number, code: string, reason: string, says: RegExp][] = [
  [402, 'FAILED_PRECONDITION', 'INSUFFICIENT_CREDIT', /not enough credit.*Top up/i],
  [403, 'PERMISSION_DENIED', 'SCOPE_MISSING', /This sign-in may not do that/],
  [403, 'PERMISSION_DENIED', 'ACCOUNT_SUSPENDED', /suspended.*Ask whoever runs this service/],
  [404, 'NOT_FOUND', 'NOT_FOUND', /not found.*removed/i],
  [429, 'RESOURCE_EXHAUSTED', 'RATE_LIMITED', /Too many requests.*Wait/],
  [500, 'INTERNAL', 'INTERNAL', /Internal error.*request id/],
  [503, 'UNAVAILABLE', 'LEDGER_UNAVAILABLE', /ledger does not answer.*No money moved/],
  [503, 'UNAVAILABLE', 'OVERLOADED', /overloaded/],
];

/** A reply of something between: no JSON, no reason, no id. */
const unknown = /The service answered 502|does not answer/;

async function refuseAll(page: Page, [status, code, reason]: (typeof refusals)[number]): Promise<void> {
  await page.route(isApiCall, (route) =>
    route.fulfill({
      status,
      headers: { 'x-request-id': 'req-of-the-test', 'content-type': 'application/json' },
      body: JSON.stringify({
        error: {
          ...{ code: status, status: code, message: 'In English, by the service.' },
          details: [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason }],
        },
      }),
    }),
  );
}

for (const [role, pages, of] of [
  ['an owner', ownerPages, site],
  ['an operator', operatorPages, operators],
] as const)
  describe(`pages of ${role} whose requests fail`, () => {
    test.each(refusals)(
      '%i %s %s: each says what it is, what to do, and the request id',
      async (...refusal) => {
        const page = await of.open('/');
        await refuseAll(page, refusal);
        const silent: string[] = [];
        for (const path of pages) {
          await page.goto(`/console${path}`);
          await page.locator('h1, .alone').first().waitFor();
          const alert = page.getByRole('alert').filter({ hasText: 'req-of-the-test' }).first();
          await alert.waitFor({ timeout: 20_000 }).catch(() => silent.push(`${path}: no alert`));
          if (!(await alert.isVisible())) continue;
          const text = (await alert.textContent()) ?? '';
          if (!refusal[3].test(text)) silent.push(`${path}: ${text}`);
          // Nothing that is not known is shown as a figure.
          if (/\$0\.00|NaN|undefined/.test((await page.locator('main').textContent()) ?? ''))
            silent.push(`${path}: shows a figure`);
        }
        expect(silent).toEqual([]);
      },
      240_000,
    );

    test('a reply of a proxy, without words, is worded, too', async () => {
      const page = await of.open('/');
      await page.route(isApiCall, (route) => route.fulfill({ status: 502, body: '<h1>Bad gateway</h1>' }));
      for (const path of pages) {
        await page.goto(`/console${path}`);
        await page.getByRole('alert').filter({ hasText: unknown }).first().waitFor({ timeout: 20_000 });
      }
    }, 240_000);
  });
