import { pino } from 'pino';
import { expect, test } from 'vitest';
import { openOver } from '../../src/cli/open-over.ts';
import type { Database } from '../../src/db/index.ts';

const db = {} as Database;
const log = pino({ enabled: false });

/** A database that says when it is closed. */
function opening() {
  const closed: string[] = [];
  const named = (name: string) => ({ close: async () => void closed.push(name) });
  return { closed, named, openDatabase: async () => ({ db, ...named('database') }) };
}

test('what a command has opened is closed before the database', async () => {
  const { closed, named, openDatabase } = opening();
  const { answer, close } = await openOver(openDatabase, log, (given, stack) => {
    stack.use(named('ledger'));
    return { answer: given === db };
  });
  expect([answer, closed]).toEqual([true, []]);
  await close();
  expect(closed).toEqual(['ledger', 'database']);
});

test('a command that cannot open what it needs leaves no database open', async () => {
  const { closed, named, openDatabase } = opening();
  const failing = openOver(openDatabase, log, (_db, stack) => {
    stack.use(named('ledger'));
    throw new Error('no prices');
  });
  await expect(failing).rejects.toThrow('no prices');
  expect(closed).toEqual(['ledger', 'database']);
});

test('a ledger that fails to close keeps no database open', async () => {
  const { closed, openDatabase } = opening();
  const { close } = await openOver(openDatabase, log, (_db, stack) => {
    stack.use({ close: () => Promise.reject(new Error('too slow')) });
    return {};
  });
  await close();
  expect(closed).toEqual(['database']);
});
