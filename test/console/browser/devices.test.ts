import type { Page } from 'playwright-core';
import { expect, test, vi } from 'vitest';
import { send } from '../../support/app.ts';
import { openConsole, settled } from './harness.ts';

interface Asked {
  device_code: string;
  user_code: string;
  verification_uri_complete: string;
}

let clientId = '';
const deviceCodeGrant = 'urn:ietf:params:oauth:grant-type:device_code';

const site = openConsole({
  fill: async () => {
    const { keyId } = site.customer;
    const registered = async (displayName: string): Promise<string> =>
      (await manage('POST', '/v1/clients', { displayName, keyId })).client.clientId;
    clientId = await registered('Shop for macOS');
    await manage('POST', `/v1/clients/${await registered('Shop for BeOS')}:disable`, {});
    // One that is in use, one that its owner ended, and one that signed off.
    const ann = await ask();
    await approve(ann, { subject: 'ann@example.com', displayName: "Ann's laptop", spendingCapUsd: '2.5' });
    await tokensOf(ann);
    const bob = await approve(await ask(), { subject: 'bob@example.com', scopes: ['chat'] });
    await manage('POST', `/v1/devices/${bob.deviceId}:revoke`, {});
    const carol = await ask();
    await approve(carol, { subject: 'carol@example.com', displayName: 'A television' });
    const { refresh_token: refreshToken } = await tokensOf(carol);
    await oauth('/oauth/revoke', { client_id: clientId, token: refreshToken });
  },
});

const manage = async (method: string, path: string, body?: object) =>
  (await send(site.app, method, path, site.customer.managementKey, body)).body;
const oauth = async (path: string, fields: Record<string, string>) => {
  const response = await fetch(`${site.app.url}${path}`, { method: 'POST', body: new URLSearchParams(fields) });
  return { status: response.status, body: JSON.parse((await response.text()) || '{}') };
};
const ask = async (scope?: string): Promise<Asked> =>
  (await oauth('/oauth/device_authorization', { client_id: clientId, ...(scope && { scope }) })).body;
const approve = async ({ user_code: userCode }: Asked, as: object) =>
  (await manage('POST', '/v1/devices:approve', { userCode, ...as })).device;
const poll = ({ device_code: code }: Asked) =>
  oauth('/oauth/token', { grant_type: deviceCodeGrant, client_id: clientId, device_code: code });
const tokensOf = async (asked: Asked) => (await poll(asked)).body;
const devices = async () => (await manage('GET', '/v1/devices')).devices;

site.matrix('/devices', { name: 'devices' });
site.matrix('/devices', {
  name: 'devices-ended',
  states: ['filled'],
  arrange: async (page) => {
    await page.getByRole('button', { name: 'Details of A television' }).click();
    await page.getByRole('dialog').getByText('signed off').waitFor();
  },
});
site.matrix('/devices/activate', {
  name: 'devices-activate',
  states: ['filled'],
  arrange: async (page) => {
    const { user_code: code } = await ask('chat pulse');
    await page.getByLabel('Code').fill(code.toLowerCase());
    await page.getByRole('button', { name: 'Look at it' }).click();
    await page.getByText('asks for access').waitFor();
    await page.getByLabel('Spending cap').fill('none');
    await page.getByText('An amount in USD').waitFor();
  },
});

test('devices and applications say what the API says, caps to the nano-USD', async () => {
  const page = await site.open('/devices');
  const table = page.getByRole('table', { name: 'Devices', exact: true });
  await table.waitFor();
  await settled(page);
  const listed = await devices();
  const rows = table.locator('tbody tr');
  expect(await rows.count()).toBe(listed.length);
  for (const [index, device] of listed.entries()) {
    const cells = await rows.nth(index).locator('td').allTextContents();
    expect(cells.slice(0, 5)).toEqual([
      device.displayName,
      device.subject,
      'Shop for macOS',
      device.state,
      device.scopes.join(', '),
    ]);
    const cap = rows.nth(index).locator('data');
    if (device.spendingCapUsd === undefined) expect(cells[5]).toBe('none');
    else expect(await cap.getAttribute('value')).toBe(device.spendingCapUsd);
  }
  const clients = page.getByRole('table', { name: 'Client applications' });
  for (const { displayName, clientId: id, state } of (await manage('GET', '/v1/clients')).clients) {
    const text = await clients.getByRole('row').filter({ hasText: id }).textContent();
    expect(text).toContain(displayName);
    expect(text).toContain(state);
  }
});

/** What stands in a card of pairs, by its names. */
async function pairsOf(page: Page): Promise<Record<string, string>> {
  const names = await page.locator('dl.pairs dt').allTextContents();
  const values = await page.locator('dl.pairs dd').allTextContents();
  return Object.fromEntries(names.map((name, index) => [name, values[index] ?? '']));
}

