import { type DescMethod, fromJson, type JsonObject } from '@bufbuild/protobuf';
import { status as grpcStatus } from '@grpc/grpc-js';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { accessRules } from '../../src/edge/access.ts';
import { type Customer, onboard, send, startApp, type TestApp } from '../support/app.ts';
import { firstServer, useDatabase } from '../support/database.ts';
import { grpcClient } from '../support/grpc.ts';
import { contractServices, methodName } from '../support/services.ts';

// Each method that is given the id or the name of something of another account answers as if that did not exist, over gRPC and
// over JSON, to a management key, an API key and an end user's token; and nothing of the other account changes.

/** Fields that name something which exists already. Those of operators' methods, who may see all accounts, are left out. */
const names = /(^|_)(id|ids|code|key|client|workflow|journey|token)$/;
/** Fields like these that name nothing of an account, or nothing that must exist. */
const harmless = new Set([
  'page_token',
  'idempotency_key',
  'session_id',
  'subject_id',
  'request_id',
  'tool_call_id',
  'own_key',
]);

type Outcome =
  | 'missing'
  /** Missing, until too many codes were wrong. */
  | 'guessed'
  /** The request is wrong: it must name something of the caller's own, or nothing. */
  | 'refused'
  /** An answer with nothing of the other account: the name is searched for, or made, in the caller's own. */
  | 'own';

interface Case {
  outcome: Outcome;
  request: (theirs: Theirs) => JsonObject;
}

interface Theirs extends Customer {
  clientId: string;
  userCode: string;
  deviceId: string;
  tokenId: string;
  topUpId: string;
  chargeId: string;
  streamId: string;
  draftId: string;
  endpointId: string;
  deliveryId: string;
  providerKeyId: string;
}

const missing = (request: Case['request']): Case => ({ outcome: 'missing', request });
const guessed = (request: Case['request']): Case => ({ outcome: 'guessed', request });
const refused = (request: Case['request']): Case => ({ outcome: 'refused', request });
const own = (request: Case['request']): Case => ({ outcome: 'own', request });
const definition = { client: 'acme', workflow: 'twice' };
const pack = { packId: 'house-rules', entries: [] as JsonObject[] };
pack.entries.push({
  id: 'fees',
  category: 'misleading_finance',
  severity: 'high',
  phrases: ['no fees'],
  reason: 'None.',
});
const journey = 'checkout';
const segments = { journey, property: 'plan', first: 'a', second: 'b' };

