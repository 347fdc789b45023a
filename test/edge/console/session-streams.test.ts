import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Customer, onboard, send, startApp, type TestApp, testSecrets } from '../../support/app.ts';
import { signIn, type TestBrowser } from '../../support/browser.ts';
import { eachServer, useDatabase } from '../../support/database.ts';
import { startUpstream, streamedCompletion, type Upstream } from '../../support/upstream.ts';

const asked = { model: 'm', messages: [{ role: 'user', content: 'Hi' }] };

eachServer((server) => {
  const database = useDatabase(server);
  let app: TestApp;
  let other: TestApp;
  let upstream: Upstream;
  let customer: Customer;
  beforeAll(async () => {
    upstream = await startUpstream();
    const secrets = testSecrets();
    const settings = `
providers: [{ id: up, kind: openai-compatible, baseUrl: "${upstream.url}/v1" }]
http: { publicUrl: "http://intelligence.test" }
limits: { requestsPerMinute: 1000000, tokensPerMinute: 100000000, concurrentStreams: 1000 }
models: [{ id: m, provider: up, quality: 50, contextTokens: 100000, price: { inputPerMillionUsd: "1", outputPerMillionUsd: "2" } }]`;
    app = await startApp({ databaseUrl: database().url, settings, secrets });
    other = await startApp({ databaseUrl: database().url, settings, secrets });
    customer = await onboard(app);
    // Two words, and then nothing for ever: a reply that only its caller can end.
    upstream.answer(() => ({ pieces: streamedCompletion(['Two ', 'words']).slice(0, 2), ending: 'silence' }));
  });
  afterAll(async () => {
    await app.close();
    await other.close();
    await upstream.close();
  });

  /** A token that a page made to pay with, as the playground does. */
  async function tokenOf(browser: TestBrowser): Promise<string> {
    const { body } = await browser.send('GET', '/v1/keys');
    const { keyId } = body.keys.find(({ kind }: { kind: string }) => kind !== 'management');
    const made = await browser.send('POST', '/v1/tokens', { keyId, subject: 'console', ttlSeconds: 600 });
    expect(made.status, made.text).toBe(200);
    return made.body.accessToken;
  }

  /** A reply that has begun; what follows is what comes after its first words. */
  async function begin(credential: string, request: object = asked): Promise<{ rest(): Promise<string> }> {
    const reply = await fetch(`${app.url}/api/v1/assistant/chat`, {
      method: 'POST',
      body: JSON.stringify(request),
      headers: {
        authorization: `Bearer ${credential}`,
        'content-type': 'application/json',
        accept: 'text/event-stream',
      },
    });
    expect(reply.status).toBe(200);
    const reader = reply.body?.getReader();
    const read = async () => Buffer.from((await reader?.read())?.value ?? []).toString();
    let text = '';
    while (!text.includes('Two')) text += await read();
    return {
      rest: async () => {
        for (let piece = await read(); piece !== ''; piece = await read()) text += piece;
        return text;
      },
    };
  }

  const wallet = async () => (await send(app, 'GET', '/v1/wallet', customer.managementKey)).body.wallet;

  const endings: Record<string, (browser: TestBrowser) => Promise<unknown>> = {
    'signing out': (browser) => browser.send('DELETE', '/console/session'),
    'ending it in the list': async (browser) => {
      const second = await signIn(app, customer.managementKey);
      const { body } = await browser.send('GET', '/console/sessions');
      const { id } = body.sessions.find(({ current }: { current: boolean }) => current);
      return await second.send('DELETE', `/console/sessions/${id}`);
    },
    'signing out on another node': async (browser) =>
      await send(other, 'DELETE', '/console/session', undefined, undefined, {
        ...{ 'sec-fetch-site': 'same-origin', 'x-console': '1' },
        cookie: `console_${new URL(other.url).port}=${browser.secret()}`,
      }),
  };

  describe.each(Object.keys(endings))('%s', (name) => {
    test.each([false, true])('ends a stream that the session pays for; resumable: %s', async (resumable) => {
      const browser = await signIn(app, customer.managementKey);
      const [leaving, staying] = [
        await begin(await tokenOf(browser), { ...asked, resumable }),
        await begin(customer.apiKey),
      ];
      const before = (await wallet()).balanceUsd;
      const answer = (await endings[name]?.(browser)) as { status: number };
      expect(answer.status).toBe(204);
      const rest = await leaving.rest();
      expect(rest).toContain('SESSION_ENDED');
      expect(rest).toContain('"code":401');
      // It is charged as received; the caller of its own key is still served.
      await expect.poll(async () => (await wallet()).balanceUsd, { timeout: 20_000 }).not.toBe(before);
      const running = await Promise.race([staying.rest(), new Promise((go) => setTimeout(go, 1_500, 'runs'))]);
      expect(running).toBe('runs');
    });
  });

  test('a stream ends when the key of its session is revoked', async () => {
    const made = await send(app, 'POST', '/v1/accounts', app.operatorToken, { displayName: 'Another' });
    const { managementKey } = made.body;
    await send(app, 'POST', '/v1/wallet/top-ups', managementKey, { amountUsd: '5.00' });
    await send(app, 'POST', '/v1/keys', managementKey, { displayName: 'k', purpose: 'a test' });
    const browser = await signIn(app, managementKey);
    const stream = await begin(await tokenOf(browser));
    const session = await browser.send('GET', '/console/session');
    const rotated = await send(app, 'POST', `/v1/keys/${session.body.keyId}:rotate`, managementKey, {});
    expect(rotated.status, rotated.text).toBe(200);
    expect(await stream.rest()).toContain('SESSION_ENDED');
  });
});
