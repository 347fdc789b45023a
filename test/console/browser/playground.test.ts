import { execFile } from 'node:child_process';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { promisify } from 'node:util';
import type { Locator, Page } from 'playwright-core';
import { afterAll, afterEach, expect, test } from 'vitest';
import { parseUsd } from '../../../src/base/money.ts';
import { onboard, send } from '../../support/app.ts';
import { startUpstream, streamedCompletion } from '../../support/upstream.ts';
import { openConsole, signIn } from './harness.ts';

const upstream = await startUpstream();
const usage = { prompt_tokens: 10, completion_tokens: 30 };
const answers = (pieces: readonly string[] = ['Par', 'is.'], pauseMs = 0) =>
  upstream.answer(() => ({ pieces: streamedCompletion(pieces, usage), pauseMs }));
answers();

const price = (input: string, output: string) => `{ inputPerMillionUsd: "${input}", outputPerMillionUsd: "${output}" }`;
const site = openConsole({
  settings: `
limits: { requestsPerMinute: 1000000, tokensPerMinute: 1000000000, concurrentStreams: 1000 }
providers:
  - { id: up, kind: openai-compatible, baseUrl: "${upstream.url}/v1" }
  - { id: far, kind: openai-compatible, baseUrl: "${upstream.url}/far/v1" }
models:
  - { id: plain, provider: up, quality: 50, contextTokens: 100000, capabilities: [images], price: ${price('1', '2')} }
  - { id: other, provider: up, quality: 40, contextTokens: 100000, price: ${price('3', '4')} }
  - { id: twin, provider: up, quality: 20, contextTokens: 100000, price: ${price('1', '2')} }
  - { id: twin, provider: far, quality: 20, contextTokens: 100000, price: ${price('5', '6')} }
  - { id: dear, provider: up, quality: 10, contextTokens: 100000, price: ${price('1', '100000')} }
`,
});
afterEach(() => answers());
afterAll(() => upstream.close());

const owner = (path: string) => send(site.app, 'GET', path, site.customer.managementKey).then(({ body }) => body);
const patient = { timeout: 30_000 };
const nano = (usd: string) => parseUsd(usd);

async function open(model = 'plain'): Promise<Page> {
  const page = await site.open(`/playground?model=${model}`);
  await page.getByLabel('Message').waitFor();
  return page;
}

async function say(page: Page, text: string): Promise<void> {
  await page.getByLabel('Message').fill(text);
  await page.getByRole('button', { name: 'Send', exact: true }).click();
}

const reply = (page: Page, at = 0): Locator => page.locator('article').nth(at);

/** What a reply says that it cost, and the ledger's charge of it. */
async function costAndCharge(of: Locator) {
  const shown = await of.locator('dl data.money').first().getAttribute('value');
  const link = await of.getByRole('link', { name: 'The charge' }).getAttribute('href');
  const { charge } = await owner(`/v1/charges/${link?.split('/').at(-1)}`);
  return { shown: nano(shown ?? ''), charge };
}

test('a reply streams, says why it came from there, and costs what the ledger charged', async () => {
  const page = await open();
  await page.getByLabel('Message').fill('What is the capital of France?');
  const couldCost = page.locator('.playground-composer-figures > div:nth-child(1) data.money');
  await couldCost.waitFor();
  const ceiling = nano((await couldCost.getAttribute('value')) ?? '');
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await page.getByText('Paris.').waitFor();
  const { shown, charge } = await costAndCharge(reply(page));
  expect(charge.state).toBe('settled');
  expect(charge.keyId).toBe(site.customer.keyId);
  // 10 tokens at 1 USD and 30 at 2 USD a million.
  expect(shown).toBe(70_000n);
  expect(nano(charge.chargedUsd)).toBe(shown);
  expect(ceiling ?? 0n).toBeGreaterThanOrEqual(shown ?? 0n);
  const text = (await reply(page).textContent()) ?? '';
  for (const words of ['in10', 'out30', 'Why:', 'First word', 'plain']) expect(text).toContain(words);
  const soFar = page.locator('.playground-composer-figures > div:nth-child(2) data.money');
  expect(nano((await soFar.getAttribute('value')) ?? '')).toBe(shown);
  const { wallet } = await owner('/v1/wallet');
  const balance = page.locator('.playground-composer-figures data.money').last();
  await expect
    .poll(async () => nano((await balance.getAttribute('value')) ?? ''), patient)
    .toBe(nano(wallet.balanceUsd));
});

