import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { connect as connectHttp2 } from 'node:http2';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type RunningServer, startServer } from '../../src/edge/server.ts';

let folder: string;
let server: RunningServer;
let ca: Buffer;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tls-'));
  const [certFile, keyFile] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
  execFileSync(
    'openssl',
    [
      ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '1'],
      ...['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost', '-keyout', keyFile, '-out', certFile],
    ],
    { stdio: 'ignore' },
  );
  ca = readFileSync(certFile);
  server = await startServer({
    host: '127.0.0.1',
    port: 0,
    trustedProxies: [],
    tls: { certFile, keyFile },
    log: pino({ level: 'silent' }),
    routes: (app) => {
      app.get('/version', async ({ raw }) => ({ version: raw.httpVersion }));
    },
  });
});
afterAll(async () => {
  await server.close(0);
  rmSync(folder, { recursive: true });
});

const port = () => Number(new URL(server.url).port);

test('under TLS, HTTP/2 is chosen by ALPN', async () => {
  expect(server.url).toMatch(/^https:/);
  const session = connectHttp2(`https://localhost:${port()}`, { ca });
  const stream = session.request({ ':path': '/version' });
  stream.setEncoding('utf8');
  let text = '';
  stream.on('data', (chunk) => {
    text += chunk;
  });
  await once(stream, 'end');
  session.close();
  expect(session.alpnProtocol).toBe('h2');
  expect(JSON.parse(text)).toEqual({ version: '2.0' });
});

test('under TLS, a client of HTTP/1.1 is answered on the same port', async () => {
  const sent = request({ host: 'localhost', port: port(), path: '/version', ca, agent: false });
  sent.end();
  const [response] = await once(sent, 'response');
  let text = '';
  for await (const chunk of response) text += chunk;
  expect(JSON.parse(text)).toEqual({ version: '1.1' });
});
