import type { Stranger } from '../stage.ts';
import type { Attack } from './attack.ts';

/** Requests over HTTP/1.1 that are pipelined, over many connections at the same moment. */

const connections = 64;
const settleMs = 300;
const lastsMs = 1_000;
/** What one read of a socket can hold. */
const readBytes = 65_536;

const begin = 'GET / HTTP/1.1\r\nHost:a\r\n\r\n';

export const pipelineAttacks: readonly Attack[] = [
  pipelineAttack('pipelines', 'requests', begin),
  pipelineAttack('pipelines-bodies', 'requests with a body', 'POST / HTTP/1.1\r\nHost:a\r\nContent-Length:1\r\n\r\na'),
];

function pipelineAttack(name: string, what: string, one: string): Attack {
  return {
    name,
    about: `64 KiB of ${what} over each of ${connections} kept connections of one address at the same moment`,
    right: ['open', 'closed'],
    width: 1,
    open: async (stage) => ({ send: () => pipeline(stage.stranger(), one) }),
  };
}

async function pipeline(caller: Stranger, one: string): Promise<string> {
  const many = one.repeat(Math.floor(readBytes / one.length));
  const sockets = Array.from({ length: connections }, () => caller.socket());
  // A connection that begins with much has a turn for itself.
  for (const socket of sockets) socket.write(begin);
  await sleep(settleMs);
  for (const socket of sockets) socket.write(many);
  await sleep(lastsMs);
  const outcome = sockets.some(({ destroyed }) => !destroyed) ? 'open' : 'closed';
  for (const socket of sockets) socket.destroy();
  return outcome;
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
