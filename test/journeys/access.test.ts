import { create, type DescMethod, getOption } from '@bufbuild/protobuf';
import { status as grpcStatus } from '@grpc/grpc-js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AccessRule, accessRules } from '../../src/edge/access.ts';
import { http } from '../../src/gen/google/api/annotations_pb.ts';
import { keyScopes } from '../../src/keys/index.ts';
import { tokenScopes } from '../../src/tokens/index.ts';
import { type Customer, onboard, reasonOf, send, startApp, type TestApp } from '../support/app.ts';
import { pageHeaders, signIn, type TestBrowser } from '../support/browser.ts';
import { firstServer, useDatabase } from '../support/database.ts';
import { grpcClient } from '../support/grpc.ts';
import { contractServices, methodName } from '../support/services.ts';

/** Who may call what, as decided by people: kinds of credential, and the scope that keys and tokens need. */
const decisions: Record<string, string> = {
  'account.v1.AccountService/CreateAccount': 'operator',
  'account.v1.AccountService/GetAccount': 'management_key operator',
  'account.v1.AccountService/CreditAccount': 'operator',
  'account.v1.AccountService/AdjustAccount': 'operator',
  'account.v1.AccountService/ListAccounts': 'operator',
  'account.v1.AccountService/UpdateAccount': 'operator',
  'account.v1.AccountService/SuspendAccount': 'operator',
  'account.v1.AccountService/ResumeAccount': 'operator',
  'account.v1.AccountService/ListPendingTopUps': 'operator',
  'account.v1.AccountService/ListAdjustments': 'operator',
  'audit.v1.AuditService/ListEvents': 'operator',
  'operations.v1.OperationsService/GetHealth': 'operator',
  'operations.v1.OperationsService/RunAudit': 'operator',
  'operations.v1.OperationsService/GetAudit': 'operator',
  'operations.v1.OperationsService/ListPriceVersions': 'operator',
  'chat.v1.ChatService/Chat': 'access_token api_key + chat',
  'chat.v1.ChatService/StreamChat': 'access_token api_key + chat',
  'chat.v1.ChatService/CountChatTokens': 'access_token api_key + chat',
  'chat.v1.ChatService/EstimateChat': 'access_token api_key + chat',
  'chat.v1.ChatService/ResumeChat': 'access_token api_key + chat',
  'chat.v1.ChatService/ListModels': 'access_token api_key management_key',
  'embedding.v1.EmbeddingService/Embed': 'access_token api_key + chat',
  'embedding.v1.EmbeddingService/ListEmbeddingModels': 'access_token api_key management_key',
  'key.v1.KeyService/CreateKey': 'management_key',
  'key.v1.KeyService/ListKeys': 'management_key operator',
  'key.v1.KeyService/GetKey': 'management_key',
  'key.v1.KeyService/UpdateKey': 'management_key',
  'key.v1.KeyService/RotateKey': 'management_key',
  'key.v1.KeyService/RevokeKey': 'management_key',
  'limit.v1.LimitService/GetLimits': 'access_token api_key management_key',
  'outcome.v1.OutcomeService/ReportOutcome': 'api_key management_key + workflows',
  'outcome.v1.OutcomeService/BatchReportOutcomes': 'api_key management_key + workflows',
  'outcome.v1.OutcomeService/GetCalibration': 'api_key management_key + workflows',
  'pulse.v1.PulseService/RecordEvents': 'access_token api_key + pulse',
  'pulse.v1.PulseService/ListJourneys': 'api_key management_key + pulse',
  'pulse.v1.PulseService/GetJourneyReport': 'api_key management_key + pulse',
  'pulse.v1.PulseService/ErasePerson': 'management_key',
  'pulse.v1.PulseService/SetAlert': 'management_key',
  'pulse.v1.PulseService/ListAlerts': 'management_key',
  'pulse.v1.PulseService/DeleteAlert': 'management_key',
  'pulse.v1.PulseService/CompareSegments': 'api_key management_key + pulse',
  'pulse.v1.PulseService/DeclareJourney': 'management_key',
  'pulse.v1.PulseService/DeclareProperties': 'management_key',
  'pulse.v1.PulseService/FindDifferences': 'api_key management_key + pulse',
  'pulse.v1.PulseService/GetJourneyDeclaration': 'api_key management_key + pulse',
  'pulse.v1.PulseService/ListProperties': 'api_key management_key + pulse',
  'rerank.v1.RerankService/Rerank': 'access_token api_key + chat',
  'rerank.v1.RerankService/ListRerankModels': 'access_token api_key management_key',
  'token.v1.ClientService/CreateClient': 'management_key',
  'token.v1.ClientService/ListClients': 'management_key',
  'token.v1.ClientService/GetClient': 'management_key',
  'token.v1.ClientService/DisableClient': 'management_key',
  'token.v1.TokenService/CreateToken': 'api_key management_key + tokens',
  'token.v1.TokenService/RevokeToken': 'api_key management_key + tokens',
  'token.v1.TokenService/GetDeviceAuthorization': 'api_key management_key + devices',
  'token.v1.TokenService/ApproveDevice': 'api_key management_key + devices',
  'token.v1.TokenService/DenyDevice': 'api_key management_key + devices',
  'token.v1.TokenService/ListDevices': 'api_key management_key + devices',
  'token.v1.TokenService/GetDevice': 'api_key management_key + devices',
  'token.v1.TokenService/RevokeDevice': 'api_key management_key + devices',
  'wallet.v1.WalletService/GetWallet': 'api_key management_key operator',
  'wallet.v1.WalletService/CreateTopUp': 'management_key',
  'wallet.v1.WalletService/GetTopUp': 'management_key',
  'wallet.v1.WalletService/ListTopUps': 'management_key operator',
  'wallet.v1.WalletService/GetPaymentOptions': 'management_key',
  'wallet.v1.WalletService/ListEntries': 'api_key management_key operator',
  'wallet.v1.WalletService/EraseMetadata': 'management_key',
  'wallet.v1.WalletService/ExportEntries': 'management_key',
  'wallet.v1.WalletService/ExportUsage': 'management_key',
  'wallet.v1.WalletService/GetUsage': 'api_key management_key operator',
  'wallet.v1.WalletService/GetStatement': 'management_key operator',
  'wallet.v1.WalletService/GetCharge': 'api_key management_key operator',
  'wallet.v1.WalletService/ListCharges': 'api_key management_key operator',
  'wallet.v1.WalletService/GetLowBalanceAlert': 'management_key',
  'wallet.v1.WalletService/UpdateLowBalanceAlert': 'management_key',
  'wallet.v1.WalletService/GetApplicationWallet': 'management_key',
  'wallet.v1.WalletService/CreateApplicationTopUp': 'management_key',
  'key.v1.ProviderKeyService/CreateProviderKey': 'management_key',
  'key.v1.ProviderKeyService/ListProviderKeys': 'management_key',
  'key.v1.ProviderKeyService/DeleteProviderKey': 'management_key',
  'webhook.v1.WebhookService/CreateEndpoint': 'management_key',
  'webhook.v1.WebhookService/ListEndpoints': 'management_key',
  'webhook.v1.WebhookService/DeleteEndpoint': 'management_key',
  'webhook.v1.WebhookService/TestEndpoint': 'management_key',
  'webhook.v1.WebhookService/ListDeliveries': 'management_key',
  'webhook.v1.WebhookService/GetDelivery': 'management_key',
  'webhook.v1.WebhookService/RetryDelivery': 'management_key',
  'webhook.v1.WebhookService/RotateEndpointSecret': 'management_key',
  'workflow.v1.WorkflowService/CheckProfile': 'access_token api_key + workflows',
  'workflow.v1.WorkflowService/ScoreListing': 'access_token api_key + workflows',
  'workflow.v1.WorkflowService/CheckRisk': 'access_token api_key + workflows',
  'workflow.v1.WorkflowService/DraftDocument': 'access_token api_key + workflows',
  'workflow.v1.WorkflowService/GetDraft': 'access_token api_key management_key + workflows',
  'workflow.v1.WorkflowService/ListDrafts': 'api_key management_key + workflows',
  'workflow.v1.WorkflowService/ReviseDraft': 'api_key management_key + workflows',
  'workflow.v1.WorkflowService/ApproveDraft': 'api_key management_key + workflows',
  'workflow.v1.WorkflowService/RejectDraft': 'api_key management_key + workflows',
  'workflow.v1.WorkflowService/WriteDecisionMemo': 'access_token api_key + workflows',
  'workflow.v1.WorkflowService/ScoreBusinessReadiness': 'access_token api_key + workflows',
  'workflow.v1.WorkflowService/CreateWorkflowDefinition': 'management_key + workflows',
  'workflow.v1.WorkflowService/DeleteWorkflowDefinition': 'management_key + workflows',
  'workflow.v1.WorkflowService/GetWorkflowDefinition': 'api_key management_key + workflows',
  'workflow.v1.WorkflowService/ListWorkflowDefinitions': 'api_key management_key + workflows',
  'workflow.v1.WorkflowService/RetireWorkflowDefinition': 'management_key + workflows',
  'workflow.v1.WorkflowService/CreateRiskPack': 'management_key + workflows',
  'workflow.v1.WorkflowService/GetRiskPack': 'api_key management_key + workflows',
  'workflow.v1.WorkflowService/ListRiskPacks': 'api_key management_key + workflows',
  'workflow.v1.WorkflowService/UpdateRiskPack': 'management_key + workflows',
  'workflow.v1.WorkflowService/DeleteRiskPack': 'management_key + workflows',
  'workflow.v1.WorkflowService/RunWorkflow': 'access_token api_key + workflows',
  'workflow.v1.WorkflowService/ListPacks': 'access_token api_key management_key + workflows',
  'workflow.v1.WorkflowService/BatchRunWorkflows': 'api_key + workflows',
  'workflow.v1.WorkflowService/EstimateWorkflow': 'access_token api_key + workflows',
  'workflow.v1.WorkflowService/ListPrices': 'access_token api_key management_key operator',
};

