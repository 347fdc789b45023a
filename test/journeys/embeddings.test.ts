import { Code, createClient } from '@connectrpc/connect';
import { createConnectTransport } from '@connectrpc/connect-node';
import OpenAI from 'openai';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { chatInvariants } from '../../src/chat/index.ts';
import { EmbeddingService } from '../../src/gen/intelligence/embedding/v1/embedding_service_pb.ts';
import { auditLedger } from '../../src/wallet/index.ts';
import { workflowInvariants } from '../../src/workflows/index.ts';
import { type Customer, onboard, reasonOf, send, startApp, type TestApp } from '../support/app.ts';
import { eachServer, useDatabase } from '../support/database.ts';
import { grpcClient } from '../support/grpc.ts';
import { strictEmbeddings, tokensOf, vectorOf } from '../support/strict-embeddings.ts';
import { startUpstream, type Upstream } from '../support/upstream.ts';

const dimensions = 1_536;
const inputs = Array.from({ length: 2_048 }, (_, index) => `Text number ${index}`);
const tokens = inputs.reduce((sum, text) => sum + tokensOf(text), 0);
// 0.02 USD per million: 20 nano-USD per token.
const cost = BigInt(tokens) * 20n;
const path = '/api/v1/embeddings';
/** Three million numbers take a busy machine a while. */
const many = { timeout: 300_000 };

const made = new Map<number, Float32Array>();
/** The vector of one of the inputs. */
function expected(index: number): Float32Array {
  const vector = made.get(index) ?? Float32Array.from(vectorOf(inputs[index] ?? '', dimensions));
  made.set(index, vector);
  return vector;
}
function sameNumbers(given: readonly number[], wanted: Float32Array): boolean {
  return given.length === wanted.length && wanted.every((number, index) => number === given[index]);
}
function base64Of(vector: Float32Array): string {
  const bytes = Buffer.alloc(4 * vector.length);
  for (const [index, number] of vector.entries()) bytes.writeFloatLE(number, 4 * index);
  return bytes.toString('base64');
}

