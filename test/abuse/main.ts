/** Attacks on the running service; see `help`. Exit code 0 only if it withstands all of them. */
import { parseArgs } from 'node:util';
import { bounds, sharedBounds } from './judge.ts';
import { type AttackReport, listOfAttacks, runAbuse } from './run.ts';

const help = `npm run test:abuse -- [options]

The real service in a process of its own, with a database and a provider; a good caller who chats at a steady pace over
connections of its own; and one attack after the other, each for a bounded time. An attack fails when
  - the service exits, or has more memory than --memory-max
  - a turn of its event loop computes for over ${bounds.stallMs} ms (processor time: waits for a busy machine do not count)
  - its resident memory has grown by over ${bounds.growthBytes / 1_000_000} MB when all is over and garbage is collected, and does so again at once
  - the good caller's p99 is over ${bounds.slower} times that of the calm before, and over ${bounds.latencyFloorMs} ms
  - the good caller has an answer other than 200, or the attack one that is not right
Told, not judged: what the main thread computed while a request of the good caller was open (median, in ms of processor time),
beside that of the calm. It is what callers wait for because of others, however busy the machine is.
A turn or a p99 that is too long counts when it happens in three tries, as a busy machine can cause it too; when other
programs take over ${bounds.othersMax * 100} % of the machine in all three, times are not judged ("untimed"). A turn of over ${bounds.certainlyMs} ms counts at once.

  --only NAME      this attack, or those whose names begin so; may be repeated
  --seconds N      how long each attack lasts, and the calm before it (default 2)
  --requests N     how many the generated attacks send, in place of --seconds
  --seed N         repeats what is generated (default: another one each time)
  --minutes N      after this nothing is tried again (default 3)
  --shared         others use the machine: p99, and turns of up to ${sharedBounds.certainlyMs} ms, are told and not judged
  --memory-max N   of the service with its child processes, in MB (default 2048, as in deploy/)
  --log FILE       keep what the service writes
  --json           the figures as JSON
  -h, --help       this text

Attacks:
${listOfAttacks()}`;

const { values: options } = parseArgs({
  options: {
    only: { type: 'string', multiple: true, default: [] },
    seconds: { type: 'string', default: '2' },
    requests: { type: 'string' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    minutes: { type: 'string', default: '3' },
    shared: { type: 'boolean', default: false },
    'memory-max': { type: 'string', default: '2048' },
    log: { type: 'string' },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
});

if (options.help) console.log(help);
else await main();

async function main(): Promise<void> {
  const { seed, requests, log } = options;
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));
  console.error(`seed ${seed}`);
  const reports = await runAbuse({
    seed: Number(seed),
    seconds: Number(options.seconds),
    ...(requests !== undefined && { requests: Number(requests) }),
    only: options.only,
    minutes: Number(options.minutes),
    shared: options.shared,
    memoryMaxBytes: Number(options['memory-max']) * 1_048_576,
    ...(log !== undefined && { logFile: log }),
    onProgress: (text) => console.error(text),
  });
  if (options.json) console.log(JSON.stringify({ seed: Number(seed), reports }, null, 2));
  else print(reports);
  const fallen = reports.filter(isFallen);
  for (const { name, problems, grown, slow } of fallen)
    for (const problem of [...problems, ...grown, ...slow]) console.error(`${name}: ${problem}`);
  console.log(
    fallen.length === 0
      ? `The service stands all ${reports.length} attacks.`
      : `The service falls to ${fallen.length} of ${reports.length} attacks: ${fallen.map(({ name }) => name).join(', ')}. Repeat with --seed ${seed}.`,
  );
  process.exitCode = fallen.length === 0 ? 0 : 1;
}

function isFallen({ problems, grown, slow }: AttackReport): boolean {
  return problems.length + grown.length + slow.length > 0;
}

function print(reports: readonly AttackReport[]): void {
  console.log(
    `${'attack'.padEnd(22)}${'turn'.padStart(9)}${'grown'.padStart(9)}${'peak'.padStart(9)}${'p99'.padStart(16)}${'computed'.padStart(14)}  verdict  answers`,
  );
  for (const report of reports) {
    const { name, longestMs, grownBytes, peakBytes, p99Ms, calmP99Ms, computedMs, calmComputedMs, answers } = report;
    const turn = longestMs === undefined ? '-' : `${longestMs.toFixed(0)} ms`;
    const p99 = `${p99Ms.toFixed(0)} / ${calmP99Ms.toFixed(0)} ms`;
    const computed = `${computedMs.toFixed(0)} / ${calmComputedMs.toFixed(0)} ms`;
    const told = Object.entries(answers).map(([status, count]) => `${status}: ${count}`);
    console.log(
      `${name.padEnd(22)}${turn.padStart(9)}${mb(grownBytes).padStart(9)}${mb(peakBytes).padStart(9)}${p99.padStart(16)}${computed.padStart(14)}  ${isFallen(report) ? 'FALLS  ' : 'stands '}  ${told.join(', ')}`,
    );
    if (report.untimed) console.log('  untimed: other programs took too much of the machine');
    for (const problem of [...report.problems, ...report.grown, ...report.slow]) console.log(`  ! ${problem}`);
    if (report.lastWords)
      console.log(
        report.lastWords
          .trim()
          .split('\n')
          .slice(-5)
          .map((line) => `  | ${line.slice(0, 200)}`)
          .join('\n'),
      );
  }
}

function mb(bytes: number): string {
  return `${Math.round(bytes / 1_000_000)} MB`;
}