const rules = accessRules((await contractServices()).flatMap(({ methods }) => methods));

test('every method of the contract has a decision, and says the same in its descriptor', () => {
  const stated = Object.fromEntries([...rules].map(([method, rule]) => [methodName(method), textOf(rule)]));
  expect(stated).toEqual(decisions);
});

/** One credential of each kind; keys and tokens once with all scopes, and once for each scope that they lack. */
interface Presented {
  name: string;
  kind: string;
  secret: string | undefined;
  scopes: readonly string[];
  /** A browser with a session instead of the credential: it may do the same over REST, and nothing over gRPC. */
  browser?: TestBrowser;
}

const database = useDatabase(firstServer());
let app: TestApp;
let customer: Customer;
const credentials: Presented[] = [];
beforeAll(async () => {
  app = await startApp({ databaseUrl: database().url, settings: 'limits: { requestsPerMinute: 1000000 }' });
  customer = await onboard(app);
  const post = async (path: string, credential: string, body: object) => {
    const answer = await send(app, 'POST', path, credential, body);
    expect(answer.status, answer.text).toBe(200);
    return answer.body;
  };
  credentials.push(
    { name: 'nothing', kind: 'none', secret: undefined, scopes: [] },
    { name: 'an operator', kind: 'operator', secret: app.operatorToken, scopes: [] },
    { name: 'a management key', kind: 'management_key', secret: customer.managementKey, scopes: [] },
    { name: 'an API key', kind: 'api_key', secret: customer.apiKey, scopes: keyScopes },
    {
      name: 'an access token',
      kind: 'access_token',
      secret: (await post('/v1/tokens', customer.apiKey, { subject: 'u' })).accessToken,
      scopes: tokenScopes,
    },
  );
  const [owner, operator] = [await signIn(app, customer.managementKey), await signIn(app, app.operatorToken)];
  credentials.push(
    { name: 'a session of an owner', kind: 'management_key', secret: undefined, scopes: [], browser: owner },
    { name: 'a session of an operator', kind: 'operator', secret: undefined, scopes: [], browser: operator },
  );
  for (const missing of keyScopes) {
    const scopes = keyScopes.filter((scope) => scope !== missing);
    const made = await post('/v1/keys', customer.managementKey, { displayName: 'k', purpose: 'a test', scopes });
    credentials.push({ name: `an API key without ${missing}`, kind: 'api_key', secret: made.secret, scopes });
  }
  for (const missing of tokenScopes) {
    const scopes = tokenScopes.filter((scope) => scope !== missing);
    const made = await post('/v1/tokens', customer.apiKey, { subject: 'u', scopes });
    credentials.push({ name: `a token without ${missing}`, kind: 'access_token', secret: made.accessToken, scopes });
  }
});
afterAll(() => app.close());