test('it pays by a capped token that is in no storage, address or page, and no API key is in the browser', async () => {
  const page = await open();
  const paid: string[] = [];
  const all: string[] = [];
  page.on('request', (request) => {
    const { authorization } = request.headers();
    if (request.url().includes('/assistant/chat')) paid.push(authorization ?? '');
    all.push(`${request.url()} ${authorization ?? ''} ${request.postData() ?? ''}`);
  });
  await say(page, 'Hello');
  await page.getByText('Paris.').waitFor();
  const [token = ''] = paid.map((header) => header.replace('Bearer ', ''));
  const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
  expect(claims).toMatchObject({ key: site.customer.keyId, cap: '1000000000', scope: 'chat' });
  expect(claims.exp - claims.iat).toBe(600);
  const kept = await page.evaluate(
    `JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, location.href, document.documentElement.outerHTML])`,
  );
  expect(kept).not.toContain(token);
  expect(JSON.stringify(await page.context().storageState())).not.toContain(token);
  expect(all.filter((line) => /ik_(live|mgmt)_/.test(line))).toEqual([]);
  expect(all.filter((line) => line.split(' ')[0]?.includes('eyJ'))).toEqual([]);
});

test('Stop ends the model, and what came is charged as the ledger says', async () => {
  upstream.seen.length = 0;
  upstream.answer(() => ({ pieces: streamedCompletion(['So ', 'far ']).slice(0, 3), ending: 'silence' }));
  const page = await open();
  await say(page, 'Count to a million');
  await page.getByText('So far').waitFor();
  await page.getByRole('button', { name: 'Stop' }).click();
  await upstream.seen[0]?.aborted;
  await reply(page).locator('dl data.money').waitFor();
  expect(await reply(page).getByText('stopped', { exact: true }).count()).toBe(1);
  const { shown, charge } = await costAndCharge(reply(page));
  expect(charge.state).toBe('settled');
  expect(nano(charge.chargedUsd)).toBe(shown);
  expect(shown).toBeGreaterThan(0n);
  expect((await owner('/v1/wallet')).wallet.heldUsd).toBe('0.00');
  // The next message is paid by another token, and has what came in its conversation.
  answers();
  await say(page, 'Go on');
  await page.getByText('Paris.').waitFor();
  const sent = upstream.seen.at(-1)?.body.messages as { role: string; content: string }[];
  expect(sent.map(({ role }) => role)).toEqual(['user', 'assistant', 'user']);
});

test('a reply whose connection breaks goes on where it broke off, and is charged once', async () => {
  const words = Array.from({ length: 40 }, (_, index) => `word${index} `);
  answers(words, 60);
  const gateway = await startGateway(site.app.url);
  const page = await site.open('/', { credential: null });
  await page.goto(`${gateway.url}/console/playground?model=plain`);
  await signIn(page, site.customer.managementKey);
  const before = (await owner('/v1/charges?pageSize=1')).charges[0]?.chargeId;
  const asked: string[] = [];
  page.on('request', (request) => {
    if (/assistant\/chat(\/|$)/.test(request.url()))
      asked.push(`${request.method()} ${request.headers()['last-event-id'] ?? ''}`);
  });
  await say(page, 'Say much');
  await page.getByText('word5 ').waitFor();
  gateway.breakAll();
  await page.getByText('word39').waitFor({ timeout: 60_000 });
  const { shown, charge } = await costAndCharge(reply(page));
  expect((await reply(page).locator('.markdown').textContent())?.trim()).toBe(words.join('').trim());
  expect(asked[0]).toBe('POST ');
  expect(asked.slice(1).some((line) => /^GET \d+$/.test(line))).toBe(true);
  expect(nano(charge.chargedUsd)).toBe(shown);
  const since = (await owner('/v1/charges')).charges as { chargeId: string }[];
  expect(since.findIndex(({ chargeId }) => chargeId === before)).toBe(1);
  await page.close();
  await gateway.close();
});

test('two columns answer the same message by two models, each at its own cost', async () => {
  const page = await open();
  await page.getByRole('button', { name: 'Compare' }).click();
  await page.getByLabel('Model B').selectOption('up/other');
  await say(page, 'Hello');
  await expect.poll(() => page.getByText('Paris.').count(), patient).toBe(2);
  const [first, second] = [await costAndCharge(reply(page, 0)), await costAndCharge(reply(page, 1))];
  expect([first.shown, second.shown]).toEqual([70_000n, 150_000n]);
  for (const { shown, charge } of [first, second]) expect(nano(charge.chargedUsd)).toBe(shown);
});

