/** How a column's values are written to SQL and read back. */
export type ColumnKind = 'text' | 'integer' | 'number' | 'flag' | 'hex';

export interface Column<Value> {
  kind: ColumnKind;
  /** Whether it may be NULL (`undefined` in code). */
  optional: boolean;
  /** Whether the database writes 0 when an insert omits it. */
  zero: boolean;
  /** The SQL name, if it is not the property's name in snake case. */
  name?: string;
  /** Carries the type of its values; never set. */
  value?: Value;
}

export const text: Column<string> = { kind: 'text', optional: false, zero: false };
/** A BIGINT: an amount, a time, a sequence. */
export const integer: Column<bigint> = { kind: 'integer', optional: false, zero: false };
/** A small count: a non-negative safe integer. */
export const number: Column<number> = { kind: 'number', optional: false, zero: false };
export const flag: Column<boolean> = { kind: 'flag', optional: false, zero: false };
/** Bytes, as lower-case hexadecimal digits. */
export const hex: Column<string> = { kind: 'hex', optional: false, zero: false };

/** A text with a fixed set of values, which the table constrains. */
export function oneOf<Word extends string>(): Column<Word> {
  return text as Column<string> as Column<Word>;
}

export function optional<Value>(column: Column<Value>): Column<Value | undefined> {
  return { ...column, optional: true } as Column<Value | undefined>;
}

export function zero<Value>(column: Column<Value>): Column<Value> {
  return { ...column, zero: true };
}

export function named<Value>(name: string, column: Column<Value>): Column<Value> {
  return { ...column, name };
}

/** Several columns of one kind. */
export function each<Value, Name extends string>(column: Column<Value>, ...names: Name[]): Record<Name, Column<Value>> {
  return Object.fromEntries(names.map((name) => [name, column])) as Record<Name, Column<Value>>;
}

// biome-ignore lint/suspicious/noExplicitAny: columns of any type, whose types are then read off.
export type Columns = Record<string, Column<any>>;

export type RowOf<C extends Columns> = { -readonly [K in keyof C]: C[K] extends Column<infer Value> ? Value : never };

/** A column with its names, in code and in SQL. */
export interface NamedColumn extends Column<unknown> {
  property: string;
  name: string;
}

/**
 * One table; everything that reads or writes it takes its columns from here. `changing` columns are those that operations read or
 * set, including the key; `fixed` columns are written once, on insert, and never read by groups.
 */
export interface Table<Changing extends Columns = Columns, Fixed extends Columns = Columns> {
  name: string;
  /** Properties of the primary key, in key order. */
  key: readonly string[];
  changing: readonly NamedColumn[];
  /** The changing columns, then the fixed ones. */
  all: readonly NamedColumn[];
  /** Carries the types of its columns; never set. */
  types?: { changing: Changing; fixed: Fixed };
}

export function table<Changing extends Columns, Fixed extends Columns>(
  name: string,
  key: readonly (keyof Changing & string)[],
  changing: Changing,
  fixed: Fixed,
): Table<Changing, Fixed> {
  const columns = withNames(changing);
  return { name, key, changing: columns, all: [...columns, ...withNames(fixed)] };
}

function withNames(columns: Columns): NamedColumn[] {
  return Object.entries(columns).map(([property, column]) => ({
    ...column,
    property,
    name: column.name ?? snakeCase(property),
  }));
}

function snakeCase(property: string): string {
  return property.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

export function columnOf(table: Table, property: string): NamedColumn {
  const column = table.all.find((one) => one.property === property);
  if (!column) throw new Error(`${table.name} has no ${property}.`);
  return column;
}

/** Converts a value from a driver, which may return numbers as text and bytes as hexadecimal digits. */
export function readValue({ kind }: Column<unknown>, value: unknown): unknown {
  switch (kind) {
    case 'integer':
      return BigInt(value as bigint | number | string);
    case 'number':
      return Number(value);
    case 'flag':
      return Number(value) !== 0;
    case 'hex':
      return Buffer.isBuffer(value) ? value.toString('hex') : value;
    case 'text':
      return value;
  }
}

/** The part of a row that operations see: its key and what they may change. */
export type ChangingRow<T> = T extends Table<infer Changing, Columns> ? RowOf<Changing> : never;
/** A whole row, as it is inserted. */
export type WholeRow<T> = T extends Table<infer Changing, infer Fixed> ? RowOf<Changing> & RowOf<Fixed> : never;

/** A whole row as read outside of groups: NULL columns are absent. */
export type FoundRow<T> = T extends Table ? Present<WholeRow<T>> : never;
type Present<Row> = { [K in keyof Row as undefined extends Row[K] ? never : K]: Row[K] } & {
  [K in keyof Row as undefined extends Row[K] ? K : never]?: Exclude<Row[K], undefined>;
};

type OptionalNames<C extends Columns> = { [K in keyof C]: undefined extends RowOf<C>[K] ? K : never }[keyof C];

/** A row's optional columns, all absent, to start a new row from. */
export function absentColumns<C extends Columns>({ changing }: Table<C>): Record<OptionalNames<C>, undefined> {
  const names = changing.filter(({ optional }) => optional).map(({ property }) => property);
  return Object.fromEntries(names.map((name) => [name, undefined])) as Record<OptionalNames<C>, undefined>;
}
