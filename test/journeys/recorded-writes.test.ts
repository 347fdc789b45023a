import { MethodOptions_IdempotencyLevel as Level } from '@bufbuild/protobuf/wkt';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ProviderKeyService } from '../../src/gen/intelligence/key/v1/provider_key_service_pb.ts';
import { type Customer, onboard, send, startApp, type TestApp } from '../support/app.ts';
import { firstServer, useDatabase } from '../support/database.ts';
import { grpcClient } from '../support/grpc.ts';
import { contractServices, methodName } from '../support/services.ts';

/** A recorded write: a request that does it, and what the event says. */
interface RecordedWrite {
  path: string;
  body?: object;
  verb?: 'PATCH' | 'PUT' | 'DELETE';
  /** Absent: the account's management key. */
  credential?: string;
  action: string;
  target?: string;
  details?: object;
}

/** Writes without an event, and why they need none. */
const unrecorded: Record<string, string> = {
  ...Object.fromEntries(
    [
      ...['chat.v1.ChatService/Chat', 'chat.v1.ChatService/StreamChat', 'embedding.v1.EmbeddingService/Embed'],
      ...['rerank.v1.RerankService/Rerank', 'pulse.v1.PulseService/RecordEvents'],
      ...[
        'CheckProfile',
        'ScoreListing',
        'CheckRisk',
        'DraftDocument',
        'WriteDecisionMemo',
        'ScoreBusinessReadiness',
      ].map((name) => `workflow.v1.WorkflowService/${name}`),
      ...['RunWorkflow', 'BatchRunWorkflows'].map((name) => `workflow.v1.WorkflowService/${name}`),
    ].map((name) => [name, 'Use: its charge says who asked for it, when, and by which key.']),
  ),
  'wallet.v1.WalletService/CreateTopUp': 'A top-up and its entry are kept for ever, and change nobody’s rights.',
  'wallet.v1.WalletService/CreateApplicationTopUp': 'As any top-up.',
  'wallet.v1.WalletService/EraseMetadata': 'Forgets labels, which may name a person; the record would remember them.',
  'wallet.v1.WalletService/UpdateLowBalanceAlert':
    'When the account is told of its balance; nobody may do more or less by it.',
  'token.v1.TokenService/CreateToken':
    'Backends make them for each user, for minutes; the charges name token and user.',
  'webhook.v1.WebhookService/TestEndpoint': 'Sends a message, which is in the list of deliveries, and changes nothing.',
  'workflow.v1.WorkflowService/ReviseDraft': 'Adds a version, which is kept as it is and waits for review.',
  'outcome.v1.OutcomeService/ReportOutcome': 'What callers report is kept as they report it.',
  'outcome.v1.OutcomeService/BatchReportOutcomes': 'As one outcome.',
  'pulse.v1.PulseService/DeclareProperties': 'How events are read; nobody may do more or less by it.',
  'pulse.v1.PulseService/DeclareJourney': 'As declared properties.',
  'pulse.v1.PulseService/SetAlert': 'When the account is told of a journey.',
  'pulse.v1.PulseService/DeleteAlert': 'As setting it.',
  'pulse.v1.PulseService/ErasePerson': 'Forgets a person, whom the record would remember.',
};

const database = useDatabase(firstServer());
let app: TestApp;
let customer: Customer;
beforeAll(async () => {
  app = await startApp({
    databaseUrl: database().url,
    settings:
      'limits: { requestsPerMinute: 1000000 }\nwebhooks: { allowPrivateNetworks: true }\nownKeys: { pricePerRequestUsd: "0.001" }',
  });
  customer = await onboard(app);
});
afterAll(() => app.close());

async function made(path: string, body: object, credential = customer.managementKey) {
  const answer = await send(app, 'POST', path, credential, body);
  expect(answer.status, answer.text).toBe(200);
  return answer.body;
}
const newKey = { displayName: 'backend', purpose: 'a test' };
const keyId = async () => (await made('/v1/keys', newKey)).key.keyId;
const clientId = async () =>
  (await made('/v1/clients', { displayName: 'An app', keyId: customer.keyId })).client.clientId;
