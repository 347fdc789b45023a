import { hkdfSync } from 'node:crypto';
import type { Logger } from 'pino';
import type { Caller } from '../base/caller.ts';
import type { Clock } from '../base/clock.ts';
import type { Result } from '../base/failure.ts';
import type { Page, PageRequest } from '../base/page.ts';
import { createSharedTurns } from '../base/shared-turns.ts';
import type { Database, Queryable } from '../db/index.ts';
import type { Ledger } from '../wallet/index.ts';
import { type Alert, type AlertChange, createAlerts, type WatchedAlert } from './alerts.ts';
import { type Comparison, type ComparisonRequest, compareSegments } from './compare.ts';
import {
  type Declaration,
  type DeclaredProperty,
  declareJourney,
  declareProperties,
  listProperties,
  readDeclaration,
} from './declare.ts';
import { type Differences, type DifferencesRequest, findDifferences } from './differences.ts';
import { createDigests } from './digest.ts';
import type { IncomingEvent } from './event.ts';
import { ensureAccount } from './pulse-store.ts';
import {
  type JourneyReport,
  type JourneySummary,
  listJourneys,
  type ReportRequest,
  readReport,
} from './read-report.ts';
import { type PulsePrice, type RecordCall, type Recorded, recordEvents } from './record-events.ts';
import { createRecorder } from './recorder.ts';
import { createSettlements } from './settlements.ts';
import { addErasure } from './sweep-store.ts';
import { createSweeper } from './sweeper.ts';

export type { Alert, AlertChange, WatchedAlert } from './alerts.ts';
export type { ComparedMetric, Comparison, ComparisonRequest, ShareLine } from './compare.ts';
export type { Declaration, DeclaredProperty } from './declare.ts';
export type { Difference, Differences, DifferencesRequest, Loss } from './differences.ts';
export type { IncomingEvent, Rejection, RejectionReason } from './event.ts';
export { pulseInvariants } from './invariants.ts';
export type { JourneyReport, JourneySummary, ReportRequest } from './read-report.ts';
export type { PulsePrice, RecordCall, Recorded } from './record-events.ts';
export type { Bucket, ErrorLine, FunnelStep, Percentiles, Stall, Totals } from './report-lines.ts';

/** Takes product events and shows where users stall and where errors occur. */
export interface Pulse {
  /**
   * Records a request's events, at most 1,000. A bad event never costs a good one, an id counts only once, forever, in its
   * account, and accepted events are charged exactly once, even if the process or the database dies in between.
   *
   * Fails like `Ledger.hold`, with `overloaded`, with `rate_limited` if the account's events carry too much in a day, with
   * `precondition_failed` if events have no price, and with `ledger_unavailable` if it is unknown whether the events were
   * stored; sending them again is always safe.
   */
  recordEvents(caller: Caller, events: readonly IncomingEvent[], call?: RecordCall): Promise<Result<Recorded>>;
  /** Declares up to 8 event properties that reports group and filter by, replacing those declared before. */
  declareProperties(accountId: string, names: readonly string[]): Promise<Result<DeclaredProperty[]>>;
  listProperties(accountId: string): Promise<DeclaredProperty[]>;
  /** Declares a journey's steps in order, its window and its time-out; without steps, the declaration is withdrawn. */
  declareJourney(accountId: string, declaration: Declaration): Promise<Result<Declaration>>;
  readDeclaration(accountId: string, journey: string): Promise<Result<Declaration>>;
  /**
   * Fails with `not_found` for a journey without events, and with `invalid_argument` for a bad period or goal. An account's
   * reports, comparisons, differences and journey lists are read one at a time; beyond 17 at once, each further one throws
   * `overloaded`.
   */
  readReport(request: ReportRequest): Promise<Result<JourneyReport>>;
  /** Fails like `readReport`, and for an unknown property or value. */
  compareSegments(request: ComparisonRequest): Promise<Result<Comparison>>;
  /** Finds the segments that lose more than others. Fails like `readReport`. */
  findDifferences(request: DifferencesRequest): Promise<Result<Differences>>;
  listJourneys(accountId: string, page: PageRequest): Promise<Result<Page<JourneySummary>>>;
  /**
   * Forgets an end user: within minutes, even across a restart, no stored event holds the user's digest, error texts or
   * properties any more. Sums stay; they identify nobody.
   */
  erasePerson(accountId: string, userId: string): Promise<void>;
  /** Watches a rate of a journey. Fails with `not_found` for a journey that has no name yet. */
  setAlert(accountId: string, alert: Alert): Promise<Result<WatchedAlert>>;
  listAlerts(accountId: string): Promise<WatchedAlert[]>;
  removeAlert(accountId: string, journey: string, metric: Alert['metric']): Promise<Result<undefined>>;
  /** Checks the alerts that are due; also runs automatically every minute. Returns how many changes were announced. */
  checkAlerts(): Promise<number>;
  /** Carries out retention and erasures that are due; also runs automatically every minute. Returns how many accounts it processed. */
  sweep(): Promise<number>;
  /** Settles charges left behind by a node that died; also runs automatically every 10 s. Returns how many it settled. */
  recoverCharges(): Promise<number>;
  /** Waits for writes in progress, and stops the timers. */
  close(): Promise<void>;
}

