import { sql } from 'kysely';
import type { Queryable } from '../../db/index.ts';

export interface DefinitionName {
  accountId: string;
  client: string;
  workflow: string;
}

export interface DefinitionRow {
  client: string;
  workflow: string;
  version: number;
  versionId: string;
  /** JSON. */
  content: string;
  createdMs: number;
  retiredMs: number | undefined;
}

interface DefinitionTables {
  workflow_definition: { account_id: string; client: string; workflow: string; version: number; updated_id: string };
  workflow_definition_version: {
    account_id: string;
    client: string;
    workflow: string;
    version: number;
    version_id: string;
    content: string;
    created_at_ms: number | bigint;
    retired_at_ms: number | bigint | null;
  };
}

/** All SQL about clients' own workflows. */
export function createDefinitionsStore(queryable: Queryable) {
  const db = queryable.for<DefinitionTables>();

  const versionsOf = ({ accountId, client, workflow }: DefinitionName) =>
    db
      .selectFrom('workflow_definition_version')
      .selectAll()
      .where('account_id', '=', accountId)
      .where('client', '=', client)
      .where('workflow', '=', workflow);

  return {
    /** The newest version's number, locked until the transaction ends; undefined when there is none yet. */
    async lock({ accountId, client, workflow }: DefinitionName): Promise<number | undefined> {
      const row = await db
        .selectFrom('workflow_definition')
        .select('version')
        .where('account_id', '=', accountId)
        .where('client', '=', client)
        .where('workflow', '=', workflow)
        .forUpdate()
        .executeTakeFirst();
      return row?.version;
    },

    async countWorkflows(accountId: string): Promise<number> {
      const row = await db
        .selectFrom('workflow_definition')
        .select((eb) => eb.fn.countAll().as('count'))
        .where('account_id', '=', accountId)
        .executeTakeFirst();
      return Number(row?.count ?? 0);
    },

    /** Makes a version the newest; `isFirst` when the workflow is new. */
    async insertVersion(
      name: DefinitionName,
      row: Omit<DefinitionRow, 'client' | 'workflow' | 'retiredMs'>,
      isFirst: boolean,
    ): Promise<void> {
      const { accountId, client, workflow } = name;
      const { version, versionId, content, createdMs } = row;
      if (isFirst)
        await db
          .insertInto('workflow_definition')
          .values({ account_id: accountId, client, workflow, version, updated_id: versionId })
          .execute();
      else
        await db
          .updateTable('workflow_definition')
          .set({ version, updated_id: versionId })
          .where('account_id', '=', accountId)
          .where('client', '=', client)
          .where('workflow', '=', workflow)
          .execute();
      await db
        .insertInto('workflow_definition_version')
        .values({
          account_id: accountId,
          client,
          workflow,
          version,
          version_id: versionId,
          content,
          created_at_ms: createdMs,
          retired_at_ms: null,
        })
        .execute();
    },

    /** One version; the newest active one by default, else the newest. */
    async find(name: DefinitionName, version?: number): Promise<DefinitionRow | undefined> {
      const all = versionsOf(name);
      const row =
        version === undefined
          ? await all.orderBy(sql`retired_at_ms IS NOT NULL`).orderBy('version', 'desc').limit(1).executeTakeFirst()
          : await all.where('version', '=', version).executeTakeFirst();
      return row && rowOf(row);
    },

    /** The newest version of each workflow, those changed last first. */
    async list(query: {
      accountId: string;
      client: string;
      after?: string | undefined;
      limit: number;
    }): Promise<DefinitionRow[]> {
      let selected = db
        .selectFrom('workflow_definition as d')
        .innerJoin('workflow_definition_version as v', (join) =>
          join
            .onRef('v.account_id', '=', 'd.account_id')
            .onRef('v.client', '=', 'd.client')
            .onRef('v.workflow', '=', 'd.workflow')
            .onRef('v.version', '=', 'd.version'),
        )
        .selectAll('v')
        .where('d.account_id', '=', query.accountId)
        .orderBy('d.updated_id', 'desc')
        .limit(query.limit);
      if (query.client !== '') selected = selected.where('d.client', '=', query.client);
      if (query.after !== undefined) selected = selected.where('d.updated_id', '<', query.after);
      return (await selected.execute()).map(rowOf);
    },

    /** Retires one version, or all of them; those retired before keep their time. */
    async retire(
      { accountId, client, workflow }: DefinitionName,
      version: number | undefined,
      retiredMs: number,
    ): Promise<void> {
      let update = db
        .updateTable('workflow_definition_version')
        .set({ retired_at_ms: retiredMs })
        .where('account_id', '=', accountId)
        .where('client', '=', client)
        .where('workflow', '=', workflow)
        .where('retired_at_ms', 'is', null);
      if (version !== undefined) update = update.where('version', '=', version);
      await update.execute();
    },
  };
}

function rowOf(row: DefinitionTables['workflow_definition_version']): DefinitionRow {
  return {
    client: row.client,
    workflow: row.workflow,
    version: row.version,
    versionId: row.version_id,
    content: row.content,
    createdMs: Number(row.created_at_ms),
    retiredMs: row.retired_at_ms === null ? undefined : Number(row.retired_at_ms),
  };
}
