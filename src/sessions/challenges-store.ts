import { randomBytes } from 'node:crypto';
import type { Clock } from '../base/clock.ts';
import type { Database } from '../db/index.ts';
import { digestOf } from './secrets.ts';

interface ChallengeTables {
  console_challenge: {
    digest: Buffer;
    purpose: string;
    session_id: string | null;
    network: string;
    expires_at_ms: number;
  };
}

/** What a challenge is for. A challenge for a different use or session does not count. */
export type ChallengeUse =
  | { readonly purpose: 'sign-in' }
  | { readonly purpose: 'add' | 'confirm'; readonly sessionId: string };

/** What an authenticator signs to prove that it is present now. Stored as hashes, so any node accepts another's challenges. */
export interface Challenges {
  /**
   * Issues a challenge: 256 random bits in base64url, for one answer within `challengeMs`. Open challenges are counted by
   * `network`: an address as limits count them, or a session, so that strangers cannot push out those of signed-in users.
   */
  issue(use: ChallengeUse, network: string): Promise<string>;
  /** Uses up a challenge. False: it was used, expired, is for something else, or never existed. */
  take(challenge: string, use: ChallengeUse): Promise<boolean>;
}

/** How long a challenge can be answered, which gives people time to find their key (WebAuthn Level 3, section 15.1, recommends 5 minutes). */
export const challengeMs = 5 * 60_000;
/** Per address at one time: the oldest are deleted, so that asking costs no more than this. */
export const openChallengesMax = 100;
const forgottenAtOnce = 1_000;

export function createChallenges({ db: database, clock }: { db: Database; clock: Clock }): Challenges {
  const db = database.for<ChallengeTables>();

  async function issue(use: ChallengeUse, network: string): Promise<string> {
    const challenge = randomBytes(32).toString('base64url');
    await db
      .insertInto('console_challenge')
      .values({
        digest: bytesOf(challenge),
        purpose: use.purpose,
        session_id: sessionOf(use),
        network,
        expires_at_ms: clock.now() + challengeMs,
      })
      .execute();
    const tooMany = await db
      .selectFrom('console_challenge')
      .select('digest')
      .where('network', '=', network)
      .orderBy('expires_at_ms', 'desc')
      .limit(forgottenAtOnce)
      .offset(openChallengesMax)
      .execute();
    const digests = tooMany.map(({ digest }) => digest);
    if (digests.length > 0) await db.deleteFrom('console_challenge').where('digest', 'in', digests).execute();
    return challenge;
  }

  function take(challenge: string, use: ChallengeUse): Promise<boolean> {
    const digest = bytesOf(challenge);
    return database.transaction(async (tx) => {
      const trx = tx.for<ChallengeTables>();
      const row = await trx
        .selectFrom('console_challenge')
        .selectAll()
        .where('digest', '=', digest)
        .forUpdate()
        .executeTakeFirst();
      if (!row) return false;
      await trx.deleteFrom('console_challenge').where('digest', '=', digest).execute();
      const session = row.session_id === null ? null : String(row.session_id);
      return (
        String(row.purpose) === use.purpose && session === sessionOf(use) && Number(row.expires_at_ms) > clock.now()
      );
    });
  }

  return { issue, take };
}

function sessionOf(use: ChallengeUse): string | null {
  return use.purpose === 'sign-in' ? null : use.sessionId;
}

function bytesOf(challenge: string): Buffer {
  return Buffer.from(digestOf(challenge), 'hex');
}
