import type { BrowserContext, CDPSession, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { onboard, reasonOf, send } from '../../support/app.ts';
import { createAuthenticator } from '../../support/authenticator.ts';
import { signIn as signInByKey } from '../../support/browser.ts';
import { axeViolations } from './axe.ts';
import { openConsole, type Site, settled, signIn } from './harness.ts';

/** Chromium's virtual authenticator (WebAuthn, section 11), such as a phone with a fingerprint. */
interface VirtualAuthenticator {
  cdp: CDPSession;
  authenticatorId: string;
  /** What it has, to be carried to another one. */
  credentials(): Promise<{ credentialId: string; signCount: number }[]>;
}

async function plugIn(page: Page, { verified = true } = {}): Promise<VirtualAuthenticator> {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('WebAuthn.enable');
  const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      ...{ protocol: 'ctap2', ctap2Version: 'ctap2_1', transport: 'internal' },
      ...{ hasResidentKey: true, hasUserVerification: true, isUserVerified: verified },
      automaticPresenceSimulation: true,
    },
  });
  const credentials = async () => (await cdp.send('WebAuthn.getCredentials', { authenticatorId })).credentials;
  return { cdp, authenticatorId, credentials };
}

/** A page at the machine's name, where browsers have passkeys. */
async function openByName(site: Site, path: string, prepare?: (context: BrowserContext) => Promise<unknown>) {
  const page = await site.open('/', { credential: null, ...(prepare && { prepare }) });
  await page.goto(`${site.app.url.replace('127.0.0.1', 'localhost')}/console${path}`);
  return page;
}

const section = (page: Page, title: string) =>
  page.locator('section').filter({ has: page.getByRole('heading', { name: title, exact: true }) });

