import { setTimeout as pause } from 'node:timers/promises';
import { createClient } from '@connectrpc/connect';
import { createConnectTransport, createGrpcTransport } from '@connectrpc/connect-node';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openConnection } from '../../src/db/index.ts';
import { ChatService } from '../../src/gen/intelligence/chat/v1/chat_service_pb.ts';
import { type Customer, onboard, reasonOf, send, startApp, type TestApp, testSecrets } from '../support/app.ts';
import { eachServer, useDatabase } from '../support/database.ts';
import { type Arrived, type ArrivedEvent, arrived, eventsOf, requestCut } from '../support/event-stream.ts';
import { grpcClient } from '../support/grpc.ts';
import { seeded } from '../support/seeded.ts';
import { startUpstream, streamedCompletion, type Upstream } from '../support/upstream.ts';

const chatPath = '/api/v1/assistant/chat';
const pieces = ['Hel', 'lo, ', 'wörld', '\n\n', 'data: no', '\r\n', '🙂', ' id: 7', ' and', ' so', ' on', '.'];
const usage = { prompt_tokens: 10, completion_tokens: 30 };
/** 10 input tokens at 1 USD and 30 output tokens at 2 USD a million. */
const cost = 70_000;
const asked = { model: 'm', messages: [{ role: 'user', content: 'Hi' }], resumable: true };

