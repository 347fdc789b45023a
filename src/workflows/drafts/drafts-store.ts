import { type Generated, sql } from 'kysely';
import type { Queryable } from '../../db/index.ts';

/** One stored version of a draft. */
export interface DraftRow {
  version: number;
  state: DraftState;
  /** JSON. */
  content: string;
  review: { reviewer: string; note: string; overrideReason: string; timeMs: number } | undefined;
  createdMs: number;
}

/** The newest version of a draft, without its content. */
export interface DraftSummaryRow {
  draftId: string;
  version: number;
  title: string;
  kind: string;
  locale: string;
  state: DraftState;
  /** Empty for versions from before this was stored. */
  riskLevel: string;
  openPlaceholders: number;
  createdMs: number;
}

export type DraftState = 'pending_review' | 'approved' | 'rejected';

interface DraftTables {
  workflow_draft: {
    account_id: string;
    draft_id: string;
    subject: string;
    version: number;
    charge_id: string | null;
    created_at_ms: number | bigint;
  };
  workflow_draft_version: {
    account_id: string;
    draft_id: string;
    version: number;
    state: number;
    content: string;
    inspection: string | null;
    reviewer: string | null;
    note: string | null;
    override_reason: string | null;
    reviewed_at_ms: number | bigint | null;
    created_at_ms: number | bigint;
    // Made by the database from `content`.
    title: Generated<string | null>;
    kind: Generated<string | null>;
    locale: Generated<string | null>;
    risk_level: Generated<string | null>;
    open_placeholders: Generated<number | null>;
  };
}

const states: readonly DraftState[] = ['pending_review', 'approved', 'rejected'];

const summaryColumns = [
  ...(['draft_id', 'version', 'state', 'created_at_ms'] as const),
  ...(['title', 'kind', 'locale', 'risk_level', 'open_placeholders'] as const),
] as const;

function stateOf(state: number): DraftState {
  return states[state - 1] ?? 'pending_review';
}

/** A draft exists once its charge is settled; older drafts without a stored charge were paid for. */
const isPaid = sql<boolean>`(d.charge_id IS NULL OR EXISTS (SELECT 1 FROM charge c JOIN wallet w ON w.id = c.wallet_id
  WHERE w.account_id = d.account_id AND w.kind = 'api' AND c.id = d.charge_id AND c.state = 'settled'))`;

