import { type Failure, fail, invalid, type Result, succeed } from '../base/failure.ts';
import { nearestName } from '../base/text/nearest.ts';
import { createPace, type Pace } from '../base/turn.ts';
import type { Queryable } from '../db/index.ts';
import { emptyErrorCell } from './cell.ts';
import { readCells, readErrorSums } from './cells-store.ts';
import { getOrMake } from './get-or-make.ts';
import { type LatestCount, minuteMs } from './latest.ts';
import { findLatest, type LatestOf, type MinuteSpan, readLatest } from './latest-store.ts';
import { type JourneyNames, Names, otherValue, otherValueNo } from './names.ts';
import { PeriodSums } from './period-sums.ts';
import { defaultTimeoutMs, type Plan } from './plan.ts';
import { findAccount, readJourneyNames, readJourneys } from './pulse-store.ts';
import { type CellRange, coverWithCells, hourMs, hoursPerDay } from './rollup.ts';
import { addEncoded } from './segment-sums.ts';
import { readSegments } from './segments-store.ts';
import type { Property, Settings } from './settings.ts';
import { readSettings } from './settings-store.ts';

/** Sessions that gave no value for a property, or that came before it was declared. */
export const noValue = '(none)';

/** A part of a journey's sessions: all, those with a given value of a property, or those with none. */
export type Selection = { property: 0 } | { property: number; value: number } | { property: number; value: 'none' };
export const allSessions = { property: 0 } as const;

/** In hours since the Unix epoch, `from` included, `to` not. */
export interface Period {
  from: number;
  to: number;
}

export interface PeriodRequest {
  fromMs?: number;
  toMs?: number;
}

const dayMs = hoursPerDay * hourMs;
const defaultDays = 7;
const daysMax = 366;

/** The period in whole hours. */
export function periodOf(request: PeriodRequest, nowMs: number): Result<Period> {
  const toMs = request.toMs ?? nowMs;
  const fromMs = request.fromMs ?? toMs - defaultDays * dayMs;
  if (fromMs >= toMs) return fail(invalid('from', 'must be before `to`'));
  if (toMs - fromMs > daysMax * dayMs) return fail(invalid('from', `must be at most ${daysMax} days before \`to\``));
  return succeed({ from: Math.floor(fromMs / hourMs), to: Math.ceil(toMs / hourMs) });
}

/** One journey as seen by one transaction: names, declarations, and which sessions are still active. */
export interface OpenJourney {
  tx: Queryable;
  accountNo: number;
  journey: JourneyNames;
  names: Names;
  settings: Settings;
  plan: Plan | undefined;
  /** The minutes in which active sessions had their latest event. */
  latest: readonly MinuteSpan[];
  /** Shared by all reads; measured in stored numbers. */
  pace: Pace;
}

/** About 10 ms of processor time. */
const numbersOfATurn = 50_000;
const numbersOfCell = 10;

export async function openJourney(
  tx: Queryable,
  request: { accountId: string; journey: string; goal?: string },
  nowMs: number,
): Promise<Result<OpenJourney>> {
  const accountNo = await findAccount(tx, request.accountId);
  const names = new Names(accountNo === undefined ? [] : await readJourneyNames(tx, accountNo, request.journey));
  const journey = names.journeys.get(request.journey);
  if (!journey || accountNo === undefined) return fail(await noSuchJourney(tx, accountNo, request.journey));
  if (request.goal !== undefined && !journey.steps.has(request.goal))
    return fail(invalid('goal', 'must be a step of the journey, as its events name it'));
  const settings = await readSettings(tx, accountNo);
  const declared = settings.newestPlan(journey.no);
  const plan = declared && declared.steps.length > 0 ? declared : undefined;
  const fromMinute = Math.floor((nowMs - (declared?.timeoutMs ?? defaultTimeoutMs)) / minuteMs);
  const latest = await findLatest(tx, accountNo, journey.no, fromMinute);
  return succeed({ tx, accountNo, journey, names, settings, plan, latest, pace: createPace(numbersOfATurn) });
}

// Names beyond these are not compared: a mere hint should cost little.
const comparedMax = 200;

async function noSuchJourney(tx: Queryable, accountNo: number | undefined, name: string): Promise<Failure> {
  const known = accountNo === undefined ? [] : await readJourneys(tx, accountNo, '', comparedMax);
  const near = nearestName(
    name,
    known.map((one) => one.name),
  );
  return { kind: 'not_found', resource: 'journey', ...(near !== undefined && { advice: `Perhaps ${near} is meant.` }) };
}

/** A property that is declared, or once was. */
export function propertyOf({ settings }: OpenJourney, name: string, field: string): Result<Property> {
  const property = settings.properties.find((one) => one.name === name);
  if (property) return succeed(property);
  return fail(invalid(field, 'must be a declared property; GET /v1/pulse/properties lists them'));
}

/** The sessions with one value of a property; none for a value that was never seen. */
export function selectionOf(
  { names }: OpenJourney,
  property: Property,
  value: string,
  field: string,
): Result<Selection> {
  if (value === noValue) return succeed({ property: property.no, value: 'none' });
  const no = names.valueNo(property.no, value);
  const isOther = no === otherValueNo && value !== otherValue;
  if (no !== undefined && !isOther) return succeed({ property: property.no, value: no });
  return fail(
    invalid(field, `no session has this value of ${property.name}; GET /v1/pulse/properties lists the values`),
  );
}

