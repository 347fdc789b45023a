import { randomBytes } from 'node:crypto';
import type { Clock } from '../../src/base/clock.ts';
import { systemClock } from '../../src/base/clock.ts';
import { unwrap } from '../../src/base/failure.ts';
import { newId } from '../../src/base/ids.ts';
import { createCredentialChanges } from '../../src/db/credential-changes.ts';
import type { Database } from '../../src/db/index.ts';
import { createKeys, type NewKey, type Peppers } from '../../src/keys/index.ts';
import { silent } from '../support/database.ts';

export const peppers: Peppers = { current: 1, byVersion: new Map([[1, randomBytes(32)]]) };

/** One node's keys and its feed of changes, as the service joins them. */
export async function startKeys(
  db: Database,
  options: { clock?: Clock; peppers?: Peppers; random?: () => Uint8Array; pollEveryMs?: number | undefined } = {},
) {
  const { clock = systemClock, pollEveryMs } = options;
  const errors: unknown[] = [];
  const changes = createCredentialChanges({
    ...{ db, clock, onError: (error: unknown) => errors.push(error) },
    ...(pollEveryMs !== undefined && { pollEveryMs }),
  });
  const keys = createKeys({ db, clock, log: silent, changes, peppers, ...options });
  await changes.start();
  return {
    keys,
    changes,
    errors,
    close: async () => {
      await changes.close();
      await keys.close();
    },
  };
}

export function newKey(changes: Partial<NewKey> = {}): NewKey {
  return {
    accountId: newId('acc'),
    kind: 'live',
    displayName: 'Shop',
    purpose: 'An assistant inside our shop.',
    ...changes,
  };
}

export async function makeKey(keys: Awaited<ReturnType<typeof startKeys>>['keys'], changes: Partial<NewKey> = {}) {
  return unwrap(await keys.create(newKey(changes)));
}

/** A clock that tests set forward. What is measured on it takes no time, however slow the machine, unless a test lets some pass. */
export function movableClock(): Clock & { forward(ms: number): void; pass(ms: number): void } {
  let ahead = 0;
  let passed = 0;
  return {
    now: () => Date.now() + ahead,
    monotonic: () => passed,
    forward: (ms) => {
      ahead += ms;
    },
    pass: (ms) => {
      passed += ms;
    },
  };
}