const cases: Record<string, Case> = {
  'account.v1.AccountService/GetAccount': missing(({ accountId }) => ({ accountId })),
  'chat.v1.ChatService/ResumeChat': missing(({ streamId }) => ({ chargeId: streamId })),
  'key.v1.KeyService/GetKey': missing(({ keyId }) => ({ keyId })),
  'key.v1.KeyService/UpdateKey': missing(({ keyId }) => ({ keyId, displayName: 'Mine', updateMask: 'displayName' })),
  'key.v1.KeyService/RotateKey': missing(({ keyId }) => ({ keyId })),
  'key.v1.KeyService/RevokeKey': missing(({ keyId }) => ({ keyId })),
  'key.v1.KeyService/ListKeys': refused(({ accountId }) => ({ accountId })),
  'key.v1.ProviderKeyService/DeleteProviderKey': missing(({ providerKeyId }) => ({ providerKeyId })),
  'limit.v1.LimitService/GetLimits': missing(({ keyId }) => ({ keyId })),
  'outcome.v1.OutcomeService/ReportOutcome': missing(({ chargeId }) => ({ outcome: { chargeId, outcome: 'sold' } })),
  'outcome.v1.OutcomeService/BatchReportOutcomes': own(({ chargeId }) => ({
    outcomes: [{ chargeId, outcome: 'sold' }],
  })),
  'pulse.v1.PulseService/GetJourneyReport': missing(() => ({ journey })),
  'pulse.v1.PulseService/GetJourneyDeclaration': missing(() => ({ journey })),
  'pulse.v1.PulseService/CompareSegments': missing(() => segments),
  'pulse.v1.PulseService/FindDifferences': missing(() => ({ journey, loss: 'not_converted' })),
  'pulse.v1.PulseService/DeleteAlert': missing(() => ({ journey, metric: 'error_rate' })),
  'pulse.v1.PulseService/RecordEvents': own(() => ({
    events: [{ journey, step: 'pay', kind: 'entered', sessionId: 's1', userId: 'ann' }],
  })),
  'pulse.v1.PulseService/DeclareJourney': own(() => ({ journey, steps: [{ step: 'mine' }] })),
  'pulse.v1.PulseService/SetAlert': own(() => ({ journey, metric: 'error_rate', above: 0.9 })),
  'pulse.v1.PulseService/ErasePerson': own(() => ({ userId: 'ann' })),
  'token.v1.ClientService/CreateClient': refused(({ keyId }) => ({ displayName: 'Mine', keyId })),
  'token.v1.ClientService/GetClient': missing(({ clientId }) => ({ clientId })),
  'token.v1.ClientService/DisableClient': missing(({ clientId }) => ({ clientId })),
  'token.v1.TokenService/CreateToken': refused(({ keyId }) => ({ subject: 'ann', keyId })),
  'token.v1.TokenService/RevokeToken': missing(({ tokenId }) => ({ tokenId })),
  'token.v1.TokenService/GetDeviceAuthorization': guessed(({ userCode }) => ({ userCode })),
  'token.v1.TokenService/ApproveDevice': guessed(({ userCode }) => ({ userCode, subject: 'ann' })),
  'token.v1.TokenService/DenyDevice': guessed(({ userCode }) => ({ userCode })),
  'token.v1.TokenService/GetDevice': missing(({ deviceId }) => ({ deviceId })),
  'token.v1.TokenService/RevokeDevice': missing(({ deviceId }) => ({ deviceId })),
  'wallet.v1.WalletService/GetWallet': refused(({ accountId }) => ({ accountId })),
  'wallet.v1.WalletService/GetTopUp': missing(({ topUpId }) => ({ topUpId })),
  'wallet.v1.WalletService/ListTopUps': refused(({ accountId }) => ({ accountId })),
  'wallet.v1.WalletService/ListEntries': refused(({ accountId }) => ({ accountId })),
  'wallet.v1.WalletService/GetCharge': missing(({ chargeId }) => ({ chargeId })),
  'wallet.v1.WalletService/ListCharges': own(({ keyId }) => ({ keyId })),
  'wallet.v1.WalletService/EraseMetadata': own(() => ({ metadata: { key: 'project', value: 'blue' } })),
  'wallet.v1.WalletService/GetUsage': own(({ keyId }) => ({ keyId })),
  'wallet.v1.WalletService/GetStatement': refused(({ accountId }) => ({ accountId, month: '2026-11' })),
  'wallet.v1.WalletService/ExportUsage': own(({ keyId }) => ({ keyId })),
  'wallet.v1.WalletService/ExportEntries': own(() => ({ metadata: { key: 'project', value: 'blue' } })),
  'webhook.v1.WebhookService/DeleteEndpoint': missing(({ endpointId }) => ({ endpointId })),
  'webhook.v1.WebhookService/RotateEndpointSecret': missing(({ endpointId }) => ({ endpointId })),
  'webhook.v1.WebhookService/TestEndpoint': missing(({ endpointId }) => ({ endpointId })),
  'webhook.v1.WebhookService/ListDeliveries': own(({ endpointId }) => ({ endpointId })),
  'webhook.v1.WebhookService/GetDelivery': missing(({ deliveryId }) => ({ deliveryId })),
  'webhook.v1.WebhookService/RetryDelivery': missing(({ deliveryId }) => ({ deliveryId })),
  'workflow.v1.WorkflowService/GetDraft': missing(({ draftId }) => ({ draftId })),
  'workflow.v1.WorkflowService/ReviseDraft': missing(({ draftId }) => ({ draftId, body: 'Mine' })),
  'workflow.v1.WorkflowService/ApproveDraft': missing(({ draftId }) => ({ draftId, reviewer: 'me', note: 'no' })),
  'workflow.v1.WorkflowService/RejectDraft': missing(({ draftId }) => ({ draftId, reviewer: 'me', note: 'no' })),
  'workflow.v1.WorkflowService/GetWorkflowDefinition': missing(() => definition),
  'workflow.v1.WorkflowService/ListWorkflowDefinitions': own(() => ({ client: 'acme' })),
  'workflow.v1.WorkflowService/RetireWorkflowDefinition': missing(() => ({ ...definition, version: 1 })),
  'workflow.v1.WorkflowService/DeleteWorkflowDefinition': missing(() => definition),
  'workflow.v1.WorkflowService/GetRiskPack': missing(() => ({ packId: pack.packId })),
  'workflow.v1.WorkflowService/UpdateRiskPack': missing(() => ({ packId: pack.packId, pack })),
  'workflow.v1.WorkflowService/DeleteRiskPack': missing(() => ({ packId: pack.packId })),
  'workflow.v1.WorkflowService/RunWorkflow': missing(() => ({ ...definition, input: 4 })),
};