const endpointId = async () =>
  (await made('/v1/webhooks/endpoints', { url: 'http://127.0.0.1:9/a' })).endpoint.endpointId;
const draftId = async () => {
  const asked = { purpose: 'the order is late', facts: [{ name: 'order', value: '4711' }] };
  return (await made('/v1/draft/document', asked, customer.apiKey)).draft.draftId;
};
async function userCode(of: string): Promise<string> {
  const body = new URLSearchParams({ client_id: of });
  const asked = await fetch(`${app.url}/oauth/device_authorization`, { method: 'POST', body });
  return ((await asked.json()) as { user_code: string }).user_code;
}
const definitionOf = (workflow: string) => ({
  ...{ client: 'acme', workflow },
  ...{ inputSchema: { type: 'number' }, outputSchema: { type: 'object', required: ['twice'] } },
  fields: [{ name: 'twice', expression: 'input * 2.0' }],
  samples: [{ input: 4, expect: { twice: 8 } }],
});
const riskPack = (packId: string) => ({
  packId,
  entries: [
    {
      id: 'fees',
      category: 'misleading_finance',
      severity: 'high',
      phrases: ['no hidden fees ever'],
      reason: 'No one can say so.',
    },
  ],
});
const operator = () => ({ credential: app.operatorToken });
const opened = async () => (await made('/v1/accounts', { displayName: 'Harrow' }, app.operatorToken)).account.accountId;

