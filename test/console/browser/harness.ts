import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type Customer, onboard, send, startApp, type TestApp, type TestAppOptions } from '../../support/app.ts';
import { firstServer, useDatabase } from '../../support/database.ts';
import { axeViolations } from './axe.ts';
import { launchChromium } from './chromium.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const shots = join(root, '.cache', 'console');

export interface ConsoleOptions extends Omit<TestAppOptions, 'databaseUrl'> {
  /** Who signs in; the account's owner when unset. */
  role?: 'owner' | 'operator';
  /** What the account of the tests was topped up with; `5.00` when unset, `0` for nothing. */
  topUpUsd?: string;
  /** Makes what the pages are to show, by the API, before the first page is opened. */
  fill?: (site: Site) => Promise<void>;
}

/** How a page is looked at. */
export interface Look {
  name: 'light' | 'dark' | 'phone';
  context: BrowserContextOptions;
}

const looks: readonly Look[] = [
  { name: 'light', context: { colorScheme: 'light', viewport: { width: 1280, height: 900 } } },
  { name: 'dark', context: { colorScheme: 'dark', viewport: { width: 1280, height: 900 } } },
  {
    name: 'phone',
    context: { colorScheme: 'light', viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true },
  },
];

export type State = 'filled' | 'empty' | 'slow' | 'failing';
const states: readonly State[] = ['filled', 'empty', 'slow', 'failing'];

export interface OpenOptions {
  look?: Look['name'];
  /** Which credential signs in; that of the site's role when unset. `null`: nobody. */
  credential?: string | null;
  /** What the browser asks for, such as `de-DE`; English when unset. */
  locale?: string;
  /** Changes the context before the page is opened, such as by routes. */
  prepare?: (context: BrowserContext) => Promise<unknown>;
}

export interface Site {
  readonly app: TestApp;
  /** The account of the tests, with a key and credit. */
  readonly customer: Customer;
  /** An account that has nothing but its management key. */
  readonly newcomer: { accountId: string; managementKey: string };
  /** A page of the console below `/console`, signed in. It is closed after the test. */
  open(path: string, options?: OpenOptions): Promise<Page>;
  /**
   * Declares the tests that every page has: filled, empty, slow and failing, each in light, in dark and on a phone. axe finds nothing, the page has no
   * error, the policy is kept, nothing scrolls sideways; a screenshot of each is kept in `.cache/console/`.
   */
  matrix(path: string, options: MatrixOptions): void;
}

export interface MatrixOptions {
  /** Begins the names of the screenshots. */
  name: string;
  /** Which states; all when unset. A page that reads nothing is never slow or failing. */
  states?: readonly State[];
  /** Whether it is looked at by a stranger: the sign-in. */
  signedOut?: boolean;
  /** What the browser asks for, such as `de-DE`; English when unset. */
  locale?: string;
  /** Brings the page to what is looked at, such as by opening a dialog. Not in the states slow and failing. */
  arrange?: (page: Page, state: State) => Promise<void>;
  /** In which looks; all when unset. */
  looks?: readonly Look['name'][];
  /** What else has to hold of the page, beside what holds of all. */
  check?: (page: Page) => Promise<void>;
}

/** One service with a database of its own, one browser, and an account, for the tests of one file. */
export function openConsole(options: ConsoleOptions = {}): Site {
  const { role = 'owner', topUpUsd = '5.00', fill, ...appOptions } = options;
  const database = useDatabase(firstServer());
  const opened: BrowserContext[] = [];
  const signedIn = new Map<string, Awaited<ReturnType<BrowserContext['storageState']>>>();
  let app: TestApp;
  let browser: Browser;
  let customer: Customer;
  let newcomer: Site['newcomer'];

  beforeAll(async () => {
    buildConsole();
    browser = await launchChromium();
    app = await startApp({ ...appOptions, databaseUrl: database().url });
    customer = await onboard(app, topUpUsd);
    const { body } = await send(app, 'POST', '/v1/accounts', app.operatorToken, { displayName: 'A new customer' });
    newcomer = { accountId: body.account.accountId, managementKey: body.managementKey };
    await fill?.(site);
  });
  afterEach(async () => {
    for (const context of opened.splice(0)) await context.close();
  });
  afterAll(async () => {
    await browser?.close();
    await app?.close();
  });

  const newPage = async (contextOptions: BrowserContextOptions): Promise<Page> => {
    const context = await browser.newContext({ baseURL: app.url, ...contextOptions });
    opened.push(context);
    return await context.newPage();
  };

  // Once for each credential, by the form, as a person does; further pages have its cookie.
  const storageOf = async (credential: string) => {
    const known = signedIn.get(credential);
    if (known) return known;
    const page = await newPage({});
    await page.goto('/console/');
    await signIn(page, credential, credential === app.operatorToken ? 'operator' : 'owner');
    const storage = await page.context().storageState();
    signedIn.set(credential, storage);
    return storage;
  };

  const site: Site = {
    get app() {
      return app;
    },
    get customer() {
      return customer;
    },
    get newcomer() {
      return newcomer;
    },
    open: async (path, { look = 'light', credential, locale = 'en-US', prepare } = {}) => {
      const who =
        credential === undefined ? (role === 'operator' ? app.operatorToken : customer.managementKey) : credential;
      const context = looks.find(({ name }) => name === look)?.context ?? {};
      const page = await newPage({ ...context, locale, ...(who !== null && { storageState: await storageOf(who) }) });
      await prepare?.(page.context());
      await page.goto(`/console${path}`);
      return page;
    },
    matrix: (path, { name, states: chosen = states, signedOut = false, locale, arrange, looks: wanted, check }) => {
      describe(`${path} in every state and look`, () => {
        for (const state of chosen)
          for (const look of looks.filter((each) => wanted?.includes(each.name) ?? true))
            test(`${state}, ${look.name}`, async () => {
              const faults: string[] = [];
              const credential = signedOut ? null : state === 'empty' && role === 'owner' && newcomer.managementKey;
              const page = await site.open('/', {
                look: look.name,
                ...(locale !== undefined && { locale }),
                ...(credential !== false && { credential }),
                prepare: async (context) => {
                  context.on('weberror', (error) => faults.push(String(error.error())));
                  context.on('console', (message) => {
                    // What is refused on purpose is told by the browser, too.
                    const refused = state === 'failing' && message.text().startsWith('Failed to load resource');
                    if (message.type() === 'error' && !refused) faults.push(message.text());
                  });
                },
              });
              await disturb(page, state);
              await page.goto(`/console${path}`);
              await settled(page, state);
              if (state === 'filled' || state === 'empty') await arrange?.(page, state);
              mkdirSync(shots, { recursive: true });
              await page.screenshot({ path: join(shots, `${name}-${state}-${look.name}.png`), fullPage: true });
              expect(await axeViolations(page)).toEqual([]);
              await widenIds(page);
              expect(await sidewaysScroll(page)).toEqual([]);
              expect(await namelessRowButtons(page)).toEqual([]);
              expect(faults).toEqual([]);
              await check?.(page);
            });
      });
    },
  };
  return site;
}

