import { createSandbox, type Sandbox } from '../../src/sandbox/index.ts';
import { silent } from './database.ts';

let shared: Sandbox | undefined;

/** A sandbox for all tests of a file. Its processes end with the file's; a machine that is busy may take its time to start them. */
export function testSandbox(): Sandbox {
  shared ??= createSandbox({ log: silent, settings: { waitMs: 60_000 } });
  return shared;
}

/** The same, when its first process can take jobs. */
export async function readySandbox(): Promise<Sandbox> {
  const sandbox = testSandbox();
  await sandbox.run('acc_test', 'tokens', { pieces: ['ready'] }, { field: 'test' });
  return sandbox;
}
