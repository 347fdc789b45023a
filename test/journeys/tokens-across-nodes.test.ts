import { decodeJwt } from 'jose';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Customer, onboard, send, startApp, type TestApp, testSecrets } from '../support/app.ts';
import { eachServer, freshDatabase, useDatabase } from '../support/database.ts';

const path = '/api/v1/assistant/chat';
const chat = {
  provider: 'builtin',
  messages: [{ role: 'user', content: 'Which plan? The Basic plan fits small shops.' }],
};

eachServer((server) => {
  const database = useDatabase(server);
  let nodes: TestApp[];
  let customer: Customer;
  beforeAll(async () => {
    // No http.publicUrl: each node knows only its own address.
    const options = { databaseUrl: database().url, secrets: testSecrets() };
    nodes = await Promise.all([startApp(options), startApp(options)]);
    customer = await onboard(nodes[0] as TestApp);
  });
  afterAll(() => Promise.all(nodes.map((node) => node.close())));

  test('a token is accepted by every node at once, and refused by every node once it is revoked', async () => {
    for (const [minting, other] of [nodes, nodes.toReversed()] as [TestApp, TestApp][]) {
      const issued = await send(minting, 'POST', '/v1/tokens', customer.apiKey, { subject: 'u' });
      const { tokenId, accessToken } = issued.body;
      expect(decodeJwt(accessToken).iss).toBe(minting.url);
      for (const node of [other, minting])
        expect(await send(node, 'POST', path, accessToken, chat)).toMatchObject({ status: 200 });
      await send(other, 'POST', `/v1/tokens/${tokenId}:revoke`, customer.managementKey, {});
      for (const node of [other, minting])
        expect(await send(node, 'POST', path, accessToken, chat)).toMatchObject({ status: 401 });
    }
  });

  test('a node with the secrets of another database does not start, and says why', async () => {
    // Even before any token was made: the first start leaves what tells the secrets apart.
    const empty = await freshDatabase(server);
    const first = { databaseUrl: empty.url, secrets: testSecrets() };
    await (await startApp(first)).close();
    const foreign = startApp({ ...first, secrets: testSecrets() });
    await expect(foreign).rejects.toMatchObject({ name: 'SecretsUnfitError' });
    await expect(foreign).rejects.toThrow(/The secrets file does not belong to this database/);
    await (await startApp(first)).close();
    await empty.drop();
  });
});
