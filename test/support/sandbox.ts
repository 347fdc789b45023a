import { createSandbox, type Sandbox } from '../../src/sandbox/index.ts';
import { silent } from './database.ts';

let shared: Sandbox | undefined;

/** A sandbox for all tests of a file. Its processes end with the file's; they may take a while to start on a busy machine. */
export function testSandbox(): Sandbox {
  shared ??= createSandbox({ log: silent, settings: { waitMs: 60_000 } });
  return shared;
}

/** The same, once its first process accepts jobs. */
export async function readySandbox(): Promise<Sandbox> {
  const sandbox = testSandbox();
  await sandbox.run('acc_test', 'tokens', { pieces: ['ready'] }, { field: 'test' });
  return sandbox;
}
