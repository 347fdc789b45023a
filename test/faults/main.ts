/**
 * Kills and freezes nodes and kills the database under load; see `help`. Exit code 0 only if everything that clients were told is what is
 * stored, no key has paid twice, nothing was delivered unpaid, and the audit is clean.
 */
import { parseArgs } from 'node:util';
import { runLanes } from './lanes/run.ts';
import { runFaults } from './run.ts';
import { mysqldRootDefault } from './servers.ts';

const help = `npm run test:faults -- [options]

Two nodes and a database of their own under load, killed and frozen again and again.

  --requests N         how many (default 100000)
  --node-kills N       nodes killed with SIGKILL and replaced (default 20)
  --database-kills N   the same for the database's server (default 20)
  --freezes N          nodes stopped for longer than their holds last (default 4)
  --clients N          that send at once (default 48)
  --seed N             repeats a plan (default: another one each time)
  --server KIND        mariadb or mysql; default is what this machine has. mysql runs an unpacked MySQL 9
  --mysqld-root DIR    where it is unpacked (default ${mysqldRootDefault})
  --url URL            another server, in a database of its own; it is not killed: --database-kills 0
  --lanes              the whole service over HTTP in place of its ledger: chat, embeddings, rankings, responses, messages,
                       workflows by /mcp and streams that are cut and resumed (default 5000 requests, 4 and 3 kills, 24 clients)
  -h, --help           this text`;

const { values: options } = parseArgs({
  options: {
    requests: { type: 'string' },
    'node-kills': { type: 'string' },
    'database-kills': { type: 'string' },
    freezes: { type: 'string', default: '4' },
    clients: { type: 'string' },
    lanes: { type: 'boolean', default: false },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    server: { type: 'string' },
    'mysqld-root': { type: 'string' },
    url: { type: 'string' },
    help: { type: 'boolean', short: 'h', default: false },
  },
});

/** For the ledger alone, and for the whole service, whose nodes take longer to start. */
const defaults = options.lanes
  ? { requests: 5_000, nodeKills: 4, databaseKills: 3, clients: 24 }
  : { requests: 100_000, nodeKills: 20, databaseKills: 20, clients: 48 };
const load = {
  seed: Number(options.seed),
  requests: Number(options.requests ?? defaults.requests),
  nodeKills: Number(options['node-kills'] ?? defaults.nodeKills),
  databaseKills: Number(options['database-kills'] ?? defaults.databaseKills),
  clients: Number(options.clients ?? defaults.clients),
  onProgress: (text: string) => console.error(text),
};

if (options.help) console.log(help);
else if (options.lanes) await lanes();
else await main();

async function main(): Promise<void> {
  const { url, seed } = options;
  const mysqldRoot = mysqldRootOf();
  console.log(`seed ${seed}`);
  const report = await runFaults({
    ...load,
    freezes: Number(options.freezes),
    ...(mysqldRoot !== undefined && { mysqldRoot }),
    ...(url !== undefined && { url }),
  });
  const { problems, ...figures } = report;
  console.log(JSON.stringify(figures, null, 2));
  for (const problem of problems.slice(0, 50)) console.log(`PROBLEM ${problem}`);
  const { acknowledged, takeovers, superseded, late, told, seconds } = report;
  console.log(
    `${acknowledged} acknowledged (${told.replayed} replays, ${told.deferred} with a deferred hold), ${takeovers} takeovers, ${superseded} superseded, ${late} settled late, ${sum(told.refused)} refused, ${sum(told.retries)} retries, ${seconds} s`,
  );
  const twice = problems.filter((problem) => /was charged \d+ times/.test(problem)).length;
  console.log(
    problems.length === 0
      ? `Sound: all ${acknowledged} acknowledged charges are stored, once each, and the audit is clean.`
      : `${problems.length} problems, ${twice} of them keys that paid more than once. Repeat with --seed ${seed}.`,
  );
  process.exitCode = problems.length === 0 ? 0 : 1;
}

async function lanes(): Promise<void> {
  const mysqldRoot = mysqldRootOf();
  console.log(`seed ${load.seed}`);
  const { problems, ...figures } = await runLanes({ ...load, ...(mysqldRoot !== undefined && { mysqldRoot }) });
  console.log(JSON.stringify(figures, null, 2));
  for (const problem of problems.slice(0, 50)) console.log(`PROBLEM ${problem}`);
  const { delivered, retries, takenOver, seconds } = figures;
  console.log(
    problems.length === 0
      ? `Sound: ${sum(delivered)} delivered, each paid once, ${takenOver} takeovers, ${sum(retries)} retries, ${seconds} s; usage is what was charged, and the audit is clean.`
      : `${problems.length} problems. Repeat with --seed ${load.seed}.`,
  );
  process.exitCode = problems.length === 0 ? 0 : 1;
}

function mysqldRootOf(): string | undefined {
  const { server } = options;
  if (server !== undefined && server !== 'mysql' && server !== 'mariadb')
    throw new Error(`What is "${server}"?\n${help}`);
  return options['mysqld-root'] ?? (server === 'mysql' ? mysqldRootDefault : undefined);
}

function sum(counts: Record<string, number>): number {
  return Object.values(counts).reduce((total, count) => total + count, 0);
}
