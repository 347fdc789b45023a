import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { setPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { memoryOf } from './proc.ts';
import type { WatchAnswer } from './watch.ts';

/** The real service in its own process, started as `npm start` does, with a watch in it. */
export interface Service {
  /** Stays the same across restarts. */
  url: string;
  port: number;
  operatorToken: string;
  /** How the process ended on its own, or was ended by `memoryMax`; undefined while it runs. */
  ended(): string | undefined;
  /** The longest turn since the last request, and the memory. Undefined when the process is gone or does not answer. */
  ask(collect: boolean): Promise<WatchAnswer | undefined>;
  /** Peak memory of the service and its child processes together since the last call. */
  peakBytes(): number;
  /** Kills it (SIGKILL). */
  kill(): Promise<void>;
  /** Starts it anew, replacing whatever is left of it. */
  restart(): Promise<void>;
  close(): Promise<void>;
  /** The last lines that it wrote. */
  lastWords(): string;
}

export interface ServiceOptions {
  databaseUrl: string;
  /** YAML, which includes `http`. */
  settings: (port: number) => string;
  /** Above this the service is killed, as systemd and Docker do with the files in deploy/. */
  memoryMaxBytes: number;
  /** Where to write the log; by default nowhere. */
  logFile?: string;
}

const root = fileURLToPath(new URL('../..', import.meta.url));
const operatorToken = 'abuse-operator-token-of-more-than-32-characters';
const startMs = 120_000;
/** Longer than any turn that is tolerated. */
const answerMs = 15_000;
const memoryEveryMs = 50;
const keptCharacters = 4_000;

export async function startService(options: ServiceOptions): Promise<Service> {
  const folder = mkdtempSync(join(tmpdir(), 'abuse-'));
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const configFile = join(folder, 'config.yaml');
  mkdirSync(join(folder, 'data'), { mode: 0o700 });
  writeFileSync(configFile, options.settings(port));
  const log = options.logFile === undefined ? undefined : createWriteStream(options.logFile, { flags: 'a' });
  let words = '';
  let running = await launch();

  async function launch(): Promise<Running> {
    const child = spawn(process.execPath, ['src/main.ts'], {
      cwd: root,
      env: {
        PATH: process.env.PATH,
        HOME: folder,
        NODE_OPTIONS: `--import=${new URL('./watch.ts', import.meta.url).href}`,
        NODE_ENV: 'production',
        // As in deploy/.
        MALLOC_MMAP_THRESHOLD_: '131072',
        CONFIG: configFile,
        DATA_DIR: join(folder, 'data'),
        DATABASE_URL: options.databaseUrl,
        OPERATOR_TOKEN: operatorToken,
        LOG_LEVEL: 'warn',
      },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    setUsualPriority(child);
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (chunk: Buffer) => {
        log?.write(chunk);
        words = (words + chunk).slice(-keptCharacters);
      });
    // A stalled one does not notice that we are gone.
    const last = () => child.kill('SIGKILL');
    process.once('exit', last);
    child.once('exit', () => process.off('exit', last));
    const started = follow(child, options.memoryMaxBytes);
    await ready(url, started, () => words);
    return started;
  }

  async function kill(): Promise<void> {
    running.child.kill('SIGKILL');
    await running.exit;
  }

  async function end(): Promise<void> {
    if (running.ended() !== undefined) return;
    running.child.kill('SIGTERM');
    const timer = setTimeout(() => running.child.kill('SIGKILL'), 10_000);
    await running.exit;
    clearTimeout(timer);
  }

  return {
    url,
    port,
    operatorToken,
    ended: () => running.ended(),
    ask: (collect) => running.ask(collect),
    peakBytes: () => running.peakBytes(),
    kill,
    restart: async () => {
      await kill();
      running = await launch();
    },
    close: async () => {
      await end();
      log?.end();
      rmSync(folder, { recursive: true, force: true });
    },
    lastWords: () => words,
  };
}

/** A service that is started again during the attacks inherits their low priority. Only root can raise it. */
function setUsualPriority({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) setPriority(pid, 0);
  } catch {
    // Then its times are worse than they should be.
  }
}

interface Running {
  child: ChildProcess;
  exit: Promise<void>;
  ended(): string | undefined;
  ask(collect: boolean): Promise<WatchAnswer | undefined>;
  peakBytes(): number;
}

function follow(child: ChildProcess, memoryMaxBytes: number): Running {
  let ended: string | undefined;
  let peak = 0;
  let questions = 0;
  const waiting = new Map<number, (answer: WatchAnswer | undefined) => void>();
  const finish = (id: number, answer: WatchAnswer | undefined) => {
    waiting.get(id)?.(answer);
    waiting.delete(id);
  };
  child.on('message', (answer: WatchAnswer) => finish(answer.id, answer));
  child.on('error', () => undefined);
  const memory = setInterval(() => {
    const bytes = memoryOf(child.pid ?? 0);
    peak = Math.max(peak, bytes);
    if (bytes <= memoryMaxBytes || ended !== undefined) return;
    ended = `killed at ${megabytes(bytes)} MB of memory`;
    child.kill('SIGKILL');
  }, memoryEveryMs);
  const exit = once(child, 'exit').then(([code, signal]) => {
    clearInterval(memory);
    ended ??= signal ? `ended by ${signal}` : `exited with ${code}`;
    for (const id of [...waiting.keys()]) finish(id, undefined);
  });
  return {
    child,
    exit,
    ended: () => ended,
    ask: (collect) =>
      new Promise((resolve) => {
        if (ended !== undefined || !child.connected) return resolve(undefined);
        const id = questions++;
        const timer = setTimeout(() => finish(id, undefined), answerMs);
        waiting.set(id, (answer) => {
          clearTimeout(timer);
          resolve(answer);
        });
        child.send({ id, collect }, (error) => {
          if (error) finish(id, undefined);
        });
      }),
    peakBytes: () => {
      const bytes = Math.max(peak, memoryOf(child.pid ?? 0));
      peak = 0;
      return bytes;
    },
  };
}

async function ready(url: string, service: Running, words: () => string): Promise<void> {
  const deadline = performance.now() + startMs;
  while (performance.now() < deadline && service.ended() === undefined) {
    const reply = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(1_000) }).catch(() => undefined);
    await reply?.body?.cancel();
    if (reply?.ok) return;
    await sleep(50);
  }
  service.child.kill('SIGKILL');
  throw new Error(`The service did not start: ${service.ended() ?? 'it is not ready'}\n${words()}`);
}

/**
 * A port that was free a moment ago; the service takes it again after each restart. It is below the range that the system uses for outgoing
 * connections, one of which could otherwise take it meanwhile.
 */
async function freePort(): Promise<number> {
  for (;;) {
    const port = 12_000 + Math.floor(Math.random() * 18_000);
    const server = createServer();
    const isFree = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false)).listen(port, '127.0.0.1', () => resolve(true));
    });
    if (!isFree) continue;
    server.close();
    await once(server, 'close');
    return port;
  }
}

function megabytes(bytes: number): number {
  return Math.round(bytes / 1_000_000);
}
