import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import type { GoodCallerOrder, GoodCallerReport } from './good-caller.ts';

/** The good caller in its own process, so that the attacks' use of this one does not affect its latencies. */
export interface GoodCaller {
  connect(url: string, apiKey: string): Promise<void>;
  begin(): Promise<void>;
  report(): Promise<GoodCallerReport>;
  close(): void;
}

export async function startGoodCaller(): Promise<GoodCaller> {
  const child = start('./good-caller.ts');
  await once(child, 'message');
  const order = async (given: GoodCallerOrder): Promise<GoodCallerReport | 'done'> => {
    const answer = once(child, 'message');
    child.send(given);
    const [report] = await answer;
    return report;
  };
  return {
    connect: async (url, apiKey) => void (await order({ kind: 'connect', url, apiKey })),
    begin: async () => void (await order({ kind: 'begin' })),
    report: async () => (await order({ kind: 'report' })) as GoodCallerReport,
    close: () => child.disconnect(),
  };
}

/** The provider of the service's models. */
export async function startProvider(): Promise<{ url: string; pid: number; close(): void }> {
  const child = start('./upstream.ts');
  const [url] = await once(child, 'message');
  return { url, pid: child.pid as number, close: () => child.disconnect() };
}

function start(file: string): ChildProcess {
  return fork(new URL(file, import.meta.url), { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
}