/** Signs in by the form. The page is then the one of its address. */
export async function signIn(page: Page, credential: string, role: 'owner' | 'operator' = 'owner'): Promise<void> {
  if (role === 'operator') await page.getByRole('radio', { name: 'Operator' }).check();
  await page.getByLabel(role === 'operator' ? 'Operator token' : 'Management key').fill(credential);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.locator('.shell').waitFor();
}

/** Waits until the page has loaded what it shows: a title, and no skeleton; or, where that is what is looked at, a skeleton or an alert. */
export async function settled(page: Page, state: State = 'filled'): Promise<void> {
  await page.locator('h1').waitFor();
  if (state === 'slow') return await page.locator('.skeleton').first().waitFor();
  if (state === 'failing') return await page.getByRole('alert').first().waitFor();
  await page.locator('body:not(:has(.skeleton, .chart-wait))').waitFor();
}

/** Whether a path is the API's, and not the console's. */
export function isApiCall(url: URL): boolean {
  return /^\/(api\/)?v1\//.test(url.pathname);
}

async function disturb(page: Page, state: State): Promise<void> {
  if (state === 'slow') await page.route(isApiCall, () => {});
  if (state === 'failing')
    await page.route(isApiCall, (route) =>
      route.fulfill({
        status: 503,
        headers: { 'x-request-id': 'req-of-the-test', 'content-type': 'application/json' },
        body: JSON.stringify({
          error: {
            code: 503,
            status: 'UNAVAILABLE',
            message: 'The ledger is not available.',
            details: [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'LEDGER_UNAVAILABLE' }],
          },
        }),
      }),
    );
}

/** Makes every id as wide as one can be: which letters it has is chance, and so is whether it fits. */
async function widenIds(page: Page): Promise<void> {
  await page.evaluate(`
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
      const text = texts.currentNode;
      text.data = text.data.replace(/(?<=_)[0-9a-hjkmnp-tv-z]{26}/g, 'm'.repeat(26));
    }
  `);
}

/** What is wider than the window and makes the page scroll sideways; nothing, where the page does not. */
async function sidewaysScroll(page: Page): Promise<string[]> {
  return await page.locator('html').evaluate((html) => {
    if (html.scrollWidth <= html.clientWidth) return [];
    return [...html.querySelectorAll('body *')]
      .filter((element) => element.getBoundingClientRect().right > html.clientWidth + 1)
      .slice(0, 5)
      .map((element) => [element.tagName, element.className, element.textContent?.slice(0, 40)].join(' '));
  });
}

/** Buttons of rows that a screen reader reads without what they are for: `Delete`, of which each row has one. */
async function namelessRowButtons(page: Page): Promise<string[]> {
  const buttons = page.locator('tbody td:not(.phone-title) button:not([aria-label])');
  return await buttons.evaluateAll((all) => all.map((button) => button.textContent ?? ''));
}

/** What is served is what the sources say, also when one test file is run by itself. */
function buildConsole(): void {
  const built = spawnSync(process.execPath, ['scripts/build-console.mjs'], { cwd: root, encoding: 'utf8' });
  if (built.status !== 0) throw new Error(`The console could not be built:\n${built.stdout}${built.stderr}`);
}