test('a reply that its token’s cap ends says so, and more can be allowed', async () => {
  const page = await open('dear');
  upstream.answer(() => ({
    pieces: streamedCompletion(
      Array.from({ length: 60 }, (_, index) => `w${index} `),
      null,
    ),
  }));
  await say(page, 'Say much');
  await page.getByText('The reply ended here because the credit ran out.').waitFor();
  const { shown, charge } = await costAndCharge(reply(page));
  expect(nano(charge.chargedUsd)).toBe(shown);
  expect(shown).toBeLessThanOrEqual(1_000_000_000n);
});

test('Markdown becomes nodes: tags are text, and an address opens only from what a click shows', async () => {
  const text =
    '# Title\n\nSee [the bank](https://evil.example/x) <img src=x onerror=alert(1)> **bold** `code`\n\n- one\n- two\n';
  answers([text]);
  const page = await open();
  await say(page, 'Markdown');
  const shown = reply(page).locator('.markdown');
  await shown.locator('strong').waitFor();
  expect(await shown.textContent()).toContain('<img src=x onerror=alert(1)>');
  expect(await shown.locator('img, a, script').count()).toBe(0);
  expect(await shown.locator('li').count()).toBe(2);
  await shown.getByRole('button', { name: 'the bank' }).click();
  const link = shown.getByRole('link');
  expect(await link.getAttribute('href')).toBe('https://evil.example/x');
  expect(await link.textContent()).toContain('https://evil.example/x');
});

test('a picture goes to a model that sees, and the system text before all', async () => {
  upstream.seen.length = 0;
  const page = await open();
  await page.getByText('System text and limits').click();
  await page.getByLabel('System text', { exact: true }).fill('Be brief.');
  const png = Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  );
  await page.locator('input[type=file]').setInputFiles({ name: 'dot.png', mimeType: 'image/png', buffer: png });
  await page.getByRole('button', { name: 'Remove dot.png' }).waitFor();
  await say(page, 'What is this?');
  await page.getByText('Paris.').waitFor();
  const sent = JSON.stringify(upstream.seen.at(-1)?.body.messages);
  expect(sent).toContain('Be brief.');
  expect(sent).toContain(png.toString('base64'));
});

test('a highest price that is no amount holds the message back, and says where', async () => {
  upstream.seen.length = 0;
  const page = await open();
  await page.getByText('System text and limits').click();
  await page.getByLabel('Most for a reply').fill('1,5');
  await page.getByText('such as 0.05 or 1.50').waitFor();
  await page.getByLabel('Message').fill('What is the capital of France?');
  await page.keyboard.press('Control+Enter');
  await page.getByText('is not an amount. Correct it to send.').waitFor();
  expect(await page.getByRole('button', { name: 'Send', exact: true }).isDisabled()).toBe(true);
  expect(upstream.seen).toEqual([]);
  await page.getByLabel('Most for a reply').fill('1.5');
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await page.getByText('Paris.').waitFor();
});

/** The link of a row of the list of models. */
async function tryModel(page: Page, id: string, provider: string): Promise<void> {
  await page.getByRole('link', { name: 'Models' }).click();
  const rows = page.getByRole('table', { name: 'Chat models' }).getByRole('row');
  await rows.filter({ hasText: id }).filter({ hasText: provider }).getByRole('link').click();
  await page.getByLabel('Message').waitFor();
}

test('Try opens the model of its row, beside one of the same name and in a conversation that was kept', async () => {
  upstream.seen.length = 0;
  const page = await open();
  await say(page, 'Hello');
  await page.getByRole('link', { name: 'The charge' }).waitFor();
  const model = page.getByLabel('Model', { exact: true });
  for (const [provider, at] of [
    ['far', '/far/v1/chat/completions'],
    ['up', '/v1/chat/completions'],
  ] as const) {
    await tryModel(page, 'twin', provider);
    await expect.poll(() => model.inputValue(), patient).toBe(`${provider}/twin`);
    await expect.poll(() => new URL(page.url()).search, patient).toBe('');
    const before = await page.getByRole('link', { name: 'The charge' }).count();
    await say(page, `From ${provider}`);
    await expect.poll(() => page.getByRole('link', { name: 'The charge' }).count(), patient).toBe(before + 1);
    const { charge } = await costAndCharge(reply(page, before));
    expect(charge).toMatchObject({ provider, model: 'twin' });
    expect(upstream.seen.at(-1)?.path).toBe(at);
  }
  expect(await page.getByText('Hello', { exact: true }).count()).toBe(1);
  expect(upstream.seen).toHaveLength(3);
});

