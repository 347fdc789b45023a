import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** A node of the whole service in its own process, on a port of its choice. */
export interface LaneNode {
  url: string;
  /** Kills it (SIGKILL). */
  kill(): Promise<void>;
  /** Shuts it down in an orderly way. */
  close(): Promise<void>;
}

export const operatorToken = 'a-token-for-lanes-of-more-than-32-characters';
const root = fileURLToPath(new URL('../../..', import.meta.url));
const startMs = 240_000;
const closeMs = 30_000;

/** Nodes that share a folder share their secrets. */
export async function startLaneNode({ folder, url }: { folder: string; url: string }): Promise<LaneNode> {
  const child = spawn(process.execPath, ['src/main.ts'], {
    cwd: root,
    env: {
      PATH: process.env.PATH,
      HOME: folder,
      CONFIG: `${folder}/config.yaml`,
      DATABASE_URL: url,
      DATA_DIR: `${folder}/data`,
      OPERATOR_TOKEN: operatorToken,
      UPSTREAM_KEY: 'sk-upstream',
      PORT: '0',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const last = () => child.kill('SIGKILL');
  process.once('exit', last);
  const exit = once(child, 'exit').then(() => process.off('exit', last));
  let output = '';
  const { promise: serving, resolve, reject } = Promise.withResolvers<string>();
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      // Its log continues for as long as it lives.
      if (output.length > 100_000) return;
      output += chunk;
      const [, at] = /"url":"([^"]+)","msg":"serving"/.exec(output) ?? [];
      if (at) resolve(at);
    });
  const timer = setTimeout(() => reject(new Error(`A node did not start:\n${output}`)), startMs);
  exit.then(() => reject(new Error(`A node ended:\n${output}`)));
  const address = await serving.finally(() => clearTimeout(timer));
  return {
    url: address,
    kill: async () => {
      child.kill('SIGKILL');
      await exit;
    },
    close: async () => {
      child.kill('SIGTERM');
      const late = setTimeout(() => child.kill('SIGKILL'), closeMs);
      await exit;
      clearTimeout(late);
    },
  };
}
