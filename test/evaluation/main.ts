// `npm run evaluate`: precision and recall of the risk check by rules alone, beside the last release.
import { writeFileSync } from 'node:fs';
import { Command } from 'commander';
import { fallen, type Measured, measure, type Part, parts, readBaseline, readCorpus } from './measure.ts';

const options = new Command('evaluate')
  .description('Measures the risk check over test/evaluation/risk. Ends with 1 when the held-out third falls.')
  .option('--json', 'print the figures as JSON')
  .option('--save', 'write the figures to baseline.json, with a release')
  .parse()
  .opts<{ json?: boolean; save?: boolean }>();

const now = Object.fromEntries(parts.map((part) => [part, measured(part)])) as Record<Part, Measured>;
if (options.save) {
  writeFileSync(new URL('./baseline.json', import.meta.url), `${JSON.stringify(now, undefined, 2)}\n`);
  console.error('baseline.json is written');
}
const before = readBaseline();
if (options.json) console.log(JSON.stringify(now, undefined, 2));
else for (const part of parts) print(part, now[part], before[part]);
const problems = fallen(now['held-out'], before['held-out']);
for (const problem of problems) console.error(`held-out, ${problem}`);
process.exitCode = problems.length > 0 ? 1 : 0;

function measured(part: Part): Measured {
  const rows = readCorpus(part);
  return measure(rows, (done) => {
    if (process.stderr.isTTY && done % 50 === 0) process.stderr.write(`\r${part}: ${done} of ${rows.length} `);
  });
}

function print(part: Part, { languages, categories }: Measured, last: Measured): void {
  console.log(`\n${part} (in brackets: the last release)`);
  console.log('language  texts  recall         precision      right category  falsely critical');
  for (const [name, one] of Object.entries(languages)) {
    const was = last.languages[name];
    const cells = [
      name.padEnd(8),
      String(one.texts).padStart(6),
      pair(one.recall, was?.recall),
      pair(one.precision, was?.precision),
    ];
    console.log(`${cells.join('  ')}  ${one.rightCategory.toFixed(2).padEnd(14)}  ${one.falselyCritical}`);
  }
  console.log('category                texts  recall         precision');
  for (const [name, one] of Object.entries(categories)) {
    const was = last.categories[name];
    console.log(
      `${name.padEnd(22)}${String(one.texts).padStart(7)}  ${pair(one.recall, was?.recall)}  ${pair(one.precision, was?.precision)}`,
    );
  }
}

function pair(now: number, was: number | undefined): string {
  return `${now.toFixed(2)} (${was === undefined ? '-' : was.toFixed(2)})`.padEnd(13);
}
