import { setImmediate as nextTurn } from 'node:timers/promises';
import { csvLine } from '../base/csv.ts';
import type { Call } from './call.ts';

/** A file's content, part by part, as `google.api.HttpBody` carries it. */
export interface FilePart {
  content: { contentType: string; data: Uint8Array };
}

/** Cells by column name. Labels are an object in JSON, and its text in CSV. */
export type PrintedRow = Readonly<Record<string, string | Readonly<Record<string, string>>>>;

/**
 * Prints rows as a file: CSV with a header line, or JSON Lines. `columns` names every column, in order; a row may lack some.
 * Parts contain whole lines. If the call has ended, throws why, for example because the caller left.
 */
export async function* printFile(
  { call, name, format, columns }: { call: Call; name: string; format: string; columns: readonly string[] },
  batches: AsyncIterable<PrintedRow[]>,
): AsyncIterable<FilePart> {
  const json = format === 'jsonl';
  const contentType = json ? 'application/jsonl; charset=utf-8' : 'text/csv; charset=utf-8; header=present';
  const part = (text: string) => ({ content: { contentType, data: encoder.encode(text) } });
  // If no entry has the wanted label, no part is yielded, and only this shows that the caller left.
  const { signal } = call;
  call.setReplyHeader('content-disposition', `attachment; filename="${name}.${json ? 'jsonl' : 'csv'}"`);
  // Even without rows, the file has the right type.
  yield part(json ? '' : csvLine(columns));
  for await (const rows of batches) {
    signal.throwIfAborted();
    const lines = rows.map((row) =>
      json ? `${JSON.stringify(row)}\n` : csvLine(columns.map((column) => cellOf(row[column]))),
    );
    if (lines.length > 0) yield part(lines.join(''));
  }
}

function cellOf(value: PrintedRow[string] | undefined): string {
  return typeof value === 'object' ? JSON.stringify(value) : (value ?? '');
}

/** Rows printed part by part, on demand: a turn and the memory hold one part, however many rows there are. */
export async function* printedInParts<T>(
  rows: readonly T[],
  print: (row: T) => PrintedRow,
  size = 1_000,
): AsyncIterable<PrintedRow[]> {
  for (let start = 0; start < rows.length; start += size) {
    yield rows.slice(start, start + size).map(print);
    await nextTurn();
  }
}

const encoder = new TextEncoder();
