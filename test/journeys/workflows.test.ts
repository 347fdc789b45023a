import { createClient } from '@connectrpc/connect';
import { createGrpcTransport } from '@connectrpc/connect-node';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { WorkflowService } from '../../src/gen/intelligence/workflow/v1/workflow_service_pb.ts';
import { type Customer, onboard, send, startApp, type TestApp } from '../support/app.ts';
import { firstServer, useDatabase } from '../support/database.ts';

const requests = {
  checkProfile: ['/v1/guidance/profile-check', { template: 'seller', values: { displayName: 'Oak and Walnut' } }],
  scoreListing: [
    '/v1/readiness/listing',
    {
      listing: {
        title: 'Toyota Corolla 1.8 Hybrid',
        category: 'Cars',
        price: 14900,
        currency: 'EUR',
        attributes: { make: 'Toyota' },
      },
    },
  ],
  checkRisk: ['/v1/risk/check', { text: 'Guaranteed returns, completely risk-free!', domain: 'finance' }],
  writeDecisionMemo: [
    '/v1/decision/memo',
    {
      question: 'Which supplier?',
      options: [
        { name: 'North', attributes: { price: 3 } },
        { name: 'South', attributes: { price: 5 } },
      ],
      criteria: [{ name: 'price', direction: 'lower' }],
    },
  ],
  scoreBusinessReadiness: [
    '/v1/scoring/business-readiness',
    { metrics: { cashRunwayMonths: 9 }, answers: { registered: true } },
  ],
} as const;

describe('workflows on a fresh service without a model', () => {
  const database = useDatabase(firstServer());
  let app: TestApp;
  let customer: Customer;
  beforeAll(async () => {
    app = await startApp({
      databaseUrl: database().url,
      settings: 'workflows: { pricesPerRequestUsd: { custom: "0.005" } }',
    });
    customer = await onboard(app);
  });
  afterAll(() => app.close());

  test.each(Object.keys(requests) as (keyof typeof requests)[])(
    '%s gives the same explained answer over JSON and gRPC, each for its price',
    async (name) => {
      const [path, body] = requests[name];
      const answer = await send(app, 'POST', path, customer.apiKey, body);
      expect(answer.status).toBe(200);
      expect(answer.body.basis).toMatchObject({ evaluator: 'rules', model: '' });
      expect(answer.body.basis.checks.length).toBeGreaterThan(0);
      expect(answer.body.usage.costUsd).toBe('0.002');
      expect(answer.body.nextBestAction).not.toBe('');

      const client = createClient(WorkflowService, createGrpcTransport({ baseUrl: app.url }));
      const headers = { authorization: `Bearer ${customer.apiKey}` };
      const call = client[name] as (
        request: object,
        options: object,
      ) => Promise<{ summary: string; nextBestAction: string; missingFacts: string[] }>;
      const message = await call(body, { headers });
      expect(message.summary).toBe(answer.body.summary);
      expect(message.nextBestAction).toBe(answer.body.nextBestAction);
      expect(message.missingFacts).toEqual(answer.body.missingFacts);
    },
  );

  test('a draft is written, approved, and a client’s own workflow made and run, from one wallet', async () => {
    const drafted = await send(app, 'POST', '/v1/draft/document', customer.apiKey, {
      purpose: 'the order is late',
      facts: [{ name: 'order', value: '4711' }],
    });
    const { draftId } = drafted.body.draft;
    const queue = await send(app, 'GET', '/v1/drafts?state=pending_review', customer.managementKey);
    expect(queue.body.drafts).toMatchObject([{ draftId, state: 'pending_review' }]);
    const packs = await send(app, 'GET', '/v1/workflows/packs?family=draft', customer.apiKey);
    expect(packs.body.draftKinds[0]).toMatchObject({ id: 'apology_for_delay', version: expect.any(Number) });
    const approved = await send(app, 'POST', `/v1/drafts/${draftId}:approve`, customer.managementKey, {
      reviewer: 'Eva',
    });
    expect(approved.body.draft.state).toBe('approved');

    const definition = {
      client: 'acme',
      workflow: 'double',
      inputSchema: { type: 'number' },
      outputSchema: { type: 'object', required: ['twice'] },
      fields: [{ name: 'twice', expression: 'input * 2.0' }],
      samples: [{ input: 4, expect: { twice: 8 } }],
    };
    const made = await send(app, 'POST', '/v1/workflow-definitions', customer.managementKey, { definition });
    expect(made.body.definition.version).toBe(1);
    const ran = await send(app, 'POST', '/v1/workflows/acme/double', customer.apiKey, 21);
    expect(ran.body.output).toEqual({ twice: 42 });

    const { body } = await send(app, 'GET', '/v1/wallet/entries', customer.managementKey);
    const charges = body.entries.map((entry: { chargeId?: string }) => entry.chargeId);
    expect(charges).toContain(ran.body.usage.chargeId);
    expect(charges).toContain(drafted.body.usage.chargeId);
    const prices = await send(app, 'GET', '/v1/workflows/prices', customer.apiKey);
    expect(prices.body.prices).toContainEqual({ family: 'custom', priceUsd: '0.005', unit: 'request' });
    const usage = await send(app, 'GET', '/v1/usage?groupBy=operation', customer.managementKey);
    expect(JSON.stringify(usage.body)).toContain('workflow.custom');
    const wallet = await send(app, 'GET', '/v1/wallet', customer.managementKey);
    expect(wallet.body.wallet).toMatchObject({ balanceUsd: '4.973', heldUsd: '0.00' });
  });
});
