import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type DescMethodUnary, fromJson, type JsonObject, toJson } from '@bufbuild/protobuf';
import { MethodOptions_IdempotencyLevel as Level } from '@bufbuild/protobuf/wkt';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createSeal } from '../../src/base/seal.ts';
import { openConnection } from '../../src/db/index.ts';
import { AccountService } from '../../src/gen/intelligence/account/v1/account_service_pb.ts';
import { KeyService } from '../../src/gen/intelligence/key/v1/key_service_pb.ts';
import { ProviderKeyService } from '../../src/gen/intelligence/key/v1/provider_key_service_pb.ts';
import { ClientService } from '../../src/gen/intelligence/token/v1/client_service_pb.ts';
import { TokenService } from '../../src/gen/intelligence/token/v1/token_service_pb.ts';
import { WebhookService } from '../../src/gen/intelligence/webhook/v1/webhook_service_pb.ts';
import { WorkflowService } from '../../src/gen/intelligence/workflow/v1/workflow_service_pb.ts';
import { createIdempotentWrites } from '../../src/idempotency/index.ts';
import { type Customer, onboard, reasonOf, send, startApp, type TestApp, testSecrets } from '../support/app.ts';
import { eachServer, freshDatabase, silent, useDatabase } from '../support/database.ts';
import { grpcClient } from '../support/grpc.ts';

/** One write: where it goes, and what shows whether it was done again. */
interface Write {
  method: DescMethodUnary;
  path: string;
  /** Fields in the path. */
  inPath?: JsonObject;
  body: JsonObject;
  /** Another request of the same method. */
  other: JsonObject;
  credential: string;
  /** How many of the created objects exist; absent: another one would be refused. */
  count?(): Promise<number>;
}

const definition = {
  client: 'acme',
  workflow: 'double',
  inputSchema: { type: 'number' },
  outputSchema: { type: 'object', required: ['twice'] },
  fields: [{ name: 'twice', expression: 'input * 2.0' }],
  samples: [{ input: 4, expect: { twice: 8 } }],
};
const packPhrases = { entries: [{ id: 'e', phrases: ['grey market'], category: 'grey_market' }] };
const newKey = { displayName: 'backend', purpose: 'a test' };

