import { randomBytes } from 'node:crypto';
import type { Clock } from '../base/clock.ts';
import { fail, type Result, succeed } from '../base/failure.ts';
import type { Database } from '../db/index.ts';
import { digestOf } from './secrets.ts';
import { createSessionsStore } from './sessions-store.ts';
import type { CodeOwner } from './types.ts';

/** How long a sign-in code works. */
export const codeMinutes = 10;
const grammar = /^[A-Za-z0-9_-]{32}$/;

/** Single-use sign-in codes, for links that the operator of the service hands out. Stored as hashes. */
export interface SignInCodes {
  /** Creates a code: 192 random bits, for 10 minutes and one sign-in. It cannot be read again. */
  create(owner: CodeOwner): Promise<string>;
  /** Uses up a code. Fails with `credential_invalid` if it was used, has expired or never existed. */
  redeem(code: string): Promise<Result<CodeOwner>>;
}

export function createSignInCodes({ db, clock }: { db: Database; clock: Clock }): SignInCodes {
  const store = createSessionsStore(db);
  return {
    async create(owner) {
      const code = randomBytes(24).toString('base64url');
      await store.insertCode(digestOf(code), owner, clock.now() + codeMinutes * 60_000);
      return code;
    },
    async redeem(code) {
      const owner = grammar.test(code) ? await store.takeCode(digestOf(code), clock.now()) : undefined;
      return owner ? succeed(owner) : fail({ kind: 'credential_invalid' });
    },
  };
}
