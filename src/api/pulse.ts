import type { Timestamp } from '@bufbuild/protobuf/wkt';
import type { Caller } from '../base/caller.ts';
import { unwrap } from '../base/failure.ts';
import { present } from '../base/present.ts';
import { PulseService } from '../gen/intelligence/pulse/v1/pulse_service_pb.ts';
import type { ComparisonRequest, DifferencesRequest, Pulse, ReportRequest } from '../pulse/index.ts';
import { setChargeHeaders } from './balance.ts';
import { accountOf } from './caller.ts';
import { type ServedService, serve } from './handlers.ts';
import { requestIdentity } from './idempotency.ts';
import { milliseconds } from './mapping.ts';
import { alertMessage, alertOf, metricOf } from './pulse-alert-messages.ts';
import { incomingEvent, journeyMessage, recordedMessage, reportMessage } from './pulse-messages.ts';
import {
  comparisonMessage,
  declarationMessage,
  declarationOf,
  differencesMessage,
  propertyMessage,
} from './pulse-segment-messages.ts';

/** PulseService: product events in; funnels, stalls and errors out. */
export function pulseService({ pulse, fingerprintKey }: { pulse: Pulse; fingerprintKey: Uint8Array }): ServedService {
  return serve(PulseService, {
    recordEvents: async (request, call) => {
      const idempotency = requestIdentity(fingerprintKey, PulseService.method.recordEvents, request, call);
      const recorded = unwrap(
        await pulse.recordEvents(call.caller, request.events.map(incomingEvent), {
          requestId: call.requestId,
          idempotency,
        }),
      );
      if (recorded.charge) {
        setChargeHeaders(call, { cost: recorded.cost, ...recorded.charge });
      }
      return recordedMessage(recorded, call.caller);
    },
    listJourneys: async (page, { caller }) => {
      const { items, nextPageToken } = unwrap(await pulse.listJourneys(accountOf(caller), page));
      return { journeys: items.map(journeyMessage), nextPageToken };
    },
    getJourneyReport: async ({ groupBy, property, value, breakDownBy, locale, ...asked }, { caller }) => {
      const request: ReportRequest = present({
        ...journeyAsked(asked, caller),
        // The contract's rules allow nothing else here.
        groupBy: groupBy === 'hour' || groupBy === 'day' ? groupBy : undefined,
        segment: property === '' ? undefined : { property, value },
        breakDownBy: breakDownBy || undefined,
        locale: locale || undefined,
      });
      return { report: reportMessage(unwrap(await pulse.readReport(request))) };
    },
    declareProperties: async ({ properties }, { caller }) => {
      const declared = unwrap(await pulse.declareProperties(accountOf(caller), properties));
      return { properties: declared.map(propertyMessage) };
    },
    listProperties: async (_, { caller }) => {
      const declared = await pulse.listProperties(accountOf(caller));
      return { properties: declared.map(propertyMessage) };
    },
    declareJourney: async (request, { caller }) => {
      const declared = unwrap(await pulse.declareJourney(accountOf(caller), declarationOf(request)));
      return { declaration: declarationMessage(declared) };
    },
    getJourneyDeclaration: async ({ journey }, { caller }) => {
      const declared = unwrap(await pulse.readDeclaration(accountOf(caller), journey));
      return { declaration: declarationMessage(declared) };
    },
    compareSegments: async ({ property, first, second, ...asked }, { caller }) => {
      const segments = { property, first, second: second || undefined };
      const request: ComparisonRequest = present({ ...journeyAsked(asked, caller), ...segments });
      return { comparison: comparisonMessage(unwrap(await pulse.compareSegments(request))) };
    },
    findDifferences: async ({ loss, ...asked }, { caller }) => {
      // The contract's rules allow nothing else here.
      const named = (loss || undefined) as DifferencesRequest['loss'] | undefined;
      const request: DifferencesRequest = present({ ...journeyAsked(asked, caller), loss: named });
      return { differences: differencesMessage(unwrap(await pulse.findDifferences(request))) };
    },
    setAlert: async (request, { caller }) => {
      return { alert: alertMessage(unwrap(await pulse.setAlert(accountOf(caller), alertOf(request)))) };
    },
    listAlerts: async (_, { caller }) => {
      return { alerts: (await pulse.listAlerts(accountOf(caller))).map(alertMessage) };
    },
    deleteAlert: async ({ journey, metric }, { caller }) => {
      unwrap(await pulse.removeAlert(accountOf(caller), journey, metricOf(metric)));
      return {};
    },
    erasePerson: async ({ userId }, { caller }) => {
      await pulse.erasePerson(accountOf(caller), userId);
      return {};
    },
  });
}

/** The journey, period and goal that a request is about. */
function journeyAsked(
  {
    journey,
    from,
    to,
    goal,
  }: { journey: string; from?: Timestamp | undefined; to?: Timestamp | undefined; goal: string },
  caller: Caller,
) {
  return present({
    ...{ accountId: accountOf(caller), journey },
    ...{ fromMs: milliseconds(from), toMs: milliseconds(to), goal: goal || undefined },
  });
}
