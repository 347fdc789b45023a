import fc from 'fast-check';
import { expect, test } from 'vitest';
import { unwrap } from '../../src/base/failure.ts';
import { newId } from '../../src/base/ids.ts';
import type { IncomingEvent, Pulse } from '../../src/pulse/index.ts';
import { eachServer, useDatabase } from '../support/database.ts';
import { expectSameReport } from './expect-report.ts';
import { type ModelQuestion, modelReport } from './model.ts';
import { callerOf, event, MemoryLedger, noon, startPulse } from './support.ts';

const hour = 3_600_000;
const day = 24 * hour;
const steps = ['photos', 'price', 'terms', 'confirm'];

// Times collide on purpose, and sessions begin near the edges of hours, days and the period.
const happening = fc.record({
  session: fc.integer({ min: 0, max: 5 }),
  step: fc.constantFrom(...steps),
  what: fc.constantFrom('entered', 'entered', 'completed', 'left', 'custom', 'error E1', 'error E2'),
  at: fc.oneof(
    fc.integer({ min: 0, max: 4 }).map((seconds) => noon - 26 * hour + seconds * 1_000),
    fc.integer({ min: 0, max: 100 }).map((tens) => noon - 2 * day + tens * 10_000),
    fc.integer({ min: 0, max: 400 }).map((tens) => noon - day - hour + tens * 20_000),
    fc.integer({ min: 0, max: 12 }).map((quarters) => noon - 12 * hour + quarters * 900_000),
    // About the time-out: some go on, some do not.
    fc.integer({ min: 0, max: 120 }).map((halves) => noon - 60 * 60_000 + halves * 30_000),
  ),
  platform: fc.constantFrom(undefined, 'ios', 'android', 7),
  country: fc.constantFrom(undefined, undefined, 'DE', 'GE'),
});
const journeys = fc.record({
  happenings: fc.array(happening, { minLength: 1, maxLength: 60 }),
  order: fc.array(fc.nat(), { minLength: 60, maxLength: 60 }),
  batchSize: fc.integer({ min: 1, max: 40 }),
  // Batches that come at once are written together, so that fewer sessions are taken up again.
  atOnce: fc.integer({ min: 1, max: 8 }),
  // How long before noon the period begins and ends, in hours.
  from: fc.constantFrom(72, 49, 48, 30, 25),
  to: fc.constantFrom(0, 12, 13, 24),
});

