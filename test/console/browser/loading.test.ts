import { expect, test } from 'vitest';
import { openConsole, settled } from './harness.ts';

const site = openConsole();

/** What a page asks for, in order; the session is answered when `until` was asked for. */
async function openedWhile(path: string, until: RegExp, credential?: null) {
  const asked: string[] = [];
  const untilAsked = Promise.withResolvers<void>();
  const page = await site.open(path, {
    ...(credential === null && { credential }),
    prepare: async (context) => {
      context.on('request', (request) => {
        const { pathname } = new URL(request.url());
        asked.push(`${request.method()} ${pathname}`);
        if (until.test(pathname)) untilAsked.resolve();
      });
      await context.route('**/console/session', async (route) => {
        await untilAsked.promise;
        await route.continue();
      });
    },
  });
  await settled(page);
  return { page, asked };
}

test.each([
  ['/', /page-overview/],
  ['/charges/chg_01k9zq6m4f0000000000000000', /page-charges/],
  ['/webhooks', /page-webhooks/],
])('the page of %s is on its way before it is known who is signed in', async (path, file) => {
  const { asked } = await openedWhile(path, file);
  expect(asked.filter((each) => file.test(each) && each.endsWith('.js'))).toHaveLength(1);
});

test('the session is asked for once, and before the script has run', async () => {
  const { asked } = await openedWhile('/', /page-overview/);
  expect(asked.filter((each) => each === 'GET /console/session')).toHaveLength(1);
  const ran = asked.findIndex((each) => /page-overview/.test(each));
  expect(asked.indexOf('GET /console/session')).toBeLessThan(ran);
});

test('a stranger sees the sign-in all the same', async () => {
  const { page } = await openedWhile('/usage', /page-usage/, null);
  expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Sign in');
});