/** How a report divides a period into points. */
export interface Series {
  groupBy: 'hour' | 'day';
  points: Map<number, PeriodSums>;
}

/** Sums a period for a selection of its sessions, and each of its hours or days into `series`. */
export async function sumPeriod(
  open: OpenJourney,
  period: Period,
  selection: Selection = allSessions,
  series?: Series,
): Promise<PeriodSums> {
  if (!('value' in selection)) return sumCells(open, period, allSessions, series);
  if (selection.value !== 'none')
    return sumCells(open, period, { property: selection.property, value: selection.value }, series);
  const valued: Series | undefined = series && { groupBy: series.groupBy, points: new Map() };
  const sums = await sumCells(open, period, allSessions, series);
  sums.take(await sumCells(open, period, { property: selection.property }, valued));
  for (const [start, part] of valued?.points ?? []) series?.points.get(start)?.take(part);
  for (const cell of sums.errors.values()) {
    cell.occurrences = 0;
    cell.firstMs = undefined;
    cell.lastMs = undefined;
  }
  return sums;
}

async function sumCells(
  open: OpenJourney,
  period: Period,
  segment: { property: number; value?: number },
  series?: Series,
): Promise<PeriodSums> {
  const { tx, accountNo, journey, pace } = open;
  const of = { accountNo, journeyNo: journey.no };
  const sums = new PeriodSums();
  const hourly = series?.groupBy === 'hour';
  const point = (start: number) => {
    if (!series) return undefined;
    return getOrMake(series.points, hourly ? start : dayOf(start), () => new PeriodSums());
  };
  const ranges: CellRange[] = hourly ? [{ grain: 'hour', ...period }] : coverWithCells(period.from, period.to);
  for (const range of ranges) {
    if (segment.property !== allSessions.property) {
      for await (const { start, sums: part } of readSegments(tx, { ...of, ...segment }, range, {
        withTimes: true,
        pace,
      })) {
        addEncoded(sums, part);
        const at = point(start);
        if (at) addEncoded(at, part);
      }
      continue;
    }
    for await (const { start, step, cell } of readCells(tx, of, range, pace)) {
      sums.add(step, cell);
      point(start)?.add(step, cell);
    }
    for (const { step, code, cell } of await readErrorSums(tx, of, range)) {
      await pace(numbersOfCell);
      sums.addError(step, code, cell);
    }
  }
  await takeLatest(open, { ...segment, ...period }, (count) => {
    sums.addLatest(count);
    point(count.start)?.addLatest(count);
  });
  return sums;
}

function takeLatest(
  { tx, accountNo, journey, latest, pace }: OpenJourney,
  of: Omit<LatestOf, 'accountNo' | 'journeyNo'>,
  take: (count: LatestCount) => void,
): Promise<void> {
  return readLatest(tx, { accountNo, journeyNo: journey.no, ...of }, latest, { pace, take });
}

function dayOf(hour: number): number {
  return Math.floor(hour / hoursPerDay) * hoursPerDay;
}

/** The sums of the sessions with one value. */
export interface ValueSums {
  value: string;
  sums: PeriodSums;
}

/**
 * The sums of every value of a property, keyed by the value's text, with `(none)` for the rest of `whole`; without times.
 * Values without a session in the period are omitted.
 */
export async function sumValues(
  open: OpenJourney,
  period: Period,
  property: Property,
  whole: PeriodSums,
): Promise<ValueSums[]> {
  const { tx, accountNo, journey, names, pace } = open;
  const of = { accountNo, journeyNo: journey.no, property: property.no };
  const values = new Map<number, PeriodSums>();
  const sumsOf = (value: number) => getOrMake(values, value, () => new PeriodSums());
  for (const range of coverWithCells(period.from, period.to)) {
    for await (const { value, sums } of readSegments(tx, of, range, { withTimes: false, pace }))
      addEncoded(sumsOf(value), sums);
  }
  await takeLatest(open, { property: property.no, ...period }, (count) => sumsOf(count.value).addLatest(count));
  const none = await without(whole, values.values(), pace);
  const named = [...values].map(([value, sums]) => ({ value: names.valueName(property.no, value), sums }));
  return [...named, { value: noValue, sums: none }]
    .filter(({ sums }) => (sums.steps.get(0)?.sessions ?? 0) > 0)
    .sort((a, b) => (a.value < b.value ? -1 : 1));
}

/** A whole minus some of its parts; without times. */
export async function without(whole: PeriodSums, parts: Iterable<PeriodSums>, pace: Pace): Promise<PeriodSums> {
  await pace(numbersOf(whole));
  const rest = new PeriodSums();
  for (const [step, cell] of whole.steps) rest.add(step, { ...cell, dwell: new Map() });
  for (const [place, { sessions, recovered }] of whole.errors)
    rest.errors.set(place, { ...emptyErrorCell(), sessions, recovered });
  for (const [step, count] of whole.latest) rest.latest.set(step, { ...count });
  for (const part of parts) {
    await pace(numbersOf(part));
    rest.take(part);
  }
  return rest;
}

/** Roughly the cost of one pass over the sums, in stored numbers. */
export function numbersOf({ steps, errors }: PeriodSums): number {
  return (steps.size + errors.size) * numbersOfCell;
}
