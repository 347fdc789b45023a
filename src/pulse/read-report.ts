import { fail, invalid, type Result, succeed } from '../base/failure.ts';
import { makePage, type Page, type PageRequest, readPageRequest } from '../base/page.ts';
import type { Database } from '../db/index.ts';
import { readJourneyDays } from './cells-store.ts';
import { otherCode } from './names.ts';
import type { PeriodSums } from './period-sums.ts';
import { findAccount, readJourneys } from './pulse-store.ts';
import {
  allSessions,
  type OpenJourney,
  openJourney,
  type Period,
  periodOf,
  propertyOf,
  type Selection,
  type Series,
  selectionOf,
  sumPeriod,
  sumValues,
} from './read-period.ts';
import { buildReport, goalOfSums, totalsOf } from './report.ts';
import type { Report, SegmentTotals } from './report-lines.ts';
import { hourMs, hoursPerDay } from './rollup.ts';

export interface ReportRequest {
  accountId: string;
  journey: string;
  fromMs?: number;
  toMs?: number;
  groupBy?: 'hour' | 'day';
  goal?: string;
  /** Only the sessions with this value of this property. */
  segment?: SegmentName;
  /** Also the totals of each value of this property. */
  breakDownBy?: string;
  /** The language of the next action; if unset, English. */
  locale?: string;
}

export interface SegmentName {
  property: string;
  value: string;
}

export interface JourneyReport extends Report {
  /** The totals of each value of the requested property, most sessions first. */
  segments: SegmentTotals[];
  journey: string;
  fromMs: number;
  toMs: number;
}

export interface JourneySummary {
  journey: string;
  /** Sessions that began in the last 30 days. */
  sessions: number;
  errorRate?: number;
  lastActiveDayMs?: number;
}

const dayMs = hoursPerDay * hourMs;
const hourlyDaysMax = 31;

/** One journey's report, from rollups alone: its cost grows with hours and steps, not with events. */
export async function readReport(db: Database, request: ReportRequest, nowMs: number): Promise<Result<JourneyReport>> {
  const period = periodOf(request, nowMs);
  if (!period.ok) return period;
  const { from, to } = period.value;
  // A period that begins within an hour spans one hour more.
  if (request.groupBy === 'hour' && to - from > hourlyDaysMax * hoursPerDay + 1)
    return fail(invalid('groupBy', `hour is for periods of at most ${hourlyDaysMax} days; use day`));
  return db.snapshot(async (tx): Promise<Result<JourneyReport>> => {
    const found = await openJourney(tx, request, nowMs);
    if (!found.ok) return found;
    const open = found.value;
    const selection = selectionIn(open, request.segment);
    if (!selection.ok) return selection;
    const series: Series | undefined = request.groupBy && { groupBy: request.groupBy, points: new Map() };
    const current = await sumPeriod(open, period.value, selection.value, series);
    const previous = await sumPeriod(open, { from: from - (to - from), to: from }, selection.value);
    const points = [...(series?.points ?? [])].sort(([a], [b]) => a - b);
    const report = buildReport({
      ...namingOf(open, request.goal),
      current,
      previous,
      series: points.map(([start, sums]) => ({ startMs: start * hourMs, sums })),
      codeName: (code) => open.journey.codeNames.get(code) ?? otherCode,
      ...(request.locale === undefined ? {} : { locale: request.locale }),
    });
    const segments = await breakDown(open, period.value, request, current);
    if (!segments.ok) return segments;
    const span = { fromMs: from * hourMs, toMs: to * hourMs };
    return succeed({ ...report, journey: request.journey, segments: segments.value, ...span });
  });
}

/** What a report needs from a journey's names and declaration. */
export function namingOf({ journey, plan }: OpenJourney, goal?: string) {
  return {
    stepName: (step: number) => journey.stepNames.get(step) ?? '',
    ...(goal === undefined ? {} : { goal }),
    ...(plan === undefined ? {} : { plan }),
  };
}

function selectionIn(open: OpenJourney, segment: SegmentName | undefined): Result<Selection> {
  if (!segment) return succeed(allSessions);
  const property = propertyOf(open, segment.property, 'property');
  return property.ok ? selectionOf(open, property.value, segment.value, 'value') : property;
}

async function breakDown(
  open: OpenJourney,
  period: Period,
  { breakDownBy, segment, goal: asked }: ReportRequest,
  whole: PeriodSums,
): Promise<Result<SegmentTotals[]>> {
  if (breakDownBy === undefined) return succeed([]);
  if (segment) return fail(invalid('breakDownBy', 'is for the report of all sessions; leave out property and value'));
  const property = propertyOf(open, breakDownBy, 'breakDownBy');
  if (!property.ok) return property;
  const goal = goalOfSums({ ...namingOf(open, asked), current: whole });
  const values = await sumValues(open, period, property.value, whole);
  const lines = values.map(({ value, sums }) => ({ value, totals: totalsOf(sums, goal) }));
  return succeed(lines.sort((a, b) => b.totals.sessions - a.totals.sessions || (a.value < b.value ? -1 : 1)));
}

const listName = 'pulse journeys';
const listDays = 30;

/** The account's journeys in byte order of their names. */
export async function listJourneys(
  db: Database,
  accountId: string,
  request: PageRequest,
  nowMs: number,
): Promise<Result<Page<JourneySummary>>> {
  const start = readPageRequest(listName, request);
  if (!start.ok) return start;
  const accountNo = await findAccount(db, accountId);
  if (accountNo === undefined) return succeed({ items: [], nextPageToken: '' });
  const rows = await readJourneys(db, accountNo, start.value.after ?? '', start.value.size + 1);
  const page = makePage(listName, start.value, rows, ({ name }) => name);
  const fromHour = Math.floor((nowMs - listDays * dayMs) / dayMs) * hoursPerDay;
  const numbers = page.items.map(({ no }) => no);
  const days = new Map(
    (await readJourneyDays(db, accountNo, numbers, fromHour)).map((found) => [found.journeyNo, found]),
  );
  const items = page.items.map(({ name, no }): JourneySummary => {
    const found = days.get(no);
    if (!found) return { journey: name, sessions: 0 };
    return {
      journey: name,
      sessions: found.sessions,
      errorRate: found.errored / found.sessions,
      lastActiveDayMs: found.lastStart * hourMs,
    };
  });
  return succeed({ items, nextPageToken: page.nextPageToken });
}
