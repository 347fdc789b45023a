import type { Connection } from 'mysql2/promise';

/** A row that represents all of its kind. */
export interface Sample {
  table: string;
  label: string;
  /** A condition that selects only this row. */
  where: string;
  /** Its values as SQL, by column. */
  values: Record<string, string | null>;
}

export interface Column {
  name: string;
  type: string;
  optional: bigint;
}

export interface Change {
  /** What is changed, as named in the list of what proves nothing: `posting.amount`, `posting (deleted)`. */
  what: string;
  sql: string;
}

const dayUs = 86_400_000_000n;
/** The words that a column's values come from; each represents itself. */
const words: Record<string, readonly string[]> = {
  'charge.state': ['held', 'settled', 'released', 'expired', 'superseded'],
  'top_up.state': ['pending', 'paid', 'failed', 'expired'],
  'receivable.state': ['open', 'final', 'restored'],
  'receivable.kind': ['refund', 'dispute', 'usage'],
  'posting.kind': ['top_up', 'usage', 'refund', 'dispute', 'adjustment'],
  'posting.source_type': ['top_up', 'charge', 'refund', 'dispute', 'adjustment'],
  'credential_state.state': ['active', 'revoked'],
  'wallet.kind': ['api', 'application'],
};
/** Not null, too long, a key twice: the server itself notices. */
const refusals = new Set([1048, 1062, 1264, 1265, 1406]);

export function isRefused(error: unknown): boolean {
  return error instanceof Error && 'errno' in error && refusals.has(Number(error.errno));
}

/** The last row of each kind in a table, by an expression that says which kind a row is. */
export async function kindsOf(
  connection: Connection,
  { table, key, kind }: { table: string; key: readonly string[]; kind: string },
): Promise<Sample[]> {
  const [rows] = await connection.query(`SELECT t.*, ${kind} AS label_ FROM ${table} t ORDER BY ${key.join(', ')}`);
  const samples = new Map<string, Sample>();
  for (const { label_, ...row } of rows as Record<string, unknown>[]) {
    const values = Object.fromEntries(Object.entries(row).map(([name, value]) => [name, literal(value)]));
    const where = key.map((name) => `${name} = ${values[name]}`).join(' AND ');
    samples.set(String(label_), { table, label: String(label_), where, values });
  }
  return [...samples.values()];
}

export function deletion({ table, where }: Sample): Change {
  return { what: `${table} (deleted)`, sql: `DELETE FROM ${table} WHERE ${where}` };
}

/** Plausible changes of one column of a row: other words, other rows' values, a little more, a day later, null. */
export async function changesOf(
  connection: Connection,
  sample: Sample,
  { name, type, optional }: Column,
): Promise<Change[]> {
  const { table, where, values } = sample;
  const what = `${table}.${name}`;
  const now = values[name] ?? null;
  const set = (value: string, as = what): Change => ({
    what: as,
    sql: `UPDATE ${table} SET ${name} = ${value} WHERE ${where}`,
  });
  const gone = now !== null && optional === 1n ? [set('NULL', `${what} (erased)`)] : [];
  const known = words[what];
  if (known) return known.filter((word) => `'${word}'` !== now).map((word) => set(`'${word}'`, `${what} (${word})`));
  if (type === 'datetime') return [set(`COALESCE(${name}, UTC_TIMESTAMP(6)) + INTERVAL 1 DAY`), ...gone];
  if (/_at_us$/.test(name)) return [set(`COALESCE(${name}, 0) + ${dayUs}`), ...gone];
  // The next number may belong to another row.
  if (/int$/.test(type)) return [set(`COALESCE(${name}, 0) + 1`), set(`COALESCE(${name}, 0) + 1000`), ...gone];
  // Another row's value is the most plausible; if that is not allowed, something of the same form.
  const other = await others(connection, sample, name);
  const made = type === 'binary' ? `REPEAT('x', 32)` : `CONCAT(COALESCE(${name}, ''), 'x')`;
  return [...other.map((value) => set(value)), set(made), ...gone];
}

async function others(connection: Connection, { table, values }: Sample, name: string): Promise<string[]> {
  const now = values[name] ?? null;
  const [rows] = await connection.query(
    `SELECT DISTINCT ${name} AS value FROM ${table} WHERE ${name} IS NOT NULL ${now === null ? '' : `AND ${name} <> ${now}`} ORDER BY 1 LIMIT 2`,
  );
  return (rows as { value: unknown }[]).map(({ value }) => literal(value) ?? 'NULL');
}

function literal(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  if (value instanceof Date) return `'${value.toISOString().replace('T', ' ').replace('Z', '')}'`;
  if (Buffer.isBuffer(value)) return `X'${value.toString('hex')}'`;
  if (typeof value === 'bigint' || typeof value === 'number') return String(value);
  return `'${String(value).replaceAll("'", "''")}'`;
}
