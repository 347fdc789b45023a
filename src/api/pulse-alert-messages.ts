import type { MessageInitShape } from '@bufbuild/protobuf';
import { present } from '../base/present.ts';
import type { AlertSchema } from '../gen/intelligence/pulse/v1/alert_pb.ts';
import type { SetAlertRequest } from '../gen/intelligence/pulse/v1/pulse_service_pb.ts';
import type { Alert, WatchedAlert } from '../pulse/index.ts';
import { timestamp } from './mapping.ts';

const windowHoursDefault = 1;
const leastSessionsDefault = 50;

/** The contract's rules allow no third metric here. */
export function metricOf(metric: string): Alert['metric'] {
  return metric === 'error_rate' ? 'error_rate' : 'stall_rate';
}

export function alertOf(request: SetAlertRequest): Alert {
  return present({
    journey: request.journey,
    metric: metricOf(request.metric),
    above: request.above,
    clearBelow: request.clearBelow,
    windowHours: request.windowHours ?? windowHoursDefault,
    leastSessions: request.leastSessions ?? leastSessionsDefault,
  });
}

export function alertMessage({ outside, changedMs, ...alert }: WatchedAlert): MessageInitShape<typeof AlertSchema> {
  return present({ ...alert, state: outside ? 'outside' : 'inside', changeTime: timestamp(changedMs) });
}
