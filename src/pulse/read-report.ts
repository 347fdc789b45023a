import { fail, invalid, type Result, succeed } from '../base/failure.ts';
import { makePage, type Page, type PageRequest, readPageRequest } from '../base/page.ts';
import type { Database, Queryable } from '../db/index.ts';
import { readCells, readErrorSums, readJourneyDays } from './cells-store.ts';
import { getOrMake } from './get-or-make.ts';
import { type JourneyNames, Names, otherCode } from './names.ts';
import { findAccount, readJourneyNames, readJourneys } from './pulse-store.ts';
import { buildReport, PeriodSums } from './report.ts';
import type { Report } from './report-lines.ts';
import { coverWithCells, hourMs, hoursPerDay } from './rollup.ts';

export interface ReportRequest {
  accountId: string;
  journey: string;
  fromMs?: number;
  toMs?: number;
  groupBy?: 'hour' | 'day';
  goal?: string;
}

export interface JourneyReport extends Report {
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
const defaultDays = 7;
const daysMax = 366;
const hourlyDaysMax = 31;

/** One journey's report, from rollups alone: its cost grows with hours and steps, not with events. */
export async function readReport(db: Database, request: ReportRequest, nowMs: number): Promise<Result<JourneyReport>> {
  const period = periodOf(request, nowMs);
  if (!period.ok) return period;
  const { from, to } = period.value;
  return db.snapshot(async (tx): Promise<Result<JourneyReport>> => {
    const found = await findJourney(tx, request.accountId, request.journey);
    if (!found) return fail({ kind: 'not_found', resource: 'journey' });
    const { accountNo, names } = found;
    if (request.goal !== undefined && !names.steps.has(request.goal)) {
      return fail(invalid('goal', 'must be a step of the journey, as its events name it'));
    }
    const at = { tx, accountNo, journeyNo: names.no };
    const series = new Map<number, PeriodSums>();
    const current = await sumPeriod(at, { from, to }, request.groupBy, series);
    const previous = await sumPeriod(at, { from: from - (to - from), to: from });
    const report = buildReport({
      current,
      previous,
      series: [...series].sort(([a], [b]) => a - b).map(([start, sums]) => ({ startMs: start * hourMs, sums })),
      stepName: (step) => names.stepNames.get(step) ?? '',
      codeName: (code) => names.codeNames.get(code) ?? otherCode,
      ...(request.goal === undefined ? {} : { goal: request.goal }),
    });
    return succeed({ ...report, journey: request.journey, fromMs: from * hourMs, toMs: to * hourMs });
  });
}

/** The period in whole hours, in hours since the Unix epoch. */
function periodOf(request: ReportRequest, nowMs: number): Result<{ from: number; to: number }> {
  const toMs = request.toMs ?? nowMs;
  const fromMs = request.fromMs ?? toMs - defaultDays * dayMs;
  if (fromMs >= toMs) return fail(invalid('from', 'must be before `to`'));
  if (toMs - fromMs > daysMax * dayMs) return fail(invalid('from', `must be at most ${daysMax} days before \`to\``));
  if (request.groupBy === 'hour' && toMs - fromMs > hourlyDaysMax * dayMs) {
    return fail(invalid('groupBy', `hour is for periods of at most ${hourlyDaysMax} days; use day`));
  }
  return succeed({ from: Math.floor(fromMs / hourMs), to: Math.ceil(toMs / hourMs) });
}

async function findJourney(
  tx: Queryable,
  accountId: string,
  journey: string,
): Promise<{ accountNo: number; names: JourneyNames } | undefined> {
  const accountNo = await findAccount(tx, accountId);
  if (accountNo === undefined) return undefined;
  const rows = await readJourneyNames(tx, accountNo, journey);
  const names = new Names(rows).journeys.get(journey);
  return names && { accountNo, names };
}

/** Adds up a period, and each hour or day of it into `series`. */
async function sumPeriod(
  at: { tx: Queryable; accountNo: number; journeyNo: number },
  period: { from: number; to: number },
  groupBy?: 'hour' | 'day',
  series?: Map<number, PeriodSums>,
): Promise<PeriodSums> {
  const sums = new PeriodSums();
  const ranges = groupBy === 'hour' ? [{ grain: 'hour' as const, ...period }] : coverWithCells(period.from, period.to);
  for (const range of ranges) {
    for (const { start, step, cell } of await readCells(at.tx, at.accountNo, at.journeyNo, range)) {
      sums.add(step, cell);
      if (!groupBy || !series) continue;
      const bucket = groupBy === 'hour' ? start : Math.floor(start / hoursPerDay) * hoursPerDay;
      getOrMake(series, bucket, () => new PeriodSums()).add(step, cell);
    }
    for (const { step, code, cell } of await readErrorSums(at.tx, at.accountNo, at.journeyNo, range)) {
      sums.addError(step, code, cell);
    }
  }
  return sums;
}

const listName = 'pulse journeys';
const listDays = 30;

/** The account's journeys in the order of their names' bytes. */
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