test('a link with a code shows what is asked for and decides nothing; a person lets the device in', async () => {
  const asked = await ask('chat');
  const link = `/devices/activate?user_code=${asked.user_code}`;
  const page = await site.open(link);
  await page.getByRole('heading', { name: 'Shop for macOS asks for access' }).waitFor();
  expect(await page.locator('output').textContent()).toBe(asked.user_code);
  const { deviceAuthorization } = await manage('GET', `/v1/device-authorizations/${asked.user_code}`);
  expect(await pairsOf(page)).toMatchObject({
    Application: `Shop for macOS ${clientId}`,
    Wants: 'chat and embeddings',
    From: deviceAuthorization.network,
  });
  // Nothing was decided by opening it, and Enter decides nothing either before the codes were compared.
  await page.getByLabel('End user').fill('dora@example.com');
  await page.keyboard.press('Enter');
  expect(await page.getByRole('button', { name: 'Let it in' }).isDisabled()).toBe(true);
  expect((await poll(asked)).body.error).toBe('authorization_pending');

  await page.getByLabel('The code on the device is the same').check();
  await page.getByLabel('Spending cap').fill('0.000000001');
  await page.getByLabel('Name of the device').fill("Dora's telephone");
  await page.getByRole('button', { name: 'Let it in' }).click();
  await page.getByText('The device is in').waitFor();
  const [device] = await devices();
  expect(device).toMatchObject({
    ...{ subject: 'dora@example.com', displayName: "Dora's telephone", spendingCapUsd: '0.000000001' },
    ...{ scopes: ['chat'], state: 'active', clientId },
  });
  // The same link again: it says what became of it, and offers nothing.
  await page.goto(`/console${link}`);
  await page.getByText('This code was already approved').waitFor();
  expect(await page.getByRole('button', { name: 'Let it in' }).count()).toBe(0);
});

test('a device is refused, and hears so', async () => {
  const asked = await ask();
  // The address that the service's own pages link to.
  const page = await site.open(`/devices?user_code=${asked.user_code}`);
  await page.getByRole('button', { name: 'Refuse' }).click();
  await page.getByText('The device was refused').waitFor();
  expect((await poll(asked)).body.error).toBe('access_denied');
});

test('fewer scopes than were asked for are what the device gets', async () => {
  const asked = await ask('chat workflows pulse');
  const page = await site.open(`/devices/activate?user_code=${asked.user_code}`);
  await page.getByLabel('End user').fill('emil@example.com');
  await page.getByLabel('sending events').uncheck();
  await page.getByLabel('The code on the device is the same').check();
  await page.getByRole('button', { name: 'Let it in' }).click();
  await page.getByText('The device is in').waitFor();
  expect((await devices())[0].scopes).toEqual(['chat', 'workflows']);
});

test('a code that is not there, one that cannot be, and too many of them are told in words', async () => {
  const stranger = (await send(site.app, 'POST', '/v1/accounts', site.app.operatorToken, { displayName: 'Another' }))
    .body;
  const page = await site.open('/devices/activate?user_code=BCDF-GHJK', { credential: stranger.managementKey });
  await page.getByText('There is no such code').waitFor();
  await page.getByLabel('Code').fill('12');
  await page.getByRole('button', { name: 'Look at it' }).click();
  await page.getByText('A code has 8 consonants').waitFor();
  for (let index = 0; index < 8; index++)
    await send(site.app, 'GET', '/v1/device-authorizations/BCDFGHJK', stranger.managementKey);
  await page.getByLabel('Code').fill('BCDF-GHJL');
  await page.getByRole('button', { name: 'Look at it' }).click();
  await page.getByText('Ten codes within a minute were not found').waitFor();
});

test('a device is ended after a second look, and says why it ended', async () => {
  const asked = await ask();
  await approve(asked, { subject: 'fred@example.com', displayName: "Fred's tablet" });
  const { access_token: token } = await tokensOf(asked);
  const page = await site.open('/devices?subject=fred%40example.com');
  await page.getByRole('button', { name: "Details of Fred's tablet" }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'End this device' }).click();
  await dialog.getByText('End this device for ever?').waitFor();
  expect((await devices())[0].state).toBe('active');
  await dialog.getByRole('button', { name: 'End this device' }).click();
  await dialog.getByText('You ended it.').waitFor();
  expect((await devices())[0]).toMatchObject({ state: 'revoked', revokeReason: 'revoked by the account' });
  await vi.waitFor(
    async () => expect((await send(site.app, 'GET', '/api/v1/assistant/models', token)).status).toBe(401),
    {
      timeout: 20_000,
      interval: 100,
    },
  );
  // Only this end user's devices are listed.
  await page.keyboard.press('Escape');
  expect(await page.getByRole('table', { name: 'Devices', exact: true }).locator('tbody tr').count()).toBe(1);
  await page.getByRole('button', { name: 'Remove the filter' }).click();
  await page.getByText("Ann's laptop").waitFor();
});

test('an application is registered and disabled', async () => {
  const page = await site.open('/devices');
  await page.getByRole('button', { name: 'Register an application' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('Shop for the command line');
  await dialog.getByLabel('Your own activation page').fill('http://example.com/activate');
  await dialog.getByRole('button', { name: 'Register' }).click();
  await dialog.getByText('must be the https address of a page').waitFor();
  await dialog.getByLabel('Your own activation page').fill('https://example.com/activate');
  await dialog.getByRole('button', { name: 'Register' }).click();
  const row = page
    .getByRole('table', { name: 'Client applications' })
    .getByRole('row')
    .filter({ hasText: 'command line' });
  await row.getByText('active').waitFor();
  const [client] = (await manage('GET', '/v1/clients')).clients;
  expect(client).toMatchObject({
    ...{ displayName: 'Shop for the command line', keyId: site.customer.keyId },
    activationUri: 'https://example.com/activate',
  });
  await page.getByRole('button', { name: 'Disable Shop for the command line' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Disable' }).click();
  await row.getByText('disabled').waitFor();
  expect((await manage('GET', `/v1/clients/${client.clientId}`)).client.state).toBe('disabled');
});
