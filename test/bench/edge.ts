// The cost of the edge: the same echo as a bare Fastify route, through each lane and the gate, by Connect's own JSON
// protocol, and by grpc-js. Each server is a separate process; all are measured in turn, round by round, in one run.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { loadavg } from 'node:os';
import { type Subject, subjects } from './edge-subjects.ts';
import { benchOptions, median, progress } from './support.ts';

type Name = keyof typeof subjects;
const names = Object.keys(subjects) as Name[];

/** What is compared with what, and the minimum that it should reach. */
const comparisons: { of: Name; to: Name; aim: number }[] = [
  { of: 'rest', to: 'bare', aim: 0.4 },
  { of: 'rest', to: 'connect', aim: 3 },
  { of: 'grpc', to: 'grpcJs', aim: 0.8 },
  { of: 'grpc', to: 'restHttp2', aim: 0.8 },
  { of: 'grpc', to: 'rest', aim: 0.8 },
  { of: 'grpcStream', to: 'grpcJsStream', aim: 0.8 },
];

const serving = process.argv[2] === '--serve' ? subjects[process.argv[3] as Name] : undefined;
if (serving) {
  process.once('SIGINT', () => process.exit(0));
  const url = await serving.start();
  process.send?.(url);
  // Requested between loads.
  process.on('message', () => {
    const { user, system } = process.cpuUsage();
    process.send?.(user + system);
  });
} else {
  await measure();
}

async function measure(): Promise<void> {
  const options = benchOptions(
    'bench:edge: a unary echo at 64 requests at one time, and streams of 1,000 messages, 16 at one time. JSON over\n64 connections of HTTP/1.1; what says HTTP/2, and gRPC, over 4 connections. "cpu" is the server’s processor time for\na message, which is to be trusted more where other programs run.',
    { seconds: 5, rounds: 3 },
    { 'warm-up': { default: 5, help: 'seconds of load before the first round' } },
  );
  const servers = await Promise.all(names.map(async (name) => ({ name, ...(await serve(name)) })));
  const results = Object.fromEntries(
    names.map((name) => [name, { rates: [] as number[], p50: [] as number[], cpu: [] as number[], errors: 0 }]),
  ) as Record<Name, { rates: number[]; p50: number[]; cpu: number[]; errors: number }>;
  for (let round = 0; round <= options.rounds; round += 1)
    for (const { name, url, cpuUs } of servers) {
      const warmUp = round === 0;
      const subject: Subject = subjects[name];
      progress(`${warmUp ? 'warm-up' : `round ${round} of ${options.rounds}`}: ${subject.name}`);
      const before = await cpuUs();
      const seconds = warmUp ? options.more['warm-up'] : options.seconds;
      const { requests, requestsPerSecond, p50Ms, errors } = await subject.load(url, Number(seconds));
      if (warmUp) continue;
      results[name].cpu.push(((await cpuUs()) - before) / (requests * subject.messages));
      results[name].rates.push(requestsPerSecond * subject.messages);
      results[name].p50.push(p50Ms);
      results[name].errors += errors;
    }
  for (const { child } of servers) child.kill();

  const rate = (name: Name) => median(results[name].rates);
  const cpu = (name: Name) => median(results[name].cpu);
  const figures = {
    load: loadavg().map((value) => Math.round(value * 10) / 10),
    servers: names.map((name) => ({
      name: subjects[name].name,
      messagesPerSecond: Math.round(rate(name)),
      p50Ms: median(results[name].p50),
      cpuUs: Math.round(cpu(name) * 10) / 10,
      errors: results[name].errors,
    })),
    comparisons: comparisons.map(({ of, to, aim }) => ({
      name: `${subjects[of].name} / ${subjects[to].name}`,
      ratio: rate(of) / rate(to),
      byCpu: cpu(to) / cpu(of),
      aim,
    })),
  };
  if (options.json) {
    console.log(JSON.stringify(figures, null, 2));
    return;
  }
  for (const { name, messagesPerSecond, cpuUs, p50Ms, errors } of figures.servers)
    console.log(
      `${name.padEnd(30)} ${String(messagesPerSecond).padStart(8)}/s   cpu ${cpuUs} us   p50 ${p50Ms} ms   errors ${errors}`,
    );
  for (const { name, ratio, byCpu, aim } of figures.comparisons)
    console.log(
      `${`${name}:`.padEnd(62)} ${ratio.toFixed(2)}x (aim ${aim}x or more); by processor time ${byCpu.toFixed(2)}x`,
    );
  console.log(`load of the machine over the last 1, 5 and 15 minutes: ${figures.load.join(', ')}`);
}

/** A server in its own process, which reports how much processor time it has used, in microseconds. */
async function serve(name: Name): Promise<{ child: ChildProcess; url: string; cpuUs(): Promise<number> }> {
  const child = fork(import.meta.filename, ['--serve', name]);
  const next = async () => ((await once(child, 'message')) as [unknown])[0];
  const url = (await next()) as string;
  return {
    child,
    url,
    cpuUs: async () => {
      child.send('cpu');
      return (await next()) as number;
    },
  };
}
