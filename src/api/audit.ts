import type { MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import type { AuditEvents, StoredEvent } from '../audit-events/index.ts';
import type { AuditEvent } from '../base/audit-event.ts';
import { unwrap } from '../base/failure.ts';
import { newId } from '../base/ids.ts';
import { present } from '../base/present.ts';
import type { EventSchema } from '../gen/intelligence/audit/v1/audit_pb.ts';
import { AuditService } from '../gen/intelligence/audit/v1/audit_service_pb.ts';
import type { Call } from './call.ts';
import { type ServedService, serve } from './handlers.ts';
import { milliseconds } from './mapping.ts';

/** AuditService: who did what, for operators. */
export function auditService({ auditEvents }: { auditEvents: AuditEvents }): ServedService {
  return serve(AuditService, {
    listEvents: async ({ pageSize, pageToken, ...filter }) => {
      const wanted = present({
        accountId: filter.accountId || undefined,
        actor: filter.actor || undefined,
        action: filter.action || undefined,
        startMs: milliseconds(filter.startTime),
        endMs: milliseconds(filter.endTime),
      });
      const page = unwrap(await auditEvents.list(wanted, { pageSize, pageToken }));
      return { events: page.items.map(eventMessage), nextPageToken: page.nextPageToken };
    },
  });
}

/** What was done, of a call. */
type Deed = Pick<AuditEvent, 'action'> &
  Partial<Pick<AuditEvent, 'target' | 'accountId' | 'reason'>> & {
    /** What is undefined is left out. Never a secret. */
    details?: Readonly<Record<string, string | undefined>>;
  };

/** The event that tells of a call's write. */
export function eventOf({ caller, requestId, peer }: Call, deed: Deed): AuditEvent {
  const { target = '', reason = '', details = {} } = deed;
  return {
    ...{ eventId: newId('aud'), actor: caller.name, action: deed.action, target, reason, requestId },
    ...(deed.accountId !== undefined && { accountId: deed.accountId }),
    details: present(details) as Record<string, string>,
    // Longer than any address with its zone.
    address: peer.slice(0, 64),
  };
}

function eventMessage({ eventId, time, ...event }: StoredEvent): MessageInitShape<typeof EventSchema> {
  return { ...event, eventId, time: timestampFromDate(time) };
}
