import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { connect as connectHttp2 } from 'node:http2';
import { request as httpsRequest } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, expect, test } from 'vitest';
import { onboard, reasonOf, send, startApp, type TestApp } from '../../support/app.ts';
import { openBrowser, pageHeaders, signIn } from '../../support/browser.ts';
import { firstServer, useDatabase } from '../../support/database.ts';

const database = useDatabase(firstServer());
const folder = mkdtempSync(join(tmpdir(), 'places-'));
const apps: TestApp[] = [];
afterEach(async () => {
  for (const app of apps.splice(0)) await app.close();
});
afterAll(() => rmSync(folder, { recursive: true }));

async function serve(settings: string): Promise<TestApp> {
  const app = await startApp({ databaseUrl: database().url, settings });
  apps.push(app);
  return app;
}

/** Signs in from where the headers say. */
function from(app: TestApp, headers: Record<string, string>) {
  const url = new URL(app.url);
  return new Promise<{ status: number; cookie: string | undefined; text: string }>((done, failed) => {
    import('node:http').then(({ request }) => {
      const sent = request(
        {
          host: url.hostname,
          port: url.port,
          path: '/console/session',
          method: 'POST',
          headers: { 'content-type': 'application/json', ...pageHeaders, ...headers },
        },
        async (reply) => {
          let text = '';
          for await (const chunk of reply) text += chunk;
          done({ status: reply.statusCode ?? 0, cookie: reply.headers['set-cookie']?.[0], text });
        },
      );
      sent.on('error', failed);
      sent.end(JSON.stringify({ key: app.operatorToken }));
    }, failed);
  });
}

test('by plain HTTP, a browser of this machine alone can sign in', async () => {
  const app = await serve('');
  const { port } = new URL(app.url);
  for (const host of [`localhost:${port}`, `127.0.0.1:${port}`, `[::1]:${port}`])
    expect((await from(app, { host })).cookie).toMatch(
      new RegExp(`^console_${port}=[\\w-]{43}; Path=/; HttpOnly; SameSite=Strict$`),
    );
  // A port that is forwarded is what the browser knows.
  expect((await from(app, { host: 'localhost:9000' })).cookie).toMatch(/^console_9000=/);
  for (const headers of [
    { host: 'api.example' },
    { host: `192.0.2.1:${port}` },
    { host: 'localhost.evil.example' },
    // Nobody asked this proxy.
    { host: 'api.example', 'x-forwarded-proto': 'https' },
  ]) {
    const refused = await from(app, headers);
    expect([headers, refused.status, refused.cookie]).toEqual([headers, 409, undefined]);
    expect(refused.text).toContain('http.trustedProxies');
  }
});

test('behind a trusted proxy that speaks TLS, the cookie is bound to the host', async () => {
  const app = await serve('http: { trustedProxies: ["127.0.0.1"] }');
  const secure = await from(app, { host: 'api.example', 'x-forwarded-proto': 'https', 'x-forwarded-for': '192.0.2.7' });
  expect(secure.cookie).toMatch(/^__Host-console=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Secure$/);
  const cookie = secure.cookie?.split(';')[0] as string;
  const used = await send(app, 'GET', '/console/session', undefined, undefined, {
    ...pageHeaders,
    cookie,
    'x-forwarded-proto': 'https',
  });
  expect(used.body).toMatchObject({ role: 'operator' });
  expect((await from(app, { host: 'api.example', 'x-forwarded-proto': 'http' })).status).toBe(409);
});

