import { setPriority } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { migrate } from '../../src/db/index.ts';
import { startOwn } from '../faults/servers.ts';
import { type Assault, type Attack, attacks } from './attacks/index.ts';
import { bounds, judge, type Measured, mustRepeat, percentile, sharedBounds, type Verdict } from './judge.ts';
import { takenByOthers, ticks } from './proc.ts';
import { type GoodCaller, startGoodCaller, startProvider } from './processes.ts';
import { type Service, startService } from './service.ts';
import { createStage, type Stage } from './stage.ts';

export interface AbuseOptions {
  seed: number;
  /** How long each attack lasts. */
  seconds: number;
  /** How many requests a generated attack sends; unset: as many as time allows. */
  requests?: number;
  /** Names, or prefixes of names; none: all. */
  only: readonly string[];
  memoryMaxBytes: number;
  /** Once the run has taken this long, nothing is retried. */
  minutes: number;
  /** The machine is shared: times that sharing can cause are reported but not judged, and nothing is retried. */
  shared: boolean;
  logFile?: string;
  onProgress?: (text: string) => void;
}

export interface AttackReport extends Verdict {
  name: string;
  about: string;
  answers: Record<string, number>;
  /** The longest turn of the event loop, during the attack and during the calm before it, in ms of processor time. */
  longestMs: number | undefined;
  calmLongestMs: number;
  /** What the main thread computed while a request of the good caller was open: the median, in ms of processor time. */
  computedMs: number;
  calmComputedMs: number;
  grownBytes: number;
  peakBytes: number;
  /** The number of attempts: what a busy machine can cause is believed only if it happens each time. */
  tries: number;
  lastWords?: string;
}

const attackersNiceness = 10;
const warmUpMs = 1_500;
const settleMs = 300;
/** On a busy machine the service takes seconds to end what its callers have left. */
const looksMax = 15;
/** The maximum time for an attack whose number counts. */
const wholeMs = 30_000;
/** Shots in flight when time is up may still be answered. */
const lateMs = 20_000;

/**
 * The real service in its own process, with a database and a provider, and a good caller who chats all the time. One attack after another:
 * baseline, attack, aftermath.
 */
export async function runAbuse(options: AbuseOptions): Promise<AttackReport[]> {
  const chosen = choose(options.only);
  const lateAt = performance.now() + options.minutes * 60_000;
  const database = await startOwn();
  const closers: (() => unknown)[] = [() => database.close()];
  try {
    await migrate({ url: database.url, log: pino({ level: 'silent' }) });
    const provider = await startProvider();
    closers.push(provider.close);
    // A real provider's answers to one caller do not wait for another's: the good caller's model has a process of its own.
    const steadyProvider = await startProvider();
    closers.push(steadyProvider.close);
    const service = await startService({
      databaseUrl: database.url,
      settings: (port) => settings(port, provider.url, steadyProvider.url),
      memoryMaxBytes: options.memoryMaxBytes,
      ...(options.logFile !== undefined && { logFile: options.logFile }),
    });
    closers.push(service.close);
    const goodCaller = await startGoodCaller();
    closers.push(goodCaller.close);
    const scene: Scene = {
      options,
      service,
      goodCaller,
      databaseUrl: database.url,
      networks: networks(),
      apiKey: '',
      lateAt,
    };
    await admitGoodCaller(scene);
    // Real attackers and providers are on other machines: their computing must not slow the service, which has been started
    // by now and would otherwise inherit this, nor its good caller.
    setPriority(attackersNiceness);
    setPriority(provider.pid, attackersNiceness);
    const reports: AttackReport[] = [];
    for (const attack of chosen) reports.push(await untilCertain(scene, attack));
    return reports;
  } finally {
    for (const close of closers.reverse()) await close();
  }
}

export function choose(only: readonly string[]): Attack[] {
  const chosen = attacks.filter(({ name }) => only.length === 0 || only.some((start) => name.startsWith(start)));
  if (chosen.length === 0) throw new Error(`There is no attack ${only.join(', ')}. There are:\n${listOfAttacks()}`);
  return chosen;
}

