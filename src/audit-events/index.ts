import type { AuditEvent } from '../base/audit-event.ts';
import { FailureError, type Result, succeed } from '../base/failure.ts';
import { makePage, narrowedList, type Page, type PageRequest, readPageRequest } from '../base/page.ts';
import type { Database, Transaction } from '../db/index.ts';
import { addEvent, countOfDay, type EventFilter, listEvents, type StoredEvent } from './audit-events-store.ts';

export type { EventFilter, StoredEvent } from './audit-events-store.ts';

/** The audit log: what operators did, and how accounts changed who may do what. Append-only. */
export interface AuditEvents {
  /**
   * Writes an event in the transaction of the write it describes, so neither exists without the other. Throws `rate_limited` if
   * the account itself has made too many changes within a day; the operator's are not counted.
   */
  append(tx: Transaction, event: AuditEvent): Promise<void>;
  /** Lists events, newest first. */
  list(filter: Readonly<EventFilter>, page: PageRequest): Promise<Result<Page<StoredEvent>>>;
}

/** Limits on the recorded events of an account in 24 hours. Both count all of them. */
export interface DailyMost {
  /** Beyond this nothing is created or changed. */
  changes: number;
  /** Beyond this nothing is revoked or deleted either. */
  endings: number;
}

/** Changes are free, and their events are kept forever. An account that has used up its changes can still revoke. */
const dailyMostDefault: DailyMost = { changes: 5_000, endings: 20_000 };
/** Not counted: each draft was paid for, and is decided once. */
const paidFor = 'draft.';
const ending = /\.(revoke|delete|deny|disable)$/;
const retryAfterMs = 3_600_000;

export function createAuditEvents({
  db,
  dailyMost = dailyMostDefault,
}: {
  db: Database;
  dailyMost?: DailyMost;
}): AuditEvents {
  /** Concurrent writes may exceed the limit by as many as the account's concurrent requests. */
  async function checkQuota(tx: Transaction, { accountId, actor, action }: AuditEvent): Promise<void> {
    if (accountId === undefined || actor.startsWith('operator:') || action.startsWith(paidFor)) return;
    const most = ending.test(action) ? dailyMost.endings : dailyMost.changes;
    if ((await countOfDay(tx, { accountId, but: paidFor, most })) < most) return;
    const limit = `${most} recorded changes of the account in 24 hours`;
    throw new FailureError({ kind: 'rate_limited', limit, retryAfterMs });
  }

  return {
    async append(tx, event) {
      await checkQuota(tx, event);
      await addEvent(tx, event);
    },
    async list(filter, page) {
      const { accountId, actor, action, startMs, endMs } = filter;
      const list = narrowedList('audit-events', [accountId, actor, action, startMs, endMs]);
      const start = readPageRequest(list, page);
      if (!start.ok) return start;
      const { after, size } = start.value;
      const rows = await listEvents(db, filter, { before: after, limit: size + 1 });
      return succeed(makePage(list, start.value, rows, ({ eventId }) => eventId));
    },
  };
}
