// What the edge costs: the same echo as a bare Fastify route, through the REST lane and the gate, and by Connect's own
// JSON protocol. Each server is a process of its own; all are measured in turn, round by round, in one run.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { createRegistry } from '@bufbuild/protobuf';
import { fastifyConnectPlugin } from '@connectrpc/connect-fastify';
import Fastify from 'fastify';
import { GateService } from '../gen/intelligence/test/v1/gate_pb.ts';
import { goodToken, startGateServer } from '../support/gate-server.ts';
import { benchOptions, load, median, progress } from './support.ts';

const body = JSON.stringify({ text: 'the quick brown fox jumps over the lazy dog', number: 7, tags: ['a', 'b'] });

interface Subject {
  name: string;
  path: string;
  headers: Record<string, string>;
  start(): Promise<string>;
}

const subjects: Subject[] = [
  {
    name: 'bare Fastify route',
    path: '/say',
    headers: {},
    start: async () => {
      const app = Fastify();
      app.post('/say', async (request) => request.body);
      return app.listen({ port: 0, host: '127.0.0.1' });
    },
  },
  {
    name: 'REST through the gate',
    path: '/gate/say',
    headers: { authorization: goodToken },
    start: async () => (await startGateServer({ logged: false })).url,
  },
  {
    name: 'Connect JSON, no gate',
    path: '/intelligence.test.v1.GateService/Say',
    headers: {},
    start: async () => {
      const app = Fastify();
      await app.register(fastifyConnectPlugin, {
        jsonOptions: { registry: createRegistry() },
        routes: (router) => {
          router.service(GateService, { say: async ({ text, number, tags }) => ({ text, number, tags }) });
        },
      });
      return app.listen({ port: 0, host: '127.0.0.1' });
    },
  },
];

const serving = process.argv[2] === '--serve' ? subjects[Number(process.argv[3])] : undefined;
if (serving) {
  process.once('SIGINT', () => process.exit(0));
  const url = await serving.start();
  process.send?.(url);
} else {
  await measure();
}

async function measure(): Promise<void> {
  const options = benchOptions(
    'bench:edge: a unary JSON echo over HTTP/1.1, 64 connections.\nAims: REST through the gate at 0.4x or more of a bare Fastify route, and 3x or more of Connect JSON.',
    { seconds: 5, rounds: 3 },
  );
  const servers = await Promise.all(subjects.map(async (subject, index) => ({ subject, ...(await serve(index)) })));
  const results = servers.map(() => ({ rates: [] as number[], p50: [] as number[], errors: 0 }));
  for (let round = 0; round <= options.rounds; round += 1)
    for (const [index, { subject, url }] of servers.entries()) {
      const warmUp = round === 0;
      progress(`${warmUp ? 'warm-up' : `round ${round} of ${options.rounds}`}: ${subject.name}`);
      const { requestsPerSecond, p50Ms, errors } = await load({
        url: `${url}${subject.path}`,
        body,
        headers: subject.headers,
        connections: 64,
        seconds: warmUp ? 2 : options.seconds,
      });
      const result = results[index];
      if (!result || warmUp) continue;
      result.rates.push(requestsPerSecond);
      result.p50.push(p50Ms);
      result.errors += errors;
    }
  for (const { child } of servers) child.kill();

  const rates = results.map((result) => median(result.rates));
  const [bare = Number.NaN, gated = Number.NaN, connect = Number.NaN] = rates;
  const figures = {
    servers: subjects.map(({ name }, index) => ({
      name,
      requestsPerSecond: Math.round(rates[index] ?? 0),
      p50Ms: median(results[index]?.p50 ?? []),
      errors: results[index]?.errors,
    })),
    gateToBare: gated / bare,
    gateToConnect: gated / connect,
  };
  if (options.json) {
    console.log(JSON.stringify(figures, null, 2));
    return;
  }
  for (const { name, requestsPerSecond, p50Ms, errors } of figures.servers)
    console.log(`${name.padEnd(24)} ${String(requestsPerSecond).padStart(7)}/s   p50 ${p50Ms} ms   errors ${errors}`);
  console.log(`REST through the gate / bare Fastify route: ${figures.gateToBare.toFixed(2)}x (aim 0.4x or more)`);
  console.log(`REST through the gate / Connect JSON:       ${figures.gateToConnect.toFixed(2)}x (aim 3x or more)`);
}

async function serve(index: number): Promise<{ child: ChildProcess; url: string }> {
  const child = fork(import.meta.filename, ['--serve', String(index)]);
  const [url] = (await once(child, 'message')) as [string];
  return { child, url };
}
