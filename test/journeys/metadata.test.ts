import { afterAll, beforeAll, expect, test } from 'vitest';
import { ChatService } from '../../src/gen/intelligence/chat/v1/chat_service_pb.ts';
import { WalletService } from '../../src/gen/intelligence/wallet/v1/wallet_service_pb.ts';
import { type Customer, onboard, send, startApp, type TestApp } from '../support/app.ts';
import { eachServer, useDatabase } from '../support/database.ts';
import { grpcClient } from '../support/grpc.ts';

type Labels = Record<string, string>;

const chatPath = '/api/v1/assistant/chat';
const messages = [{ role: 'user', content: 'Which plan fits? The Basic plan fits.' }];
const odd = { projekt: 'Größe "L", 東京 🚀\n;', '=1+1': "=HYPERLINK('x')", leer: '' };
/** As large as the protocol allows, of characters that take the most bytes. */
const largest: Labels = Object.fromEntries(
  Array.from({ length: 16 }, (_, index) => [`${'😀'.repeat(62)}${10 + index}`, '🚀'.repeat(512)]),
);

eachServer((server) => {
  const database = useDatabase(server);
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp({ databaseUrl: database().url });
  });
  afterAll(() => app.close());

  const chat = async (customer: Customer, metadata?: Labels, headers: Record<string, string> = {}) =>
    (await send(app, 'POST', chatPath, customer.apiKey, { messages, ...(metadata && { metadata }) }, headers)).body;
  const get = async (customer: Customer, path: string) => (await send(app, 'GET', path, customer.managementKey)).body;
  const byLabel = (key: string, value: string) => `metadata.key=${key}&metadata.value=${encodeURIComponent(value)}`;
  const idsOf = (charges: { chargeId: string }[]) => charges.map(({ chargeId }) => chargeId);
  /** A customer with two charges of project a, one of b and one without labels, in this order. */
  const withCharges = async () => {
    const customer = await onboard(app);
    const ids: string[] = [];
    for (const metadata of [
      { project: 'a', team: 'x' },
      { project: 'a', team: 'y' },
      { project: 'b', team: 'x' },
      undefined,
    ])
      ids.push((await chat(customer, metadata)).id);
    return { customer, ids };
  };

  test('the labels of a request come back with its charge, in lists, entries and exports, in JSON and gRPC', async () => {
    const customer = await onboard(app);
    const client = grpcClient(app.url);
    const authorization = { authorization: `Bearer ${customer.managementKey}` };
    for (const metadata of [odd, largest, {}] as Labels[]) {
      const { id } = await chat(customer, metadata);
      expect((await get(customer, `/v1/charges/${id}`)).charge.metadata).toEqual(metadata);
      const [listed] = (await get(customer, '/v1/charges')).charges;
      expect(listed).toMatchObject({ chargeId: id, metadata });
      const [entry] = (await get(customer, '/v1/wallet/entries')).entries;
      expect(entry).toMatchObject({ chargeId: id, metadata });
      const exported = await send(app, 'GET', '/v1/wallet/entries:export?format=jsonl', customer.managementKey);
      const rows = exported.text
        .trimEnd()
        .split('\n')
        .map((row) => JSON.parse(row));
      expect(rows.at(-1).metadata ?? {}).toEqual(metadata);
      const over = await client.unary(WalletService.method.getCharge, { chargeId: id }, authorization);
      expect({ ...over.message?.charge?.metadata }).toEqual(metadata);
      const entries = await client.unary(WalletService.method.listEntries, { pageSize: 1 }, authorization);
      expect({ ...entries.message?.entries[0]?.metadata }).toEqual(metadata);
    }
    client.close();
  });

  test('the charge of a streamed reply has the labels, over gRPC and as events', async () => {
    const customer = await onboard(app);
    const client = grpcClient(app.url);
    await client.serverStream(
      ChatService.method.streamChat,
      { messages, metadata: { way: 'grpc' } },
      { authorization: `Bearer ${customer.apiKey}` },
    );
    client.close();
    const events = { accept: 'text/event-stream' };
    await send(app, 'POST', chatPath, customer.apiKey, { messages, metadata: { way: 'events' } }, events);
    const { charges } = await get(customer, '/v1/charges');
    expect(charges.map(({ metadata, state }: { metadata: Labels; state: string }) => [metadata.way, state])).toEqual([
      ['events', 'settled'],
      ['grpc', 'settled'],
    ]);
  });

  test('the charge of a workflow has the labels, and the reply is the same without them', async () => {
    const customer = await onboard(app);
    const request = { text: 'Guaranteed returns, completely risk-free!', domain: 'finance' };
    const check = async (body: object) => (await send(app, 'POST', '/v1/risk/check', customer.apiKey, body)).body;
    const labelled = await check({ ...request, metadata: odd });
    const plain = await check(request);
    expect(labelled.findings).toEqual(plain.findings);
    expect((await get(customer, '/v1/charges')).charges).toMatchObject([
      { metadata: {} },
      { chargeId: labelled.usage.chargeId, operation: 'workflow.risk', metadata: odd },
    ]);
  });

  test("OpenAI's clients give labels as well", async () => {
    const customer = await onboard(app);
    await send(app, 'POST', '/v1/chat/completions', customer.apiKey, { model: 'auto', messages, metadata: odd });
    expect((await get(customer, '/v1/charges')).charges).toMatchObject([{ metadata: odd }]);
  });

  test('a filter finds the charges with exactly this label, page by page', async () => {
    const { customer, ids } = await withCharges();
    const [first, second, third] = ids;
    const filtered = async (query: string) => idsOf((await get(customer, `/v1/charges?${query}`)).charges);
    expect(await filtered('')).toEqual(ids.toReversed());
    expect(await filtered(byLabel('project', 'a'))).toEqual([second, first]);
    expect(await filtered(byLabel('project', 'b'))).toEqual([third]);
    for (const [key, value] of [
      ['project', ''],
      ['project', 'A'],
      ['project', 'a '],
      ['projec', 'a'],
      ['team', 'a'],
    ] as const)
      expect(await filtered(byLabel(key, value)), `${key}=${value}`).toEqual([]);
    const page = await get(customer, `/v1/charges?${byLabel('project', 'a')}&pageSize=1`);
    expect(idsOf(page.charges)).toEqual([second]);
    const next = await get(
      customer,
      `/v1/charges?${byLabel('project', 'a')}&pageSize=1&pageToken=${page.nextPageToken}`,
    );
    expect([idsOf(next.charges), next.nextPageToken]).toEqual([[first], '']);
    for (const query of [byLabel('project', 'b'), '']) {
      const answer = await send(
        app,
        'GET',
        `/v1/charges?${query}&pageToken=${page.nextPageToken}`,
        customer.managementKey,
      );
      expect(answer.status, query).toBe(400);
    }
  });

  test('usage is summed of one label only, and by what a label says', async () => {
    const { customer } = await withCharges();
    const usage = async (query: string) => (await get(customer, `/v1/usage?${query}`)).rows;
    expect(await usage(byLabel('project', 'a'))).toMatchObject([{ charges: '2' }]);
    expect(await usage(byLabel('project', 'nothing'))).toMatchObject([{ charges: '0', costUsd: '0.00' }]);
    const rows = await usage('groupByMetadata=project');
    expect(rows).toMatchObject([
      { charges: '1' },
      { metadataValue: 'a', charges: '2' },
      { metadataValue: 'b', charges: '1' },
    ]);
    expect(rows[0]).not.toHaveProperty('metadataValue');
    expect(await usage(`groupBy=operation&groupByMetadata=team&${byLabel('project', 'a')}`)).toMatchObject([
      { operation: 'chat', metadataValue: 'x', charges: '1' },
      { operation: 'chat', metadataValue: 'y', charges: '1' },
    ]);
    const cost = (list: { costUsd: string }[]) =>
      list.reduce((sum, { costUsd }) => sum + Math.round(Number(costUsd) * 1e9), 0);
    expect(cost(rows)).toBe(cost(await usage('')));
    const client = grpcClient(app.url);
    const over = await client.unary(
      WalletService.method.getUsage,
      { groupByMetadata: 'team', metadata: { key: 'project', value: 'a' } },
      { authorization: `Bearer ${customer.managementKey}` },
    );
    expect(over.message?.rows.map(({ metadataValue, charges }) => [metadataValue, charges])).toEqual([
      ['x', 1n],
      ['y', 1n],
    ]);
    client.close();
    const one = await get(customer, '/v1/usage?groupByMetadata=project&pageSize=1');
    const two = await get(customer, `/v1/usage?groupByMetadata=project&pageSize=1&pageToken=${one.nextPageToken}`);
    expect(two.rows).toMatchObject([{ metadataValue: 'a', charges: '2' }]);
    const other = `/v1/usage?groupByMetadata=team&pageSize=1&pageToken=${one.nextPageToken}`;
    expect((await send(app, 'GET', other, customer.managementKey)).status).toBe(400);
  });

  test('exports have the labels, only those asked for, and no spreadsheet takes them for a formula', async () => {
    const customer = await onboard(app);
    const labelled = await chat(customer, odd);
    await chat(customer, { '=1+1': '@SUM(A1)' });
    const read = async (path: string) => (await send(app, 'GET', path, customer.managementKey)).text;
    const csv = await read('/v1/wallet/entries:export');
    const records = recordsOf(csv);
    expect(records[0]?.at(-1)).toBe('metadata');
    expect(records.map((cells) => cells.length)).toEqual([9, 9, 9, 9]);
    expect(records[1]?.at(-1)).toBe('');
    expect(JSON.parse(records[2]?.at(-1) ?? '')).toEqual(odd);
    const wanted = byLabel('projekt', odd.projekt);
    expect(recordsOf(await read(`/v1/wallet/entries:export?${wanted}`)).map((cells) => cells[5])).toEqual([
      'chargeId',
      labelled.id,
    ]);
    const jsonl = await read(`/v1/wallet/entries:export?format=jsonl&${wanted}`);
    expect(
      jsonl
        .trimEnd()
        .split('\n')
        .map((row) => JSON.parse(row)),
    ).toMatchObject([{ chargeId: labelled.id, metadata: odd }]);
    const grouped = await read(`/v1/usage:export?groupByMetadata=${encodeURIComponent('=1+1')}`);
    expect(recordsOf(grouped).map((cells) => cells.slice(0, 2))).toEqual([
      ['metadataValue', 'charges'],
      ["'=HYPERLINK('x')", '1'],
      ["'@SUM(A1)", '1'],
    ]);
    expect(recordsOf(await read(`/v1/usage:export?${wanted}`))[1]?.[0]).toBe('1');
  });

  test('another account sees, sums and erases nothing of it', async () => {
    const { customer, ids } = await withCharges();
    const other = await onboard(app);
    await chat(other, { project: 'c' });
    const path = `/v1/charges?${byLabel('project', 'a')}`;
    expect((await get(other, path)).charges).toEqual([]);
    expect((await get(other, `/v1/usage?${byLabel('project', 'a')}`)).rows).toMatchObject([{ charges: '0' }]);
    expect((await get(other, '/v1/usage?groupByMetadata=project')).rows).toMatchObject([{ metadataValue: 'c' }]);
    expect((await send(app, 'GET', `/v1/charges/${ids[0]}`, other.managementKey)).status).toBe(404);
    expect((await send(app, 'GET', '/v1/wallet/entries:export', other.managementKey)).text).not.toContain(
      'project"":""a',
    );
    expect((await erase(other, 'project', 'a')).body).toEqual({ charges: 0 });
    expect((await get(customer, path)).charges).toHaveLength(2);
  });

  const erase = (customer: Customer, key: string, value: string) =>
    send(app, 'POST', '/v1/charges:eraseMetadata', customer.managementKey, { metadata: { key, value } });

  test('a retry with the same idempotency key adds no charge and no labels', async () => {
    const customer = await onboard(app);
    const first = await chat(customer, { project: 'a' }, { 'idempotency-key': 'one' });
    const again = await chat(customer, { project: 'a' }, { 'idempotency-key': 'one' });
    expect(again.id).toBe(first.id);
    expect((await get(customer, `/v1/charges?${byLabel('project', 'a')}`)).charges).toHaveLength(1);
    expect((await get(customer, '/v1/usage?groupByMetadata=project')).rows).toMatchObject([
      { metadataValue: 'a', charges: '1' },
    ]);
    const found = async (query: string) =>
      idsOf((await get(customer, `/v1/charges?idempotencyKey=one${query}`)).charges);
    expect(await found('')).toEqual([first.id]);
    expect(await found(`&${byLabel('project', 'b')}`)).toEqual([]);
    const changed = await send(
      app,
      'POST',
      chatPath,
      customer.apiKey,
      { messages, metadata: { project: 'b' } },
      { 'idempotency-key': 'one' },
    );
    expect(changed.status).toBe(422);
  });

  test('erasing by a label deletes all labels of its charges, and nothing that was charged', async () => {
    const { customer, ids } = await withCharges();
    const before = await get(customer, '/v1/usage');
    expect((await erase(customer, 'project', 'a')).body).toEqual({ charges: 2 });
    expect((await erase(customer, 'project', 'a')).body).toEqual({ charges: 0 });
    expect((await get(customer, `/v1/charges/${ids[0]}`)).charge.metadata).toEqual({});
    expect((await get(customer, `/v1/charges?${byLabel('team', 'y')}`)).charges).toEqual([]);
    expect((await get(customer, `/v1/charges/${ids[2]}`)).charge.metadata).toEqual({ project: 'b', team: 'x' });
    expect(await get(customer, '/v1/usage')).toEqual(before);
  });

  test('labels and filters beyond the bounds are refused', async () => {
    const customer = await onboard(app);
    const pairs = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`n${index}`, 'v']));
    for (const metadata of [pairs(17), { '': 'x' }, { ['n'.repeat(65)]: 'x' }, { n: 'v'.repeat(513) }, { n: 1 }]) {
      const { status } = await send(app, 'POST', chatPath, customer.apiKey, { messages, metadata });
      expect(status, JSON.stringify(metadata).slice(0, 80)).toBe(400);
    }
    for (const path of ['charges', 'usage'])
      for (const query of [
        'metadata.value=a',
        `metadata.key=${'k'.repeat(65)}`,
        `metadata.key=k&metadata.value=${'v'.repeat(513)}`,
      ])
        expect((await send(app, 'GET', `/v1/${path}?${query}`, customer.managementKey)).status, query).toBe(400);
    expect((await send(app, 'POST', '/v1/charges:eraseMetadata', customer.managementKey, {})).status).toBe(400);
  });
});

/** The records of a CSV text (RFC 4180). */
function recordsOf(csv: string): string[][] {
  const records: string[][] = [[]];
  for (const [, quoted, plain, end] of csv.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/g)) {
    records.at(-1)?.push(quoted === undefined ? (plain ?? '') : quoted.replaceAll('""', '"'));
    if (end === '\r\n') records.push([]);
  }
  return records.slice(0, -1);
}
