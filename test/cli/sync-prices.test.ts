import { Command } from 'commander';
import { pino } from 'pino';
import { afterEach, expect, test } from 'vitest';
import { createCatalog, memoryPriceStore } from '../../src/catalog/index.ts';
import { registerPrices } from '../../src/cli/prices.ts';

afterEach(() => {
  process.exitCode = undefined;
});

/** Runs `prices` at a terminal where somebody answers, over a book that lasts as long as the test. */
function terminal() {
  const store = memoryPriceStore();
  const asked: string[] = [];
  return {
    asked,
    store,
    async run(answer: string, args: string[], meanwhile?: () => Promise<unknown>) {
      const lines: string[] = [];
      const program = new Command();
      registerPrices(program, {
        write: (line) => lines.push(line),
        ask: async (question) => {
          asked.push(question);
          await meanwhile?.();
          return answer;
        },
        openCatalog: async () => {
          const catalog = await createCatalog({
            store,
            settings: { models: [] },
            enabledProviders: ['openai'],
            log: pino({ level: 'silent' }),
          });
          return { catalog, close: catalog.close };
        },
      });
      await program.parseAsync(['prices', ...args], { from: 'user' });
      return lines.join('\n');
    },
    versions: async () => (await store.read()).versions.length,
  };
}

test('a typed "yes" writes what was shown; any other answer writes nothing', async () => {
  const { asked, run, versions } = terminal();
  expect(await run('y', ['sync'])).toContain('Nothing was written.');
  expect(await run('', ['sync'])).toContain('Nothing was written.');
  expect(await versions()).toBe(0);
  expect(await run(' Yes\n', ['sync'])).toMatch(/\d+ prices are written as version 1\./);
  expect(await versions()).toBeGreaterThan(15);
  expect(asked).toHaveLength(3);
  expect(asked[0]).toMatch(/^Write these \d+ prices as version 1\?/);
});

test('nobody is asked when there is nothing to write, with --yes, or with --json', async () => {
  const { asked, run, versions } = terminal();
  const dry = JSON.parse(await run('yes', ['sync', '--json']));
  expect(dry).toMatchObject({ written: false });
  expect(await versions()).toBe(0);
  await run('no', ['sync', '--yes']);
  expect(await versions()).toBe(dry.prices.length);
  expect(await run('yes', ['sync'])).toContain('The book already has the list prices.');
  expect(asked).toEqual([]);
});

test('a book that changed while somebody thought stays as it is', async () => {
  const { run, store, versions } = terminal();
  const other = {
    version: 1,
    item: 'workflow',
    accountId: '',
    effectiveAt: 0,
    perRequest: 1n,
  };
  expect(await run('yes', ['sync'], () => store.add([other]))).toContain('the book changed meanwhile');
  expect(await versions()).toBe(1);
  expect(process.exitCode).toBe(1);
});