test.each([...rules].map(([method, rule]) => ({ name: methodName(method), method, rule })))(
  '$name lets in exactly whom it should, over gRPC and REST',
  async ({ method, rule }) => {
    const client = grpcClient(app.url);
    for (const credential of credentials) {
      const { browser } = credential;
      const headers: Record<string, string> = credential.secret ? { authorization: `Bearer ${credential.secret}` } : {};
      if (browser) Object.assign(headers, pageHeaders, { cookie: browser.cookie() });
      const byGrpc =
        method.methodKind === 'unary'
          ? await client.unary(method as never, create(method.input) as never, headers)
          : await client.serverStream(method as never, create(method.input) as never, headers);
      const code = byGrpc.error?.code ?? grpcStatus.OK;
      // Not part of this service's composition; then it is not part of REST either.
      if (code === grpcStatus.UNIMPLEMENTED && byGrpc.reason === undefined) break;
      const overGrpc = expected(rule, browser ? { ...credential, kind: 'none' } : credential);
      expect([credential.name, outcomeOfGrpc(code)]).toEqual([credential.name, overGrpc]);
      for (const { verb, path } of routesOf(method)) {
        const body = verb === 'GET' ? undefined : {};
        const answer = browser
          ? await browser.send(verb, path, body)
          : await send(app, verb, path, credential.secret, body);
        const outcome = answer.status === 401 ? 'who?' : reasonOf(answer) === 'SCOPE_MISSING' ? 'no' : 'yes';
        expect([credential.name, verb, path, outcome]).toEqual([
          credential.name,
          verb,
          path,
          expected(rule, credential),
        ]);
      }
    }
    client.close();
  },
);