const methods = (await contractServices()).flatMap((service) => service.methods);
const rules = accessRules(methods);

test('every method that names something has a case', () => {
  const isForOperators = (method: DescMethod) => [...credentialsOf(method)].join() === 'operator';
  const named = methods.filter((method) => !isForOperators(method) && namesOf(method).length > 0).map(methodName);
  expect(named.filter((name) => !(name in cases))).toEqual([]);
  expect(Object.keys(cases).filter((name) => !methods.some((method) => methodName(method) === name))).toEqual([]);
});

function credentialsOf(method: DescMethod): ReadonlySet<string> {
  return rules.get(method)?.credentials ?? new Set();
}

function namesOf({ input }: DescMethod): string[] {
  return input.fields
    .filter(({ fieldKind, name }) => fieldKind === 'scalar' && names.test(name) && !harmless.has(name))
    .map(({ name }) => name);
}

const database = useDatabase(firstServer());
let app: TestApp;
let theirs: Theirs;
const callers: { name: string; kind: string; secret: string }[] = [];
beforeAll(async () => {
  app = await startApp({
    databaseUrl: database().url,
    settings:
      'limits: { requestsPerMinute: 1000000 }\nwebhooks: { allowPrivateNetworks: true }\nownKeys: { pricePerRequestUsd: "0.001" }',
  });
  theirs = await everythingOf(await onboard(app));
  const stranger = await onboard(app);
  const token = await send(app, 'POST', '/v1/tokens', stranger.apiKey, { subject: 'ann' });
  callers.push(
    { name: 'a management key', kind: 'management_key', secret: stranger.managementKey },
    { name: 'an API key', kind: 'api_key', secret: stranger.apiKey },
    { name: "an end user's token", kind: 'access_token', secret: token.body.accessToken },
  );
});
afterAll(() => app.close());

test.each(Object.entries(cases))('%s', async (name, { outcome, request }) => {
  const method = methods.find((each) => methodName(each) === name) as DescMethod;
  const asked = request(theirs);
  const before = await rowsOf(theirs);
  const client = grpcClient(app.url);
  for (const caller of callers) {
    const authorization = `Bearer ${caller.secret}`;
    const message = fromJson(method.input, asked);
    const byGrpc =
      method.methodKind === 'unary'
        ? await client.unary(method as never, message as never, { authorization })
        : await client.serverStream(method as never, message as never, { authorization });
    const mayCall = credentialsOf(method).has(caller.kind);
    const { codes, statuses } = mayCall ? answers[outcome] : denied;
    const seen = [caller.name, byGrpc.error ? grpcStatus[byGrpc.error.code] : 'OK', byGrpc.error?.details];
    expect(codes, String(seen)).toContain(seen[1]);
    expect(JSON.stringify(byGrpc.messages)).not.toContain(theirs.accountId);
    if (method.methodKind !== 'unary') continue;
    const byJson = await send(app, 'POST', `/${method.parent.typeName}/${method.name}`, caller.secret, asked);
    expect(statuses, `${caller.name} ${byJson.text}`).toContain(byJson.status);
    expect(byJson.text).not.toContain(theirs.accountId);
  }
  client.close();
  expect(await rowsOf(theirs)).toEqual(before);
});

const denied = { codes: ['PERMISSION_DENIED'], statuses: [403] };
const answers: Record<Outcome, { codes: string[]; statuses: number[] }> = {
  missing: { codes: ['NOT_FOUND'], statuses: [404] },
  guessed: { codes: ['NOT_FOUND', 'RESOURCE_EXHAUSTED'], statuses: [404, 429] },
  refused: { codes: ['INVALID_ARGUMENT'], statuses: [400] },
  own: { codes: ['OK'], statuses: [200] },
};

