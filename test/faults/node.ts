/** One node in its own process, which the fault run kills. It is controlled by messages. */
import { pino } from 'pino';
import { createReaper } from '../../src/wallet/index.ts';
import { startNode } from '../wallet/support.ts';
import { doTask } from './do-task.ts';
import type { Task } from './protocol.ts';

const [url = '', ttlMs = '4000', restAfterOutageMs = '2000'] = process.argv.slice(2);
const node = startNode(url, { holdTtlMs: Number(ttlMs), answerTimeoutMs: 3_000 });
const reaper = createReaper({
  db: node.db,
  ledger: node.ledger,
  log: pino({ level: 'silent' }),
  intervalMs: 500,
  restAfterOutageMs: Number(restAfterOutageMs),
});
reaper.start();

process.on('message', (task: Task | 'close') => {
  if (task === 'close') void close();
  else void doTask(node, task).then((answer) => process.send?.(answer));
});
process.on('disconnect', () => process.exit(1));
process.send?.('ready');

async function close(): Promise<void> {
  await reaper.close();
  await node.close();
  process.exit(0);
}
