/** Who is signed in to the console: opaque sessions that last no longer than the credential they started with. */
import type { Logger } from 'pino';
import type { AuditEvent } from '../base/audit-event.ts';
import type { Clock } from '../base/clock.ts';
import { fail, type Result, succeed } from '../base/failure.ts';
import { createGroupReader } from '../base/group-reader.ts';
import { newId } from '../base/ids.ts';
import { createRounds } from '../base/rounds.ts';
import type { Database, Transaction } from '../db/index.ts';
import { createSignInCodes, type SignInCodes } from './codes.ts';
import type { PasskeySite } from './passkey-site.ts';
import { createPasskeys, type PasskeyProof, type Passkeys } from './passkeys.ts';
import { digestOf, isSessionSecret, newSessionSecret } from './secrets.ts';
import { createSessionsStore, type StoredSession } from './sessions-store.ts';
import type { Session, SessionHolder } from './types.ts';
import { createVerifier, idleMs, type LookUps } from './verifier.ts';
import { createWatcher } from './watcher.ts';

export { codeMinutes, createSignInCodes, type SignInCodes } from './codes.ts';
export { isSameHolder } from './holder-columns.ts';
export { type PasskeySite, passkeySite } from './passkey-site.ts';
export type { PasskeyProof, Passkeys } from './passkeys.ts';
export type { CodeOwner, Passkey, Session, SessionHolder } from './types.ts';

export interface Sessions {
  /**
   * Signs a browser in. It gets its own secret, returned here once, and the session ends after 12 hours, after 60 minutes without
   * a request, or at `until`; an operator's after 1 hour, or after 15 minutes without a request. A holder has at most 20
   * sessions: the least recently used ones end. A session opened with a passkey ends with it. Fails like `credentialOf`, and with
   * `credential_invalid` if the passkey is gone.
   */
  open(
    holder: SessionHolder,
    browser: { agent: string; until?: number | undefined; passkey?: PasskeyProof['passkey'] | undefined },
  ): Promise<Result<{ session: Session; secret: string }>>;
  /**
   * Returns the session of a secret. Synchronous if the session was read less than a second ago, so ending it on another node
   * takes effect within a second. Fails with `session_ended`, with `overloaded`, and like `lookUps`. `unseen`: the call does not
   * count as use.
   */
  verify(secret: string, from?: { peer: string; unseen?: boolean }): Result<Session> | Promise<Result<Session>>;
  /** When the session ends unless it is used. */
  endsAt(session: Session): number;
  /** Records that its holder has shown the credential again. */
  confirm(secret: string): Promise<Result<Session>>;
  /** The active sessions of the same account or operator, newest first, at most 200. */
  list(session: Session): Promise<Session[]>;
  /** Ends the session of this secret, if there is one. */
  end(secret: string): Promise<void>;
  /** Ends one of the sessions that `list` shows. False: none has this id. */
  endById(session: Session, id: string): Promise<boolean>;
  /**
   * Calls `onEnd` once when the session is over: at once if it is ended here, about a second later if it expires, its credential
   * is replaced, or another node ends it. Returns a function that stops watching.
   */
  watch(sessionId: string, onEnd: () => void): () => void;
  codes: SignInCodes;
  passkeys: Passkeys;
  /** Periodically deletes what has expired. */
  start(): void;
  /** Deletes what has expired, now. */
  sweep(): Promise<void>;
  close(): Promise<void>;
}

export interface SessionsOptions {
  db: Database;
  clock: Clock;
  log: Logger;
  /**
   * A text of at most 64 characters that changes when the holder's credential is replaced. Fails if the credential no longer
   * works. Called on each use of a session.
   */
  credentialOf(holder: SessionHolder): Result<string> | Promise<Result<string>>;
  /** Limits look-ups of unknown secrets by address; absent: no limit. */
  lookUps?: LookUps;
  /** Where passkeys work; undefined: nowhere. */
  passkeySite(): PasskeySite | undefined;
  /** Writes an event in the transaction of the change it describes. */
  record(tx: Transaction, event: AuditEvent): Promise<void>;
}