eachServer((server) => {
  const database = useDatabase(server);
  let app: TestApp;
  let upstream: Upstream;
  let customer: Customer;
  let client: OpenAI;

  beforeAll(async () => {
    upstream = await startUpstream();
    app = await startApp({
      databaseUrl: database().url,
      variables: { UPSTREAM_KEY: 'sk-upstream' },
      settings: [
        `providers: [{ id: up, kind: openai-compatible, baseUrl: "${upstream.url}/v1", apiKeyEnv: UPSTREAM_KEY }]`,
        'models:',
        '  - { id: e, provider: up, quality: 50, contextTokens: 8192, price: { inputPerMillionUsd: "0.02" },',
        '      embedding: { dimensions: 1536, dimensionsMin: 256 } }',
        '  - { id: large, provider: up, quality: 40, contextTokens: 8192, price: { inputPerMillionUsd: "0.13" },',
        '      embedding: { dimensions: 3072 } }',
      ].join('\n'),
    });
  });
  afterAll(async () => {
    await app.close();
    await upstream.close();
  });
  beforeEach(async () => {
    customer = await onboard(app);
    client = new OpenAI({ apiKey: customer.apiKey, baseURL: `${app.url}/v1`, maxRetries: 0 });
    upstream.seen.length = 0;
    upstream.answer(strictEmbeddings(dimensions));
  });

  async function spent(): Promise<bigint> {
    const { body } = await send(app, 'GET', '/v1/wallet', customer.managementKey);
    expect(body.wallet.heldUsd).toBe('0.00');
    return nano('5.00') - nano(body.wallet.balanceUsd);
  }

  test.each(['float', 'base64'] as const)(
    '2,048 inputs come back to OpenAI’s client as %s, as one exact charge',
    many,
    async (format) => {
      const { data, response } = await client.embeddings
        .create({ model: 'e', input: inputs, encoding_format: format })
        .withResponse();
      expect(data.data).toHaveLength(2_048);
      for (const [index, { index: stated, embedding }] of data.data.entries()) {
        expect(stated).toBe(index);
        // When requested by name, base64 is passed on as it is.
        if (format === 'float') expect(sameNumbers(embedding, expected(index))).toBe(true);
        else expect(embedding as unknown).toBe(base64Of(expected(index)));
      }
      expect(data.usage).toMatchObject({ prompt_tokens: tokens, total_tokens: tokens });
      expect(response.headers.get('x-charge-id')).toBe((data as unknown as { charge_id: string }).charge_id);
      expect(nano(response.headers.get('x-charge-usd') ?? '')).toBe(cost);
      expect(await spent()).toBe(cost);
      const { body } = await send(app, 'GET', '/v1/charges', customer.managementKey);
      expect(body.charges).toMatchObject([{ operation: 'embedding', state: 'settled' }]);
      // An upstream call returns at most 131,072 numbers.
      expect(upstream.seen.map(({ body: { input } }) => (input as string[]).length)).toEqual([
        ...Array(24).fill(85),
        8,
      ]);
    },
  );

  test('OpenAI’s client asks for base64 by itself, and decodes it', async () => {
    const { data } = await client.embeddings.create({ model: 'auto', input: 'One text', dimensions: 256 });
    expect(data[0]?.embedding).toEqual(vectorOf('One text', 256));
  });

  test('Voyage’s client is answered with what it sends as defaults, and its own word for dimensions', async () => {
    const asked = { model: 'e', input: ['One text'], input_type: null, truncation: true, output_dtype: null };
    const made = await send(app, 'POST', '/v1/embeddings', customer.apiKey, { ...asked, output_dimension: 256 });
    expect([made.status, made.headers.get('x-ignored-parameters')]).toEqual([200, 'truncation']);
    expect(made.body.data[0].embedding).toEqual(vectorOf('One text', 256));
  });

  test.each(['float', 'base64'])('2,048 inputs come back over gRPC as %s', many, async (encoding) => {
    const grpc = grpcClient(app.url, { 'grpc.max_receive_message_length': -1 });
    const metadata = { authorization: `Bearer ${customer.apiKey}` };
    const { error, message } = await grpc.unary(
      EmbeddingService.method.embed,
      { model: 'e', inputs, encoding },
      metadata,
    );
    grpc.close();
    expect(error).toBeUndefined();
    expect(message?.embeddings).toHaveLength(2_048);
    for (const [index, { values, base64 }] of (message?.embeddings ?? []).entries())
      if (encoding === 'float') expect(sameNumbers(values, expected(index))).toBe(true);
      else expect(base64).toBe(base64Of(expected(index)));
    expect(message?.usage).toMatchObject({ inputTokens: tokens, estimated: false });
    expect(await spent()).toBe(cost);
  });

  test(
    '2,048 inputs come back over JSON in both encodings; more numbers than JSON should print are refused before they cost',
    many,
    async () => {
      const refused = await send(app, 'POST', path, customer.apiKey, { model: 'e', inputs });
      expect(refused.status).toBe(400);
      expect(refused.body.error.message).toContain('3145728 numbers');
      expect(upstream.seen).toHaveLength(0);
      const bytes = await send(app, 'POST', path, customer.apiKey, { model: 'e', inputs, encoding: 'base64' });
      expect(bytes.status).toBe(200);
      expect(bytes.body.embeddings).toHaveLength(2_048);
      for (const [index, embedding] of bytes.body.embeddings.entries())
        expect(embedding).toEqual({ index, values: [], base64: base64Of(expected(index)) });
      const floats = await send(app, 'POST', path, customer.apiKey, { model: 'e', inputs, dimensions: 256 });
      expect(floats.body.embeddings[5]).toEqual({ index: 5, values: vectorOf('Text number 5', 256), base64: '' });
      expect(floats.headers.get('x-charge-id')).toBe(floats.body.id);
      expect(await spent()).toBe(2n * cost);
    },
  );

  test('over Connect as well', async () => {
    const connect = createClient(EmbeddingService, createConnectTransport({ baseUrl: app.url, httpVersion: '1.1' }));
    const headers = { authorization: `Bearer ${customer.apiKey}` };
    const { embeddings } = await connect.embed({ inputs: ['One text'], dimensions: 256 }, { headers });
    expect(embeddings[0]?.values).toEqual(vectorOf('One text', 256));
    // 86 vectors are 132,096 numbers, which Connect would encode in one turn of the event loop.
    const asked = connect.embed({ inputs: inputs.slice(0, 86) }, { headers });
    await expect(asked).rejects.toMatchObject({ code: Code.InvalidArgument });
    const { embeddings: bytes } = await connect.embed({ inputs: inputs.slice(0, 86), encoding: 'base64' }, { headers });
    expect(bytes).toHaveLength(86);
  });

  test(
    'a repeated request is charged once: short replies come again, of long ones the charge is named',
    many,
    async () => {
      const short = { model: 'e', inputs: ['a', 'b'], encoding: 'base64' };
      const first = await send(app, 'POST', path, customer.apiKey, short, { 'idempotency-key': 'k1' });
      const again = await send(app, 'POST', path, customer.apiKey, short, { 'idempotency-key': 'k1' });
      expect(again.body).toEqual(first.body);
      const long = { model: 'e', inputs, encoding: 'base64' };
      const whole = await send(app, 'POST', path, customer.apiKey, long, { 'idempotency-key': 'k2' });
      expect(whole.status).toBe(200);
      const purged = await send(app, 'POST', path, customer.apiKey, long, { 'idempotency-key': 'k2' });
      expect([purged.status, reasonOf(purged)]).toEqual([409, 'REPLY_PURGED']);
      expect(purged.text).toContain(whole.body.id);
      const other = await send(
        app,
        'POST',
        path,
        customer.apiKey,
        { ...short, inputs: ['c'] },
        { 'idempotency-key': 'k1' },
      );
      expect(other.status).toBe(422);
      expect(await spent()).toBe(cost + 40n);
    },
  );

  test('usage and labels name embeddings; the book prices each charge again', async () => {
    await send(app, 'POST', path, customer.apiKey, { inputs: ['abc'], metadata: { team: 'search' } });
    const usage = await send(app, 'GET', '/v1/usage?groupBy=operation&groupBy=model', customer.managementKey);
    expect(usage.body.rows).toMatchObject([
      { operation: 'embedding', model: 'e', inputTokens: '1', costUsd: '0.00000002' },
    ]);
    const labelled = await send(
      app,
      'GET',
      '/v1/charges?metadata.key=team&metadata.value=search',
      customer.managementKey,
    );
    expect(labelled.body.charges).toHaveLength(1);
    expect(await auditLedger(app.rooms.db, { more: [...chatInvariants, ...workflowInvariants] })).toEqual([]);
  });

  test('tokens embed within their models and their cap', async () => {
    const mint = async (body: object) => {
      const { body: made } = await send(app, 'POST', '/v1/tokens', customer.apiKey, { subject: 'u', ...body });
      return String(made.accessToken);
    };
    const limited = await mint({ models: ['large'] });
    expect((await send(app, 'POST', path, limited, { model: 'e', inputs: ['a'] })).status).toBe(400);
    const models = await send(app, 'GET', '/api/v1/embeddings/models', limited);
    expect(models.body.models).toMatchObject([
      { id: 'large', dimensions: 3072, dimensionsMin: 3072, inputTokensMax: 8192, inputPerMillionUsd: '0.13' },
    ]);
    const capped = await mint({ subject: 'v', spendingCapUsd: '0.0000001' });
    const over = await send(app, 'POST', path, capped, { model: 'e', inputs: ['a'.repeat(300)] });
    expect([over.status, reasonOf(over)]).toEqual([402, 'SPENDING_CAP_REACHED']);
    const noChat = await mint({ subject: 'w', scopes: ['pulse'] });
    expect((await send(app, 'POST', path, noChat, { inputs: ['a'] })).status).toBe(403);
    expect(await spent()).toBe(0n);
  });

  test.each<[string, object, object]>([
    ['an unknown model', { model: 'nope' }, { status: 404, code: 'model_not_found' }],
    ['tokens', { input: [1, 2, 3] }, { status: 400, param: 'input' }],
    ['lists of tokens', { input: [[1, 2], [3]] }, { status: 400, param: 'input' }],
    ['an empty text', { input: [''] }, { status: 400, param: 'input[0]' }],
    ['no text', { input: [] }, { status: 400, param: 'input' }],
    ['too many texts', { input: Array(2_049).fill('a') }, { status: 400, param: 'input' }],
    ['another encoding', { encoding_format: 'int8' }, { status: 400, param: 'encoding_format' }],
    ['too many dimensions', { dimensions: 1_537 }, { status: 400, param: 'dimensions' }],
    ['another word for half a dimension', { output_dimension: 1.5 }, { status: 400, param: 'output_dimension' }],
    ['a kind of input', { input_type: 'query' }, { status: 400, param: 'input_type' }],
    ['half a dimension', { dimensions: 1.5 }, { status: 400, param: 'dimensions' }],
    ['an unknown parameter', { task: 'x' }, { status: 400, param: 'task' }],
    ['a long text', { input: 'word '.repeat(12_000) }, { status: 400, param: 'input[0]' }],
  ])('OpenAI’s client is told about %s by name, and is not charged', async (_, more, expected) => {
    const asked = { model: 'e', input: 'a', ...more } as OpenAI.EmbeddingCreateParams;
    await expect(client.embeddings.create(asked)).rejects.toMatchObject(expected);
    expect(upstream.seen).toHaveLength(0);
    expect(await spent()).toBe(0n);
  });

  test('OpenAI’s client finds the models among the others', async () => {
    const ids = (await client.models.list()).data.map(({ id }) => id);
    expect(ids).toEqual(expect.arrayContaining(['auto', 'extractive', 'e', 'large']));
    expect(await client.models.retrieve('e')).toMatchObject({ id: 'e', owned_by: 'up' });
    await expect(
      client.chat.completions.create({ model: 'e', messages: [{ role: 'user', content: 'Hi' }] }),
    ).rejects.toMatchObject({ status: 404, code: 'model_not_found' });
  });

  test('an upstream that fails is told, and is free', async () => {
    upstream.answer(() => ({ status: 500, body: { error: { message: 'secret words' } } }));
    await expect(client.embeddings.create({ model: 'e', input: 'a' })).rejects.toMatchObject({
      status: 502,
      code: 'upstream_failed',
    });
    expect(await spent()).toBe(0n);
  });
});

function nano(usd: string): bigint {
  const [whole = '0', fraction = ''] = usd.split('.');
  return BigInt(whole) * 1_000_000_000n + BigInt(fraction.padEnd(9, '0'));
}
