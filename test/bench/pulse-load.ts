/**
 * Rollups of many events without the events: sessions are ingested and summed as in the service, and written by its own statements, but no
 * event, session or charge is stored. Reports read only rollups, so theirs are the same.
 */
import type { Database } from '../../src/db/index.ts';
import { addToCells, addToErrorCells } from '../../src/pulse/cells-store.ts';
import { contributionOf } from '../../src/pulse/contribution.ts';
import { getOrMake } from '../../src/pulse/get-or-make.ts';
import type { IncomingEvent } from '../../src/pulse/index.ts';
import { type JourneyNames, Names } from '../../src/pulse/names.ts';
import { ensureAccount, lockAccount, readNames } from '../../src/pulse/pulse-store.ts';
import { RollupChanges } from '../../src/pulse/rollup.ts';
import { addToSegments } from '../../src/pulse/segments-store.ts';
import { applyEvent, applySegments, emptySession, type SessionState } from '../../src/pulse/session.ts';
import type { Settings } from '../../src/pulse/settings.ts';
import { readSettings } from '../../src/pulse/settings-store.ts';
import { traitSegments } from '../../src/pulse/traits.ts';
import { journeyName } from './pulse-traffic.ts';

const eventsAtOnce = 100_000;
/** A session without an event among this many has ended. */
const eventsOfLiveMax = 50_000;

interface Loading {
  names: Names;
  journey: JourneyNames;
  settings: Settings;
  live: Map<string, { state: SessionState; latest: number }>;
  changes: RollupChanges;
}

/** The account must already have its names: some events of each kind were recorded before. Returns how many were ingested. */
export async function loadRollups(
  db: Database,
  accountId: string,
  batches: Iterable<IncomingEvent[]>,
): Promise<number> {
  const accountNo = await ensureAccount(db, accountId);
  const names = new Names(await readNames(db, accountNo));
  const journey = names.journeys.get(journeyName);
  if (!journey) throw new Error('nothing was recorded before');
  const loading: Loading = {
    ...{ names, journey, live: new Map(), changes: new RollupChanges() },
    settings: await readSettings(db, accountNo),
  };
  let events = 0;
  let written = 0;
  for (const batch of batches) {
    for (const event of batch) takeIn(loading, event, ++events);
    if (events - written < eventsAtOnce) continue;
    count(loading, ({ latest }) => latest < events - eventsOfLiveMax);
    await writeOut(db, accountNo, loading);
    written = events;
  }
  count(loading, () => true);
  await writeOut(db, accountNo, loading);
  return events;
}

function takeIn({ names, journey, settings, live, changes }: Loading, event: IncomingEvent, place: number): void {
  const session = getOrMake(live, event.sessionId, () => ({ state: emptySession(), latest: 0 }));
  session.latest = place;
  const step = journey.steps.get(event.step) ?? 0;
  const occurredMs = Date.parse(event.occurredAt);
  const errorCode = event.error && journey.codes.get(event.error.code);
  if (errorCode !== undefined) changes.addError(journey.no, step, errorCode, occurredMs);
  const kind = event.kind as Parameters<typeof applyEvent>[1]['kind'];
  applyEvent(session.state, { step, kind, occurredMs, ...(errorCode === undefined ? {} : { errorCode }) });
  const segments = traitSegments(settings.properties, event.properties as object, names);
  applySegments(session.state, segments ?? [], occurredMs, names);
}

function count({ journey, live, changes }: Loading, hasEnded: (session: { latest: number }) => boolean): void {
  for (const [id, session] of live) {
    if (!hasEnded(session)) continue;
    const contribution = contributionOf(session.state, (step) => journey.stepNames.get(step) ?? '');
    changes.replaceSession(journey.no, undefined, contribution);
    live.delete(id);
  }
}

async function writeOut(db: Database, accountNo: number, loading: Loading): Promise<void> {
  const { cells, errors, segments } = loading.changes.stored();
  loading.changes = new RollupChanges();
  await db.transaction(async (tx) => {
    await lockAccount(tx, accountNo);
    await addToCells(tx, accountNo, cells);
    await addToErrorCells(tx, accountNo, errors);
    await addToSegments(tx, accountNo, segments);
  });
}
