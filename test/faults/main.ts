/**
 * Kills and freezes of nodes and kills of the database under load; see `help`. Exit code 0 only when everything that a
 * client was told is what is stored, no key has paid twice, nothing was delivered unpaid, and the audit is clean.
 */
import { parseArgs } from 'node:util';
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
  -h, --help           this text`;

const { values: options } = parseArgs({
  options: {
    requests: { type: 'string', default: '100000' },
    'node-kills': { type: 'string', default: '20' },
    'database-kills': { type: 'string', default: '20' },
    freezes: { type: 'string', default: '4' },
    clients: { type: 'string', default: '48' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    server: { type: 'string' },
    'mysqld-root': { type: 'string' },
    url: { type: 'string' },
    help: { type: 'boolean', short: 'h', default: false },
  },
});

if (options.help) console.log(help);
else await main();

async function main(): Promise<void> {
  const { server, url, seed } = options;
  if (server !== undefined && server !== 'mysql' && server !== 'mariadb')
    throw new Error(`What is "${server}"?\n${help}`);
  const mysqldRoot = options['mysqld-root'] ?? (server === 'mysql' ? mysqldRootDefault : undefined);
  console.log(`seed ${seed}`);
  const report = await runFaults({
    seed: Number(seed),
    requests: Number(options.requests),
    nodeKills: Number(options['node-kills']),
    databaseKills: Number(options['database-kills']),
    freezes: Number(options.freezes),
    clients: Number(options.clients),
    ...(mysqldRoot !== undefined && { mysqldRoot }),
    ...(url !== undefined && { url }),
    onProgress: (text) => console.error(text),
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

function sum(counts: Record<string, number>): number {
  return Object.values(counts).reduce((total, count) => total + count, 0);
}