eachServer((server) => {
  const fresh = useDatabase(server);

  test('a report on random journeys, sent in any order, in any batches and partly twice, is that of the slow obvious model', async () => {
    const pulse = startPulse(fresh().database, new MemoryLedger(10n ** 15n));
    await fc.assert(
      fc.asyncProperty(journeys, async ({ happenings, order, batchSize, atOnce, from, to }) => {
        const account = newId('acc');
        const events = happenings.map(toEvent);
        unwrap(await pulse.declareProperties(account, ['platform', 'country']));
        // Every third is sent twice, perhaps in another batch.
        const sent = events
          .flatMap((one, i) => {
            const once = { one, place: order[i] ?? 0 };
            return once.place % 3 === 0 ? [once, { one, place: order[i + 1] ?? 0 }] : [once];
          })
          .sort((a, b) => a.place - b.place)
          .map(({ one }) => one);
        for (let batches: Promise<unknown>[] = [], i = 0; i < sent.length; i += batchSize) {
          batches.push(pulse.recordEvents(callerOf(account), sent.slice(i, i + batchSize)));
          if (batches.length < atOnce && i + batchSize < sent.length) continue;
          await Promise.all(batches);
          batches = [];
        }
        const period = { fromMs: noon - from * hour, toMs: noon - to * hour };
        const report = unwrap(await pulse.readReport({ accountId: account, journey: 'publish', ...period }));
        const asked = { journey: 'publish', now: noon };
        const before = { ...asked, from: 2 * period.fromMs - period.toMs, to: period.fromMs };
        const whole = { ...asked, from: period.fromMs, to: period.toMs };
        expectSameReport(report, modelReport(events, whole), modelReport(events, before));
        await expectSegments(pulse, account, { period, events, whole, before });
        await expectSeries(pulse, account, period, events);
      }),
      { numRuns: Number(process.env.PULSE_MODEL_RUNS ?? 60) },
    );
    await pulse.close();
    // Many reports a run: a bound for a busy machine, not an expectation.
  }, 300_000);

  test('a session stalls, fails and recovers as its report says', async () => {
    const pulse = startPulse(fresh().database, new MemoryLedger());
    const account = newId('acc');
    const start = noon - 5 * hour;
    const visit = (session: number, at: number, step: string, kind: string, code?: string) =>
      event({
        sessionId: `s${session}`,
        step,
        kind,
        at: start + at * 1_000,
        ...(code ? { error: { code, message: 'nothing worked' } } : {}),
      });
    const events = Array.from({ length: 10 }, (_, i) => [
      visit(i, 0, 'photos', 'entered'),
      visit(i, 10, 'photos', 'completed'),
      visit(i, 10, 'payment', 'entered'),
      ...(i < 6 ? [visit(i, 100, 'payment', 'error', 'CARD_DECLINED')] : []),
      ...(i < 2 || i >= 6 ? [visit(i, 310, 'payment', 'completed')] : []),
    ]).flat();
    unwrap(await pulse.recordEvents(callerOf(account), events.reverse()));
    const report = unwrap(
      await pulse.readReport({
        accountId: account,
        journey: 'publish',
        fromMs: noon - day,
        toMs: noon,
        groupBy: 'hour',
      }),
    );
    expect(report.goal).toBe('payment');
    expect(report.totals).toMatchObject({
      sessions: 10,
      completed: 6,
      conversion: 0.6,
      abandoned: 4,
      erroredSessions: 6,
    });
    expect(report.funnel).toEqual([
      { step: 'photos', entered: 10, completed: 10, conversion: 1, fromStart: 1 },
      { step: 'payment', entered: 10, completed: 6, conversion: 0.6, fromPrevious: 1, fromStart: 1 },
    ]);
    expect(report.stalls.map(({ step }) => step)).toEqual(['payment', 'photos']);
    expect(report.stalls[0]).toMatchObject({ abandoned: 4, abandonmentRate: 0.4 });
    expect(report.errors).toEqual([
      {
        step: 'payment',
        code: 'CARD_DECLINED',
        occurrences: 6,
        sessions: 6,
        rate: 0.6,
        recoveredSessions: 2,
        firstSeenMs: start + 100_000,
        lastSeenMs: start + 100_000,
      },
    ]);
    expect(report.series.map(({ startMs, sessions }) => [startMs, sessions])).toEqual([[start, 10]]);
    expect(report.nextBestAction).toBe(
      'Fix error CARD_DECLINED at step "payment": it met 6 sessions (60% of those that entered), and 4 of them did not complete the step afterwards.',
    );
    const other = await pulse.readReport({ accountId: account, journey: 'publish', goal: 'nowhere' });
    expect(other).toMatchObject({ ok: false, failure: { kind: 'invalid_argument', violations: [{ field: 'goal' }] } });
    await pulse.close();
  });

  test('an earlier event that comes last moves its whole session into the earlier hour', async () => {
    const pulse = startPulse(fresh().database, new MemoryLedger());
    const account = newId('acc');
    const report = async (fromMs: number) =>
      unwrap(await pulse.readReport({ accountId: account, journey: 'publish', fromMs, toMs: fromMs + hour }));
    const late = noon - 3 * hour;
    await pulse.recordEvents(callerOf(account), [event({ at: late, step: 'price', kind: 'completed' })]);
    expect((await report(late)).totals.sessions).toBe(1);
    await pulse.recordEvents(callerOf(account), [event({ at: late - hour })]);
    expect((await report(late)).totals.sessions).toBe(0);
    expect((await report(late)).funnel).toEqual([]);
    expect((await report(late - hour)).funnel.map(({ step }) => step)).toEqual(['photos', 'price']);
    await pulse.close();
  });

  test.each([
    ['that ends before it begins', { fromMs: noon, toMs: noon - 1 }, 'from'],
    ['of more than 366 days', { fromMs: noon - 367 * day, toMs: noon }, 'from'],
    ['of more than 31 days by the hour', { fromMs: noon - 32 * day, toMs: noon, groupBy: 'hour' as const }, 'groupBy'],
  ])('a period %s is refused', async (_, period, field) => {
    const pulse = startPulse(fresh().database, new MemoryLedger());
    const answer = await pulse.readReport({ accountId: 'acc_1', journey: 'publish', ...period });
    expect(answer).toMatchObject({ failure: { kind: 'invalid_argument', violations: [{ field }] } });
    await pulse.close();
  });
});

