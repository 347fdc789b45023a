import { type Database, lockQuota, type Queryable, type Transactional } from '../db/index.ts';
import type { ClientApplication } from './types.ts';

interface ClientTables {
  client_application: {
    id: string;
    account_id: string;
    key_id: string;
    display_name: string;
    activation_uri: string | null;
    created_at_ms: number;
    disabled_at_ms: number | null;
  };
}

/** All SQL about client applications. */
export function createClientsStore(database: Database) {
  const db = database.for<ClientTables>();

  /** Finds any account's client, for the OAuth endpoints: a client id is not secret. */
  async function find(clientId: string, on: Queryable = database): Promise<ClientApplication | undefined> {
    const row = await on
      .for<ClientTables>()
      .selectFrom('client_application')
      .selectAll()
      .where('id', '=', clientId)
      .executeTakeFirst();
    return row && clientOf(row);
  }

  return {
    find,

    /** False if the account already has `most` that are not disabled; then nothing is stored. */
    async insert(client: ClientApplication, most: number, within: Transactional = database): Promise<boolean> {
      return within.transaction(async (tx) => {
        await lockQuota(tx, client.accountId, 'clients');
        const trx = tx.for<ClientTables>();
        const { count } = await trx
          .selectFrom('client_application')
          .select((eb) => eb.fn.countAll().as('count'))
          .where('account_id', '=', client.accountId)
          .where('disabled_at_ms', 'is', null)
          .executeTakeFirstOrThrow();
        if (Number(count) >= most) return false;
        await trx
          .insertInto('client_application')
          .values({
            id: client.id,
            account_id: client.accountId,
            key_id: client.keyId,
            display_name: client.displayName,
            activation_uri: client.activationUri ?? null,
            created_at_ms: client.createTime,
            disabled_at_ms: null,
          })
          .execute();
        return true;
      });
    },

    async list(query: Readonly<{ accountId: string; after?: string; limit: number }>): Promise<ClientApplication[]> {
      let select = db
        .selectFrom('client_application')
        .selectAll()
        .where('account_id', '=', query.accountId)
        .orderBy('id', 'desc')
        .limit(query.limit);
      if (query.after !== undefined) select = select.where('id', '<', query.after);
      return (await select.execute()).map(clientOf);
    },

    async disable(
      accountId: string,
      clientId: string,
      { time, within = database }: { time: number; within: Transactional | undefined },
    ): Promise<ClientApplication | undefined> {
      await within
        .for<ClientTables>()
        .updateTable('client_application')
        .set({ disabled_at_ms: time })
        .where('id', '=', clientId)
        .where('account_id', '=', accountId)
        .where('disabled_at_ms', 'is', null)
        .execute();
      const client = await find(clientId, within);
      return client?.accountId === accountId ? client : undefined;
    },
  };
}

export type ClientsStore = ReturnType<typeof createClientsStore>;

function clientOf(row: ClientTables['client_application']): ClientApplication {
  return {
    id: row.id,
    accountId: row.account_id,
    keyId: row.key_id,
    displayName: row.display_name,
    createTime: Number(row.created_at_ms),
    ...(row.activation_uri !== null && { activationUri: row.activation_uri }),
    ...(row.disabled_at_ms !== null && { disableTime: Number(row.disabled_at_ms) }),
  };
}
