import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Customer, onboard, send, startApp, type TestApp } from '../support/app.ts';
import { eachServer, useDatabase } from '../support/database.ts';

eachServer((server) => {
  const database = useDatabase(server);
  let app: TestApp;
  let customer: Customer;
  beforeAll(async () => {
    app = await startApp({ databaseUrl: database().url, settings: 'limits: { requestsPerMinute: 1000000 }' });
    customer = await onboard(app);
  });
  afterAll(() => app.close());

  test('many writes at one time that look something up do not wait for each other', async () => {
    const writes = Array.from({ length: 40 }, (_, index) =>
      send(app, 'POST', '/v1/clients', customer.managementKey, {
        ...{ displayName: 'An app', keyId: `key_01hzzzzzzzzzzzzzzzzzzzzz${String(index).padStart(2, '0')}` },
      }),
    );
    const answers = await Promise.all(writes);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([answers[0]?.status]));
    expect(answers[0]?.status, answers[0]?.text).toBeGreaterThanOrEqual(400);
    expect(answers[0]?.status).toBeLessThan(500);
  });
});