function expected(rule: AccessRule, { kind, scopes }: Presented): 'who?' | 'no' | 'yes' {
  if (rule.anonymous) return 'yes';
  if (kind === 'none') return 'who?';
  if (!(rule.credentials as ReadonlySet<string>).has(kind)) return 'no';
  const isScoped = kind === 'api_key' || kind === 'access_token';
  return isScoped && rule.scope !== '' && !scopes.includes(rule.scope) ? 'no' : 'yes';
}

function outcomeOfGrpc(code: number): 'who?' | 'no' | 'yes' {
  if (code === grpcStatus.UNAUTHENTICATED) return 'who?';
  return code === grpcStatus.PERMISSION_DENIED ? 'no' : 'yes';
}

/** The method's own REST routes, with each variable filled in. */
function routesOf(method: DescMethod): { verb: string; path: string }[] {
  const rule = getOption(method, http);
  return [rule, ...rule.additionalBindings].flatMap(({ pattern }) => {
    if (pattern.case === undefined || pattern.case === 'custom') return [];
    return [{ verb: pattern.case.toUpperCase(), path: pattern.value.replace(/\{[^}]+\}/g, 'x') }];
  });
}

function textOf({ credentials: kinds, scope }: AccessRule): string {
  return [...kinds].sort().join(' ') + (scope === '' ? '' : ` + ${scope}`);
}
