// The cost of a charged chat: the same completion straight from a static upstream, through a bare undici pass-through proxy,
// through a plain gateway that charges nothing (a Fastify route, the provider's package, Node's own fetch), and through
// the whole service (gate, routing, hold, upstream, settlement, every charge durable before its reply). Each is a
// separate process; all are measured in turn, round by round, in one run.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import Fastify from 'fastify';
import { pino } from 'pino';
import { Pool } from 'undici';
import { buildApp } from '../../src/app.ts';
import { chatInvariants } from '../../src/chat/index.ts';
import { connectDatabase, startPrivateServer } from '../../src/db/index.ts';
import { auditLedger } from '../../src/wallet/index.ts';
import { keepNewObjectsYoung } from '../../src/young-objects.ts';
import { onboard, testConfig, testSecrets } from '../support/app.ts';
import { completion, streamedCompletion } from '../support/upstream.ts';
import { type DialectFigure, measureDialects, structuredReply } from './dialects.ts';
import { benchOptions, load, median, progress, quietLog } from './support.ts';

const question = 'Summarise our quarterly report for the board in three sentences, and name the largest risk.';
const upstreamBody = JSON.stringify({ model: 'm', messages: [{ role: 'user', content: question }], max_tokens: 256 });
const chatBody = JSON.stringify({
  provider: 'auto',
  routing: { mode: 'economy' },
  messages: [{ role: 'user', content: question }],
  maxOutputTokens: 256,
});

/** The service's code is at its fastest only after this long under load. */
const warmUpSeconds = 20;
/** By then, compiled code that an idle process discarded is back; each round begins with this, for every target. */
const leadInSeconds = 5;

type Role = 'upstream' | 'proxy' | 'plain' | 'service';
const roles: Record<Role, (argument: string) => Promise<string>> = { upstream, proxy, plain, service };

const [flag, role, argument = ''] = process.argv.slice(2);
if (flag === '--serve') {
  process.once('SIGTERM', () => process.exit(0));
  process.send?.(await roles[role as Role](argument));
} else {
  await measure();
}

