import { randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import { create } from '@bufbuild/protobuf';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ChatService } from '../../src/gen/intelligence/chat/v1/chat_service_pb.ts';
import { KeyService } from '../../src/gen/intelligence/key/v1/key_service_pb.ts';
import { formatSecret } from '../../src/keys/secret.ts';
import { type Customer, onboard, reasonOf, send, startApp, type TestApp, testSecrets } from '../support/app.ts';
import { eachServer, useDatabase } from '../support/database.ts';
import { grpcClient } from '../support/grpc.ts';
import { startUpstream, type Upstream } from '../support/upstream.ts';

const chatPath = '/api/v1/assistant/chat';
const chat = {
  provider: 'builtin',
  messages: [{ role: 'user', content: 'Which plan fits a small shop? The Basic plan fits small shops.' }],
};

eachServer((server) => {
  const database = useDatabase(server);
  let upstream: Upstream;
  let app: TestApp;
  let other: TestApp;
  let customer: Customer;
  let stranger: Customer;
  beforeAll(async () => {
    upstream = await startUpstream();
    const settings = `
http: { publicUrl: "https://api.example" }
limits: { requestsPerMinute: 1000000 }
providers: [{ id: slow, kind: openai-compatible, baseUrl: "${upstream.url}/v1", apiKeyEnv: SLOW_KEY }]
models:
  - { id: slow-model, provider: slow, quality: 50, contextTokens: 8000, price: { inputPerMillionUsd: "1", outputPerMillionUsd: "1" } }
`;
    const secrets = testSecrets();
    const variables = { SLOW_KEY: 'sk-upstream-secret-0123456789' };
    app = await startApp({ databaseUrl: database().url, settings, secrets, variables });
    other = await startApp({ databaseUrl: database().url, settings, secrets, variables });
    customer = await onboard(app);
    stranger = await onboard(app);
  });
  afterAll(async () => {
    await app.close();
    await other.close();
    await upstream.close();
  });

  describe('what is not a credential', () => {
    const cases: [string, () => string | undefined, string][] = [
      ['no header', () => undefined, 'CREDENTIAL_MISSING'],
      ['an empty header', () => '', 'CREDENTIAL_MISSING'],
      ['a bare key', () => customer.apiKey, 'CREDENTIAL_INVALID'],
      ['the scheme alone', () => 'Bearer', 'CREDENTIAL_INVALID'],
      ['another scheme', () => `Basic ${Buffer.from(`${customer.apiKey}:`).toString('base64')}`, 'CREDENTIAL_INVALID'],
      ['Bearer twice', () => `Bearer Bearer ${customer.apiKey}`, 'CREDENTIAL_INVALID'],
      ['two keys', () => `Bearer ${customer.apiKey}, Bearer ${customer.apiKey}`, 'CREDENTIAL_INVALID'],
      ['a key with one letter changed', () => `Bearer ${mistyped(customer.apiKey)}`, 'CREDENTIAL_INVALID'],
      ['a wrong secret with a right id', () => `Bearer ${wrongSecret(customer)}`, 'CREDENTIAL_INVALID'],
      ['a key of 30,000 characters', () => `Bearer ik_live_${'a'.repeat(30_000)}`, 'CREDENTIAL_INVALID'],
      ['a made-up token', () => 'Bearer eyJhbGciOiJub25lIn0.e30.', 'CREDENTIAL_INVALID'],
      ['a wrong operator token', () => `Bearer ik_oper_${'a'.repeat(43)}`, 'CREDENTIAL_INVALID'],
    ];
    test.each(cases)('%s is refused over REST and gRPC', async (_name, header, reason) => {
      const authorization = header();
      const headers: Record<string, string> = authorization === undefined ? {} : { authorization };
      const answer = await send(app, 'POST', chatPath, undefined, chat, headers);
      expect([answer.status, reasonOf(answer)]).toEqual([401, reason]);
      expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer/);
      const client = grpcClient(app.url);
      const byGrpc = await client.unary(ChatService.method.chat, chat, headers);
      client.close();
      expect(byGrpc.reason).toBe(reason);
    });

    test('NUL and bytes above ASCII never get through as a credential', async () => {
      for (const bytes of ['Bearer ik_live_\0', 'Bearer ik_live_\u00e9\u00ff', 'Bearer \u{1f4a5}']) {
        const reply = await rawRequest(app.url, bytes);
        expect(reply).toMatch(/^HTTP\/1\.1 4\d\d/);
      }
    });

    test('a header of 1 MB is refused by the listener, and the service goes on', async () => {
      const reply = await rawRequest(app.url, `Bearer ik_live_${'a'.repeat(1_000_000)}`).catch(() => 'closed');
      expect(reply).toMatch(/^(HTTP\/1\.1 431|closed|$)/);
      expect((await send(app, 'POST', chatPath, customer.apiKey, chat)).status).toBe(200);
    });

    test('the scheme is taken in any case (RFC 9110, 11.1)', async () => {
      for (const scheme of ['bearer', 'BEARER', 'bEaReR'])
        expect(
          (
            await send(app, 'GET', '/v1/wallet', undefined, undefined, {
              authorization: `${scheme} ${customer.apiKey}`,
            })
          ).status,
        ).toBe(200);
    });
  });

  test("another account's ids answer 404, whatever is asked and by whichever protocol", async () => {
    const clientOfOther = await send(app, 'POST', '/v1/clients', stranger.managementKey, {
      displayName: 'Other',
      keyId: stranger.keyId,
    });
    const { clientId } = clientOfOther.body.client;
    const token = await send(app, 'POST', '/v1/tokens', stranger.apiKey, { subject: 'u' });
    const paid = await send(app, 'POST', chatPath, stranger.apiKey, chat);
    const topUps = await send(app, 'GET', '/v1/wallet/top-ups', stranger.managementKey);
    const device = new URLSearchParams({ client_id: clientId });
    const started = (await (
      await fetch(`${app.url}/oauth/device_authorization`, { method: 'POST', body: device })
    ).json()) as { user_code: string };
    const theirs: [string, string, object?][] = [
      ['GET', `/v1/keys/${stranger.keyId}`],
      ['PATCH', `/v1/keys/${stranger.keyId}`, { displayName: 'Mine' }],
      ['POST', `/v1/keys/${stranger.keyId}:rotate`, {}],
      ['POST', `/v1/keys/${stranger.keyId}:revoke`, {}],
      ['GET', `/v1/accounts/${stranger.accountId}`],
      ['GET', `/v1/clients/${clientId}`],
      ['POST', `/v1/clients/${clientId}:disable`, {}],
      ['POST', `/v1/tokens/${token.body.tokenId}:revoke`, {}],
      ['POST', '/v1/devices:approve', { userCode: started.user_code, subject: 'mine' }],
      ['POST', '/v1/devices:deny', { userCode: started.user_code }],
      ['GET', `/v1/charges/${paid.body.id}`],
      ['GET', `/v1/wallet/top-ups/${topUps.body.topUps[0].topUpId}`],
    ];
    for (const [method, path, body] of theirs) {
      const answer = await send(app, method, path, customer.managementKey, body);
      expect([method, path, answer.status, reasonOf(answer)]).toEqual([method, path, 404, 'NOT_FOUND']);
      expect(answer.text).not.toContain(stranger.accountId);
    }
    const client = grpcClient(app.url);
    const byGrpc = await client.unary(
      KeyService.method.revokeKey,
      create(KeyService.method.revokeKey.input, { keyId: stranger.keyId }),
      { authorization: `Bearer ${customer.managementKey}` },
    );
    client.close();
    expect(byGrpc.reason).toBe('NOT_FOUND');
    expect((await send(app, 'POST', chatPath, stranger.apiKey, chat)).status).toBe(200);
  });

  test('a key that is revoked on one node pays for nothing on the other from then on, and is refused there soon', async () => {
    const victim = await onboard(app);
    expect((await send(other, 'POST', chatPath, victim.apiKey, chat)).status).toBe(200);
    await send(app, 'POST', `/v1/keys/${victim.keyId}:revoke`, victim.managementKey, {});
    const here = await send(app, 'POST', chatPath, victim.apiKey, chat);
    expect([here.status, reasonOf(here)]).toEqual([401, 'KEY_REVOKED']);
    // Until the other node knows, the hold's own commit refuses: the very first request after the revocation is unpaid.
    const there = await send(other, 'POST', chatPath, victim.apiKey, chat);
    expect([there.status, reasonOf(there)]).toEqual([401, 'KEY_REVOKED']);
    // How soon is tested in `test/keys/`: within a second.
    await expect.poll(async () => (await send(other, 'GET', '/v1/wallet', victim.apiKey)).status).toBe(401);
  });

  test.each(['key', 'token', 'key, of which only the count of changes came'])(
    'a stream in flight on another node is stopped by the revocation of its %s',
    async (what) => {
      const victim = await onboard(app);
      const issued = await send(app, 'POST', '/v1/tokens', victim.apiKey, { subject: 'u' });
      upstream.answer(() => ({
        headers: { 'content-type': 'text/event-stream' },
        // It would run for longer than this test may take.
        pieces: Array.from({ length: 4_000 }, (_, index) => chunk(`word${index} `)),
        pauseMs: 50,
      }));
      const response = await fetch(`${other.url}${chatPath}`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${what === 'token' ? issued.body.accessToken : victim.apiKey}`,
          'content-type': 'application/json',
          accept: 'text/event-stream',
        },
        body: JSON.stringify({ ...chat, provider: 'slow', model: 'slow-model' }),
      });
      expect(response.status).toBe(200);
      let text = '';
      let isRevoked = false;
      const decoder = new TextDecoder();
      for await (const bytes of response.body as AsyncIterable<Uint8Array>) {
        text += decoder.decode(bytes, { stream: true });
        if (isRevoked || !text.includes('word3')) continue;
        isRevoked = true;
        if (what !== 'key' && what !== 'token') {
          await loseRevocation(victim.keyId);
          continue;
        }
        const path = what === 'key' ? `/v1/keys/${victim.keyId}:revoke` : `/v1/tokens/${issued.body.tokenId}:revoke`;
        expect((await send(app, 'POST', path, victim.managementKey, {})).status).toBe(200);
      }
      expect(text).toContain('KEY_REVOKED');
      expect(text).not.toContain('word999');
      // What was delivered is paid for, and nothing stays held.
      await expect
        .poll(async () => (await send(app, 'GET', '/v1/wallet', victim.managementKey)).body.wallet.heldUsd)
        .toBe('0.00');
    },
  );

  /** The key is revoked, and the notice of it is lost: as after a failover, or for a node that was away for long. */
  const loseRevocation = (keyId: string) =>
    database().database.transaction(async (tx) => {
      await sql`UPDATE credential_state SET state = 'revoked', revoked_at_ms = 1 WHERE id = ${keyId}`.execute(
        tx.for<never>(),
      );
      await sql`UPDATE credential_change_counter SET number = number + 1`.execute(tx.for<never>());
    });
});

function mistyped(secret: string): string {
  return secret.slice(0, 50) + (secret[50] === 'a' ? 'b' : 'a') + secret.slice(51);
}

function wrongSecret({ keyId }: Customer): string {
  return formatSecret('live', keyId, randomBytes(32));
}

function chunk(content: string): string {
  const body = { id: 'c', object: 'chat.completion.chunk', choices: [{ index: 0, delta: { content } }] };
  return `data: ${JSON.stringify(body)}\n\n`;
}

/** One request as bytes, for headers that no client would send. */
function rawRequest(url: string, authorization: string): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname);
    let reply = '';
    socket.setTimeout(20_000, () => socket.destroy(new Error('no reply')));
    socket.on('data', (data) => {
      reply += data.toString('latin1');
    });
    socket.on('close', () => resolve(reply));
    socket.on('error', (error) => (reply === '' ? reject(error) : resolve(reply)));
    socket.write(`GET /v1/wallet HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: ${authorization}\r\n\r\n`);
  });
}
