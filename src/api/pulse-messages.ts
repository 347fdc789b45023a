import type { MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import type { Caller } from '../base/caller.ts';
import { formatUsd } from '../base/money.ts';
import { present } from '../base/present.ts';
import type { Event } from '../gen/intelligence/pulse/v1/event_pb.ts';
import type { RecordEventsResponseSchema } from '../gen/intelligence/pulse/v1/pulse_service_pb.ts';
import type {
  JourneyReportSchema,
  JourneySchema,
  JourneyTotalsSchema,
  TrendSchema,
} from '../gen/intelligence/pulse/v1/report_pb.ts';
import type { IncomingEvent, JourneyReport, JourneySummary, Recorded, Totals } from '../pulse/index.ts';
import { shownBalance } from './balance.ts';
import { timestamp } from './mapping.ts';

export function incomingEvent({
  id,
  journey,
  step,
  kind,
  sessionId,
  userId,
  occurredAt,
  ...rest
}: Event): IncomingEvent {
  const event: IncomingEvent = { id, journey, step, kind, sessionId, userId, occurredAt };
  if (rest.error) event.error = { code: rest.error.code, message: rest.error.message };
  if (rest.properties) event.properties = rest.properties;
  return event;
}

export function recordedMessage(
  recorded: Recorded,
  caller: Caller,
): MessageInitShape<typeof RecordEventsResponseSchema> {
  const { accepted, duplicates, rejected, cost, charge } = recorded;
  return {
    accepted,
    duplicates,
    rejected,
    costUsd: formatUsd(cost),
    ...(charge ? present({ balanceUsd: shownBalance(caller, charge), chargeId: charge.chargeId }) : {}),
  };
}

export function journeyMessage(summary: JourneySummary): MessageInitShape<typeof JourneySchema> {
  return present({
    journey: summary.journey,
    sessionsLast30Days: BigInt(summary.sessions),
    errorRate: summary.errorRate,
    lastActiveDay: timestamp(summary.lastActiveDayMs),
  });
}

export function reportMessage(report: JourneyReport): MessageInitShape<typeof JourneyReportSchema> {
  return present({
    journey: report.journey,
    from: timestampFromMs(report.fromMs),
    to: timestampFromMs(report.toMs),
    goal: report.goal,
    totals: totalsMessage(report.totals),
    trend: trendMessage(report.totals, report.previous),
    funnel: report.funnel.map(({ reached, ...line }) =>
      present({
        ...line,
        entered: BigInt(line.entered),
        completed: BigInt(line.completed),
        reached: reached === undefined ? undefined : BigInt(reached),
      }),
    ),
    norm: report.norm,
    stalls: report.stalls.map((line) => ({
      ...line,
      sessions: BigInt(line.sessions),
      abandoned: BigInt(line.abandoned),
      leftAfter: BigInt(line.leftAfter),
    })),
    errors: report.errors.map(({ firstSeenMs, lastSeenMs, ...line }) =>
      present({
        ...line,
        occurrences: BigInt(line.occurrences),
        sessions: BigInt(line.sessions),
        recoveredSessions: BigInt(line.recoveredSessions),
        firstSeen: timestamp(firstSeenMs),
        lastSeen: timestamp(lastSeenMs),
      }),
    ),
    series: report.series.map(({ startMs, ...totals }) => ({
      start: timestampFromMs(startMs),
      totals: totalsMessage(totals),
    })),
    nextBestAction: report.nextBestAction,
    segments: report.segments.map(({ value, totals }) => ({ value, totals: totalsMessage(totals) })),
  });
}

export function totalsMessage(totals: Totals): MessageInitShape<typeof JourneyTotalsSchema> {
  return {
    ...totals,
    sessions: BigInt(totals.sessions),
    active: BigInt(totals.active),
    completed: BigInt(totals.completed),
    abandoned: BigInt(totals.abandoned),
    erroredSessions: BigInt(totals.erroredSessions),
  };
}

function trendMessage(now: Totals, before: Totals): MessageInitShape<typeof TrendSchema> {
  return present({
    previous: totalsMessage(before),
    sessionsChange: before.sessions > 0 ? (now.sessions - before.sessions) / before.sessions : undefined,
    conversionChange: difference(now.conversion, before.conversion),
    abandonmentRateChange: difference(now.abandonmentRate, before.abandonmentRate),
    errorRateChange: difference(now.errorRate, before.errorRate),
  });
}

function difference(now: number | undefined, before: number | undefined): number | undefined {
  return now === undefined || before === undefined ? undefined : now - before;
}
