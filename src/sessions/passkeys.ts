import type { Logger } from 'pino';
import type { AuditEvent } from '../base/audit-event.ts';
import type { Clock } from '../base/clock.ts';
import { type Failure, fail, invalid, type Result, succeed } from '../base/failure.ts';
import { newId } from '../base/ids.ts';
import type { Database, Transaction } from '../db/index.ts';
import { type ChallengeUse, createChallenges } from './challenges-store.ts';
import { isSameHolder } from './holder-columns.ts';
import type { PasskeySite } from './passkey-site.ts';
import { createPasskeysStore, type StoredPasskey } from './passkeys-store.ts';
import type { Passkey, Session, SessionHolder } from './types.ts';
import {
  type CreationOptions,
  creationOptions,
  type RequestOptions,
  readAssertion,
  readRegistration,
  requestOptions,
  userHandleOf,
  verifyAssertion,
  verifyRegistration,
} from './webauthn.ts';

/** The identity that a passkey proved. */
export interface PasskeyProof {
  holder: SessionHolder;
  /** A session opened with this proof ends with this passkey. */
  passkey: { id: string; credential: string };
  /** When the passkey expires. */
  until?: number;
}

/** Passkeys (WebAuthn Level 3): each belongs to the key or operator that created it, and ends when that is revoked or replaced. */
export interface Passkeys {
  /** The one origin where they work; undefined: browsers do not support them at this service's address. */
  origin(): string | undefined;
  /** A challenge to sign in with any passkey of this site. Without a site it fails with `precondition_failed`, like the next two. */
  askToSignIn(network: string): Promise<Result<RequestOptions>>;
  /** A challenge to reauthenticate. Fails with `precondition_failed` if the session's holder has no passkey. */
  askToConfirm(session: Session): Promise<Result<RequestOptions>>;
  /** A challenge to create a passkey for the session's holder. `userName`: the name that the browser shows for it. */
  askToAdd(session: Session, userName: string): Promise<Result<CreationOptions>>;
  /**
   * Who answered a challenge of `askToSignIn`. Fails with `precondition_failed` if the challenge no longer exists,
   * `credential_invalid` if no passkey gave the answer, `key_revoked` if its key is revoked, and like `credentialOf`.
   */
  signIn(answer: unknown): Promise<Result<PasskeyProof>>;
  /** Accepts the answer to a challenge of `askToConfirm`; fails like `signIn`, and also for another holder's passkey. */
  confirm(session: Session, answer: unknown): Promise<Result<PasskeyProof>>;
  /**
   * Adds the passkey that answered a challenge of `askToAdd`, and records it as `event`. A holder has at most 10. Fails with
   * `precondition_failed`, `already_exists` or `invalid_argument`.
   */
  add(session: Session, made: { name: string; answer: unknown }, event: AuditEvent): Promise<Result<Passkey>>;
  /** The working passkeys of the same account or operator, newest first, at most 200. */
  list(session: Session): Promise<Passkey[]>;
  /** Whether the session's holder has a working passkey. */
  has(session: Session): Promise<boolean>;
  /** Removes a passkey that `list` shows, ends the sessions opened with it, and records it as `event`. False: none has this id. */
  remove(session: Session, id: string, event: AuditEvent): Promise<boolean>;
  /**
   * Deletes keys' passkeys that no longer work. Checks 200 and continues after them the next time. Operators' passkeys stay:
   * their tokens are settings, which nodes pick up one after another.
   */
  sweep(): Promise<void>;
}

export interface PasskeysOptions {
  db: Database;
  clock: Clock;
  log: Logger;
  site(): PasskeySite | undefined;
  credentialOf(holder: SessionHolder): Result<string> | Promise<Result<string>>;
  /** Writes the event in the transaction of the change it describes. */
  record(tx: Transaction, event: AuditEvent): Promise<void>;
  /** Called with the digest of each session that ended with its passkey. */
  onEnded(digest: string): void;
}

