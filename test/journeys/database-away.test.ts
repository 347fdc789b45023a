import { afterAll, beforeAll, expect, test } from 'vitest';
import { WalletService } from '../../src/gen/intelligence/wallet/v1/wallet_service_pb.ts';
import { type Customer, onboard, reasonOf, send, startApp, type TestApp, testSecrets } from '../support/app.ts';
import { firstServer, useDatabase } from '../support/database.ts';
import { grpcClient } from '../support/grpc.ts';
import { type SilentProxy, startSilentProxy } from '../support/silent-proxy.ts';

const database = useDatabase(firstServer());
let proxy: SilentProxy;
let app: TestApp;
let customer: Customer;
let stranger: Customer;

beforeAll(async () => {
  const secrets = testSecrets();
  proxy = await startSilentProxy(database().url);
  app = await startApp({ databaseUrl: proxy.url, secrets });
  customer = await onboard(app);
  const other = await startApp({ databaseUrl: database().url, secrets });
  stranger = await onboard(other);
  await other.close();
  await proxy.close();
});
afterAll(() => app.close());

test.each([
  ['GET', '/v1/wallet'],
  ['GET', '/v1/wallet/top-ups'],
  ['GET', '/v1/wallet/entries'],
  ['GET', '/v1/keys'],
  ['GET', '/v1/webhooks/endpoints'],
] as const)('without a database %s %s may be asked again, and is no fault of the service', async (method, path) => {
  const answer = await send(app, method, path, customer.managementKey);
  expect([answer.status, reasonOf(answer)]).toEqual([503, 'DATABASE_UNAVAILABLE']);
  expect(answer.body.error.message).toMatch(/database of the service cannot be reached. Ask again/);
  expect(answer.headers.get('retry-after')).toBe('1');
});

test('a key that this node has not seen is not refused as unknown', async () => {
  const answer = await send(app, 'GET', '/v1/wallet', stranger.managementKey);
  expect(answer.status).toBe(503);
  expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
});

test('a gRPC client hears UNAVAILABLE, after which it tries again by itself', async () => {
  const client = grpcClient(app.url);
  const { error, reason } = await client.unary(
    WalletService.method.getWallet,
    {},
    { authorization: `Bearer ${customer.managementKey}` },
  );
  client.close();
  expect([error?.code, reason]).toEqual([14, 'DATABASE_UNAVAILABLE']);
});
