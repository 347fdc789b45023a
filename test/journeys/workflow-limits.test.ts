import { create } from '@bufbuild/protobuf';
import { Code, createClient } from '@connectrpc/connect';
import { createGrpcTransport } from '@connectrpc/connect-node';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { RunWorkflowRequestSchema } from '../../src/gen/intelligence/workflow/v1/definition_pb.ts';
import { CheckRiskRequestSchema } from '../../src/gen/intelligence/workflow/v1/risk_pb.ts';
import { WorkflowService } from '../../src/gen/intelligence/workflow/v1/workflow_service_pb.ts';
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

const grpc = () => createClient(WorkflowService, createGrpcTransport({ baseUrl: app.url }));

test('a number that JSON cannot say is the caller’s fault', async () => {
  const headers = { authorization: `Bearer ${customer.apiKey}`, 'idempotency-key': 'not-a-number' };
  const facts = { a: Number.NaN };
  await expect(
    grpc().checkRisk(create(CheckRiskRequestSchema, { text: 'x', facts }), { headers }),
  ).rejects.toMatchObject({
    code: Code.InvalidArgument,
  });
  const input = { kind: { case: 'numberValue' as const, value: Number.POSITIVE_INFINITY } };
  const run = create(RunWorkflowRequestSchema, { client: 'acme', workflow: 'none', input });
  await expect(grpc().runWorkflow(run, { headers: { authorization: headers.authorization } })).rejects.toMatchObject({
    code: Code.InvalidArgument,
  });
});

test('an approval in spite of what is open says why, and by whom', async () => {
  const made = await send(app, 'POST', '/v1/draft/document', customer.apiKey, {
    purpose: 'apologise that the order comes late',
    kind: 'apology_for_delay',
    assist: 'off',
  });
  const at = `/v1/drafts/${made.body.draft.draftId}:approve`;
  for (const review of [
    { reviewer: 'm', override: { reason: '     ' } },
    { reviewer: ' ', override: { reason: 'The customer knows.' } },
  ])
    expect((await send(app, 'POST', at, customer.apiKey, review)).status).toBe(400);
  const approved = await send(app, 'POST', at, customer.apiKey, {
    reviewer: 'm',
    override: { reason: 'The customer knows.' },
  });
  expect(approved.body.draft).toMatchObject({ state: 'approved' });
});
