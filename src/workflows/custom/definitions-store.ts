import { type Generated, type Selectable, sql } from 'kysely';
import type { Queryable } from '../../db/index.ts';

export interface DefinitionName {
  accountId: string;
  client: string;
  workflow: string;
}

/** A version without its content. */
export interface DefinitionSummary {
  client: string;
  workflow: string;
  version: number;
  versionId: string;
  displayName: string;
  assist: string;
  /** Of the content. */
  bytes: number;
  createdMs: number;
  retiredMs: number | undefined;
}

export interface DefinitionRow extends DefinitionSummary {
  /** JSON. */
  content: string;
}

/** What an account has made so far. */
export interface DefinitionCounts {
  /** Names. */
  workflows: number;
  /** Of one workflow. */
  versions: number;
  /** Of all versions of all workflows. */
  bytes: number;
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
    // Made by the database from `content`.
    bytes: Generated<number>;
    display_name: Generated<string | null>;
    assist: Generated<string | null>;
  };
}

const summaryColumns = [
  ...(['client', 'workflow', 'version', 'version_id', 'created_at_ms', 'retired_at_ms'] as const),
  ...(['bytes', 'display_name', 'assist'] as const),
] as const;

/** All SQL about clients' own workflows. */
export function createDefinitionsStore(queryable: Queryable) {
  const db = queryable.for<DefinitionTables>();

  const versionsOf = ({ accountId, client, workflow }: DefinitionName) =>
    db
      .selectFrom('workflow_definition_version')
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

    /** Counts what the account has; to hold, only while its quota is locked. */
    async count(name: DefinitionName): Promise<DefinitionCounts> {
      const { count } = await db
        .selectFrom('workflow_definition')
        .select((eb) => eb.fn.countAll().as('count'))
        .where('account_id', '=', name.accountId)
        .executeTakeFirstOrThrow();
      const { versions } = await versionsOf(name)
        .select((eb) => eb.fn.countAll().as('versions'))
        .executeTakeFirstOrThrow();
      const { bytes } = await db
        .selectFrom('workflow_definition_version')
        .select((eb) => eb.fn.sum<bigint | null>('bytes').as('bytes'))
        .where('account_id', '=', name.accountId)
        .executeTakeFirstOrThrow();
      return { workflows: Number(count), versions: Number(versions), bytes: Number(bytes ?? 0) };
    },

    /** Makes a version the newest; `isFirst` when the workflow is new. */
    async insertVersion(
      name: DefinitionName,
      row: Pick<DefinitionRow, 'version' | 'versionId' | 'content' | 'createdMs'>,
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
      const all = versionsOf(name).select([...summaryColumns, 'content']);
      const row =
        version === undefined
          ? await all.orderBy(sql`retired_at_ms IS NOT NULL`).orderBy('version', 'desc').limit(1).executeTakeFirst()
          : await all.where('version', '=', version).executeTakeFirst();
      return row && { ...summaryOf(row), content: row.content };
    },

    /** The newest version of each workflow, those changed last first. */
    async list(query: {
      accountId: string;
      client: string;
      after?: string | undefined;
      limit: number;
    }): Promise<DefinitionSummary[]> {
      let selected = db
        .selectFrom('workflow_definition as d')
        .innerJoin('workflow_definition_version as v', (join) =>
          join
            .onRef('v.account_id', '=', 'd.account_id')
            .onRef('v.client', '=', 'd.client')
            .onRef('v.workflow', '=', 'd.workflow')
            .onRef('v.version', '=', 'd.version'),
        )
        .select(summaryColumns.map((column) => `v.${column}` as const))
        .where('d.account_id', '=', query.accountId)
        .orderBy('d.updated_id', 'desc')
        .limit(query.limit);
      if (query.client !== '') selected = selected.where('d.client', '=', query.client);
      if (query.after !== undefined) selected = selected.where('d.updated_id', '<', query.after);
      return (await selected.execute()).map(summaryOf);
    },

    /** The contents of some versions, by the version's id. */
    async contents(accountId: string, rows: readonly DefinitionSummary[]): Promise<Map<string, string>> {
      if (rows.length === 0) return new Map();
      const found = await db
        .selectFrom('workflow_definition_version')
        .select(['version_id', 'content'])
        .where('account_id', '=', accountId)
        .where((eb) => eb.or(rows.map(({ client, workflow, version }) => eb.and({ client, workflow, version }))))
        .execute();
      return new Map(found.map((row) => [row.version_id, row.content]));
    },

    /** All versions, the newest first. */
    async versions(name: DefinitionName): Promise<DefinitionSummary[]> {
      return (await versionsOf(name).select(summaryColumns).orderBy('version', 'desc').execute()).map(summaryOf);
    },

    /** Deletes one version, or the workflow with all of them. */
    async remove({ accountId, client, workflow }: DefinitionName, version: number | undefined): Promise<void> {
      let versions = db
        .deleteFrom('workflow_definition_version')
        .where('account_id', '=', accountId)
        .where('client', '=', client)
        .where('workflow', '=', workflow);
      if (version !== undefined) versions = versions.where('version', '=', version);
      await versions.execute();
      if (version !== undefined) return;
      await db
        .deleteFrom('workflow_definition')
        .where('account_id', '=', accountId)
        .where('client', '=', client)
        .where('workflow', '=', workflow)
        .execute();
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

function summaryOf(
  row: Omit<Selectable<DefinitionTables['workflow_definition_version']>, 'account_id' | 'content'>,
): DefinitionSummary {
  return {
    client: row.client,
    workflow: row.workflow,
    version: row.version,
    versionId: row.version_id,
    displayName: row.display_name ?? '',
    assist: row.assist ?? '',
    bytes: row.bytes,
    createdMs: Number(row.created_at_ms),
    retiredMs: row.retired_at_ms === null ? undefined : Number(row.retired_at_ms),
  };
}