test('without the list of models nothing can be sent: it says why, and asks again', async () => {
  const page = await site.open('/');
  let away = true;
  await page.route('**/api/v1/assistant/models*', (route) =>
    away ? route.fulfill({ status: 500, body: '{}' }) : route.continue(),
  );
  await page.goto(`${site.app.url}/console/playground?model=up/plain`);
  await page.getByRole('alert').waitFor();
  expect(await page.getByLabel('Message').count()).toBe(0);
  away = false;
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByLabel('Message').waitFor();
  await expect.poll(() => page.getByLabel('Model', { exact: true }).inputValue(), patient).toBe('up/plain');
});

test('every page of the list of models can be chosen from', async () => {
  const { models } = await owner('/api/v1/assistant/models');
  const page = await site.open('/');
  await page.route('**/api/v1/assistant/models*', (route) => {
    const url = new URL(route.request().url());
    url.searchParams.set('pageSize', '2');
    return route.continue({ url: url.href });
  });
  await page.goto(`${site.app.url}/console/playground`);
  await page.getByLabel('Message').waitFor();
  const values = await page.locator('option').evaluateAll((all) => all.map((each) => each.getAttribute('value')));
  expect(models.length).toBeGreaterThan(4);
  for (const { provider, id } of models) expect(values).toContain(`${provider}/${id}`);
});

test('a model that is not offered holds the message back, and no other answers in its place', async () => {
  upstream.seen.length = 0;
  const page = await open('up/gone');
  await page.getByLabel('Message').fill('Hello');
  await page.keyboard.press('Control+Enter');
  await page.getByText('The chosen model is not offered here.').waitFor();
  expect(await page.getByRole('button', { name: 'Send', exact: true }).isDisabled()).toBe(true);
  await page.getByLabel('Model', { exact: true }).selectOption('up/other');
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await page.getByText('Paris.').waitFor();
  expect(upstream.seen).toHaveLength(1);
});

test('a conversation, its settings and what is being written stay when another key pays, and after another page', async () => {
  const { managementKey, keyId } = await onboard(site.app);
  const named = { displayName: 'second', purpose: 'a test' };
  const second = (await send(site.app, 'POST', '/v1/keys', managementKey, named)).body.key.keyId;
  const page = await site.open('/playground?model=up/plain', { credential: managementKey });
  await page.getByText('System text and limits').click();
  await page.getByLabel('System text', { exact: true }).fill('Be brief.');
  // Keys are listed from the newest; the first is what pays at first.
  await page.getByLabel('Paid with').selectOption(keyId);
  await say(page, 'First');
  await page.getByRole('link', { name: 'The charge' }).waitFor();
  await page.getByLabel('Message').fill('Second');
  await page.getByLabel('Paid with').selectOption(second);
  await page.getByRole('link', { name: 'Models' }).click();
  await page.getByRole('heading', { name: 'Models and prices', level: 1 }).waitFor();
  await page.getByRole('navigation').getByRole('link', { name: 'Playground' }).first().click();
  expect(await page.getByLabel('Message').inputValue()).toBe('Second');
  expect(await page.getByLabel('Paid with').inputValue()).toBe(second);
  expect(await page.getByText('First', { exact: true }).count()).toBe(1);
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await expect.poll(() => page.getByRole('link', { name: 'The charge' }).count(), patient).toBe(2);
  const sent = upstream.seen.at(-1)?.body.messages as { role: string; content: string }[];
  expect(sent.map(({ content }) => content)).toEqual(['Be brief.', 'First', 'Paris.', 'Second']);
  const { charges } = (await send(site.app, 'GET', '/v1/charges', managementKey)).body;
  expect(charges.map((charge: { keyId: string }) => charge.keyId)).toEqual([second, keyId]);
});

test('who sends by the mouse writes on where they wrote', async () => {
  const page = await open();
  await say(page, 'Hello');
  expect(await page.evaluate(`document.activeElement.localName`)).toBe('textarea');
  await page.getByText('Paris.').waitFor();
  await page.keyboard.type('And Spain?');
  expect(await page.getByLabel('Message').inputValue()).toBe('And Spain?');
});

