import { escape as quote } from 'mysql2';
import {
  type ChangingRow,
  type Column,
  type NamedColumn,
  readValue,
  type Table,
  type WholeRow,
} from '../../columns.ts';
import type { Entry } from '../decide/group-state.ts';
import type { Row } from './connection-store.ts';

/** A statement and how many rows it must match or add. */
export interface Write {
  name: string;
  sql: string;
  /** Undefined if any number is fine. */
  rows: number | undefined;
}

type Values = Record<string, unknown>;

/** The columns that operations look at, as a SELECT list. */
export function selectList(table: Table, alias = 't'): string {
  return table.changing
    .map(({ name, kind }) => (kind === 'hex' ? `LOWER(HEX(${alias}.${name}))` : `${alias}.${name}`))
    .join(', ');
}

/** Parses a row of such a SELECT, whose first column is at `from`. Amounts never pass through floating-point numbers. */
export function parseRow<T extends Table>(table: T, row: Row, from = 0): ChangingRow<T> {
  const parsed: Values = {};
  const { changing } = table;
  for (let index = 0; index < changing.length; index++) {
    const column = changing[index] as NamedColumn;
    const value = row[from + index];
    if (typeof value !== 'string') {
      if (!column.optional) throw new Error(`${table.name}.${column.name} is absent.`);
      parsed[column.property] = undefined;
    } else parsed[column.property] = readValue(column, value);
  }
  return parsed as ChangingRow<T>;
}

/** Inserts rows, omitting columns whose value in every row is the database's default. */
export function insertRows<T extends Table>(table: T, rows: readonly WholeRow<T>[]): Write | undefined {
  if (rows.length === 0) return undefined;
  const { names, lines } = valuesOf(table, rows);
  return {
    name: `insert ${table.name}`,
    sql: `INSERT INTO ${table.name} (${names.join(', ')}) VALUES (${lines.join('),(')})`,
    rows: rows.length,
  };
}

/**
 * Adds to the non-key columns of rows; a missing row starts at 0. `only` is a query that returns one row if the addition should
 * happen, and none otherwise.
 */
export function addToRows<T extends Table>(table: T, rows: readonly WholeRow<T>[], only?: string): Write | undefined {
  if (rows.length === 0) return undefined;
  const { columns, names, lines } = valuesOf(table, rows);
  const sums = columns
    .filter(({ property }) => !table.key.includes(property))
    .map(({ name }) => `${name} = ${table.name}.${name} + VALUES(${name})`);
  const given =
    only === undefined
      ? `VALUES (${lines.join('),(')})`
      : lines.map((line) => `SELECT ${line} FROM (${only}) only_then`).join(' UNION ALL ');
  const sql = `INSERT INTO ${table.name} (${names.join(', ')}) ${given} ON DUPLICATE KEY UPDATE ${sums.join(', ')}`;
  return { name: `sum ${table.name}`, sql, rows: undefined };
}

function valuesOf<T extends Table>(table: T, rows: readonly WholeRow<T>[]) {
  const values = rows as readonly Values[];
  const columns = table.all.filter((column) => values.some((row) => !isDefault(column, row[column.property])));
  const lines = values.map((row) => columns.map((column) => printValue(column, row[column.property])).join(','));
  return { columns, names: columns.map(({ name }) => name), lines };
}

function isDefault({ zero }: Column<unknown>, value: unknown): boolean {
  return value === undefined || (zero && (value === 0n || value === 0 || value === false));
}

/**
 * Updates many rows, each to its own values, by joining them to a list of selects, which both servers plan by the primary key.
 * The list has only columns that some row changes, and values equal in all rows appear once; that takes a third less time than
 * all columns. `guard` is a column that must still have the value that was read.
 */
export function updateRows<T extends Table>(
  table: T,
  entries: readonly (Entry<ChangingRow<T>> & { before: Readonly<ChangingRow<T>> })[],
  guard?: keyof ChangingRow<T> & string,
): Write | undefined {
  if (entries.length === 0) return undefined;
  const rows = entries.map(({ row, before }) => ({ row: row as Values, before: before as Values }));
  const listed: { name: string; value: (of: (typeof rows)[number]) => string }[] = [];
  /** The value itself if all rows share it, otherwise a column of the list. */
  const given = (column: NamedColumn, name: string, from: 'row' | 'before') => {
    const { property } = column;
    const first = rows[0]?.[from][property];
    if (rows.every((of) => of[from][property] === first)) return printValue(column, first);
    listed.push({ name, value: (of) => printValue(column, of[from][property]) });
    return `u.${name}`;
  };
  const on: string[] = [];
  const set: string[] = [];
  for (const column of table.changing) {
    const { property, name } = column;
    if (table.key.includes(property)) on.push(`t.${name} = ${given(column, name, 'row')}`);
    else if (rows.some(({ row, before }) => row[property] !== before[property]))
      set.push(`t.${name} = ${given(column, name, 'row')}`);
    if (property === guard) on.push(`t.${name} = ${given(column, `${name}_before`, 'before')}`);
  }
  const head = `UPDATE ${table.name} t FORCE INDEX (PRIMARY)`;
  const end = `SET ${set.join(', ')}`;
  // The first select names the columns and returns no row; the others give the types.
  const names = listed.map(({ name }) => `NULL AS ${name}`).join(', ');
  const lines = rows.map((of) => `UNION ALL SELECT ${listed.map(({ value }) => value(of)).join(',')}`);
  const list = `SELECT ${names} FROM DUAL WHERE FALSE ${lines.join(' ')}`;
  const sql =
    listed.length === 0
      ? `${head} ${end} WHERE ${on.join(' AND ')}`
      : `${head} JOIN (${list}) u ON ${on.join(' AND ')} ${end}`;
  return { name: `update ${table.name}`, sql, rows: rows.length };
}

function printValue({ kind, optional }: Column<unknown>, value: unknown): string {
  if (value === undefined) {
    if (!optional) throw new Error('A column without a value.');
    return 'NULL';
  }
  switch (kind) {
    case 'integer':
      return String(value as bigint);
    case 'number':
      if (!Number.isSafeInteger(value) || (value as number) < 0) throw new RangeError(`${value} is not a count.`);
      return String(value);
    case 'flag':
      return value ? '1' : '0';
    case 'hex':
      return `X'${value as string}'`;
    default:
      return quote(value as string);
  }
}

/** Quotes values as a list for IN. */
export function quoteAll(values: Iterable<string>): string {
  return [...values].map((value) => quote(value)).join(',');
}

export function quotePair(first: string, second: string): string {
  return `(${quote(first)},${quote(second)})`;
}