async function measure(): Promise<void> {
  const options = benchOptions(
    'bench:chat: a charged chat beside a bare pass-through proxy on the same upstream.\n' +
      'Aims: 0.5x or more of its throughput at 64 connections; at most 2 ms added at one connection and to the first token;\n' +
      'memory that does not grow over 200,000 requests.',
    { seconds: 5, rounds: 3 },
    { requests: { default: 200_000, help: 'requests over which the memory is watched; 0 for none' } },
  );
  const folder = mkdtempSync(join(tmpdir(), 'bench-chat-'));
  progress('starting a private database');
  const database = await startPrivateServer({ folder, log: pino({ level: 'silent' }) });
  const children: ChildProcess[] = [];
  const start = async (name: Role, given = ''): Promise<string> => {
    const child = fork(import.meta.filename, ['--serve', name, given], { execArgv: ['--expose-gc'] });
    children.push(child);
    const died = once(child, 'exit').then(() => Promise.reject(new Error(`the ${name} ended before it served`)));
    const [url] = (await Promise.race([once(child, 'message'), died])) as [string];
    died.catch(() => undefined);
    return url;
  };
  try {
    const upstreamUrl = await start('upstream');
    const proxyUrl = await start('proxy', upstreamUrl);
    const plainUrl = await start('plain', upstreamUrl);
    progress('starting the service');
    const [serviceUrl = '', apiKey = ''] = (await start('service', JSON.stringify([upstreamUrl, database.url]))).split(
      ' ',
    );
    const authorization = `Bearer ${apiKey}`;
    const targets = [
      { name: 'upstream', url: `${upstreamUrl}/v1/chat/completions`, body: upstreamBody, headers: {} },
      { name: 'bare proxy', url: `${proxyUrl}/v1/chat/completions`, body: upstreamBody, headers: {} },
      { name: 'plain gateway', url: `${plainUrl}/v1/chat/completions`, body: upstreamBody, headers: {} },
      { name: 'service', url: `${serviceUrl}/api/v1/assistant/chat`, body: chatBody, headers: { authorization } },
    ];
    const figures = targets.map(() => ({
      rates: [] as number[],
      p50: [] as number[],
      firstToken: [] as number[],
      errors: 0,
    }));
    for (let round = 0; round <= options.rounds; round++)
      for (const [index, target] of targets.entries()) {
        const seconds = round === 0 ? warmUpSeconds : options.seconds;
        progress(`${round === 0 ? 'warm-up' : `round ${round} of ${options.rounds}`}: ${target.name}`);
        if (round > 0) await load({ ...target, connections: 64, seconds: leadInSeconds });
        const loaded = await load({ ...target, connections: 64, seconds });
        const single = await latencies(target, 400);
        // The plain gateway does not stream.
        const first = target.name === 'plain gateway' ? [] : await latencies(asStream(target), 200);
        const figure = figures[index];
        if (round === 0 || !figure) continue;
        figure.rates.push(loaded.requestsPerSecond);
        figure.errors += loaded.errors;
        figure.p50.push(median(single));
        if (first.length > 0) figure.firstToken.push(median(first));
      }
    const served = children[3];
    const dialects = served
      ? await measureDialects(served, { ...options, url: serviceUrl, authorization, question })
      : [];
    progress('500 streams of 100 tokens at once');
    const streams = await manyStreams(`${serviceUrl}/api/v1/assistant/chat`, authorization, 500);
    const memory = served ? await watchMemory(served, targets[3], options.more.requests ?? 0) : [];
    progress('auditing the ledger');
    const db = connectDatabase({ url: database.url, log: pino({ level: 'silent' }) });
    const violations = await auditLedger(db, { more: chatInvariants });
    const charges = await db
      .for<{ charge: { id: string } }>()
      .selectFrom('charge')
      .select(({ fn }) => fn.countAll<bigint>().as('count'))
      .executeTakeFirst();
    await db.close();

    report(options.json, {
      targets: targets.map(({ name }, index) => ({
        name,
        requestsPerSecond: Math.round(median(figures[index]?.rates ?? [])),
        p50Ms: round3(median(figures[index]?.p50 ?? [])),
        firstTokenMs: figures[index]?.firstToken.length ? round3(median(figures[index].firstToken)) : undefined,
        errors: figures[index]?.errors ?? 0,
      })),
      dialects,
      streams,
      memory,
      charges: Number(charges?.count ?? 0),
      violations: violations.length,
    });
  } finally {
    for (const child of children) child.kill();
    await database.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Figures {
  targets: {
    name: string;
    requestsPerSecond: number;
    p50Ms: number;
    firstTokenMs: number | undefined;
    errors: number;
  }[];
  dialects: DialectFigure[];
  streams: { complete: number; seconds: number };
  /** After a full collection, in MB; each after this many further requests. */
  memory: { requests: number; heapMb: number; rssMb: number }[];
  charges: number;
  violations: number;
}

function report(json: boolean, figures: Figures): void {
  const [, proxied, plainly, served] = figures.targets;
  const ratio = (served?.requestsPerSecond ?? 0) / (proxied?.requestsPerSecond ?? 1);
  const ratioToPlain = (served?.requestsPerSecond ?? 0) / (plainly?.requestsPerSecond ?? 1);
  const addedMs = (served?.p50Ms ?? 0) - (proxied?.p50Ms ?? 0);
  const firstTokenAddedMs = (served?.firstTokenMs ?? 0) - (proxied?.firstTokenMs ?? 0);
  if (json) {
    console.log(JSON.stringify({ ...figures, ratio, ratioToPlain, addedMs, firstTokenAddedMs }, null, 2));
    return;
  }
  for (const { name, requestsPerSecond, p50Ms, firstTokenMs, errors } of figures.targets)
    console.log(
      `${name.padEnd(13)} ${String(requestsPerSecond).padStart(6)}/s at 64   one connection: p50 ${p50Ms} ms, first token ${firstTokenMs ?? '-'} ms   errors ${errors}`,
    );
  console.log(`service / bare proxy at 64 connections: ${ratio.toFixed(2)}x (aim 0.5x or more)`);
  console.log(`service / plain gateway that charges nothing: ${ratioToPlain.toFixed(2)}x`);
  console.log(
    `added at one connection: ${addedMs.toFixed(2)} ms (aim 2 ms or less), to the first token ${firstTokenAddedMs.toFixed(2)} ms (aim 2 ms or less)`,
  );
  for (const { name, path, cpuUs, ratio: beside, errors } of figures.dialects)
    console.log(
      `${name.padEnd(17)} ${path.padEnd(23)} ${cpuUs} us of processor time a request, ${beside.toFixed(2)}x of the contract's own JSON (aim 1.3x or less)   errors ${errors}`,
    );
  console.log(
    `500 streams of 100 tokens at once: ${figures.streams.complete} complete in ${figures.streams.seconds} s`,
  );
  if (figures.memory.length > 0)
    console.log(
      `heap after so many requests: ${figures.memory.map(({ requests, heapMb, rssMb }) => `${requests}: ${heapMb} MB (process ${rssMb} MB)`).join(', ')}`,
    );
  console.log(`${figures.charges} charges, ${figures.violations} violations of the ledger's invariants`);
}

/** The service's memory before, during and after this many requests, each time after a full collection. */
async function watchMemory(
  service: ChildProcess,
  target: Target | undefined,
  total: number,
): Promise<Figures['memory']> {
  const measures: Figures['memory'] = [];
  const steps = 5;
  for (let step = 0; target && total > 0 && step <= steps; step++) {
    const requests = Math.round((total / steps) * step);
    if (step > 0) {
      progress(`memory: ${requests} of ${total} requests`);
      const { errors } = await load({ ...target, connections: 64, seconds: 0, requests: Math.round(total / steps) });
      if (errors > 0) throw new Error(`${errors} requests failed`);
    }
    service.send('memory');
    const [{ heapUsed, rss }] = (await once(service, 'message')) as [NodeJS.MemoryUsage];
    measures.push({ requests, heapMb: megabytes(heapUsed), rssMb: megabytes(rss) });
  }
  return measures;
}

function megabytes(bytes: number): number {
  return Math.round(bytes / 100_000) / 10;
}

interface Target {
  url: string;
  body: string;
  headers: Record<string, string>;
}

/** One after another on one connection: milliseconds to the whole reply, or to the first data of a stream. */
async function latencies({ url, body, headers }: Target, count: number): Promise<number[]> {
  const { origin, pathname } = new URL(url);
  const pool = new Pool(origin, { connections: 1 });
  const stream = headers.accept !== undefined;
  const times: number[] = [];
  for (let index = 0; index < count; index++) {
    const startedAt = performance.now();
    const reply = await pool.request({
      path: pathname,
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json', ...headers },
    });
    if (reply.statusCode !== 200) throw new Error(`${url}: ${reply.statusCode} ${await reply.body.text()}`);
    if (!stream) await reply.body.text();
    else {
      let isFirst = true;
      for await (const _ of reply.body) {
        if (isFirst) times.push(performance.now() - startedAt);
        isFirst = false;
      }
    }
    if (!stream) times.push(performance.now() - startedAt);
  }
  await pool.close();
  return times;
}

async function manyStreams(url: string, authorization: string, count: number): Promise<Figures['streams']> {
  const { origin, pathname } = new URL(url);
  const pool = new Pool(origin, { connections: count });
  const startedAt = performance.now();
  const complete = await Promise.all(
    Array.from({ length: count }, async () => {
      const headers = { 'content-type': 'application/json', accept: 'text/event-stream', authorization };
      const reply = await pool.request({ path: pathname, method: 'POST', body: chatBody, headers });
      return (await reply.body.text()).includes('"end":');
    }),
  );
  await pool.close();
  return { complete: complete.filter(Boolean).length, seconds: round3((performance.now() - startedAt) / 1_000) };
}

function asStream({ body, headers, ...target }: Target): Target {
  const asked = body.startsWith('{"model"') ? body.replace('{', '{"stream":true,') : body;
  return { ...target, body: asked, headers: { ...headers, accept: 'text/event-stream' } };
}

async function upstream(): Promise<string> {
  const whole = JSON.stringify(completion(' word'.repeat(60), { prompt_tokens: 24, completion_tokens: 60 }));
  const structured = JSON.stringify(completion(structuredReply, { prompt_tokens: 24, completion_tokens: 60 }));
  const pieces = streamedCompletion(Array(100).fill(' word'), { prompt_tokens: 24, completion_tokens: 100 }).join('');
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk) => {
      text += chunk;
    });
    request.on('end', () => {
      const isStream = text.includes('"stream":true');
      const body = isStream ? pieces : text.includes('"response_format"') ? structured : whole;
      const type = isStream ? 'text/event-stream' : 'application/json';
      response.writeHead(200, { 'content-type': type, 'content-length': Buffer.byteLength(body) }).end(body);
    });
  });
  return listening(server);
}

