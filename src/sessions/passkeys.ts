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

/** Who proved by a passkey to be whom. */
export interface PasskeyProof {
  holder: SessionHolder;
  /** What a session that begins with it ends with. */
  passkey: { id: string; credential: string };
  /** When the passkey ends by itself. */
  until?: number;
}

/** Passkeys (WebAuthn Level 3): each belongs to the key, or the operator, that it was made with, and is over when that is revoked or replaced. */
export interface Passkeys {
  /** The one origin where they work; undefined: browsers have none at this service's address. */
  origin(): string | undefined;
  /** A challenge to sign in with any passkey of this site. Without a site it fails with `precondition_failed`, as the next two do. */
  askToSignIn(network: string): Promise<Result<RequestOptions>>;
  /** A challenge to show again who sits there. Fails with `precondition_failed` when the session's holder has no passkey. */
  askToConfirm(session: Session): Promise<Result<RequestOptions>>;
  /** A challenge to make a passkey for the session's holder. `userName`: what the browser shows it as. */
  askToAdd(session: Session, userName: string): Promise<Result<CreationOptions>>;
  /**
   * Who answered a challenge of `askToSignIn`. Fails with `precondition_failed` when there is no such challenge any more,
   * `credential_invalid` when the answer is none of a passkey, `key_revoked` when its key is, and as `credentialOf` does.
   */
  signIn(answer: unknown): Promise<Result<PasskeyProof>>;
  /** Takes the answer to a challenge of `askToConfirm`; fails as `signIn` does, also for another holder's passkey. */
  confirm(session: Session, answer: unknown): Promise<Result<PasskeyProof>>;
  /**
   * Adds what answered a challenge of `askToAdd`, and records it as `event`. A holder has at most 10. Fails with `precondition_failed`,
   * `already_exists` or `invalid_argument`.
   */
  add(session: Session, made: { name: string; answer: unknown }, event: AuditEvent): Promise<Result<Passkey>>;
  /** The working passkeys of the same account, or the same operator: newest first, 200 at most. */
  list(session: Session): Promise<Passkey[]>;
  /** Whether the session's holder has one that works. */
  has(session: Session): Promise<boolean>;
  /** Removes one that `list` shows, ends the sessions that began with it, and records it as `event`. False: there is none by this id. */
  remove(session: Session, id: string, event: AuditEvent): Promise<boolean>;
  /**
   * Deletes those of keys that work no more. It looks at 200 and goes on behind them the next time. Those of operators stay: their tokens are
   * settings, which nodes take over one after another.
   */
  sweep(): Promise<void>;
}

export interface PasskeysOptions {
  db: Database;
  clock: Clock;
  log: Logger;
  site(): PasskeySite | undefined;
  credentialOf(holder: SessionHolder): Result<string> | Promise<Result<string>>;
  /** Writes the event in the transaction of what it tells of. */
  record(tx: Transaction, event: AuditEvent): Promise<void>;
  /** Told the digests of sessions that ended with their passkey. */
  onEnded(digest: string): void;
}

const perHolderMax = 10;
const listedMax = 200;
const sweptMax = 200;
/** A node may know of a new secret later than of a passkey that was made with it. */
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

  /** Who answered a challenge; `holder`: who it has to be. */
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

  /** What is told of it is the same for all reasons; the log knows which. */
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
      // What was made with a secret that ends must not work longer than that.
      ...(credentialEndTime !== undefined && { endTime: credentialEndTime }),
    };
    return db.transaction(async (tx) => {
      // The session may have ended, or its key been replaced, since it was looked at.
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

  /** Whether it works: its holder's credential is the one that it was made with. */
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
