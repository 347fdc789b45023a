import fc from 'fast-check';
import { expect, test } from 'vitest';
import { contributionOf } from '../../src/pulse/contribution.ts';
import type { IncomingEvent } from '../../src/pulse/index.ts';
import { PeriodSums } from '../../src/pulse/period-sums.ts';
import { buildReport } from '../../src/pulse/report.ts';
import { coverWithCells, hourMs, RollupChanges } from '../../src/pulse/rollup.ts';
import {
  applyEvent,
  codesPerStepMax,
  decodeSession,
  emptySession,
  encodeSession,
  type SessionState,
} from '../../src/pulse/session.ts';
import { expectSameReport } from './expect-report.ts';
import { modelReport } from './model.ts';
import { event, noon } from './support.ts';

const names = ['', 'b', 'a', 'c'];
const codes = ['', 'E1', 'E2'];
const kindNames = ['entered', 'completed', 'left', 'error', 'custom'] as const;

// So few sessions, steps and moments that nearly everything happens at the same time as something else.
const happening = fc.record({
  session: fc.integer({ min: 0, max: 1 }),
  step: fc.integer({ min: 1, max: 3 }),
  kind: fc.constantFrom(...kindNames),
  code: fc.integer({ min: 1, max: 2 }),
  second: fc.integer({ min: 0, max: 5 }),
});

test('rollups that sessions take back and add again are those of the slow obvious model, with all moments colliding', () => {
  fc.assert(
    fc.property(fc.array(happening, { minLength: 1, maxLength: 14 }), (happenings) => {
      const sums = new PeriodSums();
      const sessions = new Map<number, SessionState>();
      const events: IncomingEvent[] = [];
      for (const one of happenings) {
        const at = noon + one.second * 1_000;
        const code = one.kind === 'error' ? one.code : undefined;
        const changes = new RollupChanges();
        const session = sessions.get(one.session) ?? emptySession();
        const before = session.steps.size > 0 ? contributionOf(session, nameOf) : undefined;
        applyEvent(session, {
          step: one.step,
          kind: one.kind,
          occurredMs: at,
          ...(code === undefined ? {} : { errorCode: code }),
        });
        if (code !== undefined) changes.addError(1, one.step, code, at);
        changes.replaceSession(1, before, contributionOf(session, nameOf));
        sessions.set(one.session, decodeSession(encodeSession(session)));
        for (const { key, cell } of changes.stored().cells) if (key.grain === 'hour') sums.add(key.step, cell);
        for (const { key, cell } of changes.stored().errors)
          if (key.grain === 'day') sums.addError(key.step, key.code, cell);
        events.push(
          event({
            sessionId: `s${one.session}`,
            step: nameOf(one.step),
            kind: one.kind,
            at,
            ...(code === undefined ? {} : { error: { code: codes[code] ?? '', message: '' } }),
          }),
        );
      }
      const report = buildReport({
        current: sums,
        previous: new PeriodSums(),
        series: [],
        stepName: nameOf,
        codeName: (code) => codes[code] ?? '',
      });
      expectSameReport(report, modelReport(events, { journey: 'publish', from: noon, to: noon + hourMs }));
    }),
    { numRuns: 3_000 },
  );
});

test('an event taken in twice changes nothing', () => {
  fc.assert(
    fc.property(fc.array(happening, { minLength: 1, maxLength: 14 }), fc.nat(), (happenings, again) => {
      const once = emptySession();
      const taken = happenings.map(({ step, kind, second }) => ({ step, kind, occurredMs: second }));
      for (const one of taken) applyEvent(once, one);
      const before = encodeSession(once);
      const repeated = taken[again % taken.length];
      if (repeated) applyEvent(once, repeated);
      expect(encodeSession(once)).toBe(before);
    }),
  );
});

test('a session with more codes than are remembered keeps the same ones in whatever order they come', () => {
  const codes = Array.from({ length: 60 }, (_, i) => i);
  fc.assert(
    fc.property(fc.shuffledSubarray(codes, { minLength: 60 }), (order) => {
      const session = emptySession();
      for (const errorCode of order) applyEvent(session, { step: 1, kind: 'error', occurredMs: errorCode, errorCode });
      expect([...(session.steps.get(1)?.errors.keys() ?? [])].sort((a, b) => a - b)).toEqual(
        codes.slice(0, codesPerStepMax),
      );
    }),
    { numRuns: 200 },
  );
});

test('every hour of a period is covered by exactly one cell, and no other hour is', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 2_000 }), fc.integer({ min: 0, max: 200 }), (from, length) => {
      const covered = coverWithCells(from, from + length).flatMap((range) =>
        Array.from({ length: range.to - range.from }, (_, i) => range.from + i),
      );
      expect(covered).toEqual(Array.from({ length }, (_, i) => from + i));
      for (const range of coverWithCells(from, from + length)) {
        if (range.grain === 'day') expect([range.from % 24, range.to % 24]).toEqual([0, 0]);
      }
    }),
  );
});

function nameOf(step: number): string {
  return names[step] ?? '';
}
