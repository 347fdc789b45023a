import type { MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import { present } from '../base/present.ts';
import type { DeclareJourneyRequest } from '../gen/intelligence/pulse/v1/pulse_service_pb.ts';
import type {
  DifferencesSchema,
  JourneyDeclarationSchema,
  PropertySchema,
  SegmentComparisonSchema,
  SegmentShareSchema,
} from '../gen/intelligence/pulse/v1/segment_pb.ts';
import type { Comparison, Declaration, DeclaredProperty, Differences, ShareLine } from '../pulse/index.ts';
import { totalsMessage } from './pulse-messages.ts';

const timeoutSecondsDefault = 1_800;

export function propertyMessage({ name, values }: DeclaredProperty): MessageInitShape<typeof PropertySchema> {
  return { property: name, values };
}

export function declarationOf(request: DeclareJourneyRequest): Declaration {
  return {
    journey: request.journey,
    steps: request.steps.map(({ step, optional }) => ({ step, optional })),
    windowMs: request.conversionWindowSeconds * 1_000,
    timeoutMs: (request.sessionTimeoutSeconds ?? timeoutSecondsDefault) * 1_000,
  };
}

export function declarationMessage(declared: Declaration): MessageInitShape<typeof JourneyDeclarationSchema> {
  return {
    journey: declared.journey,
    steps: declared.steps,
    conversionWindowSeconds: declared.windowMs / 1_000,
    sessionTimeoutSeconds: declared.timeoutMs / 1_000,
  };
}

export function comparisonMessage(comparison: Comparison): MessageInitShape<typeof SegmentComparisonSchema> {
  const { fromMs, toMs, goal, first, second, metrics } = comparison;
  return present({
    ...{ from: timestampFromMs(fromMs), to: timestampFromMs(toMs), goal },
    ...{ first: totalsMessage(first), second: totalsMessage(second) },
    metrics: metrics.map((line) => ({ ...line, first: shareMessage(line.first), second: shareMessage(line.second) })),
  });
}

function shareMessage({ part, whole, ...line }: ShareLine): MessageInitShape<typeof SegmentShareSchema> {
  return { ...line, part: BigInt(part), whole: BigInt(whole) };
}

export function differencesMessage(found: Differences): MessageInitShape<typeof DifferencesSchema> {
  const { fromMs, toMs, loss, sessions, lost, tested, tooSmall, differences } = found;
  return {
    ...{ from: timestampFromMs(fromMs), to: timestampFromMs(toMs), loss },
    ...{ sessions: BigInt(sessions), lost: BigInt(lost), tested, tooSmall },
    differences: differences.map(({ error, ...line }) => ({
      ...line,
      sessions: BigInt(line.sessions),
      lost: BigInt(line.lost),
      ...(error ? { error: { ...error, sessions: BigInt(error.sessions) } } : {}),
    })),
  };
}
