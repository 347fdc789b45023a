import { sql } from 'kysely';
import { type Database, isDuplicateKey } from '../db/index.ts';
import type { PriceStore, PriceVersion } from './price-book.ts';

interface Tables {
  price: PriceRow;
  price_book_version: { version: number; imported_at: Date };
}

interface PriceRow {
  item: string;
  account_id: string;
  version: number;
  effective_at: Date;
  input_per_million: bigint | null;
  cached_input_per_million: bigint | null;
  output_per_million: bigint | null;
  per_request: bigint | null;
  per_thousand_events: bigint | null;
  imported_at: Date;
}

const rowsPerInsert = 200;

/** The price book in the database, which all nodes share. */
export function createPriceStore(db: Database): PriceStore {
  return {
    async read() {
      return db.snapshot(async (tx) => {
        const rows = await tx.for<Tables>().selectFrom('price').selectAll().orderBy('version').execute();
        const time = await sql<{ now: Date }>`SELECT UTC_TIMESTAMP(6) AS now`.execute(tx.for<Tables>());
        return { versions: rows.map(versionOf), now: time.rows[0]?.now.getTime() ?? Date.now() };
      });
    },
    async add(versions) {
      const [first] = versions;
      if (!first) return true;
      try {
        await db.transaction(async (tx) => {
          const imported_at = sql<Date>`UTC_TIMESTAMP(6)`;
          await tx
            .for<Tables>()
            .insertInto('price_book_version')
            .values({ version: first.version, imported_at })
            .execute();
          for (let start = 0; start < versions.length; start += rowsPerInsert)
            await tx
              .for<Tables>()
              .insertInto('price')
              .values(
                versions.slice(start, start + rowsPerInsert).map((version) => ({ ...rowOf(version), imported_at })),
              )
              .execute();
        });
        return true;
      } catch (error) {
        if (isDuplicateKey(error)) return false;
        throw error;
      }
    },
  };
}

function versionOf(row: PriceRow): PriceVersion {
  const version: PriceVersion = {
    item: row.item,
    accountId: row.account_id,
    version: row.version,
    effectiveAt: row.effective_at.getTime(),
  };
  if (row.input_per_million !== null) version.inputPerMillion = row.input_per_million;
  if (row.cached_input_per_million !== null) version.cachedInputPerMillion = row.cached_input_per_million;
  if (row.output_per_million !== null) version.outputPerMillion = row.output_per_million;
  if (row.per_request !== null) version.perRequest = row.per_request;
  if (row.per_thousand_events !== null) version.perThousandEvents = row.per_thousand_events;
  return version;
}

function rowOf(version: PriceVersion): Omit<PriceRow, 'imported_at'> {
  return {
    item: version.item,
    account_id: version.accountId,
    version: version.version,
    effective_at: new Date(version.effectiveAt),
    input_per_million: version.inputPerMillion ?? null,
    cached_input_per_million: version.cachedInputPerMillion ?? null,
    output_per_million: version.outputPerMillion ?? null,
    per_request: version.perRequest ?? null,
    per_thousand_events: version.perThousandEvents ?? null,
  };
}
