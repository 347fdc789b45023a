import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { parseUsd } from '../../../src/base/money.ts';
import { send } from '../../support/app.ts';
import { openConsole, settled } from './harness.ts';

const site = openConsole({ topUpUsd: '0' });

interface Focus {
  /** What it is called, as a screen reader says it, as far as the markup tells. */
  name: string;
  tag: string;
  /** Whether one can see where it is. */
  visible: boolean;
}

const focused = `(() => {
  const at = document.activeElement;
  if (!at || at === document.body || at === document.documentElement) return { name: '', tag: 'BODY', visible: false };
  const style = getComputedStyle(at);
  const box = at.getBoundingClientRect();
  const ring = (style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 1) || style.boxShadow !== 'none';
  const around = at.closest('.input');
  const aroundRing = around !== null && around !== at && getComputedStyle(around).outlineStyle !== 'none';
  const label = at.labels?.[0]?.textContent ?? at.getAttribute('aria-label') ?? at.textContent ?? '';
  return { name: label.trim(), tag: at.tagName, visible: box.width > 0 && box.height > 0 && (ring || aroundRing) };
})()`;

const where = (page: Page) => page.evaluate(focused) as Promise<Focus>;

/** Goes on by Tab until something of this name has the focus, and looks at each stop on the way. */
async function tabTo(page: Page, name: string | RegExp, key = 'Tab'): Promise<void> {
  const seen: string[] = [];
  for (let step = 0; step < 90; step++) {
    await page.keyboard.press(key);
    const at = await where(page);
    seen.push(`${at.tag} ${at.name.slice(0, 30)}`);
    // Beyond the last stop is the browser itself, once around.
    if (at.tag === 'BODY') continue;
    if (!at.visible) throw new Error(`The focus cannot be seen at ${at.tag} "${at.name}" on ${page.url()}`);
    if (typeof name === 'string' ? at.name === name : name.test(at.name)) return;
  }
  throw new Error(`${name} was not reached: ${seen.join(', ')}`);
}

const focusIsOn = (page: Page, name: string) => expect.poll(async () => (await where(page)).name).toBe(name);
const read = async (path: string) => (await send(site.app, 'GET', path, site.newcomer.managementKey)).body;

test('by the keyboard alone: a top-up, a key, a chat and what it cost, its charge, the theme', async () => {
  const page = await site.open('/', { credential: site.newcomer.managementKey });
  await settled(page);
  const { keyboard } = page;

  await tabTo(page, 'Credit');
  await keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Credit', level: 1 }).waitFor();
  await focusIsOn(page, 'Credit');
  await settled(page);
  await tabTo(page, 'Amount in USD');
  await keyboard.press('Control+A');
  await keyboard.type('5');
  await keyboard.press('Enter');
  await page.getByText('$5.00 was added.').waitFor();
  expect((await read('/v1/wallet')).wallet.balanceUsd).toBe('5.00');
  await expect.poll(async () => (await where(page)).tag).not.toBe('BODY');

  await page.goto('/console/keys');
  await settled(page);
  await tabTo(page, 'Create a key');
  await keyboard.press('Enter');
  await page.getByRole('dialog').waitFor();
  await focusIsOn(page, 'Name');
  await keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'hidden' });
  await focusIsOn(page, 'Create a key');
  await keyboard.press('Enter');
  await focusIsOn(page, 'Name');
  await keyboard.type('backend');
  await tabTo(page, 'What you build with it');
  await keyboard.type('A first try');
  await tabTo(page, 'Create a key');
  await keyboard.press('Enter');
  await page.getByLabel(/I have stored it/).waitFor();
  await tabTo(page, /I have stored it/);
  await keyboard.press('Space');
  await tabTo(page, 'Done');
  await keyboard.press('Enter');
  await page.getByRole('dialog').waitFor({ state: 'hidden' });
  await focusIsOn(page, 'Create a key');
  expect((await read('/v1/keys')).keys.map(({ displayName }: Record<string, string>) => displayName)).toContain(
    'backend',
  );

  await tabTo(page, 'Playground', 'Shift+Tab');
  await keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Playground' }).waitFor();
  await settled(page);
  await tabTo(page, /^Message/);
  await keyboard.type('Paris is the capital of France. What is the capital of France?');
  await keyboard.press('Control+Enter');
  const reply = page.locator('article').first();
  await reply.locator('dl data.money').first().waitFor();
  const shown = await reply.locator('dl data.money').first().getAttribute('value');
  const { charges } = await read('/v1/charges');
  expect(parseUsd(shown ?? '')).toBe(parseUsd(charges[0].chargedUsd));
  // One can go on writing.
  await expect.poll(async () => (await where(page)).tag).toBe('TEXTAREA');
  await tabTo(page, 'The charge', 'Shift+Tab');
  await keyboard.press('Enter');
  await page.getByRole('dialog').waitFor();

  await page.goto('/console/charges');
  await settled(page);
  await tabTo(page, /^chat/);
  const row = (await where(page)).name;
  await keyboard.press('Enter');
  await page.getByRole('dialog').getByText(charges[0].chargeId).first().waitFor();
  // The panel keeps the focus inside.
  for (let step = 0; step < 12; step++) {
    await keyboard.press('Tab');
    const inside = await page.evaluate(
      'document.activeElement === document.body || document.activeElement.closest("dialog[open]") !== null',
    );
    expect(inside).toBe(true);
  }
  await keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'hidden' });
  await focusIsOn(page, row);

  const background = () => page.evaluate('getComputedStyle(document.documentElement).backgroundColor');
  const light = await background();
  await tabTo(page, /^Account/, 'Shift+Tab');
  await keyboard.press('Enter');
  await tabTo(page, 'Appearance');
  await keyboard.press('ArrowDown');
  await keyboard.press('ArrowDown');
  await expect.poll(background).not.toBe(light);
  await keyboard.press('Escape');
  await page.locator('#account-menu').waitFor({ state: 'hidden' });
  await expect.poll(async () => (await where(page)).name).toMatch(/^Account/);
}, 240_000);

test('a dialog that is closed and asked for again at once is there', async () => {
  const page = await site.open('/keys', { credential: site.newcomer.managementKey });
  await settled(page);
  await tabTo(page, 'Create a key');
  await page.keyboard.press('Enter');
  for (let round = 0; round < 15; round++) {
    await focusIsOn(page, 'Name');
    await page.keyboard.press('Escape');
    await focusIsOn(page, 'Create a key');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
  }
}, 240_000);

test('every stop of every page can be seen, and none keeps the keyboard', async () => {
  const page = await site.open('/');
  const paths = [
    '/',
    '/usage',
    '/charges',
    '/credit',
    '/playground',
    '/models',
    '/workflows',
    '/pulse',
    '/keys',
    '/devices',
    '/webhooks',
    '/team',
  ];
  for (const path of paths) {
    await page.goto(`/console${path}`);
    await settled(page);
    // From the first stop of the page, not from the title.
    await page.locator('.skip').focus();
    const stops = new Set<string>();
    let left = false;
    for (let step = 0; step < 150 && !left; step++) {
      await page.keyboard.press('Tab');
      const at = await where(page);
      left = at.tag === 'BODY' && step > 0;
      if (!left) {
        expect(at.visible, `${path}: ${at.tag} ${at.name}`).toBe(true);
        stops.add(at.name);
      }
    }
    expect(left, `${path} keeps the keyboard`).toBe(true);
    expect(stops.size, path).toBeGreaterThan(15);
  }
}, 240_000);
