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

test.each([
  ['/', 'en-US'],
  ['/', 'de-DE'],
  ['/models', 'en-US'],
])('every file of %s in %s is on its way before a script has come, and none is named in vain', async (path, locale) => {
  const asked = new Set<string>();
  let named: string[] = [];
  const allAsked = Promise.withResolvers<void>();
  const files = (paths: Iterable<string>) => [...paths].filter((each) => each.includes('/assets/')).sort();
  const look = () => {
    if (named.length > 0 && files(named).every((each) => asked.has(each))) allAsked.resolve();
  };
  const page = await site.open(path, {
    credential: site.newcomer.managementKey,
    locale,
    prepare: async (context) => {
      context.on('response', (response) => {
        if (!response.request().isNavigationRequest()) return;
        named = [...(response.headers().link ?? '').matchAll(/<([^>]+)>/g)].map(([, address = '']) => address);
        look();
      });
      context.on('request', (request) => {
        asked.add(new URL(request.url()).pathname);
        look();
      });
      await context.route('**/console/assets/*.js', async (route) => {
        await allAsked.promise;
        await route.continue();
      });
    },
  });
  await settled(page);
  expect(files(asked)).toEqual(files(named));
  // With the page, few enough that none waits long for another: a browser has six requests to a host at a time.
  expect(named.length).toBeLessThanOrEqual(locale === 'en-US' ? 7 : 8);
});