const perHolderMax = 10;
const listedMax = 200;
const sweptMax = 200;
/** A node may learn of a new secret later than of a passkey created with it. */
const newMs = 600_000;

export function createPasskeys(options: PasskeysOptions): Passkeys {
  const { db, clock, log, site, credentialOf, record, onEnded } = options;
  const store = createPasskeysStore(db);
  const challenges = createChallenges({ db, clock });

  async function ask<Options>(
    use: ChallengeUse,
    asker: string,
    optionsOf: (at: PasskeySite, challenge: string) => Options,
  ): Promise<Result<Options>> {
    const at = site();
    return at ? succeed(optionsOf(at, await challenges.issue(use, asker))) : noSite;
  }

  async function askToConfirm(session: Session): Promise<Result<RequestOptions>> {
    const allowed = (await standingOf(session.holder)).map(({ credentialId }) => credentialId);
    if (allowed.length === 0) return noPasskey;
    return ask({ purpose: 'confirm', sessionId: session.id }, session.id, (at, challenge) =>
      requestOptions(at, { challenge, allowed }),
    );
  }

  async function askToAdd(session: Session, userName: string): Promise<Result<CreationOptions>> {
    const { id: sessionId, holder } = session;
    const others = (await standingOf(holder)).map(({ credentialId }) => credentialId);
    if (others.length >= perHolderMax) return tooMany;
    return ask({ purpose: 'add', sessionId }, sessionId, (at, challenge) =>
      creationOptions(at, { challenge, holder, userName, others }),
    );
  }

  /** Who answered a challenge; `holder`: who it must be. */
  async function prove(json: unknown, use: ChallengeUse, holder?: SessionHolder): Promise<Result<PasskeyProof>> {
    const at = site();
    if (!at) return noSite;
    const answer = readAssertion(json);
    if (!answer) return fail(invalid('passkey', notJson));
    if (!(await challenges.take(answer.challenge, use))) return noChallenge;
    const stored = await store.find(answer.response.id);
    if (!stored) return refused('There is no such passkey');
    const { passkey, userHandle } = stored;
    if (holder && !isSameHolder(passkey.holder, holder)) return refused('It is of another holder', passkey);
    const named = answer.response.response.userHandle;
    if (named === undefined ? !holder : named !== userHandle) return refused('It names another user', passkey);
    const verified = await verifyAssertion(answer, stored, at).catch(String);
    if (typeof verified === 'string') return refused(verified, passkey);
    const credential = await standing(stored);
    if (!credential.ok) return credential;
    if (!(await store.used(passkey.id, verified.signCount, clock.now())))
      return refused('Its signature counter did not increase: there may be a copy of it', passkey);
    return succeed({
      ...{ holder: passkey.holder, passkey: { id: passkey.id, credential: stored.credential } },
      ...(stored.endTime !== undefined && { until: stored.endTime }),
    });
  }

  /** The failure is the same for all reasons; only the log says which. */
  function refused(reason: string, passkey?: Passkey): Result<PasskeyProof> {
    log.info({ reason, passkey: passkey?.id }, 'a passkey was refused');
    return fail({ kind: 'credential_invalid' });
  }

  async function add(
    session: Session,
    { name, answer: json }: { name: string; answer: unknown },
    event: AuditEvent,
  ): Promise<Result<Passkey>> {
    const { holder, id: sessionId, credentialEndTime } = session;
    const at = site();
    if (!at) return noSite;
    const answer = readRegistration(json);
    if (!answer) return fail(invalid('response', notJson));
    if (!(await challenges.take(answer.challenge, { purpose: 'add', sessionId }))) return noChallenge;
    const made = await verifyRegistration(answer, at).catch(String);
    if (typeof made === 'string') {
      log.info({ reason: made, session: sessionId }, 'a new passkey was refused');
      return fail(invalid('response', `is no passkey that this service asked for at ${at.origin}`));
    }
    const credential = await credentialOf(holder);
    if (!credential.ok) return credential;
    const { multiDevice, ...key } = made;
    const passkey: Passkey = { id: newId('psk'), holder, name, multiDevice, createTime: clock.now() };
    const stored: StoredPasskey = {
      ...{ ...key, passkey, userHandle: userHandleOf(at.origin, holder), credential: credential.value },
      // A passkey created with an expiring secret must not outlive it.
      ...(credentialEndTime !== undefined && { endTime: credentialEndTime }),
    };
    return db.transaction(async (tx) => {
      // The session may have ended, or its key been replaced, since it was checked.
      if ((await store.credentialOfSession(tx, sessionId)) !== credential.value) return fail({ kind: 'session_ended' });
      const inserted = await store.insert(tx, stored, perHolderMax);
      if (inserted === 'full') return tooMany;
      if (inserted === 'known') return fail({ kind: 'already_exists', resource: 'passkey' });
      await record(tx, { ...event, target: passkey.id });
      return succeed(passkey);
    });
  }

  async function remove({ holder }: Session, id: string, event: AuditEvent): Promise<boolean> {
    return db.transaction(async (tx) => {
      const ended = await store.remove(tx, holder, id);
      if (!ended) return false;
      await record(tx, { ...event, target: id });
      tx.afterCommit(() => ended.forEach(onEnded));
      return true;
    });
  }

  /** Whether it works: its holder's credential is still the one it was created with. */
  async function standing({ passkey, credential, endTime }: StoredPasskey): Promise<Result<void>> {
    const now = await credentialOf(passkey.holder);
    if (!now.ok) return now.failure.kind === 'credential_invalid' ? over : now;
    return now.value === credential && clock.now() < (endTime ?? Number.POSITIVE_INFINITY) ? works : over;
  }

  async function onlyStanding(stored: readonly StoredPasskey[]): Promise<StoredPasskey[]> {
    const states = await Promise.all(stored.map(standing));
    return stored.filter((_, index) => states[index]?.ok);
  }

  let sweptTo = '';

  async function sweep(): Promise<void> {
    const looked = await store.ofKeys({ after: sweptTo, before: clock.now() - newMs, limit: sweptMax });
    const states = await Promise.all(looked.map(standing));
    const ended = looked.filter((_, index) => isOver(states[index]));
    await store.removeAll(ended.map(({ passkey }) => passkey.id));
    sweptTo = looked.length < sweptMax ? '' : (looked.at(-1)?.passkey.id ?? '');
  }

  const standingOf = async (holder: SessionHolder) => onlyStanding(await store.ofHolder(holder));

  return {
    origin: () => site()?.origin,
    askToSignIn: (network) =>
      ask({ purpose: 'sign-in' }, network, (at, challenge) => requestOptions(at, { challenge, allowed: [] })),
    askToConfirm,
    askToAdd,
    signIn: (answer) => prove(answer, { purpose: 'sign-in' }),
    confirm: ({ id: sessionId, holder }, answer) => prove(answer, { purpose: 'confirm', sessionId }, holder),
    add,
    list: async ({ holder }) => (await onlyStanding(await store.list(holder, listedMax))).map(({ passkey }) => passkey),
    has: async ({ holder }) => (await standingOf(holder)).length > 0,
    remove,
    sweep,
  };
}

const works = succeed(undefined);
const over = fail({ kind: 'key_revoked' });
const isOver = (state: Result<void> | undefined): boolean =>
  state?.ok === false && state.failure.kind === 'key_revoked';
const notJson = 'is no answer of an authenticator: send what PublicKeyCredential.toJSON() gives';
const noSite = unmet(
  'Browsers do not support passkeys at this address of the service: they need HTTPS and a host name, or http://localhost. Set http.publicUrl to such an address.',
);
const noPasskey = unmet('This key has no passkey yet. Use the key itself.');
const tooMany = unmet(`This key already has ${perHolderMax} passkeys. Remove one of them first.`);
const noChallenge = unmet(
  'The challenge was already answered, is older than 5 minutes, or was for something else. Start again.',
);

function unmet(description: string): { ok: false; failure: Failure } {
  return fail({ kind: 'precondition_failed', description });
}
