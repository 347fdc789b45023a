import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildApp } from '../../src/app.ts';
import { quickstartConfig } from '../../src/quickstart.ts';
import { onboard, send, testConfig, testSecrets } from '../support/app.ts';
import { firstServer, useDatabase } from '../support/database.ts';

const operatorToken = 'test-operator-token-of-more-than-32-characters';
const database = useDatabase(firstServer());
let ollama: Server;
let url: string;
beforeAll(async () => {
  ollama = createServer((request, response) => {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(request.url === '/api/tags' ? tags : completion));
  });
  await new Promise<void>((listening) => ollama.listen(0, '127.0.0.1', listening));
  url = `http://127.0.0.1:${(ollama.address() as AddressInfo).port}`;
});
afterAll(() => {
  ollama.closeAllConnections();
  ollama.close();
});

const tags = { models: [{ name: 'llama3.2:3b', size: 1 }, { name: 'bad name' }] };
const completion = {
  id: 'x',
  object: 'chat.completion',
  created: 1,
  model: 'llama3.2:3b',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hello from here.' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 5, completion_tokens: 4, total_tokens: 9 },
};

test('quickstart answers with the models of an Ollama that runs, and bills them', async () => {
  const config = await quickstartConfig(testConfig({ databaseUrl: database().url }), url);
  const log = pino({ level: 'silent' });
  const app = await buildApp({ config, secrets: testSecrets(), log, progress: () => {} });
  try {
    const customer = await onboard({ ...app, operatorToken, logged: () => '' });
    const body = { messages: [{ role: 'user', content: 'Hello' }] };
    const reply = await send(app, 'POST', '/api/v1/assistant/chat', customer.apiKey, body);
    expect(reply.body).toMatchObject({
      provider: 'ollama',
      model: 'llama3.2:3b',
      message: { content: 'Hello from here.' },
    });
    expect(reply.body.usage.costUsd).toBe('0.00000026');
  } finally {
    await app.close();
  }
});

test('quickstart starts without one, and keeps one that the configuration names', async () => {
  const config = testConfig({ databaseUrl: 'mysql://nobody@127.0.0.1:1/none' });
  expect((await quickstartConfig(config, 'http://127.0.0.1:9')).providers).toEqual(config.providers);
  const own = { id: 'mine', kind: 'openai-compatible' as const, baseUrl: `${url}/v1` };
  expect((await quickstartConfig({ ...config, providers: [own] }, url)).providers).toEqual([own]);
});