async function add(page: Page, name: string): Promise<void> {
  await section(page, 'Passkeys').getByRole('button', { name: 'Add a passkey' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add a passkey' });
  await dialog.getByLabel('Name').fill(name);
  await dialog.getByRole('button', { name: 'Go on' }).click();
  await section(page, 'Passkeys').getByRole('row', { name }).waitFor();
}

async function byPasskey(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
  await page.locator('.shell').waitFor();
}

/** Signs out, and opens the same address again. */
async function signOut(page: Page): Promise<void> {
  const address = page.url();
  await page.locator('.account-button').click();
  await page.locator('#account-menu').getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  await page.goto(address);
  await page.getByRole('button', { name: 'Sign in with a passkey' }).waitFor();
}

/** Looks at a page at the machine's name, where the matrix is not. Last of all: it takes the virtual authenticator away. */
async function look(page: Page, name: string): Promise<void> {
  await page.screenshot({ path: `.cache/console/passkeys-${name}.png`, fullPage: true });
  expect(await axeViolations(page)).toEqual([]);
}

/** Until the service asks for the key again: nodes read a session anew within seconds. */
async function askedAgain(page: Page): Promise<void> {
  const { origin } = new URL(page.url());
  const headers = { 'sec-fetch-site': 'same-origin', 'x-console': '1', origin };
  const ask = () => page.request.post(`${origin}/console/passkeys/challenge`, { data: { for: 'add' }, headers });
  await expect.poll(async () => (await ask()).status(), { timeout: 20_000 }).toBe(403);
}

async function forgetConfirmations(site: Site): Promise<void> {
  await site.app.rooms.db
    .for<{ console_session: { confirmed_at_ms: number } }>()
    .updateTable('console_session')
    .set({ confirmed_at_ms: Date.now() - 601_000 })
    .execute();
}

describe('owners', () => {
  const site = openConsole({ fill: addInSoftware(({ customer }) => customer.managementKey) });
  site.matrix('/team', { name: 'team-passkeys', states: ['filled'] });

  /** A new account whose owner is signed in at the machine's name, with an authenticator. */
  async function owner() {
    const customer = await onboard(site.app, '0');
    const page = await openByName(site, '/team');
    await signIn(page, customer.managementKey);
    return { ...customer, page, device: await plugIn(page) };
  }

  test('a passkey is added, signs in without a word, and is removed', async () => {
    const { page, device, accountId } = await owner();
    await add(page, 'My laptop');
    expect(await device.credentials()).toHaveLength(1);
    await signOut(page);
    await byPasskey(page);
    expect(await page.locator('.account-name').textContent()).toBe('A customer');
    expect((await device.credentials())[0]?.signCount).toBeGreaterThan(0);
    const events = await send(site.app, 'GET', `/v1/audit-events?accountId=${accountId}`, site.app.operatorToken);
    expect(events.body.events[0]).toMatchObject({ action: 'passkey.create', details: { displayName: 'My laptop' } });

    // The device has one of this key, so it makes no second.
    await section(page, 'Passkeys').getByRole('button', { name: 'Add a passkey' }).click();
    const dialog = page.getByRole('dialog', { name: 'Add a passkey' });
    await dialog.getByLabel('Name').fill('Again');
    await dialog.getByRole('button', { name: 'Go on' }).click();
    await dialog.getByText('This device already has a passkey for this key.').waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();

    // The session began with it, and ends with it.
    await section(page, 'Passkeys').getByRole('button', { name: 'Remove' }).click();
    await page
      .getByRole('dialog', { name: 'Remove the passkey My laptop?' })
      .getByRole('button', { name: 'Remove' })
      .click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await page.getByText('This passkey is unknown or was removed. Use the key.').waitFor();
    expect(await page.context().cookies()).toEqual([]);
  });

  test('a passkey stands in for the key where that is asked for again', async () => {
    const { page } = await owner();
    await add(page, 'My laptop');
    await forgetConfirmations(site);
    await page.getByRole('button', { name: 'Add a person' }).click();
    const form = page.getByRole('dialog', { name: 'Create a management key for a person' });
    await askedAgain(page);
    await form.getByLabel('Name of the person').fill('Ada Lovelace');
    await form.getByRole('button', { name: 'Add a person' }).click();
    await page.getByRole('button', { name: 'Use a passkey' }).click();
    await page.getByRole('dialog', { name: 'The management key of Ada Lovelace' }).waitFor();
  });

  test('adding one asks for the key when it was not shown lately', async () => {
    const { page, managementKey } = await owner();
    await forgetConfirmations(site);
    await askedAgain(page);
    await section(page, 'Passkeys').getByRole('button', { name: 'Add a passkey' }).click();
    const dialog = page.getByRole('dialog', { name: 'Add a passkey' });
    await dialog.getByLabel('Name').fill('Mine');
    await dialog.getByRole('button', { name: 'Go on' }).click();
    const confirm = page.getByRole('dialog', { name: 'Show the key again' });
    await confirm.getByLabel('Your management key').fill(managementKey);
    // There is none yet to use.
    expect(await confirm.getByRole('button', { name: 'Use a passkey' }).count()).toBe(0);
    await confirm.getByRole('button', { name: 'Go on' }).click();
    await section(page, 'Passkeys').getByRole('row', { name: 'Mine' }).waitFor();
  });

  test('a person whom the device did not verify does not get in', async () => {
    const { page, device } = await owner();
    await add(page, 'My laptop');
    await signOut(page);
    const { cdp, authenticatorId } = device;
    await cdp.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: false });
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await page.getByText('No passkey was used.').waitFor();
    // A device that claims nothing is refused by the service itself.
    await cdp.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: true });
    for (const lie of ['isBadUV', 'isBogusSignature'] as const) {
      await cdp.send('WebAuthn.setResponseOverrideBits', { authenticatorId, [lie]: true });
      await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
      await page.getByText('This passkey is unknown or was removed. Use the key.').waitFor();
      await page.reload();
    }
    await cdp.send('WebAuthn.setResponseOverrideBits', { authenticatorId });
    await byPasskey(page);
  });

  test('an answer that was sent is worth nothing to who reads it', async () => {
    const { page } = await owner();
    await add(page, 'My laptop');
    await signOut(page);
    const sent = page.waitForRequest((request) => request.method() === 'POST' && request.url().endsWith('/session'));
    await byPasskey(page);
    const replayed = await send(site.app, 'POST', '/console/session', undefined, (await sent).postData() ?? '', {
      ...{ 'sec-fetch-site': 'same-origin', 'x-console': '1' },
    });
    expect([replayed.status, reasonOf(replayed)]).toEqual([409, 'PRECONDITION_FAILED']);
    expect(replayed.headers.getSetCookie()).toEqual([]);
  });

  test('a passkey ends with its key', async () => {
    const { page, managementKey } = await owner();
    await add(page, 'My laptop');
    const { body } = await send(site.app, 'GET', '/v1/keys', managementKey);
    const own = body.keys.find(({ kind }: { kind: string }) => kind === 'management');
    const rotated = await send(site.app, 'POST', `/v1/keys/${own.keyId}:rotate`, managementKey, { overlapSeconds: 0 });
    await page.reload();
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await page.getByText('The key was revoked or rotated.').waitFor();
    await signIn(page, rotated.body.secret);
    await section(page, 'Passkeys').getByText('There are no passkeys yet.').waitFor();
    await add(page, 'Anew');
    await look(page, 'team');
  });

  test('at the machine’s number it is said where passkeys work', async () => {
    const page = await site.open('/team');
    await settled(page);
    await section(page, 'Passkeys').getByText('Passkeys work at http://localhost').waitFor();
    expect(await section(page, 'Passkeys').getByRole('button', { name: 'Add a passkey' }).count()).toBe(0);
    const stranger = await site.open('/', { credential: null });
    await stranger.getByRole('link', { name: 'http://localhost' }).click();
    await stranger.getByRole('button', { name: 'Sign in with a passkey' }).waitFor();
    expect(new URL(stranger.url()).hostname).toBe('localhost');
    await look(stranger, 'sign-in');
  });
});

