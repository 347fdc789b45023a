import { inspect } from 'node:util';
import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { isDuplicateKey } from '../../src/db/index.ts';
import { eachServer, useDatabase } from '../support/database.ts';

interface Tables {
  sample: {
    id: string;
    amount: bigint;
    small: number;
    flag: boolean;
    hash: Buffer;
    note: string | null;
    extra: string;
    at: Date;
  };
}

eachServer((server) => {
  const fresh = useDatabase(server);

  beforeAll(async () => {
    const db = fresh().database.for<Tables>();
    await sql`CREATE TABLE sample (id VARBINARY(40) PRIMARY KEY, amount BIGINT NOT NULL, small INT NOT NULL,
      flag TINYINT(1) NOT NULL, hash BINARY(4) NOT NULL, note VARCHAR(100), extra JSON NOT NULL, at DATETIME(6) NOT NULL)
      ENGINE = InnoDB DEFAULT CHARSET = utf8mb4`.execute(db);
  });

  test('values come back exactly as they went in, and ids compare byte by byte', async () => {
    const db = fresh().database.for<Tables>();
    const row = {
      id: 'evt_1AbC',
      amount: -9_223_372_036_854_775_807n,
      small: -7,
      flag: true,
      hash: Buffer.from([0, 255, 39, 92]),
      note: "Grüße 😀 'quoted' \\",
      extra: '{"a": 12345678901234567890}',
      at: new Date('2026-03-29T02:30:00.123Z'),
    };
    await db.insertInto('sample').values(row).execute();
    await db
      .insertInto('sample')
      .values({ ...row, id: 'evt_1aBc', amount: 7n, note: null })
      .execute();
    expect(await db.selectFrom('sample').selectAll().where('id', '=', 'evt_1AbC').execute()).toEqual([row]);
  });

  test('counts and sums are exact integers', async () => {
    const result = await sql<{ count: bigint; sum: bigint; none: bigint | null }>`
      SELECT COUNT(*) AS count, SUM(amount) AS sum, (SELECT SUM(amount) FROM sample WHERE 1 = 0) AS none FROM sample`.execute(
      fresh().database.for<Tables>(),
    );
    expect(result.rows).toEqual([{ count: 2n, sum: -9_223_372_036_854_775_800n, none: null }]);
  });

  test('what the database refuses is an error without the values that were sent', async () => {
    const db = fresh().database.for<Tables>();
    const query = db
      .selectFrom('nothing' as 'sample')
      .selectAll()
      .where('note', '=', 'of a person');
    const error = await query.execute().catch((refused: unknown) => refused);
    expect(error).toBeInstanceOf(Error);
    expect(inspect(error, { depth: 9 })).not.toContain('of a person');
  });

  test('an object as a value never becomes SQL', async () => {
    const db = fresh().database.for<Tables>();
    const forged = { id: 1 } as unknown as string;
    expect(await db.selectFrom('sample').selectAll().where('id', '=', forged).execute()).toEqual([]);
  });

  test('a value that does not fit is refused, not cut', async () => {
    const db = fresh().database.for<Tables>();
    await expect(
      db
        .updateTable('sample')
        .set({ note: 'x'.repeat(101) })
        .execute(),
    ).rejects.toThrow(/too long/);
  });

  test('two transactions that deadlock both succeed, and effects run once, after the commit', async () => {
    const { database } = fresh();
    const effects: string[] = [];
    let attempts = 0;
    let updated = 0;
    const bothBegun = Promise.withResolvers<void>();
    const add = (first: string, second: string) =>
      database.transaction(async (tx) => {
        attempts += 1;
        tx.afterCommit(() => void effects.push(first));
        for (const id of [first, second]) {
          await tx
            .for<Tables>()
            .updateTable('sample')
            .set((eb) => ({ small: eb('small', '+', 1) }))
            .where('id', '=', id)
            .execute();
          // Neither asks for its second row before both have their first.
          if (++updated === 2) bothBegun.resolve();
          await bothBegun.promise;
        }
      });
    await Promise.all([add('evt_1AbC', 'evt_1aBc'), add('evt_1aBc', 'evt_1AbC')]);
    const rows = await database.for<Tables>().selectFrom('sample').select('small').execute();
    expect(rows).toEqual([{ small: -5 }, { small: -5 }]);
    expect(effects.sort()).toEqual(['evt_1AbC', 'evt_1aBc']);
    expect(attempts).toBe(3);
  });

  test('a transaction that throws leaves nothing and runs no effect', async () => {
    const { database } = fresh();
    let ran = false;
    const work = database.transaction(async (tx) => {
      tx.afterCommit(() => {
        ran = true;
      });
      await tx.for<Tables>().deleteFrom('sample').execute();
      throw new Error('no');
    });
    await expect(work).rejects.toThrow('no');
    expect(ran).toBe(false);
    expect(await database.for<Tables>().selectFrom('sample').select('id').execute()).toHaveLength(2);
  });

  test('a snapshot does not see what is committed meanwhile', async () => {
    const { database } = fresh();
    await database.snapshot(async (tx) => {
      const before = await tx.for<Tables>().selectFrom('sample').selectAll().execute();
      await database.for<Tables>().updateTable('sample').set({ small: 100 }).execute();
      expect(await tx.for<Tables>().selectFrom('sample').selectAll().execute()).toEqual(before);
    });
  });

  test('a duplicate key is recognised', async () => {
    const db = fresh().database.for<Tables>();
    const error = await db
      .insertInto('sample')
      .expression(db.selectFrom('sample').selectAll())
      .execute()
      .catch((error: unknown) => error);
    expect(isDuplicateKey(error)).toBe(true);
  });
});