const recorded: Record<string, () => Promise<RecordedWrite>> = {
  'account.v1.AccountService/CreateAccount': async () => ({
    ...{ ...operator(), path: '/v1/accounts', body: { displayName: 'One' } },
    action: 'account.create',
  }),
  'account.v1.AccountService/CreditAccount': async () => ({
    ...{ ...operator(), path: `/v1/accounts/${await opened()}/credits` },
    ...{ body: { amountUsd: '50.00', reference: 'bank 1', reason: 'seen' }, action: 'account.credit' },
  }),
  'account.v1.AccountService/AdjustAccount': async () => ({
    ...{ ...operator(), path: `/v1/accounts/${await opened()}/adjustments`, action: 'account.adjust' },
    body: { direction: 'add', amountUsd: '1.50', reason: 'goodwill' },
  }),
  'account.v1.AccountService/UpdateAccount': async () => ({
    ...{ ...operator(), verb: 'PATCH', path: `/v1/accounts/${await opened()}`, action: 'account.update' },
    body: { displayName: 'Another', reason: 'renamed' },
  }),
  'account.v1.AccountService/SuspendAccount': async () => ({
    ...{ ...operator(), path: `/v1/accounts/${await opened()}:suspend`, body: { reason: 'unpaid' } },
    action: 'account.suspend',
  }),
  'account.v1.AccountService/ResumeAccount': async () => {
    const id = await opened();
    await made(`/v1/accounts/${id}:suspend`, { reason: 'unpaid' }, app.operatorToken);
    const path = `/v1/accounts/${id}:resume`;
    return { ...operator(), path, body: { reason: 'paid' }, action: 'account.resume', target: id };
  },
  'operations.v1.OperationsService/RunAudit': async () => ({
    ...{ ...operator(), path: '/v1/operations/audits', body: { reason: 'month end' }, action: 'ledger.audit' },
  }),
  'key.v1.KeyService/CreateKey': async () => ({
    ...{ path: '/v1/keys', body: { ...newKey, guardrails: { input: { action: 'refuse' } } }, action: 'key.create' },
    details: { kind: 'live', guardrails: expect.stringContaining('"refuse"') },
  }),
  'key.v1.KeyService/UpdateKey': async () => {
    const id = await keyId();
    const body = { updateMask: 'guardrails', guardrails: { input: { action: 'refuse' } } };
    const details = { fields: 'guardrails', guardrails: expect.stringContaining('"refuse"') };
    return { verb: 'PATCH', path: `/v1/keys/${id}`, body, action: 'key.update', target: id, details };
  },
  'key.v1.KeyService/RotateKey': async () => {
    const id = await keyId();
    return { path: `/v1/keys/${id}:rotate`, body: { overlapSeconds: 60 }, action: 'key.rotate', target: id };
  },
  'key.v1.KeyService/RevokeKey': async () => {
    const id = await keyId();
    return { path: `/v1/keys/${id}:revoke`, body: {}, action: 'key.revoke', target: id };
  },
  'key.v1.ProviderKeyService/CreateProviderKey': async () => ({
    ...{ path: '/v1/provider-keys', body: { provider: 'openai', secret: 'sk-of-the-account-1', displayName: 'Ours' } },
    ...{ action: 'provider_key.create', details: { provider: 'openai', displayName: 'Ours' } },
  }),
  'key.v1.ProviderKeyService/DeleteProviderKey': async () => {
    const { providerKey } = await made('/v1/provider-keys', { provider: 'openai', secret: 'sk-of-the-account-2' });
    const target = providerKey.providerKeyId;
    return { verb: 'DELETE', path: `/v1/provider-keys/${target}`, action: 'provider_key.delete', target };
  },
  'token.v1.ClientService/CreateClient': async () => ({
    ...{ path: '/v1/clients', body: { displayName: 'An app', keyId: customer.keyId }, action: 'client.create' },
    details: { displayName: 'An app', keyId: customer.keyId },
  }),
  'token.v1.ClientService/DisableClient': async () => {
    const target = await clientId();
    return { path: `/v1/clients/${target}:disable`, body: {}, action: 'client.disable', target };
  },
  'token.v1.TokenService/RevokeToken': async () => {
    const { tokenId } = await made('/v1/tokens', { subject: 'ann' }, customer.apiKey);
    return { path: `/v1/tokens/${tokenId}:revoke`, body: {}, action: 'token.revoke', target: tokenId };
  },
  'token.v1.TokenService/ApproveDevice': async () => {
    const client = await clientId();
    return {
      ...{ path: '/v1/devices:approve', body: { userCode: await userCode(client), subject: 'ann' } },
      ...{ credential: customer.apiKey, action: 'device.approve', details: { clientId: client, subject: 'ann' } },
    };
  },
  'token.v1.TokenService/DenyDevice': async () => {
    const target = await clientId();
    return { path: '/v1/devices:deny', body: { userCode: await userCode(target) }, action: 'device.deny', target };
  },
  'token.v1.TokenService/RevokeDevice': async () => {
    const { device } = await made('/v1/devices:approve', {
      userCode: await userCode(await clientId()),
      subject: 'ann',
    });
    const target = device.deviceId;
    return { path: `/v1/devices/${target}:revoke`, body: {}, action: 'device.revoke', target };
  },
  'webhook.v1.WebhookService/CreateEndpoint': async () => ({
    ...{ path: '/v1/webhooks/endpoints', body: { url: 'http://127.0.0.1:9/secret-path' } },
    ...{ action: 'webhook_endpoint.create', details: { host: '127.0.0.1:9' } },
  }),
  'webhook.v1.WebhookService/DeleteEndpoint': async () => {
    const target = await endpointId();
    return { verb: 'DELETE', path: `/v1/webhooks/endpoints/${target}`, action: 'webhook_endpoint.delete', target };
  },
  'webhook.v1.WebhookService/RotateEndpointSecret': async () => {
    const target = await endpointId();
    const path = `/v1/webhooks/endpoints/${target}:rotateSecret`;
    return { path, body: { overlapSeconds: 60 }, action: 'webhook_endpoint.rotate_secret', target };
  },
  'webhook.v1.WebhookService/RetryDelivery': async () => {
    const { delivery } = await made(`/v1/webhooks/endpoints/${await endpointId()}:test`, {});
    const target = delivery.deliveryId;
    return { path: `/v1/webhooks/deliveries/${target}:retry`, body: {}, action: 'webhook_delivery.retry', target };
  },
  'workflow.v1.WorkflowService/CreateWorkflowDefinition': async () => ({
    ...{ path: '/v1/workflow-definitions', body: { definition: definitionOf('made') }, action: 'workflow.create' },
    ...{ target: 'made', details: { client: 'acme', workflow: 'made', version: '1' } },
  }),
  'workflow.v1.WorkflowService/RetireWorkflowDefinition': async () => {
    await made('/v1/workflow-definitions', { definition: definitionOf('old') });
    return { path: '/v1/workflow-definitions/acme/old:retire', body: {}, action: 'workflow.retire', target: 'old' };
  },
  'workflow.v1.WorkflowService/DeleteWorkflowDefinition': async () => {
    await made('/v1/workflow-definitions', { definition: definitionOf('gone') });
    await made('/v1/workflow-definitions/acme/gone:retire', {});
    return { verb: 'DELETE', path: '/v1/workflow-definitions/acme/gone', action: 'workflow.delete', target: 'gone' };
  },
  'workflow.v1.WorkflowService/CreateRiskPack': async () => ({
    ...{ path: '/v1/risk-packs', body: { pack: riskPack('made') }, action: 'risk_pack.create', target: 'made' },
  }),
  'workflow.v1.WorkflowService/UpdateRiskPack': async () => {
    await made('/v1/risk-packs', { pack: riskPack('changed') });
    const body = { pack: { ...riskPack('changed'), enabled: false } };
    const details = { version: '2', enabled: 'false' };
    return {
      verb: 'PUT',
      path: '/v1/risk-packs/changed',
      body,
      action: 'risk_pack.update',
      target: 'changed',
      details,
    };
  },
  'workflow.v1.WorkflowService/DeleteRiskPack': async () => {
    await made('/v1/risk-packs', { pack: riskPack('gone') });
    return { verb: 'DELETE', path: '/v1/risk-packs/gone', action: 'risk_pack.delete', target: 'gone' };
  },
  'workflow.v1.WorkflowService/ApproveDraft': async () => {
    const target = await draftId();
    const body = { reviewer: 'Eva', override: { reason: 'seen by a lawyer' } };
    return {
      path: `/v1/drafts/${target}:approve`,
      body,
      action: 'draft.approve',
      target,
      details: { reviewer: 'Eva' },
    };
  },
  'workflow.v1.WorkflowService/RejectDraft': async () => {
    const target = await draftId();
    const body = { reviewer: 'Eva', note: 'too early' };
    return { path: `/v1/drafts/${target}:reject`, body, action: 'draft.reject', target, details: { reviewer: 'Eva' } };
  },
};

