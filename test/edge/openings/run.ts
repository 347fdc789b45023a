import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import { fileURLToPath } from 'node:url';
import { type Opening, opening } from './generate.ts';
import { seeded } from './random.ts';

export interface OpeningsRun {
  seed: number;
  count: number;
  parallel: number;
  /** Speaks TLS when it is there. */
  tls?: { certFile: string; keyFile: string };
}

export interface OpeningsOutcome {
  /** How the server's process ended; undefined: it lives. */
  exit: number | string | undefined;
  /** What the server wrote to its standard error. */
  stderr: string;
  /** Connections that the server still has once all had the time to end. */
  left: number;
  /** Whether it still answers. */
  healthy: boolean;
  /** Resident memory of the server at the end, in bytes. */
  memory: number;
}

/** More than any bound of the server in `server.ts`, on a busy machine. */
const graceMs = 30_000;
const heldMax = 256;

/** Opens `count` connections that a seed decides, some at one time, and looks what became of the server. */
export async function tryOpenings(run: OpeningsRun): Promise<OpeningsOutcome> {
  const child = fork(
    fileURLToPath(new URL('server.ts', import.meta.url)),
    run.tls ? [run.tls.certFile, run.tls.keyFile] : [],
    { stdio: ['ignore', 'ignore', 'pipe', 'ipc'], execArgv: [] },
  );
  let stderr = '';
  child.stderr?.on('data', (chunk) => {
    stderr = (stderr + chunk).slice(0, 20_000);
  });
  let exit: number | string | undefined;
  child.once('exit', (code, signal) => {
    exit = signal ?? code ?? 'unknown';
  });
  const ended = once(child, 'exit').then(() => undefined);
  const started = await Promise.race([once(child, 'message'), ended]);
  if (!started) throw new Error(`the server did not start: ${stderr}`);
  const [{ url }] = started as [{ url: string }];
  const { port } = new URL(url);
  const random = seeded(run.seed);
  const held = new Set<Socket>();
  let left = run.count;
  const workers = Array.from({ length: run.parallel }, async () => {
    while (left > 0 && exit === undefined) {
      left -= 1;
      await tryOne(Number(port), opening(random), run.tls !== undefined, held);
      while (held.size >= heldMax && exit === undefined) await sleep(20);
    }
  });
  await Promise.all(workers);
  const state = await settled(child, ended);
  const healthy = exit === undefined && (await isHealthy(Number(port), run.tls !== undefined));
  for (const socket of held) socket.destroy();
  if (exit === undefined) child.disconnect();
  return { exit, stderr, ...state, healthy };
}

async function tryOne(port: number, { pieces, ending, alpn }: Opening, tls: boolean, held: Set<Socket>): Promise<void> {
  const socket =
    tls && alpn !== 'none'
      ? connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false, ALPNProtocols: [...alpn] })
      : connect(port, '127.0.0.1');
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  socket.on('error', () => {});
  socket.resume();
  await Promise.race([closed, once(socket, tls && alpn !== 'none' ? 'secureConnect' : 'connect').catch(() => {})]);
  for (const piece of pieces) {
    if (!socket.destroyed) socket.write(piece);
    await new Promise(setImmediate);
  }
  if (ending === 'hold') {
    held.add(socket);
    socket.once('close', () => held.delete(socket));
    if (socket.closed) held.delete(socket);
    return;
  }
  if (ending === 'end') socket.end();
  // A little of the answer, then it leaves.
  await Promise.race([closed, sleep(5)]);
  socket.destroy();
}

/** Asks until no connection is left, or the grace time is over. */
async function settled(child: ChildProcess, ended: Promise<undefined>): Promise<{ left: number; memory: number }> {
  const until = performance.now() + graceMs;
  let state = { connections: -1, memory: 0 };
  while (performance.now() < until && state.connections !== 0) {
    if (child.connected) child.send('state');
    const answer = await Promise.race([once(child, 'message'), ended]);
    if (!answer) break;
    [state] = answer as [typeof state];
    await sleep(200);
  }
  return { left: state.connections, memory: state.memory };
}

async function isHealthy(port: number, tls: boolean): Promise<boolean> {
  const socket = tls ? connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false }) : connect(port, '127.0.0.1');
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk;
  });
  socket.on('error', () => {});
  socket.write('GET /readyz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n');
  await once(socket, 'close');
  return text.startsWith('HTTP/1.1 200 ');
}