export function listOfAttacks(): string {
  return attacks.map(({ name, about }) => `  ${name.padEnd(22)}${about}`).join('\n');
}

interface Scene {
  options: AbuseOptions;
  service: Service;
  goodCaller: GoodCaller;
  databaseUrl: string;
  networks: () => string;
  apiKey: string;
  lateAt: number;
}

/** Account limits are generous, so that an attack is stopped by what is tested and not by its rate. */
function settings(port: number, provider: string, steadyProvider: string): string {
  const price = '{ inputPerMillionUsd: "0.15", outputPerMillionUsd: "0.60" }';
  const model = (id: string, of = 'up') =>
    `  - { id: ${id}, provider: ${of}, quality: 50, contextTokens: 2000000, capabilities: [tools, json], price: ${price} }`;
  return `
http: { port: ${port}, drainSeconds: 2 }
providers:
  - { id: up, kind: openai-compatible, baseUrl: "${provider}/v1" }
  - { id: steady, kind: openai-compatible, baseUrl: "${steadyProvider}/v1" }
models:
${['plain', 'uncounted', 'flood', 'long', 'slow'].map((id) => model(id)).join('\n')}
${model('steady', 'steady')}
  - { id: vectors, provider: up, quality: 50, contextTokens: 8192, price: { inputPerMillionUsd: "0.02" }, embedding: { dimensions: 1536 } }
payments: { provider: sandbox, allowSandbox: true }
webhooks: { allowPrivateNetworks: true }
limits: { requestsPerMinute: 1000000, tokensPerMinute: 1000000000 }
`;
}

/** Successive networks (/24), so that what one stranger has used up does not affect others. */
function networks(): () => string {
  let count = 0;
  return () => {
    count += 1;
    return `127.${1 + (Math.floor(count / 256) % 250)}.${count % 256}.1`;
  };
}

function stageOf({ service, databaseUrl, networks: next, options: { seed } }: Scene): Stage {
  const { url, port, operatorToken } = service;
  return createStage({ url, port, databaseUrl, operatorToken, seed, networks: next });
}

async function admitGoodCaller(scene: Scene): Promise<void> {
  const stage = stageOf(scene);
  if (scene.apiKey === '') scene.apiKey = (await stage.openAccount()).apiKey;
  await stage.close();
  await scene.goodCaller.connect(scene.service.url, scene.apiKey);
  // The first requests are slow, because nothing is compiled yet.
  await scene.goodCaller.begin();
  await sleep(1_500);
  await scene.goodCaller.report();
}

async function untilCertain(scene: Scene, attack: Attack): Promise<AttackReport> {
  const { onProgress = () => undefined } = scene.options;
  const verdicts: Verdict[] = [];
  for (let tries = 1; ; tries++) {
    onProgress(`${attack.name}${tries > 1 ? ` (try ${tries})` : ''}: ${attack.about}`);
    const report = { ...(await attempt(scene, attack).catch((error) => unprepared(attack, error))), tries };
    verdicts.push(report);
    const timesCount = !scene.options.shared && performance.now() <= scene.lateAt;
    if (!mustRepeat(verdicts, { timesCount })) return report;
  }
}

/** The service did not let it start properly. */
function unprepared({ name, about }: Attack, error: Error): Omit<AttackReport, 'tries'> {
  const figures = {
    ...{ p99Ms: 0, calmP99Ms: 0, longestMs: undefined, calmLongestMs: 0, computedMs: 0, calmComputedMs: 0 },
    ...{ grownBytes: 0, peakBytes: 0 },
  };
  return {
    name,
    about,
    answers: {},
    problems: [`it could not run: ${error.message}`],
    grown: [],
    slow: [],
    untimed: false,
    ...figures,
  };
}

