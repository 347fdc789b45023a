/**
 * Kills of nodes and of the database under load, with a seed that repeats the plan.
 *
 *   npm run test:faults
 *   npm run test:faults -- --url mysql://root@127.0.0.1:3306 --database-kills 0
 *   npm run test:faults -- --requests 20000 --node-kills 5 --database-kills 5 --freezes 1 --seed 42
 *
 * Exit code 0 only when everything that a client was told is what is stored, nothing is charged twice, and the audit
 * is clean.
 */
import { parseArgs } from 'node:util';
import { runFaults } from './run.ts';

const { values: options } = parseArgs({
  options: {
    requests: { type: 'string', default: '100000' },
    'node-kills': { type: 'string', default: '20' },
    'database-kills': { type: 'string', default: '20' },
    freezes: { type: 'string', default: '2' },
    url: { type: 'string' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
});

console.log(`seed ${options.seed}`);
const report = await runFaults({
  seed: Number(options.seed),
  requests: Number(options.requests),
  nodeKills: Number(options['node-kills']),
  databaseKills: Number(options['database-kills']),
  freezes: Number(options.freezes),
  ...(options.url !== undefined && { url: options.url }),
  onProgress: (text) => console.error(text),
});
const { problems, ...counts } = report;
console.log(JSON.stringify(counts, null, 2));
for (const problem of problems.slice(0, 50)) console.log(`PROBLEM ${problem}`);
console.log(
  problems.length === 0
    ? `Sound: all ${report.acknowledged} acknowledged charges are stored, once each, and the audit is clean.`
    : `${problems.length} problems. Repeat with --seed ${options.seed}.`,
);
process.exitCode = problems.length === 0 ? 0 : 1;