test('a refused message is sent again without being typed again', async () => {
  const page = await open();
  let refuse = true;
  await page.route('**/api/v1/assistant/chat', (route) => {
    if (!refuse) return route.continue();
    refuse = false;
    return route.fulfill({ status: 429, headers: json, body: refusal(429, 'RESOURCE_EXHAUSTED', 'RATE_LIMITED') });
  });
  upstream.seen.length = 0;
  await say(page, 'Hello');
  await page.getByText('Too many requests. Wait a moment.').waitFor();
  await page.getByText('There was no reply, so this message is not sent with later ones.').waitFor();
  expect(await page.getByLabel('Message').inputValue()).toBe('');
  const again = page.getByRole('button', { name: 'Send again' });
  await again.focus();
  await page.keyboard.press('Enter');
  await page.getByText('Paris.').waitFor();
  // The button went away: who uses the keyboard is where the reply is, not at the top of the page.
  await expect.poll(() => page.evaluate(`document.activeElement.localName`)).toBe('div');
  expect(await page.evaluate(`document.activeElement.contains(document.querySelector('article'))`)).toBe(true);
  expect(await page.getByRole('button', { name: 'Send again' }).count()).toBe(0);
  expect(await page.getByText('Hello', { exact: true }).count()).toBe(1);
  expect(
    upstream.seen.map(({ body }) => (body.messages as { content: string }[]).map(({ content }) => content)),
  ).toEqual([['Hello']]);
});

test('a refused message that is left behind is not paid with the next one', async () => {
  const page = await open();
  let refuse = true;
  await page.route('**/api/v1/assistant/chat', (route) => {
    if (!refuse) return route.continue();
    refuse = false;
    return route.fulfill({
      status: 402,
      headers: json,
      body: refusal(402, 'FAILED_PRECONDITION', 'INSUFFICIENT_CREDIT'),
    });
  });
  await say(page, 'A long message');
  await page.getByRole('button', { name: 'Send again' }).waitFor();
  await say(page, 'Another');
  await page.getByText('Paris.').waitFor();
  const sent = upstream.seen.at(-1)?.body.messages as { content: string }[];
  expect(sent.map(({ content }) => content)).toEqual(['Another']);
  // Only the last message can be sent again.
  expect(await page.getByRole('button', { name: 'Send again' }).count()).toBe(0);
});

test('allowing more sends again what the token’s cap refused', async () => {
  const page = await open('up/dear');
  upstream.answer(() => ({ pieces: streamedCompletion(['w '.repeat(60)], null) }));
  await say(page, 'Say much');
  await page.getByText('The reply ended here because the credit ran out.').waitFor();
  await say(page, 'More');
  await page.getByText('The spending cap of the key is reached.').waitFor();
  answers(['Par', 'is.'], 0);
  await page.getByRole('button', { name: 'Allow $1.00 more and send again' }).click();
  await expect.poll(() => page.getByRole('link', { name: 'The charge' }).count(), patient).toBe(2);
  expect(await page.getByText('The spending cap of the key is reached.').count()).toBe(0);
});

test('a reply whose answer was lost for good is asked for again, and paid once', async () => {
  upstream.seen.length = 0;
  const page = await open();
  await page.clock.install();
  let reached = false;
  let away = true;
  await page.route('**/api/v1/assistant/chat', async (route) => {
    if (!away) return route.continue();
    // The first one arrives, and its answer does not.
    if (!reached) await route.fetch();
    reached = true;
    await route.abort('connectionreset');
  });
  const { charges: before } = await owner('/v1/charges');
  await say(page, 'Hello');
  const again = page.getByRole('button', { name: 'Send again' });
  await expect
    .poll(async () => {
      await page.clock.fastForward(15_000);
      return await again.count();
    }, patient)
    .toBe(1);
  away = false;
  await again.click();
  await page.getByText('Paris.').waitFor();
  const { shown, charge } = await costAndCharge(reply(page));
  expect(nano(charge.chargedUsd)).toBe(shown);
  expect(upstream.seen).toHaveLength(1);
  const { charges: after } = await owner('/v1/charges');
  expect(after.findIndex(({ chargeId }: { chargeId: string }) => chargeId === before[0].chargeId)).toBe(1);
});