async function attempt(scene: Scene, attack: Attack): Promise<Omit<AttackReport, 'tries'>> {
  const { service } = scene;
  await revive(scene);
  const stage = stageOf(scene);
  try {
    const assault = await attack.open(stage);
    const start = ticks();
    const { calm, longest, computedMs, residentBytes: before } = await rest(scene);
    const raid = await strike(scene, attack, assault);
    const others = takenByOthers(start, ticks());
    await stage.close();
    const residentBytes = { before: before ?? 0, after: await settled(service, before ?? 0) };
    const measured: Measured = {
      ...raid,
      right: attack.right,
      residentBytes,
      calmLatenciesMs: calm.latenciesMs,
      takenByOthers: others,
    };
    return {
      name: attack.name,
      about: attack.about,
      answers: raid.answers,
      ...judge(measured, scene.options.shared ? sharedBounds : bounds),
      longestMs: raid.longest?.cpuMs,
      calmLongestMs: longest?.cpuMs ?? 0,
      computedMs: percentile(raid.computedMs, 0.5),
      calmComputedMs: percentile(computedMs, 0.5),
      grownBytes: residentBytes.after - residentBytes.before,
      peakBytes: service.peakBytes(),
      ...(raid.ended !== undefined && { lastWords: service.lastWords() }),
    };
  } finally {
    await stage.close();
  }
}

/** Replaces a process that the previous attack brought down. */
async function revive(scene: Scene): Promise<void> {
  if (scene.service.ended() === undefined && (await scene.service.ask(false))) return;
  await scene.service.restart();
  await admitGoodCaller(scene);
}

/**
 * Reads the memory after a garbage collection, and then runs only the good caller. A collection that is asked for discards compiled
 * code, so it comes before the calm and not between calm and attack, which would be measured colder than the calm.
 */
async function rest({ service, goodCaller, options }: Scene) {
  const { residentBytes } = (await service.ask(true)) ?? {};
  await goodCaller.begin();
  await sleep(warmUpMs);
  await goodCaller.report();
  await service.ask(false);
  await goodCaller.begin();
  await sleep(options.seconds * 1_000);
  const calm = await goodCaller.report();
  const { longest, computedMs = [] } = (await service.ask(false)) ?? {};
  service.peakBytes();
  return { calm, longest, computedMs, residentBytes };
}

async function strike(scene: Scene, attack: Attack, assault: Assault) {
  const { service, goodCaller } = scene;
  await goodCaller.begin();
  const answers = await send(assault, attack, scene);
  const during = await service.ask(false);
  const ended = service.ended();
  // A stalled service answers nobody: its callers need not wait until they give up.
  if (!during && ended === undefined) await service.kill();
  const { latenciesMs, failures } = await goodCaller.report();
  const found = during ? await assault.found?.() : undefined;
  return {
    answers,
    longest: during?.longest,
    computedMs: during?.computedMs ?? [],
    ended,
    latenciesMs,
    failures,
    found: found ?? [],
  };
}

/** Sends until time is up, or the attack or the service ends. */
async function send(assault: Assault, attack: Attack, { service, options }: Scene): Promise<Record<string, number>> {
  const answers: Record<string, number> = {};
  const turns = attack.generated ? (options.requests ?? attack.turns) : attack.turns;
  const isCounted = attack.generated === true && options.requests !== undefined;
  const lastsMs = attack.whole ? Math.max(wholeMs, options.seconds * 1_000) : options.seconds * 1_000;
  const endsAt = isCounted ? Number.POSITIVE_INFINITY : performance.now() + lastsMs;
  let turn = 0;
  const worker = async () => {
    while (turn < (turns ?? Number.POSITIVE_INFINITY) && performance.now() < endsAt && service.ended() === undefined) {
      const status = await assault.send(turn++);
      answers[status] = (answers[status] ?? 0) + 1;
    }
  };
  const all = Promise.all(Array.from({ length: attack.width }, worker));
  if (isCounted) await all;
  else await Promise.race([all, sleep(lastsMs + lateMs, undefined, { ref: false })]);
  return answers;
}

/** The resident memory once it has settled; garbage is collected a few times when it is too much. */
async function settled(service: Service, least: number): Promise<number> {
  let bytes = least;
  for (let look = 0; look < looksMax; look++) {
    bytes = (await service.ask(true))?.residentBytes ?? bytes;
    if (bytes - least < bounds.growthBytes / 2) break;
    await sleep(settleMs);
  }
  return bytes;
}
