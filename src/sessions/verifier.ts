import { LRUCache } from 'lru-cache';
import type { Clock } from '../base/clock.ts';
import { fail, type Result, succeed } from '../base/failure.ts';
import type { GroupReader } from '../base/group-reader.ts';
import { digestOf } from './secrets.ts';
import type { StoredSession } from './sessions-store.ts';
import type { Session, SessionHolder } from './types.ts';

/** Counts an address's session reads, and those that found none. */
export interface LookUps {
  may(peer: string): Result<void>;
  failed(peer: string): void;
}

export interface VerifierOptions {
  clock: Clock;
  reader: GroupReader<StoredSession>;
  credentialOf(holder: SessionHolder): Result<string> | Promise<Result<string>>;
  lookUps?: LookUps | undefined;
  /** Called when a session is used, at most every half minute. */
  onSeen(digest: string, time: number): void;
}

interface Known extends StoredSession {
  /** On the monotonic clock. */
  readAt: number;
}

/** A session ends after this long without a request. */
export const idleMs = { owner: 60 * 60_000, operator: 15 * 60_000 };
/** Changes that another node made to a session are known here after this long. */
const freshMs = 1_000;
const seenEveryMs = 30_000;
const entriesMax = 10_000;

const over = fail({ kind: 'session_ended' });

export function createVerifier({ clock, reader, credentialOf, lookUps, onSeen }: VerifierOptions) {
  const known = new LRUCache<string, Known>({ max: entriesMax });
  // Digests without a session. Secrets are random, so a guessed one can't become a session's later.
  const unknown = new LRUCache<string, true>({ max: entriesMax, ttl: 60_000 });

  function verify(
    secret: string,
    from?: { peer: string; unseen?: boolean },
  ): Result<Session> | Promise<Result<Session>> {
    const digest = digestOf(secret);
    const found = known.get(digest);
    if (found && clock.monotonic() - found.readAt < freshMs) return check(digest, found, from?.unseen);
    if (unknown.has(digest)) return over;
    // Only a presenter of something unknown here can be guessing.
    const may = found || !from ? undefined : lookUps?.may(from.peer);
    if (may && !may.ok) return may;
    return read(digest, from);
  }

  async function read(digest: string, from?: { peer: string; unseen?: boolean }): Promise<Result<Session>> {
    const readAt = clock.monotonic();
    const stored = await reader.read(digest);
    if (!stored.ok) return stored;
    if (!stored.value) {
      if (from && !known.has(digest)) lookUps?.failed(from.peer);
      ended(digest);
      return over;
    }
    // It may have been ended here during the read.
    if (unknown.has(digest)) return over;
    const seenTime = Math.max(stored.value.session.seenTime, known.get(digest)?.session.seenTime ?? 0);
    const found = { ...stored.value, session: { ...stored.value.session, seenTime }, readAt };
    known.set(digest, found);
    return check(digest, found, from?.unseen);
  }

  function check(digest: string, found: Known, unseen = false): Result<Session> | Promise<Result<Session>> {
    if (!isInTime(found)) return over;
    const credential = credentialOf(found.session.holder);
    return credential instanceof Promise
      ? credential.then((late) => decide(digest, found, late, unseen))
      : decide(digest, found, credential, unseen);
  }

  function decide(digest: string, found: Known, credential: Result<string>, unseen: boolean): Result<Session> {
    if (!credential.ok) return isOver(credential) ? over : credential;
    if (credential.value !== found.credential) return over;
    const now = clock.now();
    if (unseen || now - found.session.seenTime < seenEveryMs) return succeed(found.session);
    const session = { ...found.session, seenTime: now };
    known.set(digest, { ...found, session });
    onSeen(digest, now);
    return succeed(session);
  }

  function isInTime({ session: { holder, seenTime, expireTime } }: StoredSession): boolean {
    const now = clock.now();
    return now < expireTime && now < seenTime + idleMs[holder.role];
  }

  /** Whether a session that was just read is still valid. Failing to check its credential does not end it. */
  async function isStanding(stored: StoredSession): Promise<boolean> {
    if (!isInTime(stored)) return false;
    const credential = await credentialOf(stored.session.holder);
    return credential.ok ? credential.value === stored.credential : !isOver(credential);
  }

  function ended(digest: string): void {
    known.delete(digest);
    unknown.set(digest, true);
  }

  return {
    verify,
    isStanding,
    ended,
    /** The next read comes from the database. */
    forget: (digest: string) => void known.delete(digest),
  };
}

/** Whether the credential no longer works, as opposed to being impossible to check. */
function isOver({ failure: { kind } }: { failure: { kind: string } }): boolean {
  return kind === 'credential_invalid' || kind === 'key_revoked';
}