/** The events of a request. */
async function eventsOf(requestId: string) {
  const { body } = await send(app, 'GET', '/v1/audit-events?pageSize=100', app.operatorToken);
  return body.events.filter((event: { requestId: string }) => event.requestId === requestId);
}

const services = await contractServices();
const writes = services
  .flatMap(({ methods }) => methods)
  .filter(({ idempotency }) => idempotency !== Level.NO_SIDE_EFFECTS);

test('every write of the contract is in the record, or it is said why not', () => {
  const told = [...Object.keys(recorded), ...Object.keys(unrecorded)];
  expect(told.sort()).toEqual(writes.map(methodName).sort());
  expect(Object.values(unrecorded).every((why) => why.length > 10)).toBe(true);
});

describe.each(Object.keys(recorded))('%s', (name) => {
  test('leaves one event, which says who did what to what, and no secret', async () => {
    const write = await recorded[name]?.();
    if (!write) throw new Error('No such write.');
    const { verb = 'POST', path, body, credential = customer.managementKey, action, target, details = {} } = write;
    const requestId = `write-${name.replace('/', '.')}`;
    const key = name.endsWith('AdjustAccount') && { 'idempotency-key': 'adjust' };
    const answer = await send(app, verb, path, credential, body, { 'x-request-id': requestId, ...key });
    expect(answer.status, answer.text).toBe(200);
    const [event, ...others] = await eventsOf(requestId);
    expect(others).toEqual([]);
    expect(event).toMatchObject({ action, details, ...(target && { target }) });
    expect(event.target).not.toBe('');
    const isOperator = credential === app.operatorToken;
    expect(event.actor).toMatch(isOperator ? /^operator:/ : /^key_/);
    if (!isOperator) expect(event.accountId).toBe(customer.accountId);
    if (credential === customer.apiKey) expect(event.actor).toBe(customer.keyId);
    for (const secret of [answer.body.secret, (body as { secret?: string } | undefined)?.secret, 'secret-path'])
      if (secret) expect(JSON.stringify(event)).not.toContain(secret);
  });
});