const json = { 'content-type': 'application/json' };
const refusal = (code: number, status: string, reason: string): string =>
  JSON.stringify({
    error: {
      ...{ code, status, message: 'Refused.' },
      details: [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason }],
    },
  });

// https://web.dev/articles/cls: what moves by itself, half a second after the last key or later.
test.each([
  [1280, 900],
  [1280, 650],
  [390, 844],
])('what one writes in stays where it is while a long reply grows, at %i by %i', async (width, height) => {
  const lines = Array.from({ length: 60 }, (_, line) => `Line ${line} of a long reply.\n\n`);
  answers(lines, 25);
  const page = await site.open('/');
  await page.setViewportSize({ width, height });
  await page.addInitScript(`
    globalThis.shifts = [];
    new PerformanceObserver((list) => {
      for (const { value, hadRecentInput } of list.getEntries()) if (!hadRecentInput) shifts.push(value);
    }).observe({ type: 'layout-shift', buffered: true });
  `);
  await page.goto(`${site.app.url}/console/playground?model=plain`);
  await say(page, 'Tell me a long story.');
  await page.getByText('Line 59').waitFor(patient);
  await page.getByRole('link', { name: 'The charge' }).waitFor();
  const shifts = (await page.evaluate('shifts')) as number[];
  expect(shifts.reduce((sum, shift) => sum + shift, 0)).toBeLessThan(0.05);
});

test('the code of the dialog runs, with a key in place of the token', async () => {
  const page = await open();
  await say(page, "It's me");
  await page.getByText('Paris.').waitFor();
  await page.getByRole('button', { name: 'Code' }).click();
  const env = { ...process.env, API_KEY: site.customer.apiKey };
  const run = promisify(execFile);
  const code = async (kind: string) => {
    await page.getByRole('radio', { name: kind, exact: true }).check();
    return (await page.locator('dialog[open] pre').textContent()) ?? '';
  };
  expect((await run('sh', ['-c', await code('curl')], { env })).stdout).toContain('"finishReason":"stop"');
  upstream.answer(() => ({ body: { ...completion, usage } }));
  const typescript = await code('TypeScript');
  expect((await run(process.execPath, ['--input-type=module', '-e', typescript], { env })).stdout).toContain('Paris.');
  expect(await code('Python')).toContain('os.environ');
  expect(await code('OpenAI client')).toContain('client.chat.completions.create');
  // Several providers may have a model of this name.
  expect(await code('OpenAI client')).toContain('"model": "up/plain"');
});
const completion = {
  ...{ id: 'c', object: 'chat.completion', created: 1, model: 'm' },
  choices: [{ index: 0, message: { role: 'assistant', content: 'Paris.' }, finish_reason: 'stop' }],
};

test('without credit Send is off and says why; without a key there is one next step', async () => {
  const { managementKey } = site.newcomer;
  const empty = await site.open('/playground', { credential: managementKey });
  await empty.getByText('There is no API key that can pay for this.').waitFor();
  const made = await send(site.app, 'POST', '/v1/accounts', site.app.operatorToken, { displayName: 'Poor' });
  const poor = made.body.managementKey;
  await send(site.app, 'POST', '/v1/keys', poor, { displayName: 'k', purpose: 'a test' });
  const page = await site.open('/playground', { credential: poor });
  await page.getByLabel('Message').fill('Hello');
  await page.getByText('Nothing can be sent: use is paused until there is credit again.').waitFor();
  expect(await page.getByRole('button', { name: 'Send', exact: true }).isDisabled()).toBe(true);
});

site.matrix('/playground?model=plain', {
  name: 'playground',
  arrange: async (page, state) => {
    if (state !== 'filled') return;
    answers(['## Paris\n\nThe capital is **Paris**. See [more](https://example.com).\n\n', '```\nconst x = 1;\n```\n']);
    await page.getByRole('button', { name: 'Compare' }).click();
    await say(page, 'What is the capital of France, and since when?');
    await expect.poll(() => page.getByRole('link', { name: 'The charge' }).count(), patient).toBe(2);
    await page.getByText('System text and limits').click();
  },
});

/** Between the browser and the service, so that what is open can be broken, as in a tunnel. */
async function startGateway(target: string) {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(Number(port), hostname);
    near.pipe(far).pipe(near);
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        sockets.delete(socket);
        near.destroy();
        far.destroy();
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const breakAll = () => {
    for (const socket of sockets) socket.resetAndDestroy();
  };
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    breakAll,
    close: async () => {
      breakAll();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
