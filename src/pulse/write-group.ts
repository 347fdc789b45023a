import type { Queryable } from '../db/index.ts';
import { addToCells, addToErrorCells } from './cells-store.ts';
import { contributionOf } from './contribution.ts';
import { bytesOf, type DailyBytes } from './daily-bytes.ts';
import type { Digests } from './digest.ts';
import { type CheckedEvent, kinds, type Rejection } from './event.ts';
import { getOrMake } from './get-or-make.ts';
import { LatestChanges } from './latest.ts';
import { addToLatest } from './latest-store.ts';
import { type JourneyNames, journeysMax, type Names, otherCodeNo, stepsMax } from './names.ts';
import * as store from './pulse-store.ts';
import { RollupChanges } from './rollup.ts';
import { addToSegments } from './segments-store.ts';
import { applyEvent, applySegments, decodeSession, emptySession, encodeSession, type SessionState } from './session.ts';
import type { Settings } from './settings.ts';

/** A checked event with the digests that identify its session and end user. */
export interface IdentifiedEvent extends CheckedEvent {
  sessionKey: string;
  userKey?: string;
}

/** Computes digests before the account's turn comes, while the database is busy with others. */
export function identify(accountId: string, events: readonly CheckedEvent[], digests: Digests): IdentifiedEvent[] {
  // A batch's events are of few sessions and users.
  const sessions = new Map<string, string>();
  const users = new Map<string, string>();
  return events.map((event) => {
    const sessionKey = getOrMake(sessions, event.sessionId, () => digests.session(accountId, event.sessionId));
    const { userId } = event;
    if (userId === undefined) return { ...event, sessionKey };
    return { ...event, sessionKey, userKey: getOrMake(users, userId, () => digests.user(accountId, userId)) };
  });
}

/** One request's events. */
export interface Batch {
  events: readonly IdentifiedEvent[];
  /** The row that records what these events cost, once it is known how many of them are new. */
  unsettled(written: Written): store.UnsettledRow | undefined;
}

/** A batch with the segments in which each event's session counts, as far as that event tells. */
export interface SegmentedBatch extends Batch {
  segments: readonly (readonly number[])[];
}

export interface Written {
  accepted: number;
  duplicates: number;
  /** Events found only now to exceed the limit on names. */
  rejected: Rejection[];
  /** Nothing in the batch was stored: its events carry more than the account may still store today. */
  tooManyBytes?: true;
}

/** The account being written, locked, with its names and declarations as of that lock. */
export interface LockedAccount {
  no: number;
  names: Names;
  settings: Settings;
  /** How many bytes its events carried today, and the maximum; `writeGroup` adds to the former. */
  carried: DailyBytes;
  bytesPerDayMax: number;
}

/**
 * Stores an account's batches, in order, in one transaction: events, sessions, rollups and the amounts due for them succeed or
 * fail together. An id counts for the first batch that contains it. `nowMs` tells which sessions are too old for any time-out.
 */
export async function writeGroup(
  tx: Queryable,
  account: LockedAccount,
  batches: readonly SegmentedBatch[],
  nowMs: number,
): Promise<Written[]> {
  const group = sortOut(account, batches);
  const existing = await store.addNewEvents(tx, account.no, inKeyOrder(group.fresh));
  const added = existing.size === 0 ? group.fresh : group.fresh.filter(({ id }) => !existing.has(id));
  for (const row of added) {
    const written = group.written[row.batch];
    if (written) written.accepted++;
  }
  for (const [place, written] of group.written.entries()) {
    if (written.tooManyBytes) continue;
    written.duplicates = (batches[place]?.events.length ?? 0) - written.accepted - written.rejected.length;
  }
  const bytes = bytesOf(added);
  if (bytes > 0) {
    account.carried.bytes += bytes;
    await store.keepCarried(tx, account.no, account.carried);
  }
  await rollUp(tx, account, added, nowMs);
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
  segments: readonly number[];
}

