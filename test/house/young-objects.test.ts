import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const run = promisify(execFile);

// Most of these objects outlive two collections, which makes V8 allocate their kind among the old ones.
const program = `
const make = (n) => ({ n, next: undefined });
let kept = [];
let old = 0;
for (let round = 0; round < 200; round++) {
  for (let made = 0; made < 20_000; made++) kept.push(make(made));
  if (round % 20 === 19) kept = [];
  if (!%InYoungGeneration(make(round))) old++;
}
console.log(old);
`;

async function allocatedOld(before: string): Promise<number> {
  // With one thread, V8 decides at the same moment in every run.
  const args = ['--single-threaded', '--allow-natives-syntax', '--input-type=module', '--eval', before + program];
  const { stdout } = await run(process.execPath, args);
  return Number(stdout);
}

test('a process that keeps new objects young never allocates one among the old', async () => {
  const module = new URL('../../src/young-objects.ts', import.meta.url).href;
  const keep = `import { keepNewObjectsYoung } from ${JSON.stringify(module)}; keepNewObjectsYoung();`;
  expect(await allocatedOld(keep)).toBe(0);
  // Once V8 no longer does it without the call, the call can go.
  expect(await allocatedOld('')).toBeGreaterThan(0);
});
