import type { Queryable } from '../db/index.ts';
import { addToCells, addToErrorCells } from './cells-store.ts';
import type { Digests } from './digest.ts';
import { type CheckedEvent, kinds, type Rejection } from './event.ts';
import { getOrMake } from './get-or-make.ts';
import { type JourneyNames, journeysMax, type Names, otherCodeNo, stepsMax } from './names.ts';
import * as store from './pulse-store.ts';
import { RollupChanges } from './rollup.ts';
import { applyEvent, contributionOf, decodeSession, encodeSession, type SessionState } from './session.ts';

/** A checked event with the digests by which its session and end user are known. */
export interface IdentifiedEvent extends CheckedEvent {
  sessionKey: string;
  userKey?: string;
}

/** Digests are made before the account's turn comes, while the database is busy with others. */
export function identify(accountId: string, events: readonly CheckedEvent[], digests: Digests): IdentifiedEvent[] {
  return events.map((event) => {
    const sessionKey = digests.session(accountId, event.sessionId);
    if (event.userId === undefined) return { ...event, sessionKey };
    return { ...event, sessionKey, userKey: digests.user(accountId, event.userId) };
  });
}

/** One request's events. */
export interface Batch {
  events: readonly IdentifiedEvent[];
  /** The row that says what these events cost, once it is known how many of them are new. */
  unsettled(written: Written): store.UnsettledRow | undefined;
}

export interface Written {
  accepted: number;
  duplicates: number;
  /** Events that only now turned out to be one name too many. */
  rejected: Rejection[];
}

/**
 * Stores batches of one account, in order, in one transaction: events, sessions, rollups and what is owed for them stand or
 * fall together. An id counts for the first batch that brings it. The account's row must be locked, and `names` must be
 * its names as of that lock or older.
 */
export async function writeGroup(
  tx: Queryable,
  account: { no: number; names: Names },
  batches: readonly Batch[],
): Promise<Written[]> {
  const group = sortOut(account.names, batches);
  const existing = await store.addNewEvents(tx, account.no, inKeyOrder(group.fresh));
  const added = existing.size === 0 ? group.fresh : group.fresh.filter(({ id }) => !existing.has(id));
  for (const row of added) {
    const written = group.written[row.batch];
    if (written) written.accepted++;
  }
  for (const [place, written] of group.written.entries()) {
    written.duplicates = (batches[place]?.events.length ?? 0) - written.accepted - written.rejected.length;
  }
  await rollUp(tx, account, added);
  await store.addUnsettled(
    tx,
    batches.flatMap((batch, place) => {
      const written = group.written[place];
      const row = written && batch.unsettled(written);
      return row ? [row] : [];
    }),
  );
  return group.written;
}

interface FreshEvent extends store.EventRow {
  batch: number;
  kindName: CheckedEvent['kind'];
  codeNo?: number;
}

/** Gives events their numbers; leaves out those with a name too many and those that come twice. */
function sortOut(names: Names, batches: readonly Batch[]): { fresh: FreshEvent[]; written: Written[] } {
  const seen = new Set<string>();
  const fresh: FreshEvent[] = [];
  const written = batches.map(({ events }, batch) => {
    const rejected: Rejection[] = [];
    for (const event of events) {
      const journey = names.journeys.get(event.journey);
      const stepNo = journey?.steps.get(event.step);
      if (!journey || stepNo === undefined) {
        rejected.push(tooMany(event, journey));
        continue;
      }
      if (seen.has(event.id)) continue;
      seen.add(event.id);
      fresh.push(freshEvent(event, { batch, journey, stepNo }));
    }
    return { accepted: 0, duplicates: 0, rejected };
  });
  return { fresh, written };
}

function freshEvent(
  event: IdentifiedEvent,
  place: { batch: number; journey: JourneyNames; stepNo: number },
): FreshEvent {
  const fresh: FreshEvent = {
    batch: place.batch,
    id: event.id,
    journeyNo: place.journey.no,
    stepNo: place.stepNo,
    kind: kinds.indexOf(event.kind) + 1,
    kindName: event.kind,
    occurredMs: event.occurredMs,
    sessionKey: event.sessionKey,
  };
  if (event.userKey !== undefined) fresh.userKey = event.userKey;
  if (event.detail !== undefined) fresh.detail = event.detail;
  if (event.errorCode !== undefined) fresh.codeNo = place.journey.codes.get(event.errorCode) ?? otherCodeNo;
  return fresh;
}

function tooMany(event: CheckedEvent, journey: JourneyNames | undefined): Rejection {
  return journey
    ? {
        index: event.index,
        reason: 'too_many_steps',
        description: `the journey has ${stepsMax} steps already; name steps by what they are, not by whom they are for`,
      }
    : {
        index: event.index,
        reason: 'too_many_journeys',
        description: `the account has ${journeysMax} journeys already; name journeys by what they are for`,
      };
}

/** In the order of the table's key, so that neighbours are written together. */
function inKeyOrder(events: readonly FreshEvent[]): FreshEvent[] {
  return [...events].sort((a, b) => (a.id < b.id ? -1 : 1));
}

/** Takes new events into their sessions, and what that changes into the rollups. */
async function rollUp(
  tx: Queryable,
  account: { no: number; names: Names },
  events: readonly FreshEvent[],
): Promise<void> {
  const changes = new RollupChanges();
  const rows: store.SessionRow[] = [];
  for (const [journeyNo, sessions] of bySession(events)) {
    const { stepNames } = account.names.byNo(journeyNo);
    const nameOf = (step: number) => stepNames.get(step) ?? '';
    const keys = [...sessions.keys()].sort();
    const stored = await store.readSessions(tx, account.no, journeyNo, keys);
    for (const sessionKey of keys) {
      const before = stored.get(sessionKey);
      const session: SessionState = before === undefined ? new Map() : decodeSession(before);
      if (before !== undefined) changes.addSession(journeyNo, contributionOf(session, nameOf), -1);
      for (const event of sessions.get(sessionKey) ?? []) {
        applyEvent(session, {
          step: event.stepNo,
          kind: event.kindName,
          occurredMs: event.occurredMs,
          ...(event.codeNo === undefined ? {} : { errorCode: event.codeNo }),
        });
        if (event.codeNo !== undefined) changes.addError(journeyNo, event.stepNo, event.codeNo, event.occurredMs);
      }
      changes.addSession(journeyNo, contributionOf(session, nameOf), 1);
      rows.push({ journeyNo, sessionKey, lastMs: lastOf(session), state: encodeSession(session) });
    }
  }
  await store.writeSessions(tx, account.no, rows);
  await addToCells(tx, account.no, changes.cells());
  await addToErrorCells(tx, account.no, changes.errors());
}

function bySession(events: readonly FreshEvent[]): Map<number, Map<string, FreshEvent[]>> {
  const journeys = new Map<number, Map<string, FreshEvent[]>>();
  for (const event of events) {
    const sessions = getOrMake(journeys, event.journeyNo, () => new Map<string, FreshEvent[]>());
    getOrMake(sessions, event.sessionKey, (): FreshEvent[] => []).push(event);
  }
  return journeys;
}

function lastOf(session: SessionState): number {
  let last = Number.NEGATIVE_INFINITY;
  for (const state of session.values()) if (state.last > last) last = state.last;
  return last;
}
