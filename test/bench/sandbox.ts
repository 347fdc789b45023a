// What a warm job costs, in the service and in its process together, and how long the event loop is blocked while long texts are counted: `npm
// run bench:sandbox`. The promise: under 0.3 ms of processor time per job. Linux only: reads /proc.
import { readdirSync, readFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { pino } from 'pino';
import { tokenCounter } from '../../src/chat/tokens.ts';
import { createSandbox, createSchemas } from '../../src/sandbox/index.ts';
import { sandboxProcesses } from '../sandbox/processes.ts';

const rounds = 3_000;
const sandbox = createSandbox({ log: pino({ level: 'warn' }), settings: { waitMs: 60_000 } });
const schemas = createSchemas(sandbox);

/** Processor time of all threads of the children so far, in microseconds. */
function childMicroseconds(): number {
  let sum = 0;
  for (const pid of sandboxProcesses(process.pid))
    for (const thread of readdirSync(`/proc/${pid}/task`))
      sum += Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]) / 1_000;
  return sum;
}

async function measure(name: string, run: () => Promise<void>): Promise<void> {
  for (let warm = 0; warm < 1_000; warm++) await run();
  const children = childMicroseconds();
  const start = process.cpuUsage();
  for (let round = 0; round < rounds; round++) await run();
  const { user, system } = process.cpuUsage(start);
  const here = (user + system) / rounds;
  const there = (childMicroseconds() - children) / rounds;
  console.log(
    `${(here + there).toFixed(0).padStart(6)} us  ${name} (service ${here.toFixed(0)}, process ${there.toFixed(0)})`,
  );
}

const properties = Object.fromEntries(
  Array.from({ length: 12 }, (_, at) => [
    `property_${at}`,
    { type: 'string', minLength: 1, description: 'a property of a kind' },
  ]),
);
const schema = { type: 'object', properties, required: Object.keys(properties) };
const reply = JSON.stringify(Object.fromEntries(Object.keys(properties).map((name) => [name, 'a value'])));

await measure(`schema of ${JSON.stringify(schema).length} characters, and a reply`, async () => {
  const proven = await schemas.prove('acc', schema, { field: 'schema' });
  const fits = proven.ok && (await proven.value.fits(reply, 60_000));
  if (!fits || !(fits.ok && fits.value)) throw new Error('does not fit');
});
await measure('expression', async () => {
  const checks = [{ id: 'own', pass: 'input.price > 1.0 && input.title.matches("^[a-z ]+$")', weight: 1 }];
  const variables = { input: { price: 2, title: 'a bicycle' } };
  const ran = await sandbox.run('acc', 'checks', { checks, variables }, { field: 'checks' });
  if (!ran.ok || ran.value.outcomes[0] !== 'passed') throw new Error('did not pass');
});

let random = 1;
const han = Array.from({ length: 300_000 }, () => {
  random = (random * 1_103_515_245 + 12_345) & 0x7fffffff;
  return String.fromCharCode(0x4e00 + ((random >> 8) % 20_000));
}).join('');
const delay = monitorEventLoopDelay({ resolution: 1 });
delay.enable();
const start = performance.now();
const tokens = await tokenCounter(sandbox, 'acc')([han]);
delay.disable();
console.log(
  `900 KB of Han: ${tokens} tokens in ${((performance.now() - start) / 1_000).toFixed(1)} s; the loop stood still for ${(delay.max / 1e6).toFixed(0)} ms at most`,
);
await sandbox.close();
