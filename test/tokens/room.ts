import { randomBytes } from 'node:crypto';
import { onTestFinished } from 'vitest';
import { type Clock, systemClock } from '../../src/base/clock.ts';
import { unwrap } from '../../src/base/failure.ts';
import { createSeal } from '../../src/base/seal.ts';
import type { Database } from '../../src/db/index.ts';
import type { NewKey } from '../../src/keys/index.ts';
import { createTokens, type TokensOptions } from '../../src/tokens/index.ts';
import { makeKey, movableClock, startKeys } from '../keys/room.ts';
import { silent } from '../support/database.ts';

export const issuer = 'https://api.example';
export const seal = createSeal({ current: 1, byVersion: new Map([[1, randomBytes(32)]]) });

/** One node with its keys and tokens, as the service joins them. */
export async function startTokens(db: Database, options: Partial<TokensOptions> & { pollEveryMs?: number } = {}) {
  const clock = options.clock ?? systemClock;
  const node = await startKeys(db, { clock, pollEveryMs: options.pollEveryMs });
  const tokens = createTokens({
    db,
    clock,
    log: silent,
    changes: node.changes,
    seal,
    issuer: () => issuer,
    parentOf: node.keys.find,
    ...options,
  });
  return {
    ...node,
    tokens,
    close: async () => {
      await tokens.close();
      await node.close();
    },
  };
}

/** A node that hears of no change after its start, and must not go by what it read a second ago. */
export async function startDeaf(db: Database, { now }: Clock) {
  const { monotonic, pass } = movableClock();
  const deaf = await startTokens(db, { clock: { now, monotonic }, pollEveryMs: 3_600_000 });
  onTestFinished(deaf.close);
  return { ...deaf, aSecondPasses: () => pass(1_000) };
}

export type TokenNode = Awaited<ReturnType<typeof startTokens>>;

export async function makeClient(node: TokenNode, key: Partial<NewKey> = {}) {
  const parent = await makeKey(node.keys, key);
  const { accountId, id: keyId } = parent.key;
  const client = unwrap(await node.tokens.clients.create({ accountId, keyId, displayName: 'Shop for macOS' }));
  return { ...parent, accountId, keyId, client };
}
