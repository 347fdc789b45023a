import { sql } from 'kysely';
import { type Database, isDuplicateKey } from '../db/index.ts';
import type { ContextTier } from './price.ts';
import type { PriceStore, PriceVersion } from './price-book.ts';

interface Tables {
  price: PriceRow;
  price_tier: TierRow;
  price_book_version: { version: number; imported_at: Date };
}

interface PriceRow {
  item: string;
  account_id: string;
  version: number;
  effective_at: Date;
  input_per_million: bigint | null;
  cached_input_per_million: bigint | null;
  cache_write_input_per_million: bigint | null;
  cache_write_1h_input_per_million: bigint | null;
  audio_input_per_million: bigint | null;
  output_per_million: bigint | null;
  per_request: bigint | null;
  per_thousand_events: bigint | null;
  per_thousand_search_units: bigint | null;
  imported_at: Date;
}

interface TierRow {
  item: string;
  account_id: string;
  version: number;
  above_input_tokens: bigint;
  input_per_million: bigint;
  cached_input_per_million: bigint | null;
  cache_write_input_per_million: bigint | null;
  cache_write_1h_input_per_million: bigint | null;
  audio_input_per_million: bigint | null;
  output_per_million: bigint;
}

const rowsPerInsert = 200;

/** The price book in the database, shared by all nodes. */
export function createPriceStore(db: Database): PriceStore {
  return {
    async read() {
      return db.snapshot(async (tx) => {
        const rows = await tx.for<Tables>().selectFrom('price').selectAll().orderBy('version').execute();
        const tiers = await tx
          .for<Tables>()
          .selectFrom('price_tier')
          .selectAll()
          .orderBy('above_input_tokens')
          .execute();
        const time = await sql<{ now: Date }>`SELECT UTC_TIMESTAMP(6) AS now`.execute(tx.for<Tables>());
        return { versions: versionsOf(rows, tiers), now: time.rows[0]?.now.getTime() ?? Date.now() };
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
          for (const rows of inParts(versions.map(rowOf)))
            await tx
              .for<Tables>()
              .insertInto('price')
              .values(rows.map((row) => ({ ...row, imported_at })))
              .execute();
          for (const rows of inParts(versions.flatMap(tierRowsOf)))
            await tx.for<Tables>().insertInto('price_tier').values(rows).execute();
        });
        return true;
      } catch (error) {
        if (isDuplicateKey(error)) return false;
        throw error;
      }
    },
  };
}

function* inParts<Row>(rows: readonly Row[]): Generator<Row[]> {
  for (let start = 0; start < rows.length; start += rowsPerInsert) yield rows.slice(start, start + rowsPerInsert);
}

/** Joins prices with their tiers, which come in ascending order. */
function versionsOf(rows: readonly PriceRow[], tierRows: readonly TierRow[]): PriceVersion[] {
  const tiersOf = Map.groupBy(tierRows, keyOf);
  return rows.map((row) => {
    const version = versionOf(row);
    const tiers = tiersOf.get(keyOf(row));
    if (tiers) version.tiers = tiers.map(tierOf);
    return version;
  });
}

function keyOf({ item, account_id, version }: PriceRow | TierRow): string {
  return `${version} ${account_id} ${item}`;
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
  if (row.cache_write_input_per_million !== null) version.cacheWriteInputPerMillion = row.cache_write_input_per_million;
  if (row.cache_write_1h_input_per_million !== null)
    version.cacheWrite1hInputPerMillion = row.cache_write_1h_input_per_million;
  if (row.audio_input_per_million !== null) version.audioInputPerMillion = row.audio_input_per_million;
  if (row.output_per_million !== null) version.outputPerMillion = row.output_per_million;
  if (row.per_request !== null) version.perRequest = row.per_request;
  if (row.per_thousand_events !== null) version.perThousandEvents = row.per_thousand_events;
  if (row.per_thousand_search_units !== null) version.perThousandSearchUnits = row.per_thousand_search_units;
  return version;
}

function tierOf(row: TierRow): ContextTier {
  return {
    aboveInputTokens: Number(row.above_input_tokens),
    inputPerMillion: row.input_per_million,
    outputPerMillion: row.output_per_million,
    ...(row.cached_input_per_million !== null && { cachedInputPerMillion: row.cached_input_per_million }),
    ...(row.cache_write_input_per_million !== null && {
      cacheWriteInputPerMillion: row.cache_write_input_per_million,
    }),
    ...(row.cache_write_1h_input_per_million !== null && {
      cacheWrite1hInputPerMillion: row.cache_write_1h_input_per_million,
    }),
    ...(row.audio_input_per_million !== null && { audioInputPerMillion: row.audio_input_per_million }),
  };
}

function rowOf(version: PriceVersion): Omit<PriceRow, 'imported_at'> {
  return {
    item: version.item,
    account_id: version.accountId,
    version: version.version,
    effective_at: new Date(version.effectiveAt),
    input_per_million: version.inputPerMillion ?? null,
    cached_input_per_million: version.cachedInputPerMillion ?? null,
    cache_write_input_per_million: version.cacheWriteInputPerMillion ?? null,
    cache_write_1h_input_per_million: version.cacheWrite1hInputPerMillion ?? null,
    audio_input_per_million: version.audioInputPerMillion ?? null,
    output_per_million: version.outputPerMillion ?? null,
    per_request: version.perRequest ?? null,
    per_thousand_events: version.perThousandEvents ?? null,
    per_thousand_search_units: version.perThousandSearchUnits ?? null,
  };
}

function tierRowsOf({ item, accountId, version, tiers = [] }: PriceVersion): TierRow[] {
  return tiers.map((tier) => ({
    item,
    account_id: accountId,
    version,
    above_input_tokens: BigInt(tier.aboveInputTokens),
    input_per_million: tier.inputPerMillion,
    cached_input_per_million: tier.cachedInputPerMillion ?? null,
    cache_write_input_per_million: tier.cacheWriteInputPerMillion ?? null,
    cache_write_1h_input_per_million: tier.cacheWrite1hInputPerMillion ?? null,
    audio_input_per_million: tier.audioInputPerMillion ?? null,
    output_per_million: tier.outputPerMillion,
  }));
}