/** All SQL about drafts. What is not paid for is found by none of it. */
export function createDraftsStore(queryable: Queryable) {
  const db = queryable.for<DraftTables>();
  return {
    async insert(draft: {
      accountId: string;
      draftId: string;
      subject: string;
      chargeId: string;
      createdMs: number;
    }): Promise<void> {
      const { accountId: account_id, draftId: draft_id, chargeId: charge_id, subject, createdMs } = draft;
      await db
        .insertInto('workflow_draft')
        .values({ account_id, draft_id, subject, version: 1, charge_id, created_at_ms: createdMs })
        .execute();
    },

    /** The newest version's number, and whose the draft is; locked until the transaction ends. */
    async lock(accountId: string, draftId: string): Promise<{ version: number; subject: string } | undefined> {
      return db
        .selectFrom('workflow_draft as d')
        .select(['d.version', 'd.subject'])
        .where('d.account_id', '=', accountId)
        .where('d.draft_id', '=', draftId)
        .where(isPaid)
        .forUpdate()
        .executeTakeFirst();
    },

    async find(accountId: string, draftId: string): Promise<{ version: number; subject: string } | undefined> {
      return db
        .selectFrom('workflow_draft as d')
        .select(['d.version', 'd.subject'])
        .where('d.account_id', '=', accountId)
        .where('d.draft_id', '=', draftId)
        .where(isPaid)
        .executeTakeFirst();
    },

    async setNewest(accountId: string, draftId: string, version: number): Promise<void> {
      await db
        .updateTable('workflow_draft')
        .set({ version })
        .where('account_id', '=', accountId)
        .where('draft_id', '=', draftId)
        .execute();
    },

    async insertVersion(row: {
      accountId: string;
      draftId: string;
      version: number;
      content: string;
      /** What was found in its text, as JSON. */
      inspection: string;
      createdMs: number;
    }): Promise<void> {
      const { accountId: account_id, draftId: draft_id, version, content, inspection, createdMs: created_at_ms } = row;
      await db
        .insertInto('workflow_draft_version')
        .values({ account_id, draft_id, version, state: 1, content, inspection, created_at_ms })
        .execute();
    },

    async review(row: {
      accountId: string;
      draftId: string;
      version: number;
      state: DraftState;
      reviewer: string;
      note: string;
      /** Null: nothing was overridden. */
      overrideReason: string | null;
      reviewedMs: number;
    }): Promise<void> {
      await db
        .updateTable('workflow_draft_version')
        .set({
          state: states.indexOf(row.state) + 1,
          reviewer: row.reviewer,
          note: row.note,
          override_reason: row.overrideReason,
          reviewed_at_ms: row.reviewedMs,
        })
        .where('account_id', '=', row.accountId)
        .where('draft_id', '=', row.draftId)
        .where('version', '=', row.version)
        .execute();
    },

    /** All versions, newest first. At most `versionsMax` are ever made. */
    async versions(accountId: string, draftId: string): Promise<Omit<DraftRow, 'content'>[]> {
      const rows = await db
        .selectFrom('workflow_draft_version')
        .select(['version', 'state', 'reviewer', 'note', 'override_reason', 'reviewed_at_ms', 'created_at_ms'])
        .where('account_id', '=', accountId)
        .where('draft_id', '=', draftId)
        .orderBy('version', 'desc')
        .execute();
      return rows.map((row) => rowOf(row));
    },

    /** The newest version of each draft, the draft made last first; ids sort by the time they were made. */
    async list(query: {
      accountId: string;
      state: DraftState | undefined;
      after: string | undefined;
      limit: number;
    }): Promise<DraftSummaryRow[]> {
      let selected = db
        .selectFrom('workflow_draft as d')
        .innerJoin('workflow_draft_version as v', (join) =>
          join
            .onRef('v.account_id', '=', 'd.account_id')
            .onRef('v.draft_id', '=', 'd.draft_id')
            .onRef('v.version', '=', 'd.version'),
        )
        .select(summaryColumns.map((column) => `v.${column}` as const))
        // By the version, so that its key finds what is in a state without a look at the rest.
        .where('v.account_id', '=', query.accountId)
        .where(isPaid)
        .orderBy('v.draft_id', 'desc')
        .limit(query.limit);
      if (query.state !== undefined) selected = selected.where('v.state', '=', states.indexOf(query.state) + 1);
      if (query.after !== undefined) selected = selected.where('v.draft_id', '<', query.after);
      return (await selected.execute()).map((row) => ({
        draftId: row.draft_id,
        version: row.version,
        title: row.title ?? '',
        kind: row.kind ?? '',
        locale: row.locale ?? '',
        state: stateOf(row.state),
        riskLevel: row.risk_level ?? '',
        openPlaceholders: row.open_placeholders ?? 0,
        createdMs: Number(row.created_at_ms),
      }));
    },

    /** What all versions of a draft take. */
    async bytes(accountId: string, draftId: string): Promise<number> {
      const { bytes } = await db
        .selectFrom('workflow_draft_version')
        .select(sql<bigint | null>`SUM(LENGTH(content))`.as('bytes'))
        .where('account_id', '=', accountId)
        .where('draft_id', '=', draftId)
        .executeTakeFirstOrThrow();
      return Number(bytes ?? 0);
    },

    /** The inspection is null for versions from before it was stored. */
    async content(
      accountId: string,
      draftId: string,
      version: number,
    ): Promise<{ content: string; inspection: string | null } | undefined> {
      return db
        .selectFrom('workflow_draft_version')
        .select(['content', 'inspection'])
        .where('account_id', '=', accountId)
        .where('draft_id', '=', draftId)
        .where('version', '=', version)
        .executeTakeFirst();
    },
  };
}

function rowOf(row: {
  version: number;
  state: number;
  reviewer: string | null;
  note: string | null;
  override_reason: string | null;
  reviewed_at_ms: number | bigint | null;
  created_at_ms: number | bigint;
}): Omit<DraftRow, 'content'> {
  const { version, reviewer, note, override_reason, reviewed_at_ms, created_at_ms } = row;
  const review = {
    ...{ note: note ?? '', overrideReason: override_reason ?? '' },
    timeMs: Number(reviewed_at_ms ?? 0),
  };
  return {
    version,
    state: stateOf(row.state),
    review: reviewer === null ? undefined : { reviewer, ...review },
    createdMs: Number(created_at_ms),
  };
}