/** One of everything that has an id or a name. */
async function everythingOf(customer: Customer): Promise<Theirs> {
  const { managementKey, apiKey, keyId } = customer;
  // biome-ignore lint/suspicious/noExplicitAny: a parsed JSON body
  const ask = async (method: string, path: string, body?: object, credential = managementKey): Promise<any> => {
    const answer = await send(app, method, path, credential, body);
    expect(answer.status, `${path}: ${answer.text}`).toBe(200);
    return answer.body;
  };
  const { clientId } = (await ask('POST', '/v1/clients', { displayName: 'Shop', keyId })).client;
  const code = async () => {
    const body = new URLSearchParams({ client_id: clientId });
    const answer = await fetch(`${app.url}/oauth/device_authorization`, { method: 'POST', body });
    return ((await answer.json()) as { user_code: string }).user_code;
  };
  const approved = await ask('POST', '/v1/devices:approve', { userCode: await code(), subject: 'ann' }, apiKey);
  const messages = [{ role: 'user', content: 'Which plan? The Basic plan.' }];
  const paid = await ask('POST', '/api/v1/assistant/chat', { messages, metadata: { project: 'blue' } }, apiKey);
  const streamed = await fetch(`${app.url}/api/v1/assistant/chat`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json', accept: 'text/event-stream' },
    body: JSON.stringify({ messages, resumable: true }),
  });
  const asked = { purpose: 'the order is late', facts: [{ name: 'order', value: '4711' }] };
  const { endpointId } = (await ask('POST', '/v1/webhooks/endpoints', { url: 'http://127.0.0.1:9/a' })).endpoint;
  const { delivery } = await ask('POST', `/v1/webhooks/endpoints/${endpointId}:test`, {});
  const { providerKey } = await ask('POST', '/v1/provider-keys', { provider: 'openai', secret: 'sk-of-the-account-1' });
  await ask('POST', '/v1/workflow-definitions', {
    definition: {
      ...definition,
      ...{ inputSchema: { type: 'number' }, outputSchema: { type: 'object', required: ['twice'] } },
      fields: [{ name: 'twice', expression: 'input * 2.0' }],
      samples: [{ input: 4, expect: { twice: 8 } }],
    },
  });
  await ask('POST', '/v1/risk-packs', { pack });
  await ask('PUT', '/v1/pulse/properties', { properties: ['plan'] });
  await ask('PUT', `/v1/pulse/journeys/${journey}/declaration`, { steps: [{ step: 'pay' }] });
  await ask('PUT', `/v1/pulse/journeys/${journey}/alerts/error_rate`, { above: 0.5 });
  return {
    ...customer,
    ...{ clientId, userCode: await code(), deviceId: approved.device.deviceId, endpointId },
    tokenId: (await ask('POST', '/v1/tokens', { subject: 'ann' }, apiKey)).tokenId,
    topUpId: (await ask('GET', '/v1/wallet/top-ups')).topUps[0].topUpId,
    chargeId: paid.id,
    streamId: /chg_[0-9a-z]+/.exec(await streamed.text())?.[0] ?? '',
    draftId: (await ask('POST', '/v1/draft/document', asked, apiKey)).draft.draftId,
    deliveryId: delivery.deliveryId,
    providerKeyId: providerKey.providerKeyId,
  };
}

/** Rows that the service itself goes on changing: the time a webhook is tried, a key was used, usage is summed. */
const moving = new Set([
  'webhook_delivery',
  'webhook_message',
  'webhook_turn',
  'api_key_use',
  'usage_hour',
  'usage_user_hour',
]);

/** Every row that belongs to the account, by table. */
async function rowsOf({ accountId }: Customer): Promise<Record<string, unknown[]>> {
  const db = database().database.for<never>();
  const columns = await sql<{ tableName: string; columnName: string }>`
    SELECT TABLE_NAME AS tableName, COLUMN_NAME AS columnName FROM information_schema.COLUMNS
    WHERE TABLE_SCHEMA = DATABASE() AND COLUMN_NAME IN ('account_id', 'wallet_id')`.execute(db);
  const rows: Record<string, unknown[]> = {};
  for (const { tableName, columnName } of columns.rows) {
    if (moving.has(tableName)) continue;
    const owners =
      columnName === 'account_id' ? sql`(${accountId})` : sql`(SELECT id FROM wallet WHERE account_id = ${accountId})`;
    const found = await sql`SELECT * FROM ${sql.table(tableName)} WHERE ${sql.ref(columnName)} IN ${owners}`.execute(
      db,
    );
    rows[tableName] = found.rows
      .map((row) => JSON.stringify(row, (_, value) => (typeof value === 'bigint' ? String(value) : value)))
      .sort();
  }
  return rows;
}