export interface PulseDeps {
  db: Database;
  ledger: Pick<Ledger, 'hold' | 'settle' | 'release'>;
  /** What an account pays now; undefined if the operator has set no price. */
  price(accountId: string): PulsePrice | undefined;
  /** Tells an account that a rate has left its band or returned to it, in the transaction that records the change. */
  announce(tx: Queryable, change: AlertChange): Promise<void>;
  clock: Clock;
  log: Logger;
  /** At least 32 secret bytes that never change: they key the digests that identify sessions and end users. */
  secret: Uint8Array;
  /** How long events are kept, and how old they may be on arrival. Default 30. */
  retentionDays?: number;
  /** How many bytes of properties and error messages an account's events may carry per day (UTC). Default 1 GiB. */
  bytesPerDayMax?: number;
  /** How many changes of its alerts an account is told of in an hour, on each node. Default 300. */
  alertChangesAnHour?: number;
  /** How far back reports can look. Default 800, so that a whole year can be compared with the year before. */
  rollupRetentionDays?: number;
  /** After how long a charge without a settlement counts as left behind. Default 30. */
  leftBehindAfterSeconds?: number;
}

/** Each takes a connection while it reads; the rest of the ten are for everything other than pulse reads. */
const readsAtOnce = { all: 3, each: 1, waitingMax: 16 };
const dayMs = 86_400_000;
const retentionDaysDefault = 30;
const bytesPerDayMaxDefault = 1_073_741_824;
const rollupRetentionDaysDefault = 800;

export function createPulse(deps: PulseDeps): Pulse {
  const { db, ledger, price, clock, log } = deps;
  const retentionMs = (deps.retentionDays ?? retentionDaysDefault) * dayMs;
  const digests = createDigests(new Uint8Array(hkdfSync('sha256', deps.secret, '', 'pulse digests', 32)));
  const { bytesPerDayMax = bytesPerDayMaxDefault } = deps;
  const recorder = createRecorder({ db, clock, log, bytesPerDayMax });
  const age = deps.leftBehindAfterSeconds;
  const settlements = createSettlements({
    db,
    ledger,
    clock,
    log,
    ...(age === undefined ? {} : { leftBehindAfterSeconds: age }),
  });
  const rollupRetentionMs = (deps.rollupRetentionDays ?? rollupRetentionDaysDefault) * dayMs;
  const sweeper = createSweeper({ db, clock, log, retentionMs, rollupRetentionMs });
  const reads = createSharedTurns(readsAtOnce);
  const { alertChangesAnHour: changesAnHour } = deps;
  const alerts = createAlerts({
    ...{ db, clock, log, announce: deps.announce },
    ...(changesAnHour !== undefined && { changesAnHour }),
  });
  const recordDeps = { recorder, digests, ledger, price, settlements, clock, log, retentionMs, bytesPerDayMax };
  return {
    recordEvents: (caller, events, call) => recordEvents(recordDeps, caller, events, call),
    declareProperties: (accountId, names) => declareProperties(db, accountId, names),
    listProperties: (accountId) => listProperties(db, accountId),
    declareJourney: (accountId, declaration) => declareJourney(db, accountId, declaration),
    readDeclaration: (accountId, journey) => readDeclaration(db, accountId, journey),
    readReport: (request) => reads(request.accountId, () => readReport(db, request, clock.now())),
    compareSegments: (request) => reads(request.accountId, () => compareSegments(db, request, clock.now())),
    findDifferences: (request) => reads(request.accountId, () => findDifferences(db, request, clock.now())),
    listJourneys: (accountId, page) => reads(accountId, () => listJourneys(db, accountId, page, clock.now())),
    erasePerson: async (accountId, userId) => {
      await addErasure(db, await ensureAccount(db, accountId), digests.user(accountId, userId));
    },
    setAlert: alerts.set,
    listAlerts: alerts.list,
    removeAlert: alerts.remove,
    checkAlerts: alerts.check,
    sweep: sweeper.sweep,
    recoverCharges: settlements.recover,
    close: async () => {
      await alerts.close();
      await sweeper.close();
      await recorder.idle();
      await settlements.close();
    },
  };
}