/** The minimum that a gateway can do: pass the bytes on, both ways. */
async function proxy(upstreamUrl: string): Promise<string> {
  const pool = new Pool(upstreamUrl, { connections: 256 });
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const reply = await pool.request({
      path: request.url ?? '/',
      method: 'POST',
      body: Buffer.concat(chunks),
      headers: { 'content-type': 'application/json' },
    });
    response.writeHead(reply.statusCode, { 'content-type': String(reply.headers['content-type']) });
    reply.body.pipe(response);
  });
  return listening(server);
}

/** A gateway as one would start it: one provider behind one path, with nothing counted or charged. */
async function plain(upstreamUrl: string): Promise<string> {
  const model = createOpenAICompatible({ name: 'up', baseURL: `${upstreamUrl}/v1` }).chatModel('m');
  const app = Fastify();
  app.post('/v1/chat/completions', async (request) => {
    const { messages, max_tokens } = request.body as { messages: { content: string }[]; max_tokens: number };
    const { content, usage } = await model.doGenerate({
      prompt: messages.map(({ content: text }) => ({ role: 'user', content: [{ type: 'text', text }] })),
      maxOutputTokens: max_tokens,
    });
    return { content, usage };
  });
  return app.listen({ host: '127.0.0.1', port: 0 });
}

