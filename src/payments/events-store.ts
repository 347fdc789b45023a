import { sql } from 'kysely';
import { type Database, isDuplicateKey } from '../db/index.ts';

export type EventState = 'parked' | 'done' | 'ignored' | 'failed';

export interface StoredEvent {
  provider: string;
  eventId: string;
  fact: string;
  attempts: number;
}

/** The events that providers have sent, and which top-up each payment paid. */
export interface EventStore {
  /** Stores an event, parked until it is settled. Returns what became of the one stored before, if any. */
  add(event: {
    provider: string;
    eventId: string;
    type: string;
    payment: string | undefined;
    fact: string;
    retryMs: number;
  }): Promise<{ state: EventState; attempts: number } | undefined>;
  /** Records what became of an event; a parked one is retried after `retryMs`. A finished one stays finished. */
  note(event: {
    provider: string;
    eventId: string;
    state: EventState;
    problem: string | undefined;
    retryMs: number;
  }): Promise<void>;
  /** Parked events that are due, longest overdue first. */
  due(provider: string, limit: number): Promise<StoredEvent[]>;
  /** Parked events about one payment. */
  parked(provider: string, payment: string, limit: number): Promise<StoredEvent[]>;
  link(provider: string, payment: string, paid: PaidTopUp): Promise<void>;
  findLink(provider: string, payment: string): Promise<PaidTopUp | undefined>;
}

/** What a payment paid. */
export interface PaidTopUp {
  topUpId: string;
  /** The total in hundredths, including tax, which is not credited. Undefined: not recorded. */
  paidCents: number | undefined;
}

interface Tables {
  provider_event: {
    provider: string;
    event_id: string;
    type: string;
    payment: string | null;
    fact: string;
    state: EventState;
    problem: string | null;
    attempts: number;
    created_at_us: bigint;
    next_attempt_at_us: bigint | null;
  };
  provider_payment: { provider: string; payment: string; top_up_id: string; paid_cents: number | null };
}

const nowUs = sql<bigint>`TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6))`;

export function createEventStore(db: Database): EventStore {
  const tables = () => db.for<Tables>();
  const selectEvents = (provider: string) =>
    tables()
      .selectFrom('provider_event')
      .select(['provider', 'event_id as eventId', 'fact', 'attempts'])
      .where('provider', '=', provider)
      .where('state', '=', 'parked');

  return {
    async add({ provider, eventId, type, payment, fact, retryMs }) {
      try {
        await tables()
          .insertInto('provider_event')
          .values({
            provider,
            event_id: eventId,
            type,
            payment: payment ?? null,
            fact,
            state: 'parked',
            problem: null,
            attempts: 0,
            created_at_us: nowUs,
            next_attempt_at_us: sql`${nowUs} + ${retryMs * 1_000}`,
          })
          .execute();
        return undefined;
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
        return await tables()
          .selectFrom('provider_event')
          .select(['state', 'attempts'])
          .where('provider', '=', provider)
          .where('event_id', '=', eventId)
          .executeTakeFirstOrThrow();
      }
    },
    async note({ provider, eventId, state, problem, retryMs }) {
      await tables()
        .updateTable('provider_event')
        .set({
          state,
          problem: problem?.slice(0, 500) ?? null,
          attempts: sql`attempts + 1`,
          next_attempt_at_us: state === 'parked' ? sql`${nowUs} + ${retryMs * 1_000}` : null,
        })
        .where('provider', '=', provider)
        .where('event_id', '=', eventId)
        .where('state', '=', 'parked')
        .execute();
    },
    due: (provider, limit) =>
      selectEvents(provider)
        .where('next_attempt_at_us', '<=', nowUs)
        .orderBy('next_attempt_at_us')
        .limit(limit)
        .execute(),
    parked: (provider, payment, limit) => selectEvents(provider).where('payment', '=', payment).limit(limit).execute(),
    async link(provider, payment, { topUpId, paidCents = null }) {
      // What a payment paid never changes.
      await tables()
        .insertInto('provider_payment')
        .values({ provider, payment, top_up_id: topUpId, paid_cents: paidCents })
        .onDuplicateKeyUpdate({ paid_cents: sql`COALESCE(paid_cents, VALUES(paid_cents))` })
        .execute();
    },
    async findLink(provider, payment) {
      const row = await tables()
        .selectFrom('provider_payment')
        .select(['top_up_id as topUpId', 'paid_cents as paidCents'])
        .where('provider', '=', provider)
        .where('payment', '=', payment)
        .executeTakeFirst();
      return row && { topUpId: row.topUpId, paidCents: row.paidCents === null ? undefined : Number(row.paidCents) };
    },
  };
}
