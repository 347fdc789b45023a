import type { AuditEvent } from '../base/audit-event.ts';
import { type Result, succeed } from '../base/failure.ts';
import { makePage, narrowedList, type Page, type PageRequest, readPageRequest } from '../base/page.ts';
import type { Database, Transaction } from '../db/index.ts';
import { addEvent, type EventFilter, listEvents, type StoredEvent } from './audit-events-store.ts';

export type { EventFilter, StoredEvent } from './audit-events-store.ts';

/** The record of writes: what operators did, and what accounts changed of who may do what. It only grows. */
export interface AuditEvents {
  /** Writes an event in the transaction of the write that it tells of: there is neither without the other. */
  append(tx: Transaction, event: AuditEvent): Promise<void>;
  /** Events, the newest first. */
  list(filter: Readonly<EventFilter>, page: PageRequest): Promise<Result<Page<StoredEvent>>>;
}

export function createAuditEvents({ db }: { db: Database }): AuditEvents {
  return {
    append: addEvent,
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
