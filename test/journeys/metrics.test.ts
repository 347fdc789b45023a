import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Customer, onboard, send, startApp, type TestApp } from '../support/app.ts';
import { firstServer, useDatabase } from '../support/database.ts';

const database = useDatabase(firstServer());
let app: TestApp;
let customer: Customer;
beforeAll(async () => {
  app = await startApp({ databaseUrl: database().url });
  customer = await onboard(app);
});
afterAll(() => app.close());

test('operators see calls, models, groups and what was charged; nobody else sees anything', async () => {
  const chat = await send(app, 'POST', '/api/v1/assistant/chat', customer.apiKey, {
    messages: [{ role: 'user', content: 'hello' }],
  });
  expect(chat.status).toBe(200);
  expect((await send(app, 'GET', '/metrics')).status).toBe(401);
  expect((await send(app, 'GET', '/metrics', customer.managementKey)).status).toBe(403);
  const { status, text } = await send(app, 'GET', '/metrics', app.operatorToken);
  expect(status).toBe(200);
  for (const line of [
    /rpc_server_duration_seconds_count\{rpc_method="intelligence.chat.v1.ChatService\/Chat",rpc_system="rest",outcome="ok"\} 1/,
    /gen_ai_client_operation_duration_seconds_count\{gen_ai_request_model="builtin\/extractive",outcome="ok"\} 1/,
    /ledger_operation_duration_seconds_count\{operation="hold",outcome="held"\} 1/,
    /ledger_operation_duration_seconds_count\{operation="settle",outcome="settled"\} 1/,
    /ledger_group_operations_count [1-9]/,
    /ledger_open_holds 0/,
    /ledger_up 1/,
  ])
    expect(text).toMatch(line);
  const charged = Number(/^ledger_charged_usd_total (\S+)$/m.exec(text)?.[1]);
  expect(charged).toBeCloseTo(Number(chat.body.usage.costUsd), 12);

  // The next one of the same key has a deferred hold.
  const next = { messages: [{ role: 'user', content: 'hello' }] };
  expect((await send(app, 'POST', '/api/v1/assistant/chat', customer.apiKey, next)).status).toBe(200);
  const later = await send(app, 'GET', '/metrics', app.operatorToken);
  expect(later.text).toMatch(/ledger_operation_duration_seconds_count\{operation="hold",outcome="deferred"\} 1/);
  expect(later.text).toMatch(/ledger_deferred_holds_total\{outcome="held"\} 1/);
  expect(later.text).toMatch(/ledger_operation_duration_seconds_count\{operation="settle",outcome="settled"\} 2/);
});
