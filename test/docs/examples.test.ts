import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Customer, onboard, startApp, type TestApp } from '../support/app.ts';
import { firstServer, useDatabase } from '../support/database.ts';

/** What each example prints, in order. */
const examples: Record<string, string[]> = {
  'chat-grpc': ['The shop opens at nine.', 'cost 0.0000', 'left 4.99'],
  'chat-connect': ['The shop opens at nine.', 'The shop opens at nine.', 'ended: stop', 'refused: INVALID_ARGUMENT'],
  'rest-retry': ['The shop opens at nine.', 'the same reply, charged once: true'],
  'openai-package': ['model extractive', 'The shop opens at nine.', 'The shop opens at nine.'],
  device: ['/activate', 'The shop opens at nine.', 'renewed for'],
  'pulse-rest': ['recorded 200', 'accepted: 4', 'report 200'],
  'pulse-grpc': ['accepted: 1', "reason: 'id_invalid'"],
};

const database = useDatabase(firstServer());
let app: TestApp;
let customer: Customer;
beforeAll(async () => {
  app = await startApp({ databaseUrl: database().url });
  customer = await onboard(app);
});
afterAll(() => app.close());

test.each(Object.entries(examples))('examples/%s.ts works against the service', async (name, expected) => {
  let rest = await run(name);
  for (const text of expected) {
    expect(rest).toContain(text);
    rest = rest.slice(rest.indexOf(text) + text.length);
  }
});

test('every example is run here', () => {
  const files = readdirSync('examples').filter((file) => file.endsWith('.ts'));
  expect(
    Object.keys(examples)
      .map((name) => `${name}.ts`)
      .sort(),
  ).toEqual(files.sort());
});

function run(name: string): Promise<string> {
  const env = {
    PATH: process.env.PATH,
    BASE_URL: app.url,
    API_KEY: customer.apiKey,
    MANAGEMENT_KEY: customer.managementKey,
    KEY_ID: customer.keyId,
  };
  return new Promise((done, failed) => {
    execFile(process.execPath, [`examples/${name}.ts`], { env, timeout: 30_000 }, (error, stdout, stderr) =>
      error ? failed(new Error(`${error.message}\n${stdout}\n${stderr}`)) : done(stdout),
    );
  });
}
