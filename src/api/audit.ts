import type { MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import type { AuditEvents, StoredEvent } from '../audit-events/index.ts';
import { type AuditAction, type AuditEvent, auditActions, isAuditAction } from '../base/audit-event.ts';
import { FailureError, invalid, unwrap } from '../base/failure.ts';
import { newId } from '../base/ids.ts';
import { present } from '../base/present.ts';
import { createWriteTurns } from '../base/write-turns.ts';
import type { Database, Transaction, Transactional } from '../db/index.ts';
import type { EventSchema } from '../gen/intelligence/audit/v1/audit_pb.ts';
import { AuditService } from '../gen/intelligence/audit/v1/audit_service_pb.ts';
import type { Call } from './call.ts';
import { accountOf } from './caller.ts';
import { type ServedService, serve } from './handlers.ts';
import { milliseconds } from './mapping.ts';

/** AuditService: who did what, for operators. */
export function auditService({ auditEvents }: { auditEvents: AuditEvents }): ServedService {
  return serve(AuditService, {
    listEvents: async ({ pageSize, pageToken, ...filter }) => {
      const wanted = present({
        accountId: filter.accountId || undefined,
        actor: filter.actor || undefined,
        action: actionOf(filter.action),
        startMs: milliseconds(filter.startTime),
        endMs: milliseconds(filter.endTime),
      });
      const page = unwrap(await auditEvents.list(wanted, { pageSize, pageToken }));
      return { events: page.items.map(eventMessage), nextPageToken: page.nextPageToken };
    },
  });
}

/** A misspelt action is refused: an empty list would say that nothing of the kind was done. */
function actionOf(text: string): AuditAction | undefined {
  if (text === '' || isAuditAction(text)) return text || undefined;
  throw new FailureError(invalid('action', `must be one of ${auditActions.join(', ')}`));
}

/** Who acts, from where, and in which request. */
export type Doer = Pick<Call, 'caller' | 'requestId' | 'peer'>;

/** What a call did. */
type Deed = Pick<AuditEvent, 'action'> &
  Partial<Pick<AuditEvent, 'target' | 'accountId' | 'reason'>> & {
    /** Undefined values are omitted. Never a secret. */
    details?: Readonly<Record<string, string | undefined>>;
  };

/** A change to something that belongs to the caller's account. */
interface RecordedChange<T> {
  /** The transaction to join; if absent, the change has its own. */
  within?: Transactional | undefined;
  write(tx: Transaction): Promise<T>;
  /**
   * What it does, or a function of the result for what is only known afterwards. If known beforehand, it is written first:
   * notifying other nodes of a change comes last.
   */
  deed: Deed | ((made: T) => Deed);
}

/** Makes a change and records it in one transaction: neither happens without the other. */
export type RecordChange = <T>(by: Doer, change: RecordedChange<T>) => Promise<T>;

export function createRecordChange({ db, auditEvents }: { db: Database; auditEvents: AuditEvents }): RecordChange {
  const turn = createWriteTurns();
  return (by, { within, write, deed }) => {
    const work = (transactional: Transactional) =>
      transactional.transaction(async (tx) => {
        const tell = (done: Deed) => auditEvents.append(tx, eventOf(by, { accountId: accountOf(by.caller), ...done }));
        if (typeof deed !== 'function') await tell(deed);
        const made = await write(tx);
        if (typeof deed === 'function') await tell(deed(made));
        return made;
      });
    // An open transaction has already had its turn.
    return within ? work(within) : turn(() => work(db));
  };
}

/** The audit event for a call's write. */
export function eventOf({ caller, requestId, peer }: Doer, deed: Deed): AuditEvent {
  const { target = '', reason = '', details = {} } = deed;
  return {
    ...{ eventId: newId('aud'), actor: caller.name, action: deed.action, reason, requestId },
    // Anything longer is not an id, and the write finds nothing by it.
    target: Buffer.byteLength(target) > targetBytesMax ? '' : target,
    ...(deed.accountId !== undefined && { accountId: deed.accountId }),
    details: present(details) as Record<string, string>,
    // Longer than any address with its zone.
    address: peer.slice(0, 64),
  };
}

const targetBytesMax = 64;

function eventMessage({ eventId, time, ...event }: StoredEvent): MessageInitShape<typeof EventSchema> {
  return { ...event, eventId, time: timestampFromDate(time) };
}
