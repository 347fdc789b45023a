import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { pruneInBatches } from '../../src/db/index.ts';
import { eachServer, useDatabase } from '../support/database.ts';

eachServer((server) => {
  const fresh = useDatabase(server);

  test.each([
    [0, 1],
    [9, 1],
    [10, 2],
    [25, 3],
  ])('%d rows are all deleted, ten to a statement', async (rows, statements) => {
    const db = fresh().database.for<{ old: { id: number } }>();
    await sql`CREATE TABLE old (id INT PRIMARY KEY)`.execute(db);
    if (rows > 0)
      await db
        .insertInto('old')
        .values(Array.from({ length: rows }, (_, id) => ({ id })))
        .execute();
    const limits: number[] = [];
    await pruneInBatches((limit) => {
      limits.push(limit);
      return sql`DELETE FROM old ORDER BY id LIMIT ${sql.lit(limit)}`.execute(db);
    }, 10);
    expect(limits).toEqual(Array(statements).fill(10));
    expect(await db.selectFrom('old').selectAll().execute()).toEqual([]);
    await sql`DROP TABLE old`.execute(db);
  });
});

test('what never ends is left for the next round', async () => {
  let statements = 0;
  await pruneInBatches(async (limit) => {
    statements += 1;
    return { numAffectedRows: BigInt(limit) };
  });
  expect(statements).toBe(200);
});