eachServer((server) => {
  const database = useDatabase(server);
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

  const ask = (method: string, path: string, body?: object, credential = customer.managementKey) =>
    send(app, method, path, credential, body);
  const countOf = (path: string, name: string) => async () => (await ask('GET', path)).body[name].length;
  const rows = async (sql: string): Promise<number> => {
    const connection = await openConnection(database().url);
    const [[row]] = (await connection.query(sql)) as unknown as [[{ count: bigint }]];
    await connection.end();
    return Number(row.count);
  };

  async function userCode(): Promise<string> {
    const client = await ask('POST', '/v1/clients', { displayName: 'An app', keyId: customer.keyId });
    const asked = await fetch(`${app.url}/oauth/device_authorization`, {
      method: 'POST',
      body: new URLSearchParams({ client_id: client.body.client.clientId }),
    });
    return ((await asked.json()) as { user_code: string }).user_code;
  }

  const writes: Record<string, () => Promise<Write>> = {
    CreateAccount: async () => ({
      ...{ method: AccountService.method.createAccount, path: '/v1/accounts', credential: app.operatorToken },
      ...{ body: { displayName: 'One' }, other: { displayName: 'Two' } },
      count: () => rows('SELECT COUNT(*) AS count FROM account'),
    }),
    CreateKey: async () => ({
      ...{ method: KeyService.method.createKey, path: '/v1/keys', credential: customer.managementKey },
      ...{ body: newKey, other: { ...newKey, displayName: 'another' } },
      count: countOf('/v1/keys?pageSize=1000', 'keys'),
    }),
    RotateKey: async () => {
      const made = await ask('POST', '/v1/keys', newKey);
      const { keyId } = made.body.key;
      return {
        ...{
          method: KeyService.method.rotateKey,
          path: `/v1/keys/${keyId}:rotate`,
          credential: customer.managementKey,
        },
        ...{ inPath: { keyId }, body: { overlapSeconds: 60 }, other: { overlapSeconds: 61 } },
        count: () => rows(`SELECT version AS count FROM api_key WHERE id = '${keyId}'`),
      };
    },
    CreateToken: async () => ({
      ...{ method: TokenService.method.createToken, path: '/v1/tokens', credential: customer.apiKey },
      ...{ body: { subject: 'ann' }, other: { subject: 'bob' } },
      count: () => rows('SELECT COUNT(*) AS count FROM access_token'),
    }),
    CreateClient: async () => ({
      ...{ method: ClientService.method.createClient, path: '/v1/clients', credential: customer.managementKey },
      ...{ body: { displayName: 'An app', keyId: customer.keyId } },
      other: { displayName: 'Another app', keyId: customer.keyId },
      count: countOf('/v1/clients?pageSize=1000', 'clients'),
    }),
    ApproveDevice: async () => ({
      ...{ method: TokenService.method.approveDevice, path: '/v1/devices:approve', credential: customer.apiKey },
      ...{ body: { userCode: await userCode(), subject: 'ann' }, other: { userCode: 'BCDFGHJK', subject: 'ann' } },
      count: countOf('/v1/devices?pageSize=1000', 'devices'),
    }),
    DenyDevice: async () => ({
      ...{ method: TokenService.method.denyDevice, path: '/v1/devices:deny', credential: customer.apiKey },
      ...{ body: { userCode: await userCode() }, other: { userCode: 'BCDFGHJK' } },
    }),
    CreateEndpoint: async () => ({
      ...{ method: WebhookService.method.createEndpoint, path: '/v1/webhooks/endpoints' },
      ...{ credential: customer.managementKey, body: { url: 'http://127.0.0.1:9/a' } },
      ...{ other: { url: 'http://127.0.0.1:9/b' }, count: countOf('/v1/webhooks/endpoints', 'endpoints') },
    }),
    CreateProviderKey: async () => ({
      ...{ method: ProviderKeyService.method.createProviderKey, path: '/v1/provider-keys' },
      ...{ credential: customer.managementKey, body: { provider: 'openai', secret: 'sk-of-the-account-1' } },
      ...{ other: { provider: 'openai', secret: 'sk-of-the-account-2' } },
      count: countOf('/v1/provider-keys', 'providerKeys'),
    }),
    TestEndpoint: async () => {
      const made = await ask('POST', '/v1/webhooks/endpoints', { url: 'http://127.0.0.1:9/' });
      const { endpointId } = made.body.endpoint;
      return {
        ...{ method: WebhookService.method.testEndpoint, path: `/v1/webhooks/endpoints/${endpointId}:test` },
        ...{ credential: customer.managementKey, inPath: { endpointId }, body: {}, other: {} },
        count: countOf('/v1/webhooks/deliveries?pageSize=1000', 'deliveries'),
      };
    },
    RotateEndpointSecret: async () => {
      const made = await ask('POST', '/v1/webhooks/endpoints', { url: 'http://127.0.0.1:9/c' });
      const { endpointId } = made.body.endpoint;
      return {
        method: WebhookService.method.rotateEndpointSecret,
        path: `/v1/webhooks/endpoints/${endpointId}:rotateSecret`,
        ...{ credential: customer.managementKey, inPath: { endpointId } },
        ...{ body: { overlapSeconds: 60 }, other: { overlapSeconds: 61 } },
      };
    },
    RetryDelivery: async () => {
      const made = await ask('POST', '/v1/webhooks/endpoints', { url: 'http://127.0.0.1:9/d' });
      const { endpointId } = made.body.endpoint;
      const { deliveryId } = (await ask('POST', `/v1/webhooks/endpoints/${endpointId}:test`, {})).body.delivery;
      return {
        ...{ method: WebhookService.method.retryDelivery, path: `/v1/webhooks/deliveries/${deliveryId}:retry` },
        ...{ credential: customer.managementKey, inPath: { deliveryId }, body: {}, other: {} },
        count: () =>
          rows(
            `SELECT COUNT(*) AS count FROM webhook_delivery WHERE id = '${deliveryId}' AND retried_at_us IS NOT NULL`,
          ),
      };
    },
    ReviseDraft: async () => {
      const asked = { purpose: 'the order is late', facts: [{ name: 'order', value: '4711' }] };
      const { draftId } = (await ask('POST', '/v1/draft/document', asked, customer.apiKey)).body.draft;
      return {
        ...{ method: WorkflowService.method.reviseDraft, path: `/v1/drafts/${draftId}:revise` },
        ...{ credential: customer.managementKey, inPath: { draftId } },
        ...{ body: { body: 'It is late.' }, other: { body: 'It is very late.' } },
        count: async () => (await ask('GET', `/v1/drafts/${draftId}`)).body.draft.version,
      };
    },
    CreateWorkflowDefinition: async () => ({
      ...{ method: WorkflowService.method.createWorkflowDefinition, path: '/v1/workflow-definitions' },
      ...{ credential: customer.managementKey, body: { definition } },
      other: { definition: { ...definition, workflow: 'other' } },
      count: async () => (await ask('GET', '/v1/workflow-definitions/acme/double')).body.definition?.version ?? 0,
    }),
    CreateRiskPack: async () => ({
      ...{ method: WorkflowService.method.createRiskPack, path: '/v1/risk-packs' },
      ...{ credential: customer.managementKey, body: { pack: { packId: 'a', ...packPhrases } } },
      other: { pack: { packId: 'b', ...packPhrases } },
      count: countOf('/v1/risk-packs', 'packs'),
    }),
  };
  const paidFor =
    /^(Chat|StreamChat|Embed|Rerank|CheckProfile|ScoreListing|CheckRisk|DraftDocument|WriteDecisionMemo|.*RunWorkflows?|ScoreBusinessReadiness|Create(Application)?TopUp)$/;

  test('every method that is neither a read, nor safe to repeat, nor the ledger’s is below', async () => {
    const services = [
      AccountService,
      KeyService,
      ProviderKeyService,
      ClientService,
      TokenService,
      WebhookService,
      WorkflowService,
    ];
    const names = services.flatMap(({ methods }) =>
      methods.filter(({ idempotency }) => idempotency === Level.IDEMPOTENCY_UNKNOWN).map(({ name }) => name),
    );
    expect(names.filter((name) => !paidFor.test(name)).sort()).toEqual(Object.keys(writes).sort());
  });

  describe.each(Object.keys(writes))('%s', (name) => {
    test('with an Idempotency-Key is done once, whatever the protocol, and another request under it is refused', async () => {
      const { method, path, inPath, body, other, credential, count } = await (writes[name] as () => Promise<Write>)();
      const key = `key-of-${name}`;
      const post = (sent: object) => send(app, 'POST', path, credential, sent, { 'idempotency-key': key });
      const before = (await count?.()) ?? 0;
      const first = await post(body);
      expect(first.status, first.text).toBe(200);
      const again = await post(body);
      expect({ status: again.status, text: again.text }).toEqual({ status: 200, text: first.text });
      const client = grpcClient(app.url);
      const overGrpc = await client.unary(method, fromJson(method.input, { ...body, ...inPath }), {
        authorization: `Bearer ${credential}`,
        'idempotency-key': key,
      });
      client.close();
      const printed = overGrpc.message && toJson(method.output, overGrpc.message, { alwaysEmitImplicit: true });
      expect(printed, overGrpc.error?.details).toEqual(first.body);
      if (count) expect(await count()).toBe(before + 1);
      if (other !== body && Object.keys(other).length > 0) {
        const refused = await post(other);
        expect([refused.status, reasonOf(refused)]).toEqual([422, 'IDEMPOTENCY_MISMATCH']);
        if (count) expect(await count()).toBe(before + 1);
      }
    });
  });

  test('many at once under one key make one key, and all hear of that one', async () => {
    const before = await countOf('/v1/keys?pageSize=1000', 'keys')();
    const post = () => send(app, 'POST', '/v1/keys', customer.managementKey, newKey, { 'idempotency-key': 'at-once' });
    const answers = await Promise.all(Array.from({ length: 24 }, post));
    const late = answers.filter(({ status }) => status !== 200);
    expect(late.map((answer) => [answer.status, reasonOf(answer)])).toEqual(
      late.map(() => [409, 'IDEMPOTENCY_IN_FLIGHT']),
    );
    expect(late.every(({ headers }) => Number(headers.get('retry-after')) > 0)).toBe(true);
    const secrets = new Set([...answers.flatMap(({ body }) => body.secret ?? []), (await post()).body.secret]);
    expect(secrets.size).toBe(1);
    expect(await countOf('/v1/keys?pageSize=1000', 'keys')()).toBe(before + 1);
  });

  test('what is refused keeps no key: put right, the request is done under it', async () => {
    const post = (body: object) =>
      send(app, 'POST', '/v1/clients', customer.managementKey, body, { 'idempotency-key': 'put-right' });
    expect((await post({ displayName: 'App', keyId: 'key_unknown' })).status).toBe(400);
    expect((await post({ displayName: 'App', keyId: customer.keyId })).status).toBe(200);
  });

  test('a key is its owner’s: others’ requests under it are their own', async () => {
    const other = await onboard(app, '0');
    const headers = { 'idempotency-key': 'ours' };
    const ours = await send(app, 'POST', '/v1/keys', customer.managementKey, newKey, headers);
    const theirs = await send(app, 'POST', '/v1/keys', other.managementKey, newKey, headers);
    expect(theirs.body.key.keyId).not.toBe(ours.body.key.keyId);
    // Two keys of one account: whatever each creates descends from it.
    const second = (await ask('POST', '/v1/keys', newKey)).body;
    const tokens = await Promise.all(
      [customer.apiKey, second.secret].map((by) => send(app, 'POST', '/v1/tokens', by, { subject: 'ann' }, headers)),
    );
    expect(new Set(tokens.map(({ body }) => body.tokenId)).size).toBe(2);
  });

  test('a secret is stored sealed, and a reply that does not open is not made up', async () => {
    const headers = { 'idempotency-key': 'sealed' };
    const { body } = await send(app, 'POST', '/v1/keys', customer.managementKey, newKey, headers);
    const connection = await openConnection(database().url);
    const [stored] = (await connection.query('SELECT * FROM idempotent_write')) as unknown as [
      { digest: Buffer; sealed: Buffer; owner: string }[],
    ];
    expect(stored.length).toBeGreaterThan(0);
    const bytes = Buffer.concat(stored.flatMap(({ digest, sealed, owner }) => [digest, sealed, Buffer.from(owner)]));
    expect(bytes.includes(body.secret)).toBe(false);
    expect(bytes.includes('sealed')).toBe(false);
    await connection.query('UPDATE idempotent_write SET sealed = REVERSE(sealed) WHERE owner = ?', [
      customer.accountId,
    ]);
    await connection.end();
    const unread = await send(app, 'POST', '/v1/keys', customer.managementKey, newKey, headers);
    expect([unread.status, reasonOf(unread)]).toEqual([409, 'PRECONDITION_FAILED']);
  });

  describe('the room', () => {
    const room = (options: { keptMs?: number; keptMax?: number; keptBytesMax?: number }) =>
      createIdempotentWrites({
        ...{ db: database().database, seal: createSeal(testSecrets().encryptionKeys), log: silent },
        ...{ secret: Buffer.alloc(32, 7), ...options },
      });
    const identity = (key: string, owner: string) => ({
      ...{ owner, scope: owner, method: 'a.B/C', key, fingerprint: Buffer.alloc(32, 1) },
    });
    let written = 0;
    const write = {
      prepare: async () => undefined,
      write: async () => Buffer.from(`reply ${++written}`),
    };

    test('forgets what is older than it is kept, and sweeps it', async () => {
      const short = room({ keptMs: 1 });
      const first = await short.once(identity('k', 'acc_old'), write);
      await new Promise((resolve) => setTimeout(resolve, 20));
      const second = await short.once(identity('k', 'acc_old'), write);
      expect(second).not.toEqual(first);
      await new Promise((resolve) => setTimeout(resolve, 20));
      const kept = () => rows("SELECT COUNT(*) AS count FROM idempotent_write WHERE owner = 'acc_old'");
      expect(await kept()).toBe(1);
      await short.sweep();
      expect(await kept()).toBe(0);
    });

    test('keeps so many of one owner and no more, and answers retries all the same', async () => {
      const small = room({ keptMax: 2 });
      const first = await small.once(identity('1', 'acc_full'), write);
      await small.once(identity('2', 'acc_full'), write);
      expect(await small.once(identity('3', 'acc_full'), write)).toMatchObject({ failure: { kind: 'rate_limited' } });
      expect(await small.once(identity('1', 'acc_full'), write)).toEqual(first);
      expect(await small.once(identity('3', 'acc_free'), write)).toMatchObject({ ok: true });
    });

    test('keeps so many bytes of one owner, few replies or many', async () => {
      const small = room({ keptBytesMax: 2_000 });
      const long = { ...write, write: async () => Buffer.alloc(2_000, 'a') };
      const first = await small.once(identity('1', 'acc_long'), long);
      expect(await small.once(identity('2', 'acc_long'), write)).toMatchObject({ failure: { kind: 'rate_limited' } });
      expect(await small.once(identity('1', 'acc_long'), long)).toEqual(first);
      expect(await small.once(identity('2', 'acc_short'), write)).toMatchObject({ ok: true });
    });

    test('ends when all of the pool is asked for, though each write asks for a connection of its own', async () => {
      const { database: db } = database();
      const busy = room({});
      const asking = {
        ...write,
        write: async () => {
          await db.ping(60_000);
          return write.write();
        },
      };
      const done = await Promise.all(
        Array.from({ length: 40 }, (_, index) => busy.once(identity(`busy-${index}`, 'acc_busy'), asking)),
      );
      expect(done.filter(({ ok }) => ok)).toHaveLength(40);
    });
  });

  test('a node that dies in the middle has made nothing, one that dies before its reply has made one', {
    timeout: 300_000,
  }, async () => {
    // These nodes have secrets of their own.
    const own = await freshDatabase(server);
    const nodes = startNodes(own.url);
    try {
      const first = await nodes.start();
      const owner = await onboard(first as never, '0');
      const create = (node: { url: string }, key: string) =>
        send(node, 'POST', '/v1/keys', owner.managementKey, newKey, { 'idempotency-key': key });
      const keysAt = async (node: { url: string }) =>
        (await send(node, 'GET', '/v1/keys', owner.managementKey)).body.keys.length;

      // A request that waits here has claimed its key and is in the middle of its write.
      const blocker = await openConnection(own.url);
      await blocker.query('START TRANSACTION');
      await blocker.query('SELECT * FROM quota_lock WHERE account_id = ? FOR UPDATE', [owner.accountId]);
      const two = [create(first, 'middle'), create(first, 'middle')];
      const refused = await Promise.race(two);
      expect([refused.status, reasonOf(refused)]).toEqual([409, 'IDEMPOTENCY_IN_FLIGHT']);
      first.child.kill('SIGKILL');
      await once(first.child, 'exit');
      expect((await Promise.allSettled(two)).map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
      await blocker.query('ROLLBACK');
      await blocker.end();

      const second = await nodes.start();
      expect(await keysAt(second)).toBe(2);
      // The server may not yet know that the dead node's connection is gone.
      await expect.poll(async () => (await create(second, 'middle')).status, { timeout: 60_000 }).toBe(200);
      const made = await create(second, 'last');
      second.child.kill('SIGKILL');
      await once(second.child, 'exit');
      const third = await nodes.start();
      expect((await create(third, 'last')).text).toBe(made.text);
      expect(await keysAt(third)).toBe(4);
    } finally {
      nodes.end();
      await own.drop();
    }
  });
});

/** Nodes of one service, each in its own process. */
function startNodes(databaseUrl: string) {
  const folder = mkdtempSync(join(tmpdir(), 'writes-kill-'));
  const operatorToken = 'an-operator-token-of-more-than-32-characters';
  writeFileSync(join(folder, 'config.yaml'), 'payments: { provider: sandbox, allowSandbox: true }\n');
  const children = new Set<{ kill(signal: 'SIGKILL'): boolean }>();
  return {
    async start() {
      const child = spawn(process.execPath, ['src/main.ts'], {
        cwd: fileURLToPath(new URL('../..', import.meta.url)),
        env: {
          ...{ PATH: process.env.PATH, CONFIG: join(folder, 'config.yaml'), DATABASE_URL: databaseUrl, PORT: '0' },
          ...{ DATA_DIR: join(folder, 'data'), OPERATOR_TOKEN: operatorToken },
        },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      children.add(child);
      let output = '';
      for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
      const serving = () => /"url":"([^"]+)","msg":"serving"/.exec(output)?.[1] ?? '';
      await expect.poll(serving, { timeout: 120_000 }).not.toBe('');
      return { url: serving(), operatorToken, child };
    },
    end() {
      for (const child of children) child.kill('SIGKILL');
      rmSync(folder, { recursive: true });
    },
  };
}
