/** What an executed DELETE reports. */
interface Deleted {
  numAffectedRows?: bigint | undefined;
}

/** Few enough that no lock lasts long. */
const rowsPerStatement = 5_000;
/** A million rows for one caller; what is left then waits for the next round. */
const statementsMax = 200;

/**
 * Deletes in several short statements, until one finds fewer rows than its limit. `deleteSome` executes a DELETE with that
 * limit.
 */
export async function pruneInBatches(
  deleteSome: (limit: number) => Promise<Deleted>,
  limit = rowsPerStatement,
): Promise<void> {
  for (let statement = 0; statement < statementsMax; statement += 1) {
    const { numAffectedRows = 0n } = await deleteSome(limit);
    if (numAffectedRows < BigInt(limit)) return;
  }
}