test('over TLS, the cookie is bound to the host, and a plain one means nothing', async () => {
  const [certFile, keyFile] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
  const make = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '1'];
  const subject = [
    '-subj',
    '/CN=localhost',
    '-addext',
    'subjectAltName=DNS:localhost',
    '-keyout',
    keyFile,
    '-out',
    certFile,
  ];
  execFileSync('openssl', [...make, ...subject], { stdio: 'ignore' });
  const app = await serve(`http: { tls: { certFile: "${certFile}", keyFile: "${keyFile}" } }`);
  const { port } = new URL(app.url);
  const ask = (method: string, path: string, headers: Record<string, string>, body?: string) =>
    new Promise<{ status: number; cookie: string | undefined; text: string }>((done, failed) => {
      const sent = httpsRequest(
        { host: 'localhost', port, path, method, ca: readFileSync(certFile), headers: { ...pageHeaders, ...headers } },
        async (reply) => {
          let text = '';
          for await (const chunk of reply) text += chunk;
          done({ status: reply.statusCode ?? 0, cookie: reply.headers['set-cookie']?.[0], text });
        },
      );
      sent.on('error', failed);
      sent.end(body);
    });
  const json = { 'content-type': 'application/json' };
  const signedIn = await ask('POST', '/console/session', json, JSON.stringify({ key: app.operatorToken }));
  expect(signedIn.cookie).toMatch(/^__Host-console=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Secure$/);
  const secret = signedIn.cookie?.split(/[=;]/)[1] as string;
  expect((await ask('GET', '/console/session', { cookie: `__Host-console=${secret}` })).text).toContain('"operator"');
  // Browsers speak HTTP/2 over TLS, where hosts and cookies come in other headers.
  const http2 = connectHttp2(`https://localhost:${port}`, { ca: readFileSync(certFile) });
  const stream = http2.request({
    ':path': '/console/session',
    'sec-fetch-site': 'same-origin',
    cookie: `__Host-console=${secret}`,
  });
  stream.setEncoding('utf8');
  let text = '';
  for await (const chunk of stream) text += chunk;
  expect(text).toContain('"operator"');
  const planted = http2.request({
    ':path': '/v1/accounts/acc_x',
    'sec-fetch-site': 'same-origin',
    cookie: `console_${port}=${secret}`,
  });
  const [headers] = await once(planted, 'response');
  expect(headers[':status']).toBe(401);
  planted.close();
  http2.close();
  // A page of another port of this machine could plant one by this name.
  expect((await ask('GET', '/console/session', { cookie: `console_${port}=${secret}` })).text).toBe('null');
  expect((await ask('GET', '/v1/accounts/acc_x', { cookie: `console_${port}=${secret}` })).status).toBe(401);
});

test('the console stays where it is when the API has a prefix, and says the prefix', async () => {
  const app = await serve('http: { pathPrefix: "/intelligence" }');
  const browser = await signIn(app, app.operatorToken);
  expect((await browser.send('GET', '/console/session')).body.apiPrefix).toBe('/intelligence');
  const opened = await browser.send('POST', '/intelligence/v1/accounts', { displayName: 'x' });
  expect(opened.status, opened.text).toBe(200);
  expect((await browser.send('POST', '/v1/accounts', { displayName: 'x' })).status).toBe(404);
  const home = await fetch(`${app.url}/`, { redirect: 'manual' });
  expect([home.status, home.headers.get('location')]).toEqual([302, '/console/']);
});

test('without a console there are no sessions, and / leads to the documentation', async () => {
  const app = await serve('console: { enabled: false }');
  expect((await openBrowser(app).send('POST', '/console/session', { key: app.operatorToken })).status).toBe(404);
  const { rooms } = app;
  const opened = await rooms.sessions.open({ role: 'operator', operator: 'environment' }, { agent: '' });
  const secret = opened.ok ? opened.value.secret : '';
  const cookie = `console_${new URL(app.url).port}=${secret}`;
  const used = await send(app, 'POST', '/v1/accounts', undefined, { displayName: 'x' }, { ...pageHeaders, cookie });
  expect([used.status, reasonOf(used)]).toEqual([401, 'CREDENTIAL_MISSING']);
  const home = await fetch(`${app.url}/`, { redirect: 'manual' });
  expect(home.headers.get('location')).toBe('/docs');
});

test('wrong keys, codes and cookies count against their address', async () => {
  const app = await serve('limits: { anonymous: { refusedPerMinute: 5 } }');
  await onboard(app, '0');
  const statuses: number[] = [];
  for (let attempt = 0; attempt < 3; attempt += 1) {
    statuses.push((await openBrowser(app).send('POST', '/console/session', { key: `wrong ${attempt}` })).status);
    statuses.push((await openBrowser(app).send('POST', '/console/session', { code: `wrong ${attempt}` })).status);
  }
  expect(statuses).toEqual([401, 401, 401, 401, 401, 429]);
  const good = await openBrowser(app).send('POST', '/console/session', { key: app.operatorToken });
  expect([good.status, reasonOf(good)]).toEqual([429, 'RATE_LIMITED']);

  const next = await serve('limits: { anonymous: { refusedPerMinute: 5 } }');
  const port = new URL(next.url).port;
  const guesses: number[] = [];
  for (let attempt = 0; attempt < 7; attempt += 1) {
    const cookie = `console_${port}=${String(attempt).repeat(43)}`;
    guesses.push((await send(next, 'GET', '/v1/wallet', undefined, undefined, { ...pageHeaders, cookie })).status);
  }
  expect(guesses).toEqual([401, 401, 401, 401, 401, 429, 429]);
  const noPage: number[] = [];
  const last = await serve('limits: { anonymous: { refusedPerMinute: 5 } }');
  for (let attempt = 0; attempt < 7; attempt += 1)
    noPage.push(
      (await send(last, 'GET', '/v1/wallet', undefined, undefined, { cookie: `console_${new URL(last.url).port}=x` }))
        .status,
    );
  expect(noPage.at(-1)).toBe(429);
});
