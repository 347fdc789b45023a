import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer, Task } from './protocol.ts';

/** A node in a separate process that can be killed and frozen. */
export interface FaultyNode {
  /** Undefined when the node died, or did not answer for as long as a client waits. */
  ask(task: Task): Promise<Answer | undefined>;
  kill(): void;
  /** Pauses it (SIGSTOP) for a while; then it continues as if nothing had happened. */
  freeze(ms: number): Promise<void>;
  close(): Promise<void>;
}

export interface FaultyNodeOptions {
  url: string;
  /** How long its holds last. */
  ttlMs: number;
  restAfterOutageMs: number;
  /** How long a client waits for an answer. */
  patienceMs: number;
  /** Called with an answer that came when nobody waited for it any more: its reply has left the node nevertheless. */
  onLate(task: Task, answer: Answer): void;
}

const closeMs = 20_000;

export async function startFaultyNode(options: FaultyNodeOptions): Promise<FaultyNode> {
  const { url, ttlMs, restAfterOutageMs, patienceMs, onLate } = options;
  const child: ChildProcess = fork(
    new URL('./node.ts', import.meta.url),
    [url, String(ttlMs), String(restAfterOutageMs)],
    { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] },
  );
  const waiting = new Map<number, (answer: Answer | undefined) => void>();
  const late = new Map<number, Task>();
  const finish = (id: number, answer: Answer | undefined) => {
    waiting.get(id)?.(answer);
    waiting.delete(id);
  };
  let dead = false;
  const exit = once(child, 'exit').then(() => {
    dead = true;
    for (const id of [...waiting.keys()]) finish(id, undefined);
  });
  child.on('error', () => undefined);
  await once(child, 'message');
  child.on('message', (answer: Answer) => {
    const task = late.get(answer.id);
    if (task) onLate(task, answer);
    late.delete(answer.id);
    finish(answer.id, answer);
  });
  return {
    ask: (task) =>
      new Promise((resolve) => {
        if (dead || !child.connected) return resolve(undefined);
        const timer = setTimeout(() => {
          late.set(task.id, task);
          finish(task.id, undefined);
        }, patienceMs);
        waiting.set(task.id, (answer) => {
          clearTimeout(timer);
          resolve(answer);
        });
        child.send(task, (error) => {
          if (error) finish(task.id, undefined);
        });
      }),
    kill: () => void child.kill('SIGKILL'),
    async freeze(ms) {
      child.kill('SIGSTOP');
      await sleep(ms);
      child.kill('SIGCONT');
    },
    async close() {
      if (!dead && child.connected) child.send('close');
      const timer = setTimeout(() => child.kill('SIGKILL'), closeMs);
      await exit;
      clearTimeout(timer);
    },
  };
}
