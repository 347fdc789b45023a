import type { IncomingEvent } from '../../src/pulse/index.ts';

/**
 * The slow, obvious report: keeps every event, and for each question looks through all of them. Shares no code with the
 * rollups.
 */
export interface ModelReport {
  sessions: number;
  /** Whose time-out has not passed, wherever they stopped. */
  open: number;
  /** The steps at which such sessions stand after completing them. */
  openAfter: string[];
  abandoned: number;
  erroredSessions: number;
  durations: number[];
  steps: Map<
    string,
    { entered: number; completed: number; abandoned: number; ended: number; dwells: number[]; offsets: number[] }
  >;
  errors: Map<
    string,
    { occurrences: number; sessions: number; recovered: number; first: number | undefined; last: number | undefined }
  >;
}

interface Known {
  step: string;
  kind: string;
  at: number;
  code: string | undefined;
  properties: Record<string, unknown>;
}

export interface ModelQuestion {
  journey: string;
  from: number;
  to: number;
  /** When the question is asked; unset: so late that nothing goes on. */
  now?: number;
  /** Only sessions with this value; undefined is a value as well. */
  segment?: { property: string; value: string | undefined };
}

export function modelReport(
  events: readonly IncomingEvent[],
  { journey, from, to, now = Number.POSITIVE_INFINITY, segment }: ModelQuestion,
): ModelReport {
  const report: ModelReport = {
    sessions: 0,
    open: 0,
    openAfter: [],
    abandoned: 0,
    erroredSessions: 0,
    durations: [],
    steps: new Map(),
    errors: new Map(),
  };
  const sessions = new Map<string, Known[]>();
  for (const event of events.filter((one) => one.journey === journey)) {
    const known = {
      step: event.step,
      kind: event.kind,
      at: Date.parse(event.occurredAt),
      code: event.error?.code,
      properties: (event.properties ?? {}) as Record<string, unknown>,
    };
    sessions.set(event.sessionId, [...(sessions.get(event.sessionId) ?? []), known]);
    if (segment || known.code === undefined || known.at < from || known.at >= to) continue;
    const line = errorLine(report, known.step, known.code);
    line.occurrences++;
    line.first = Math.min(line.first ?? known.at, known.at);
    line.last = Math.max(line.last ?? known.at, known.at);
  }
  for (const known of sessions.values()) {
    const start = Math.min(...known.map(({ at }) => at));
    if (start < from || start >= to) continue;
    if (!segment || sessionValue(known, segment.property) === segment.value) addSession(report, known, start, now);
  }
  return report;
}

/** The value of the earliest event with one; of several at that moment, the first by the alphabet. */
function sessionValue(events: Known[], property: string): string | undefined {
  const valued = events.filter((one) => one.properties[property] !== undefined);
  const first = Math.min(...valued.map(({ at }) => at));
  return valued
    .filter(({ at }) => at === first)
    .map((one) => String(one.properties[property]))
    .sort()[0];
}

function addSession(report: ModelReport, events: Known[], start: number, now: number): void {
  const end = Math.max(...events.map(({ at }) => at));
  const lastStep = events
    .filter(({ at }) => at === end)
    .map(({ step }) => step)
    .sort()
    .at(-1);
  const goesOn = Math.floor(end / 60_000) >= Math.floor((now - 30 * 60_000) / 60_000);
  report.sessions++;
  if (goesOn) report.open++;
  report.durations.push(end - start);
  if (events.some(({ code }) => code !== undefined)) report.erroredSessions++;
  for (const step of new Set(events.map((one) => one.step))) {
    const own = events.filter((one) => one.step === step);
    const line = stepLine(report, step);
    const completions = own.filter(({ kind }) => kind === 'completed').map(({ at }) => at);
    line.entered++;
    if (goesOn && step === lastStep && completions.length > 0) report.openAfter.push(step);
    if (completions.length > 0) line.completed++;
    if (step === lastStep && completions.length > 0 && !goesOn) line.ended++;
    if (step === lastStep && completions.length === 0 && !goesOn) {
      line.abandoned++;
      report.abandoned++;
    }
    line.offsets.push(Math.min(...own.map(({ at }) => at)) - start);
    const dwell = dwellOf(events, own, step);
    if (dwell !== undefined) line.dwells.push(dwell);
    for (const code of new Set(own.flatMap((one) => (one.code === undefined ? [] : [one.code])))) {
      const error = errorLine(report, step, code);
      const lastError = Math.max(...own.filter((one) => one.code === code).map(({ at }) => at));
      error.sessions++;
      if (completions.some((at) => at >= lastError)) error.recovered++;
    }
  }
}

function dwellOf(events: Known[], own: Known[], step: string): number | undefined {
  const times = (kind: string) => own.filter((one) => one.kind === kind).map(({ at }) => at);
  const entered = times('entered');
  const start = Math.min(...(entered.length > 0 ? entered : own.map(({ at }) => at)));
  const completed = times('completed');
  if (completed.length > 0) return Math.max(0, Math.min(...completed) - start);
  const left = times('left');
  if (left.length > 0) return Math.max(0, Math.max(...left) - start);
  const firsts = [...new Set(events.map((one) => one.step))]
    .filter((other) => other !== step)
    .map((other) => Math.min(...events.filter((one) => one.step === other).map(({ at }) => at)))
    .filter((at) => at > start);
  const end = firsts.length > 0 ? Math.min(...firsts) : Math.max(...own.map(({ at }) => at));
  return end > start ? end - start : undefined;
}

function stepLine(report: ModelReport, step: string) {
  let line = report.steps.get(step);
  if (!line) {
    line = { entered: 0, completed: 0, abandoned: 0, ended: 0, dwells: [], offsets: [] };
    report.steps.set(step, line);
  }
  return line;
}

function errorLine(report: ModelReport, step: string, code: string) {
  const key = `${step} ${code}`;
  let line = report.errors.get(key);
  if (!line) {
    line = { occurrences: 0, sessions: 0, recovered: 0, first: undefined, last: undefined };
    report.errors.set(key, line);
  }
  return line;
}

/** By nearest rank. */
export function exactQuantile(values: readonly number[], quantile: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(1, Math.ceil(quantile * sorted.length)) - 1] ?? Number.NaN;
}
