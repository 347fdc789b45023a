import type { AuditEvent } from '../base/audit-event.ts';
import { FailureError, type Result, succeed } from '../base/failure.ts';
import { makePage, narrowedList, type Page, type PageRequest, readPageRequest } from '../base/page.ts';
import type { Database, Transaction } from '../db/index.ts';
import { addEvent, countOfDay, type EventFilter, listEvents, type StoredEvent } from './audit-events-store.ts';

export type { EventFilter, StoredEvent } from './audit-events-store.ts';

/** The record of writes: what operators did, and what accounts changed of who may do what. It only grows. */
export interface AuditEvents {
  /**
   * Writes an event in the transaction of the write that it tells of: there is neither without the other. Throws `rate_limited`
   * when the account itself made so many changes within a day; the operator's are not counted.
   */
  append(tx: Transaction, event: AuditEvent): Promise<void>;
  /** Events, the newest first. */
  list(filter: Readonly<EventFilter>, page: PageRequest): Promise<Result<Page<StoredEvent>>>;
}

/** Of an account in 24 hours: what it makes or changes, and what it takes away. */
export interface DailyMost {
  changes: number;
  endings: number;
}

/** Changes cost nothing, and what is told of them is kept for ever. Whoever used up its changes can still revoke. */
const dailyMostDefault: DailyMost = { changes: 5_000, endings: 20_000 };
/** Each draft was paid, and is decided once. */
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
  /** Those that are written at one moment may pass it by as many as the account has places for requests. */
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