async function service(given: string): Promise<string> {
  keepNewObjectsYoung();
  const [upstreamUrl, databaseUrl] = JSON.parse(given) as [string, string];
  const config = testConfig({
    databaseUrl,
    settings: `
providers: [{ id: up, kind: openai-compatible, baseUrl: "${upstreamUrl}/v1" }]
models:
  - { id: m, provider: up, quality: 50, contextTokens: 128000, capabilities: [json], price: { inputPerMillionUsd: "0.15", outputPerMillionUsd: "0.60" } }
  - { id: m2, provider: up, quality: 60, contextTokens: 128000, capabilities: [json], price: { inputPerMillionUsd: "0.30", outputPerMillionUsd: "1.20" } }
limits: { requestsPerMinute: 1000000000, tokensPerMinute: 1000000000, concurrent: 5000, concurrentStreams: 5000 }
`,
  });
  const log = pino({ level: 'info' }, pino.destination(quietLog));
  const app = await buildApp({ config, secrets: testSecrets(), log, progress: () => {} });
  const customer = await onboard({ ...app, operatorToken: config.operatorToken ?? '', logged: () => '' }, '10000.00');
  process.on('message', (asked) => {
    if (asked === 'cpu') {
      process.send?.(process.cpuUsage());
      return;
    }
    globalThis.gc?.();
    process.send?.(process.memoryUsage());
  });
  return `${app.url} ${customer.apiKey}`;
}

function listening(server: ReturnType<typeof createServer>): Promise<string> {
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
  });
}

function round3(value: number): number {
  return Math.round(value * 1_000) / 1_000;
}