const hourMs = 3_600_000;
/** A session ends after this, however much it is used. */
const lifeMs = { owner: 12 * hourMs, operator: hourMs };
const perHolderMax = 20;
const listedMax = 200;
const sweepEveryMs = 600_000;

export function createSessions(options: SessionsOptions): Sessions {
  const { db, clock, log, credentialOf } = options;
  const store = createSessionsStore(db);
  const verifier = createVerifier({
    clock,
    credentialOf,
    reader: createGroupReader<StoredSession>({
      load: store.load,
      onError: (error) => log.error({ err: error }, 'sessions could not be read'),
    }),
    lookUps: options.lookUps,
    onSeen: (digest, time) => {
      store
        .seen(digest, time)
        .catch((error: unknown) => log.warn({ err: error }, 'the last use of a session was not recorded'));
    },
  });

  async function open(
    holder: SessionHolder,
    { agent, until = Number.POSITIVE_INFINITY, passkey }: Parameters<Sessions['open']>[1],
  ): Promise<Result<{ session: Session; secret: string }>> {
    const credential = await credentialOf(holder);
    if (!credential.ok) return credential;
    const secret = newSessionSecret();
    const now = clock.now();
    const session: Session = {
      ...{ id: newId('ses'), holder, agent: agent.slice(0, 200) },
      ...{ createTime: now, seenTime: now, confirmTime: now },
      expireTime: Math.min(now + lifeMs[holder.role], until),
      ...(passkey && { passkeyId: passkey.id }),
      ...(Number.isFinite(until) && { credentialEndTime: until }),
    };
    // A passkey belongs to one credential: if that was just replaced, the session is over at once.
    const stored = { session, credential: passkey?.credential ?? credential.value };
    const inserted = await store.insert(digestOf(secret), stored, perHolderMax);
    return inserted ? succeed({ session, secret }) : fail({ kind: 'credential_invalid' });
  }

  async function confirm(secret: string): Promise<Result<Session>> {
    const found = await verifier.verify(secret);
    if (!found.ok) return found;
    const digest = digestOf(secret);
    await store.confirmed(digest, clock.now());
    verifier.forget(digest);
    return verifier.verify(secret);
  }

  async function list({ holder }: Session): Promise<Session[]> {
    const stored = await store.list(holder, listedMax);
    const standing = await Promise.all(stored.map(verifier.isStanding));
    return stored.filter((_, index) => standing[index]).map(({ session }) => session);
  }

  async function end(secret: string): Promise<void> {
    if (!isSessionSecret(secret)) return;
    const digest = digestOf(secret);
    await store.end(digest);
    verifier.ended(digest);
    watcher.look();
  }

  async function endById({ holder }: Session, id: string): Promise<boolean> {
    const digest = await store.endById(holder, id);
    if (digest !== undefined) {
      verifier.ended(digest);
      watcher.look();
    }
    return digest !== undefined;
  }

  const passkeys = createPasskeys({
    ...{ db, clock, log, credentialOf, site: options.passkeySite },
    record: options.record,
    onEnded: (digest) => {
      verifier.ended(digest);
      watcher.look();
    },
  });

  async function sweep(): Promise<void> {
    await passkeys.sweep();
    await store.sweep(clock.now());
  }

  const watcher = createWatcher({
    load: store.loadByIds,
    isStanding: verifier.isStanding,
    onError: (error) => log.warn({ err: error }, 'sessions with streams could not be looked at; the next round will'),
  });
  const rounds = createRounds({
    everyMs: sweepEveryMs,
    run: sweep,
    onError: (error) => log.warn({ err: error }, 'sessions that are over could not be deleted'),
  });

  return {
    open,
    verify: (secret, from) =>
      isSessionSecret(secret) ? verifier.verify(secret, from) : fail({ kind: 'session_ended' }),
    endsAt: ({ holder, seenTime, expireTime }) => Math.min(seenTime + idleMs[holder.role], expireTime),
    confirm,
    list,
    end,
    endById,
    watch: watcher.watch,
    codes: createSignInCodes({ db, clock }),
    passkeys,
    start() {
      rounds.start();
      watcher.start();
    },
    sweep,
    async close() {
      await Promise.all([rounds.close(), watcher.close()]);
    },
  };
}
