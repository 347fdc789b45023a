/** How a column's values are written in SQL and read back. */
export type ColumnKind = 'text' | 'integer' | 'number' | 'flag' | 'hex';

export interface Column<Value> {
  kind: ColumnKind;
  /** Whether it may be NULL, which is `undefined` in code. */
  optional: boolean;
  /** Whether the database writes 0 where an insert leaves it out. */
  zero: boolean;
  /** Where it is not the property's name in snake case. */
  name?: string;
  /** Carries the type of its values; never there. */
  value?: Value;
}

export const text: Column<string> = { kind: 'text', optional: false, zero: false };
/** A BIGINT: an amount, a time, a sequence. */
export const integer: Column<bigint> = { kind: 'integer', optional: false, zero: false };
/** A small count: a safe integer that is not negative. */
export const number: Column<number> = { kind: 'number', optional: false, zero: false };
export const flag: Column<boolean> = { kind: 'flag', optional: false, zero: false };
/** Bytes, as lower-case hexadecimal digits. */
export const hex: Column<string> = { kind: 'hex', optional: false, zero: false };

/** A text of which only some are possible; the table has a constraint for it. */
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

/**
 * One table: everything that reads or writes it takes its columns from here. `changing` are the columns that an update may
 * set, and that are read with the key; the `fixed` ones are written once, when the row is inserted.
 */
export interface Table<Changing extends Columns = Columns, Fixed extends Columns = Columns> {
  name: string;
  /** Properties of the primary key, in its order. */
  key: readonly string[];
  changing: Changing;
  fixed: Fixed;
}

export function table<Changing extends Columns, Fixed extends Columns>(
  name: string,
  key: readonly (keyof Changing & string)[],
  changing: Changing,
  fixed: Fixed,
): Table<Changing, Fixed> {
  return { name, key, changing, fixed };
}

/** What operations see of a row: its key and what they may change. */
export type ChangingRow<T> = T extends Table<infer Changing, Columns> ? RowOf<Changing> : never;
/** A whole row, as it is inserted. */
export type WholeRow<T> = T extends Table<infer Changing, infer Fixed> ? RowOf<Changing> & RowOf<Fixed> : never;

/** A whole row as it is read outside of groups: what is NULL is absent. */
export type FoundRow<T> = T extends Table ? Present<WholeRow<T>> : never;
type Present<Row> = { [K in keyof Row as undefined extends Row[K] ? never : K]: Row[K] } & {
  [K in keyof Row as undefined extends Row[K] ? K : never]?: Exclude<Row[K], undefined>;
};

type OptionalNames<C extends Columns> = { [K in keyof C]: undefined extends RowOf<C>[K] ? K : never }[keyof C];

/** A row's optional columns, all absent: what a new row begins with. */
export function absentColumns<C extends Columns>({ changing }: Table<C>): Record<OptionalNames<C>, undefined> {
  const names = Object.keys(changing).filter((name) => changing[name]?.optional);
  return Object.fromEntries(names.map((name) => [name, undefined])) as Record<OptionalNames<C>, undefined>;
}

export function sqlName(property: string, { name }: Column<unknown>): string {
  return name ?? property.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

type Snake<Name extends string> = Name extends `${infer Head}${infer Rest}`
  ? `${Head extends Lowercase<Head> ? Head : `_${Lowercase<Head>}`}${Snake<Rest>}`
  : '';
type SqlValue<C> =
  C extends Column<infer Value> ? SqlOf<NonNullable<Value>> | (undefined extends Value ? null : never) : never;
/** As the driver reads it: every BIGINT as a bigint, a flag as 0 or 1. */
type SqlOf<Value> = Value extends boolean ? number : Value extends number ? bigint : Value;
type SqlColumns<C extends Columns> = { [K in keyof C & string as Snake<K>]: SqlValue<C[K]> };
/** The row as Kysely reads it: names as in SQL, NULL as null. Only for tables without columns of another name. */
export type SqlRow<T> = T extends Table<infer Changing, infer Fixed> ? SqlColumns<Changing> & SqlColumns<Fixed> : never;
