import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const run = promisify(execFile);

// What is loaded at start and kept: packs, vocabulary, n-grams, schemas, code.
const program = `
import { getHeapStatistics, queryObjects, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
setFlagsFromString('--expose-gc');
await import(${JSON.stringify(new URL('../../src/app.ts', import.meta.url).href)});
const collect = runInNewContext('gc');
collect();
collect();
console.log(JSON.stringify({
  megabytes: Math.round(getHeapStatistics().used_heap_size / 1e6),
  objects: queryObjects(Object, { format: 'count' }),
}));
`;

test('what is kept from start on is small in bytes and in objects, which each collection of the whole heap visits', async () => {
  const args = ['--disable-warning=ExperimentalWarning', '--input-type=module', '--eval', program];
  const { stdout } = await run(process.execPath, args);
  const { megabytes, objects } = JSON.parse(stdout) as { megabytes: number; objects: number };
  // With a map of strings for the tokenizer and objects for n-grams, these were 181 and 507,000.
  expect(megabytes).toBeLessThan(135);
  expect(objects).toBeLessThan(430_000);
});
