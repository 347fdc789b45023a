/** Group commit on a Galera cluster of three writers; see `help`. Exit code 0 only when nothing is wrong. */
import { parseArgs } from 'node:util';
import { runGalera } from './run.ts';

const help = `npm run test:galera -- [options]

A cluster of three MariaDB nodes with Galera on this machine, and a ledger on each of them, all writing the same
wallets. Needs mariadb-server-core and galera-4, and about 700 MB in the folder for temporary files.

  --seconds N     how long clients send (default 60; the whole takes about 35 s more)
  --wallets N     hot wallets (default 6)
  --clients N     that send at once (default 48)
  --seed N        repeats a plan (default: another one each time)
  -h, --help      this text`;

const { values: options } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    wallets: { type: 'string', default: '6' },
    clients: { type: 'string', default: '48' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    help: { type: 'boolean', short: 'h', default: false },
  },
});

if (options.help) console.log(help);
else await main();

async function main(): Promise<void> {
  console.log(`seed ${options.seed}`);
  const { problems, ...figures } = await runGalera({
    seed: Number(options.seed),
    seconds: Number(options.seconds),
    wallets: Number(options.wallets),
    clients: Number(options.clients),
    onProgress: (text) => console.error(text),
  });
  console.log(JSON.stringify(figures, null, 2));
  for (const problem of problems.slice(0, 50)) console.log(`PROBLEM ${problem}`);
  const aborts = figures.aborts.reduce((sum, { bruteForce }) => sum + bruteForce, 0);
  console.log(
    problems.length === 0
      ? `Sound: ${figures.groups} groups and ${aborts} aborts by other nodes; all ${figures.acknowledged} acknowledged charges are stored on every node, and the audit is clean.`
      : `${problems.length} problems after ${figures.groups} groups and ${aborts} aborts by other nodes. Repeat with --seed ${options.seed}.`,
  );
  process.exitCode = problems.length === 0 ? 0 : 1;
}