describe('operators', () => {
  const site = openConsole({ role: 'operator', fill: addInSoftware(({ app }) => app.operatorToken) });

  test('an operator signs in by a passkey, and records a payment with it', async () => {
    const page = await openByName(site, '/sign-ins');
    await signIn(page, site.app.operatorToken, 'operator');
    await plugIn(page);
    await add(page, 'Desk');
    await section(page, 'Sessions').getByText('this one').waitFor();
    await signOut(page);
    await byPasskey(page);
    await page.locator('.shell.operator').waitFor();
    await forgetConfirmations(site);
    await askedAgain(page);
    await page.goto(page.url().replace('sign-ins', `credits?account=${site.customer.accountId}`));
    const form = section(page, 'Record a payment');
    await form.getByLabel('Amount in USD').fill('50');
    await form.getByLabel('Reference of the payment').fill('bank 1');
    await form.getByLabel('Reason').fill('transfer seen');
    await form.getByRole('button', { name: 'Record the payment' }).click();
    await page.getByRole('button', { name: 'Use a passkey' }).first().click();
    await page.getByText('$50.00 is recorded.').waitFor();
  });

  site.matrix('/sign-ins', { name: 'operator-sign-ins', states: ['filled'] });
});

/** Gives who shows the key a passkey, for pages that are looked at where there is no authenticator. */
function addInSoftware(keyOf: (site: Site) => string) {
  return async (site: Site): Promise<void> => {
    const browser = await signInByKey(site.app, keyOf(site));
    const { body } = await browser.send('POST', '/console/passkeys/challenge', { for: 'add' });
    const { port } = new URL(site.app.url);
    const response = createAuthenticator(`http://localhost:${port}`).create(body.publicKey);
    const added = await browser.send('POST', '/console/passkeys', { name: 'Work phone', response });
    if (added.status !== 200) throw new Error(added.text);
  };
}