/** Numbers events; drops those that exceed the limit on names and those that appear twice. */
function sortOut(
  { names, carried, bytesPerDayMax }: LockedAccount,
  batches: readonly SegmentedBatch[],
): { fresh: FreshEvent[]; written: Written[] } {
  const seen = new Set<string>();
  const fresh: FreshEvent[] = [];
  let room = bytesPerDayMax - carried.bytes;
  const written = batches.map(({ events, segments }, batch): Written => {
    const rejected: Rejection[] = [];
    const bytes = bytesOf(events);
    if (bytes > room) return { accepted: 0, duplicates: 0, rejected, tooManyBytes: true };
    room -= bytes;
    for (const [place, event] of events.entries()) {
      const journey = names.journeys.get(event.journey);
      const stepNo = journey?.steps.get(event.step);
      if (!journey || stepNo === undefined) {
        rejected.push(tooMany(event, journey));
        continue;
      }
      if (seen.has(event.id)) continue;
      seen.add(event.id);
      fresh.push(freshEvent(event, { batch, journey, stepNo, segments: segments[place] ?? [] }));
    }
    return { accepted: 0, duplicates: 0, rejected };
  });
  return { fresh, written };
}

function freshEvent(
  event: IdentifiedEvent,
  place: { batch: number; journey: JourneyNames; stepNo: number; segments: readonly number[] },
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
    segments: place.segments,
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

/** Applies new events to their sessions, and the resulting changes to the rollups. */
async function rollUp(
  tx: Queryable,
  account: LockedAccount,
  events: readonly FreshEvent[],
  nowMs: number,
): Promise<void> {
  const { names, settings } = account;
  const changes = new RollupChanges();
  const latest = new LatestChanges(nowMs);
  const rows: store.SessionRow[] = [];
  for (const [journeyNo, sessions] of bySession(events)) {
    const { stepNames } = names.byNo(journeyNo);
    const nameOf = (step: number) => stepNames.get(step) ?? '';
    const plan = settings.newestPlan(journeyNo);
    const contributionAs = (session: SessionState) =>
      contributionOf(session, nameOf, settings.plan(journeyNo, session.planVersion));
    const keys = [...sessions.keys()].sort();
    const stored = await store.readSessions(tx, account.no, journeyNo, keys);
    for (const sessionKey of keys) {
      const before = stored.get(sessionKey);
      const session = before === undefined ? emptySession() : decodeSession(before);
      const counted = before === undefined ? undefined : contributionAs(session);
      const countedLatest = session.inLatest ? counted : undefined;
      for (const event of sessions.get(sessionKey) ?? []) {
        takeIn(session, event, names);
        if (event.codeNo !== undefined) changes.addError(journeyNo, event.stepNo, event.codeNo, event.occurredMs);
      }
      session.planVersion = plan?.version ?? 0;
      session.inLatest = true;
      const counts = contributionAs(session);
      changes.replaceSession(journeyNo, counted, counts);
      latest.replaceSession(journeyNo, countedLatest, counts);
      rows.push({ journeyNo, sessionKey, lastMs: lastOf(session), state: encodeSession(session) });
    }
  }
  await store.writeSessions(tx, account.no, rows);
  const { cells, errors, segments } = changes.stored();
  await addToCells(tx, account.no, cells);
  await addToErrorCells(tx, account.no, errors);
  await addToSegments(tx, account.no, segments);
  await addToLatest(tx, account.no, latest);
}

function takeIn(session: SessionState, event: FreshEvent, names: Names): void {
  applyEvent(session, {
    step: event.stepNo,
    kind: event.kindName,
    occurredMs: event.occurredMs,
    ...(event.codeNo === undefined ? {} : { errorCode: event.codeNo }),
  });
  applySegments(session, event.segments, event.occurredMs, names);
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
  for (const state of session.steps.values()) if (state.last > last) last = state.last;
  return last;
}
