import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

export interface Column<Row> {
  /** Unique in the table. */
  id: string;
  title: string;
  /** Whether the title is only for screen readers, because each cell says what it is. */
  quiet?: boolean;
  /** Numbers and money are aligned to the end, in tabular figures. */
  align?: 'start' | 'end';
  cell: (row: Row) => ComponentChildren;
  /** The cell in the last row: a sum of the rows shown. */
  total?: ComponentChildren;
  /** On a phone, where a row is a card: `title` is its first line, `hidden` is left out. */
  phone?: 'title' | 'hidden';
}

interface TableProps<Row> {
  /** What the table is; for screen readers only. */
  caption: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  rowKey: (row: Row) => string;
  /** Marks a row, such as the one shown in a side panel. */
  isCurrent?: (row: Row) => boolean;
  /** What to show if there are no rows. */
  empty?: ComponentChildren;
}

/** Rows of the same kind. A table on a screen; cards on a phone, where each value has its column's name beside it. */
export function Table<Row>({ caption, columns, rows, rowKey, isCurrent, empty }: TableProps<Row>) {
  const id = useId();
  if (rows.length === 0 && empty !== undefined) return <>{empty}</>;
  const hasTotal = columns.some(({ total }) => total !== undefined);
  return (
    <div class="table-scroll">
      <table class="table" aria-labelledby={id}>
        <caption id={id} class="read-only">
          {caption}
        </caption>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column.id} scope="col" class={classOf(column)}>
                <span class={column.quiet ? 'read-only' : ''}>{column.title}</span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={rowKey(row)} class={isCurrent?.(row) ? 'current' : ''}>
              {columns.map((column) => (
                <td key={column.id} class={classOf(column)} data-title={column.quiet ? '' : column.title}>
                  {column.cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
        {hasTotal && rows.length > 0 && (
          <tfoot>
            <tr>
              {columns.map((column) => (
                <td
                  key={column.id}
                  class={`${classOf(column)}${column.total === undefined ? ' no-total' : ''}`}
                  data-title={column.quiet ? '' : column.title}
                >
                  {column.total}
                </td>
              ))}
            </tr>
          </tfoot>
        )}
      </table>
    </div>
  );
}

function classOf<Row>({ align = 'start', phone }: Column<Row>): string {
  return `${align}${phone ? ` phone-${phone}` : ''}`;
}