/** Each segment's report is the model's over its sessions alone, and the segments of a property make up the whole. */
async function expectSegments(
  pulse: Pulse,
  account: string,
  {
    period,
    events,
    whole,
    before,
  }: {
    period: { fromMs: number; toMs: number };
    events: readonly IncomingEvent[];
    whole: ModelQuestion;
    before: ModelQuestion;
  },
): Promise<void> {
  for (const [property, values] of [
    ['platform', ['ios', 'android', '7', undefined]],
    ['country', ['DE', 'GE', undefined]],
  ] as const) {
    const request = { accountId: account, journey: 'publish', ...period };
    const { segments, totals } = unwrap(await pulse.readReport({ ...request, breakDownBy: property }));
    expect(segments.reduce((sum, segment) => sum + segment.totals.sessions, 0)).toBe(totals.sessions);
    for (const value of values) {
      const segment: NonNullable<ModelQuestion['segment']> = { property, value };
      const expected = modelReport(events, { ...whole, segment });
      const line = segments.find((one) => one.value === (value ?? '(none)'));
      expect(line?.totals.sessions ?? 0).toBe(expected.sessions);
      expect(line?.totals.abandoned ?? 0).toBe(expected.abandoned);
      expect(line?.totals.erroredSessions ?? 0).toBe(expected.erroredSessions);
      const named = { property, value: value ?? '(none)' };
      const report = await pulse.readReport({ ...request, segment: named });
      // A value that no event has at all is refused.
      if (value !== undefined && !events.some((one) => String(propertiesOf(one)[property]) === value))
        expect(report.ok).toBe(false);
      else {
        expectSameReport(unwrap(report), expected, modelReport(events, { ...before, segment }));
        await expectSeries(pulse, account, period, events, { named, segment });
      }
    }
  }
}

function propertiesOf(event: IncomingEvent): Record<string, unknown> {
  return (event.properties ?? {}) as Record<string, unknown>;
}

function toEvent({
  session,
  step,
  what,
  at,
  platform,
  country,
}: {
  session: number;
  step: string;
  what: string;
  at: number;
  platform: string | number | undefined;
  country: string | undefined;
}): IncomingEvent {
  const [kind = '', code] = what.split(' ');
  const properties = { unheard: at, ...(platform === undefined ? {} : { platform }), ...(country ? { country } : {}) };
  return event({
    sessionId: `s${session}`,
    step,
    kind,
    at,
    properties,
    ...(code ? { error: { code, message: '' } } : {}),
  });
}

async function expectSeries(
  pulse: Pulse,
  account: string,
  period: { fromMs: number; toMs: number },
  events: readonly IncomingEvent[],
  of?: { named: { property: string; value: string }; segment: NonNullable<ModelQuestion['segment']> },
): Promise<void> {
  for (const groupBy of ['hour', 'day'] as const) {
    const length = groupBy === 'hour' ? hour : day;
    const asked = { accountId: account, journey: 'publish', ...period, groupBy, ...(of ? { segment: of.named } : {}) };
    const report = unwrap(await pulse.readReport(asked));
    const points = report.series.filter(({ sessions }) => sessions > 0).map((point) => [point.startMs, point.sessions]);
    const expected: number[][] = [];
    for (let start = Math.floor(period.fromMs / length) * length; start < period.toMs; start += length) {
      const span = { from: Math.max(start, period.fromMs), to: Math.min(start + length, period.toMs) };
      const { sessions } = modelReport(events, {
        ...{ journey: 'publish', ...span },
        ...(of ? { segment: of.segment } : {}),
      });
      if (sessions > 0) expected.push([start, sessions]);
    }
    expect(points).toEqual(expected);
  }
}
