import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { createClient, type Transport } from '@connectrpc/connect';
import { createConnectTransport, createGrpcTransport, createGrpcWebTransport } from '@connectrpc/connect-node';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ChatService } from '../../src/gen/intelligence/chat/v1/chat_service_pb.ts';
import { type Customer, onboard, reasonOf, send, startApp, type TestApp } from '../support/app.ts';
import { eachServer, useDatabase } from '../support/database.ts';
import { grpcClient } from '../support/grpc.ts';

/** The specification's own request, verbatim except for the text. */
const request = {
  provider: 'auto',
  routing: { mode: 'economy' },
  messages: [{ role: 'user', content: 'Which plan fits a small shop? The Basic plan fits small shops.' }],
};
const chatPath = '/api/v1/assistant/chat';

eachServer((server) => {
  const database = useDatabase(server);
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp({ databaseUrl: database().url });
  });
  afterAll(() => app.close());

  describe('the specification’s own request', () => {
    let customer: Customer;
    const costs = new Map<string, string>();
    const contents = new Set<string>();
    const chargeIds: string[] = [];
    const note = (
      name: string,
      reply: { id: string; message?: { content: string } | undefined; usage?: { costUsd: string } | undefined },
    ) => {
      costs.set(name, reply.usage?.costUsd ?? '');
      contents.add(reply.message?.content ?? '');
      chargeIds.push(reply.id);
    };
    beforeAll(async () => {
      customer = await onboard(app);
    });

    test('is answered over JSON on HTTP/1.1, with its charge in the headers', async () => {
      const answer = await send(app, 'POST', chatPath, customer.apiKey, request);
      expect(answer.status).toBe(200);
      expect(answer.body.message.content).not.toBe('');
      expect(answer.body.routing.mode).toBe('economy');
      expect(answer.headers.get('x-charge-usd')).toBe(answer.body.usage.costUsd);
      expect(answer.headers.get('x-balance-usd')).toBe(answer.body.balanceUsd);
      note('JSON', answer.body);
    });

    test('is answered over JSON on cleartext HTTP/2', async () => {
      const text = await outputOf('curl', [
        ...['-s', '--http2-prior-knowledge', `${app.url}${chatPath}`, '-H', 'Content-Type: application/json'],
        ...['-H', `Authorization: Bearer ${customer.apiKey}`, '-d', JSON.stringify(request)],
      ]);
      note('JSON over HTTP/2', JSON.parse(text));
    });

    test('is answered over gRPC by @grpc/grpc-js', async () => {
      const client = grpcClient(app.url);
      const { message, error } = await client.unary(ChatService.method.chat, request, {
        authorization: `Bearer ${customer.apiKey}`,
      });
      client.close();
      expect(error).toBeUndefined();
      if (message) note('grpc-js', message);
    });

    const transports: Record<string, (baseUrl: string) => Transport> = {
      gRPC: (baseUrl) => createGrpcTransport({ baseUrl }),
      'gRPC-Web': (baseUrl) => createGrpcWebTransport({ baseUrl, httpVersion: '1.1' }),
      Connect: (baseUrl) => createConnectTransport({ baseUrl, httpVersion: '1.1' }),
    };
    test.each(Object.keys(transports))('is answered over %s', async (name) => {
      const transport = transports[name]?.(app.url);
      if (!transport) throw new Error(name);
      const headers = { authorization: `Bearer ${customer.apiKey}` };
      note(name, await createClient(ChatService, transport).chat(request, { headers }));
    });

    test('is answered to buf curl, which learns the contract by reflection', async () => {
      const text = await outputOf('node_modules/.bin/buf', [
        ...['curl', '--http2-prior-knowledge', '--protocol', 'grpc', '-H', `Authorization: Bearer ${customer.apiKey}`],
        ...['-d', JSON.stringify(request), `${app.url}/intelligence.chat.v1.ChatService/Chat`],
      ]);
      note('buf curl', JSON.parse(text));
    });

    test('has the same reply and the same charge each time, and the wallet shows each charge exactly', async () => {
      expect(contents.size).toBe(1);
      expect(new Set(costs.values()).size).toBe(1);
      const cost = nano([...costs.values()][0] ?? '');
      const { body } = await send(app, 'GET', '/v1/wallet/entries', customer.managementKey);
      const usage = body.entries.filter((entry: { kind: string }) => entry.kind === 'usage');
      expect(usage.map((entry: { chargeId: string }) => entry.chargeId).sort()).toEqual([...chargeIds].sort());
      for (const entry of usage) expect(nano(entry.amountUsd)).toBe(-cost);
      const wallet = await send(app, 'GET', '/v1/wallet', customer.managementKey);
      expect(nano(wallet.body.wallet.balanceUsd)).toBe(nano('5.00') - cost * BigInt(chargeIds.length));
      expect(wallet.body.wallet.heldUsd).toBe('0.00');
    });
  });

  describe('credit', () => {
    test('a new account has none, and chat says how to add some; after a top-up the same key works', async () => {
      const customer = await onboard(app, '0');
      const refused = await send(app, 'POST', chatPath, customer.apiKey, request);
      expect(refused.status).toBe(402);
      expect(reasonOf(refused)).toBe('INSUFFICIENT_CREDIT');
      expect(refused.body.error.details[0].metadata).toMatchObject({ balanceUsd: '0.00', minimumTopUpUsd: '5.00' });
      await send(app, 'POST', '/v1/wallet/top-ups', customer.managementKey, { amountUsd: '5.00' });
      expect((await send(app, 'POST', chatPath, customer.apiKey, request)).status).toBe(200);
    });

    test.each(['4.99', '4.999999999', '0', '-5', '5e0', '10000.01', '1000000000'])(
      'a top-up of %s is refused',
      async (amountUsd) => {
        const customer = await onboard(app, '0');
        const answer = await send(app, 'POST', '/v1/wallet/top-ups', customer.managementKey, { amountUsd });
        expect(answer.status).toBe(400);
        expect(JSON.stringify(answer.body)).toContain('amountUsd');
        const { body } = await send(app, 'GET', '/v1/wallet', customer.managementKey);
        expect(body.wallet).toMatchObject({ balanceUsd: '0.00', paused: true });
      },
    );

    test('a top-up sent twice with one idempotency key is one top-up', async () => {
      const customer = await onboard(app, '0');
      const headers = { 'idempotency-key': 'once' };
      const top = () => send(app, 'POST', '/v1/wallet/top-ups', customer.managementKey, { amountUsd: '7.00' }, headers);
      const [first, second] = [await top(), await top()];
      expect(second.body.topUp.topUpId).toBe(first.body.topUp.topUpId);
      const { body } = await send(app, 'GET', '/v1/wallet', customer.managementKey);
      expect(body.wallet.balanceUsd).toBe('7.00');
    });

    test('the application’s wallet never pays for API use', async () => {
      const customer = await onboard(app, '0');
      const bought = await send(app, 'POST', '/v1/application-wallet/top-ups', customer.managementKey, {
        amountUsd: '50.00',
      });
      expect(bought.status).toBe(200);
      const { body } = await send(app, 'GET', '/v1/application-wallet', customer.managementKey);
      expect(body.wallet.balanceUsd).toBe('50.00');
      const refused = await send(app, 'POST', chatPath, customer.apiKey, request);
      expect(refused.status).toBe(402);
    });

    test('an operator records a payment once by its reference', async () => {
      const customer = await onboard(app, '0');
      const credit = () =>
        send(app, 'POST', `/v1/accounts/${customer.accountId}/credits`, app.operatorToken, {
          amountUsd: '12.50',
          reference: 'bank 4711',
        });
      expect((await credit()).body.wallet.balanceUsd).toBe('12.50');
      expect((await credit()).body.wallet.balanceUsd).toBe('12.50');
    });

    test.each(['bank\u00004711', 'x'.repeat(201), 'é'.repeat(150), ''])(
      'a payment’s reference %j is refused',
      async (reference) => {
        const { accountId } = await onboard(app, '0');
        const path = `/v1/accounts/${accountId}/credits`;
        const answer = await send(app, 'POST', path, app.operatorToken, { amountUsd: '5.00', reference });
        expect(answer.status).toBe(400);
        expect(answer.body.error.message).toContain('reference');
      },
    );

    test('a chat repeated with its idempotency key is answered from what is stored, and charged once', async () => {
      const customer = await onboard(app);
      const headers = { 'idempotency-key': 'chat-1' };
      const ask = (body: unknown) => send(app, 'POST', chatPath, customer.apiKey, body, headers);
      const [first, second] = [await ask(request), await ask(request)];
      expect(second.body.id).toBe(first.body.id);
      expect(second.body.message).toEqual(first.body.message);
      const other = await ask({ ...request, maxOutputTokens: 5 });
      expect(other.status).toBe(422);
      const { body } = await send(app, 'GET', '/v1/wallet/entries', customer.managementKey);
      expect(body.entries).toHaveLength(2);
      const found = await send(app, 'GET', '/v1/charges?idempotencyKey=chat-1', customer.managementKey);
      expect(found.body.charges).toMatchObject([{ chargeId: first.body.id, state: 'settled' }]);
    });
  });

  describe('keys', () => {
    test('a revoked key is refused, a rotated one works with its new secret alone', async () => {
      const customer = await onboard(app);
      const rotated = await send(app, 'POST', `/v1/keys/${customer.keyId}:rotate`, customer.managementKey, {});
      expect(rotated.status).toBe(200);
      expect(reasonOf(await send(app, 'POST', chatPath, customer.apiKey, request))).toBe('KEY_REVOKED');
      const secret = rotated.body.secret as string;
      expect((await send(app, 'POST', chatPath, secret, request)).status).toBe(200);
      await send(app, 'POST', `/v1/keys/${customer.keyId}:revoke`, customer.managementKey, {});
      const refused = await send(app, 'POST', chatPath, secret, request);
      expect(refused.status).toBe(401);
      expect(reasonOf(refused)).toBe('KEY_REVOKED');
    });

    test('a key must state what is being built', async () => {
      const { managementKey } = await onboard(app, '0');
      const answer = await send(app, 'POST', '/v1/keys', managementKey, { displayName: 'x' });
      expect(answer.status).toBe(400);
      expect(answer.body.error.message).toContain('purpose');
    });

    test('another account’s key, top-up and charge are not found', async () => {
      const [one, other] = [await onboard(app), await onboard(app)];
      const chat = await send(app, 'POST', chatPath, one.apiKey, request);
      const topUps = await send(app, 'GET', '/v1/wallet/top-ups', one.managementKey);
      for (const path of [
        `/v1/keys/${one.keyId}`,
        `/v1/charges/${chat.body.id}`,
        `/v1/wallet/top-ups/${topUps.body.topUps[0].topUpId}`,
        `/v1/accounts/${one.accountId}`,
      ]) {
        expect((await send(app, 'GET', path, one.managementKey)).status).toBe(200);
        expect((await send(app, 'GET', path, other.managementKey)).status).toBe(404);
      }
    });

    test('no secret, SQL or stack is in any reply or log line', async () => {
      const customer = await onboard(app);
      await send(app, 'POST', chatPath, customer.apiKey, request);
      await send(app, 'POST', chatPath, `${customer.apiKey}x`, request);
      const logged = app.logged();
      for (const secret of [customer.apiKey, customer.managementKey, app.operatorToken, 'Which plan fits'])
        expect(logged).not.toContain(secret);
    });
  });

  test('a management key can’t chat, an API key can’t manage, nobody goes without a credential', async () => {
    const { managementKey, apiKey } = await onboard(app);
    expect(reasonOf(await send(app, 'POST', chatPath, managementKey, request))).toBe('SCOPE_MISSING');
    expect(reasonOf(await send(app, 'POST', '/v1/keys', apiKey, { displayName: 'x', purpose: 'y' }))).toBe(
      'SCOPE_MISSING',
    );
    expect(reasonOf(await send(app, 'POST', '/v1/accounts', managementKey, { displayName: 'x' }))).toBe(
      'SCOPE_MISSING',
    );
    expect(reasonOf(await send(app, 'POST', chatPath, undefined, request))).toBe('CREDENTIAL_MISSING');
  });
});

async function outputOf(command: string, args: string[]): Promise<string> {
  return (await promisify(execFile)(command, args, { timeout: 20_000 })).stdout;
}

function nano(usd: string): bigint {
  const [whole = '', decimals = ''] = usd.replace('-', '').split('.');
  const amount = BigInt(whole) * 1_000_000_000n + BigInt(decimals.padEnd(9, '0'));
  return usd.startsWith('-') ? -amount : amount;
}