describe.each(['approve', 'deny'])('the page /activate, to %s a device', (decision) => {
  test('leaves the event that the method leaves, and none when it is refused', async () => {
    const client = await clientId();
    const fields = { user_code: await userCode(client), decision, key: customer.managementKey };
    const post = async (requestId: string, form: Record<string, string>) => {
      const headers = { 'x-request-id': requestId };
      return (await fetch(`${app.url}/activate`, { method: 'POST', headers, body: new URLSearchParams(form) })).status;
    };
    const subject = 'ann';
    expect(await post(`${decision}-unknown`, { ...fields, subject, user_code: 'BBBBBBBB' })).toBe(400);
    expect(await post(`${decision}-done`, { ...fields, subject })).toBe(200);
    expect(await post(`${decision}-again`, { ...fields, subject })).toBe(400);
    const [event, ...others] = await eventsOf(`${decision}-done`);
    expect(others).toEqual([]);
    expect(event).toMatchObject({ action: `device.${decision}`, accountId: customer.accountId, address: '127.0.0.1' });
    expect(event.actor).toMatch(/^key_/);
    if (decision === 'approve') expect(event.details).toMatchObject({ clientId: client, subject });
    else expect(event.target).toBe(client);
    expect(JSON.stringify(event)).not.toContain(customer.managementKey);
    expect([...(await eventsOf(`${decision}-unknown`)), ...(await eventsOf(`${decision}-again`))]).toEqual([]);
  });
});

test('what is refused leaves no event, over REST and gRPC, whatever is sent as an id', async () => {
  const before = (await send(app, 'GET', '/v1/audit-events?pageSize=1', app.operatorToken)).body.events[0].eventId;
  const odd = encodeURIComponent('é'.repeat(64));
  for (const [verb, path, body] of [
    ['DELETE', '/v1/provider-keys/pky_unknown', undefined],
    ['DELETE', `/v1/provider-keys/${odd}`, undefined],
    ['DELETE', `/v1/webhooks/endpoints/${odd}`, undefined],
    ['POST', '/v1/clients/app_unknown:disable', {}],
    ['POST', `/v1/devices/${odd}:revoke`, {}],
    ['POST', '/v1/tokens/tok_unknown:revoke', {}],
    ['POST', '/v1/webhooks/deliveries/dlv_unknown:retry', {}],
    ['POST', '/v1/drafts/drf_unknown:approve', { reviewer: 'Eva' }],
    ['POST', '/v1/workflow-definitions/acme/unknown:retire', {}],
  ] as const) {
    const answer = await send(app, verb, path, customer.managementKey, body);
    expect(answer.status, `${path} ${answer.text}`).toBe(404);
  }
  const client = grpcClient(app.url);
  const authorization = { authorization: `Bearer ${customer.managementKey}` };
  const over = await client.unary(
    ProviderKeyService.method.deleteProviderKey,
    { providerKeyId: 'pky_x' },
    authorization,
  );
  expect(over.error).toBeDefined();
  client.close();
  const after = (await send(app, 'GET', '/v1/audit-events?pageSize=1', app.operatorToken)).body.events[0].eventId;
  expect(after).toBe(before);
});
