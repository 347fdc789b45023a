import { unwrap } from '../base/failure.ts';
import { present } from '../base/present.ts';
import { PulseService } from '../gen/intelligence/pulse/v1/pulse_service_pb.ts';
import type { Pulse, ReportRequest } from '../pulse/index.ts';
import { setChargeHeaders } from './balance.ts';
import { accountOf } from './caller.ts';
import { type ServedService, serve } from './handlers.ts';
import { requestIdentity } from './idempotency.ts';
import { milliseconds } from './mapping.ts';
import { incomingEvent, journeyMessage, recordedMessage, reportMessage } from './pulse-messages.ts';

/** PulseService: product events in; funnels, stalls and errors out. */
export function pulseService({ pulse, fingerprintKey }: { pulse: Pulse; fingerprintKey: Uint8Array }): ServedService {
  return serve(PulseService, {
    recordEvents: async (request, call) => {
      const idempotency = requestIdentity(fingerprintKey, PulseService.method.recordEvents, request, call);
      const recorded = unwrap(
        await pulse.recordEvents(call.caller, request.events.map(incomingEvent), { idempotency }),
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
    getJourneyReport: async ({ journey, from, to, groupBy, goal }, { caller }) => {
      const request: ReportRequest = present({
        accountId: accountOf(caller),
        journey,
        fromMs: milliseconds(from),
        toMs: milliseconds(to),
        // The contract's rules let nothing else through.
        groupBy: groupBy === 'hour' || groupBy === 'day' ? groupBy : undefined,
        goal: goal === '' ? undefined : goal,
      });
      return { report: reportMessage(unwrap(await pulse.readReport(request))) };
    },
    erasePerson: async ({ userId }, { caller }) => {
      await pulse.erasePerson(accountOf(caller), userId);
      return {};
    },
  });
}