eachServer((server) => {
  const database = useDatabase(server);
  let app: TestApp;
  let other: TestApp;
  let upstream: Upstream;
  let customer: Customer;
  beforeAll(async () => {
    upstream = await startUpstream();
    const secrets = testSecrets();
    const settings = `
providers: [{ id: up, kind: openai-compatible, baseUrl: "${upstream.url}/v1" }]
http: { publicUrl: "http://intelligence.test" }
limits: { requestsPerMinute: 1000000, tokensPerMinute: 100000000, concurrentStreams: 1000 }
models: [{ id: m, provider: up, quality: 50, contextTokens: 100000, price: { inputPerMillionUsd: "1", outputPerMillionUsd: "2" } }]`;
    app = await startApp({ databaseUrl: database().url, settings, secrets });
    other = await startApp({ databaseUrl: database().url, settings, secrets });
    customer = await onboard(app);
  });
  afterAll(async () => {
    await app.close();
    await other.close();
    await upstream.close();
  });

  const wallet = async () => (await send(app, 'GET', '/v1/wallet', customer.managementKey)).body.wallet;
  const balance = async () => Math.round(Number((await wallet()).balanceUsd) * 1e9);
  const settled = () => expect.poll(async () => (await wallet()).heldUsd, { timeout: 30_000 }).toBe('0.00');
  const answerIn = (pauseMs: number, contents: readonly string[] = pieces) =>
    upstream.answer(() => ({ pieces: streamedCompletion(contents, usage), pauseMs }));

  /** Starts the reply, or requests it again with the same key. */
  const begin = (key: string, cut?: number | string, more: Record<string, string> = {}) =>
    requestCut(app.url, {
      head: [
        `POST ${chatPath} HTTP/1.1`,
        'content-type: application/json',
        'accept: text/event-stream',
        `idempotency-key: ${key}`,
        ...Object.entries({ authorization: `Bearer ${customer.apiKey}`, ...more }).map(
          ([name, value]) => `${name}: ${value}`,
        ),
      ],
      body: JSON.stringify(asked),
      ...(typeof cut === 'number' ? { cutAfter: cut } : {}),
      ...(typeof cut === 'string' ? { cutAt: cut } : {}),
    });
  const resume = (node: TestApp, chargeId: string, last: string | undefined, cutAfter?: number) =>
    requestCut(node.url, {
      head: [
        `GET ${chatPath}/${chargeId}/stream HTTP/1.1`,
        `authorization: Bearer ${customer.apiKey}`,
        'accept: text/event-stream',
        ...(last === undefined ? [] : [`last-event-id: ${last}`]),
      ],
      ...(cutAfter === undefined ? {} : { cutAfter }),
    });
  const chargeIn = ({ headers }: Arrived) => String(headers['x-charge-id']);

  /** Acts like a client: reads, is cut off, and continues from the last event that it has. */
  async function readWithCuts(key: string, cuts: readonly number[], nodeOf: (cut: number) => TestApp = () => app) {
    const events: ArrivedEvent[] = [];
    let chargeId: string | undefined;
    for (const [index, cut] of [...cuts, undefined].entries()) {
      const last = events.at(-1)?.id;
      const reply = chargeId ? await resume(nodeOf(index), chargeId, last, cut) : await begin(key, cut);
      if (cut === undefined) expect(reply.status, reply.body).toBe(200);
      events.push(...reply.events);
      chargeId ??= reply.headers['x-charge-id'];
    }
    return { events, chargeId: chargeId ?? '' };
  }

  function textOf(events: readonly ArrivedEvent[]): string {
    return events.map(({ data }) => (JSON.parse(data) as { content?: string }).content ?? '').join('');
  }

  async function expectWhole(chargeId: string, events: readonly ArrivedEvent[]) {
    expect(textOf(events)).toBe(pieces.join(''));
    expect(JSON.parse(events.at(-1)?.data ?? '{}').end).toMatchObject({
      id: chargeId,
      finishReason: 'stop',
      usage: { costUsd: '0.00007' },
    });
    expect(events.map(({ id }) => id)).toEqual(events.map((_, index) => String(index + 1)));
    expect((await resume(app, chargeId, undefined)).events).toEqual(events);
  }

  describe('a resumable reply', () => {
    test('whose connection is cut at any byte goes on to the identical reply, charged once', {
      timeout: 240_000,
    }, async () => {
      answerIn(0);
      const whole = await begin('whole');
      expect(whole.status).toBe(200);
      await expectWhole(chargeIn(whole), whole.events);
      const head = whole.raw.length - Buffer.byteLength(whole.body);
      const seed = 20_261_122;
      const random = seeded(seed);
      for (let round = 0; round < 40; round++) {
        answerIn(Math.floor(random() * 4));
        upstream.seen.length = 0;
        const before = await balance();
        // Every third is cut in its head; the following connections are cut as well.
        const first = Math.floor(random() * (round % 3 === 0 ? head : whole.raw.length));
        const more = Array.from({ length: Math.floor(random() * 4) }, () => Math.floor(random() * whole.raw.length));
        const nodeOf = () => (random() < 0.3 ? other : app);
        const told = `seed ${seed}, round ${round}, cuts ${[first, ...more]}`;
        const { events, chargeId } = await readWithCuts(`round-${round}`, [first, ...more], nodeOf);
        expect(textOf(events), told).toBe(pieces.join(''));
        await expectWhole(chargeId, events);
        await settled();
        expect(before - (await balance()), told).toBe(cost);
        expect(upstream.seen.length, told).toBe(1);
      }
      const { body } = await send(app, 'GET', '/v1/charges?pageSize=100', customer.managementKey);
      expect(body.charges).toHaveLength(41);
    });

    test('is the same whichever of its bytes was the last to arrive', async () => {
      answerIn(0);
      const whole = await begin('every-byte');
      const chargeId = chargeIn(whole);
      await settled();
      const before = await balance();
      const { raw, events } = await resume(app, chargeId, undefined);
      const rests = new Map<string | undefined, ArrivedEvent[]>();
      for (let cut = 0; cut < raw.length; cut++) {
        const first = arrived(raw.subarray(0, cut)).events;
        const last = first.at(-1)?.id;
        // If two cuts leave the same last event, the rest after it is requested once.
        const rest = rests.get(last) ?? (await resume(app, chargeId, last)).events;
        rests.set(last, rest);
        expect([...first, ...rest], `after ${cut} bytes`).toEqual(events);
      }
      expect(rests.size).toBe(events.length + 1);
      expect(await balance()).toBe(before);
    });

    test('is told of when every node can find it', async () => {
      answerIn(0);
      upstream.seen.length = 0;
      const connection = await openConnection(database().url);
      await connection.query('LOCK TABLES chat_stream READ');
      let told = false;
      const cut = begin('findable', 'x-charge-id').finally(() => {
        told = true;
      });
      try {
        await expect.poll(() => upstream.seen.length, { timeout: 30_000 }).toBe(1);
        await pause(300);
        expect(told).toBe(false);
      } finally {
        await connection.end();
      }
      await cut;
      expect((await begin('findable')).status).toBe(200);
    });

    test('goes on at another node while it is made, by what is stored', async () => {
      answerIn(150);
      const cut = await begin('elsewhere', '"lo, "');
      const chargeId = chargeIn(cut);
      const rest = await resume(other, chargeId, cut.events.at(-1)?.id);
      await expectWhole(chargeId, [...cut.events, ...rest.events]);
      expect(cut.events.length).toBeLessThan(pieces.length);
    });

    test('is what a repeated request goes on with, while it is made', async () => {
      answerIn(50);
      upstream.seen.length = 0;
      const before = await balance();
      const cut = await begin('again', '"lo, "');
      const again = await begin('again');
      await expectWhole(chargeIn(cut), again.events);
      const last = cut.events.at(-1)?.id ?? '';
      const rest = await begin('again', undefined, { 'last-event-id': last });
      await expectWhole(chargeIn(rest), [...cut.events, ...rest.events]);
      const otherwise = await send(
        app,
        'POST',
        chatPath,
        customer.apiKey,
        { ...asked, seed: 1 },
        {
          ...{ accept: 'text/event-stream', 'idempotency-key': 'again' },
        },
      );
      expect(otherwise.status).toBe(422);
      expect(before - (await balance())).toBe(cost);
      expect(upstream.seen).toHaveLength(1);
    });

    test('is made to its end and charged in full when nobody comes back', async () => {
      answerIn(20);
      upstream.seen.length = 0;
      const before = await balance();
      const cut = await begin('nobody', '"lo, "');
      await expect.poll(async () => before - (await balance()), { timeout: 30_000 }).toBe(cost);
      const chargeId = chargeIn(cut);
      const rest = await resume(app, chargeId, cut.events.at(-1)?.id);
      await expectWhole(chargeId, [...cut.events, ...rest.events]);
      // After the end there is nothing more, and the model is not called.
      expect((await resume(app, chargeId, String(pieces.length + 1))).events).toEqual([]);
      expect(upstream.seen).toHaveLength(1);
    });

    test('is ended with its token, though nobody reads it, and charged for what came', async () => {
      upstream.answer(() => ({ pieces: streamedCompletion(['so ', 'far ']).slice(0, 3), ending: 'silence' }));
      upstream.seen.length = 0;
      const token = (await send(app, 'POST', '/v1/tokens', customer.apiKey, { subject: 'ends', scopes: ['chat'] }))
        .body;
      const before = await balance();
      const cut = await begin('ended', '"far "', { authorization: `Bearer ${token.accessToken}` });
      await send(other, 'POST', `/v1/tokens/${token.tokenId}:revoke`, customer.managementKey, {});
      await upstream.seen[0]?.aborted;
      await settled();
      const paid = before - (await balance());
      const { charge } = (await send(app, 'GET', `/v1/charges/${chargeIn(cut)}`, customer.managementKey)).body;
      expect(charge.state).toBe('settled');
      expect(Math.round(Number(charge.chargedUsd) * 1e9)).toBe(paid);
      expect(paid).toBeGreaterThan(0);
    });

    test('that the upstream breaks off says so to whoever resumes it, also later', async () => {
      upstream.answer(() => ({ pieces: streamedCompletion(pieces).slice(0, 5), pauseMs: 5, ending: 'reset' }));
      const whole = await begin('broken');
      const chargeId = chargeIn(whole);
      const failed = whole.events.at(-1);
      expect(failed).toMatchObject({ name: 'error', id: undefined });
      await settled();
      const again = await resume(other, chargeId, whole.events.at(-2)?.id);
      expect(again.status).toBe(502);
      const all = await resume(app, chargeId, undefined);
      expect(all.events.slice(0, -1)).toEqual(whole.events.slice(0, -1));
      expect(all.events.at(-1)?.data).toContain('UPSTREAM_FAILED');
    });

    test.each([
      ['gRPC', (url: string) => createGrpcTransport({ baseUrl: url })],
      ['Connect', (url: string) => createConnectTransport({ baseUrl: url, httpVersion: '1.1' })],
    ] as const)('goes on over %s after the last message that came', async (_, transport) => {
      answerIn(20);
      const before = await balance();
      const client = createClient(ChatService, transport(app.url));
      const headers = { authorization: `Bearer ${customer.apiKey}` };
      const gone = new AbortController();
      let chargeId = '';
      const heard: { sequence?: number | undefined; text: string }[] = [];
      const note = ({
        sequence,
        event,
      }: {
        sequence?: number | undefined;
        event: { case?: string | undefined; value?: unknown };
      }) => heard.push({ sequence, text: event.case === 'content' ? String(event.value) : '' });
      const cut = async () => {
        const options = {
          ...{ headers, signal: gone.signal },
          onHeader: (header: Headers) => {
            chargeId = header.get('x-charge-id') ?? '';
          },
        };
        for await (const message of client.streamChat(asked, options)) {
          note(message);
          if (heard.length === 4) gone.abort();
        }
      };
      await expect(cut()).rejects.toThrow('aborted');
      const after = heard.at(-1)?.sequence ?? 0;
      for await (const message of client.resumeChat({ chargeId, after }, { headers })) note(message);
      expect(heard.map(({ text }) => text).join('')).toBe(pieces.join(''));
      expect(heard.map(({ sequence }) => sequence)).toEqual(heard.map((_, index) => index + 1));
      await settled();
      expect(before - (await balance())).toBe(cost);
    });
  });

  describe('who may resume', () => {
    const tokenOf = async (subject: string) =>
      String((await send(app, 'POST', '/v1/tokens', customer.apiKey, { subject, scopes: ['chat'] })).body.accessToken);
    const begunBy = async (credential: string) => {
      answerIn(0);
      const reply = await send(app, 'POST', chatPath, credential, asked, { accept: 'text/event-stream' });
      expect(reply.status).toBe(200);
      return { chargeId: reply.headers.get('x-charge-id') ?? '', events: eventsOf(reply.text) };
    };
    const read = (node: TestApp, credential: string, chargeId: string) =>
      send(node, 'GET', `${chatPath}/${chargeId}/stream`, credential, undefined, { accept: 'text/event-stream' });

    test('is the account that asked, and the end user whose reply it is; the others hear 404', async () => {
      const ana = await tokenOf('ana');
      const bob = await tokenOf('bob');
      const stranger = await onboard(app);
      const ofAccount = await begunBy(customer.apiKey);
      const ofAna = await begunBy(ana);
      // Stored, so that all nodes answer the same.
      await expect
        .poll(async () => (await read(other, ana, ofAna.chargeId)).text, { timeout: 30_000 })
        .toContain('"end"');
      for (const node of [app, other]) {
        for (const [credential, { chargeId, events }] of [
          [customer.apiKey, ofAccount],
          [ana, ofAna],
        ] as const)
          expect(eventsOf((await read(node, credential, chargeId)).text)).toEqual(events);
        for (const [credential, { chargeId }] of [
          [bob, ofAna],
          [customer.apiKey, ofAna],
          [stranger.apiKey, ofAna],
          [ana, ofAccount],
          [stranger.apiKey, ofAccount],
        ] as const) {
          const refused = await read(node, credential, chargeId);
          expect(refused.status).toBe(404);
          expect(reasonOf(refused)).toBe('NOT_FOUND');
        }
      }
      const client = grpcClient(app.url);
      const heard = await client.serverStream(
        ChatService.method.resumeChat,
        { chargeId: ofAna.chargeId },
        { authorization: `Bearer ${bob}` },
      );
      client.close();
      expect(heard).toMatchObject({ error: { code: 5 }, reason: 'NOT_FOUND', messages: [] });
      expect((await read(app, customer.managementKey, ofAccount.chargeId)).status).toBe(403);
    });

    test('hears what to do about a reply that is not kept, and about an event that never was', async () => {
      answerIn(0);
      const { resumable: _, ...plain } = asked;
      const reply = await send(app, 'POST', chatPath, customer.apiKey, plain, { accept: 'text/event-stream' });
      expect(reply.text).not.toMatch(/^id:|"sequence"/m);
      for (const chargeId of [reply.headers.get('x-charge-id') ?? '', 'chg_none']) {
        const refused = await read(app, customer.apiKey, chargeId);
        expect(refused.status).toBe(404);
        expect(refused.body.error.message).toContain('Idempotency-Key');
      }
      const { chargeId } = await begunBy(customer.apiKey);
      for (const last of ['x', '-1', '1.5', '100']) expect((await resume(app, chargeId, last)).status, last).toBe(400);
    });
  });
});
