import { csvLine } from '../base/csv.ts';
import type { Call } from './call.ts';

/** A file's content, part by part, as `google.api.HttpBody` carries it. */
export interface FilePart {
  content: { contentType: string; data: Uint8Array };
}

/**
 * Prints rows as a file: CSV with a header line, or JSON Lines. `columns` names every column, in order; a row may lack
 * some. Parts hold whole lines.
 */
export async function* printFile(
  { call, name, format, columns }: { call: Call; name: string; format: string; columns: readonly string[] },
  batches: AsyncIterable<Readonly<Record<string, string>>[]> | Iterable<Readonly<Record<string, string>>[]>,
): AsyncIterable<FilePart> {
  const json = format === 'jsonl';
  const contentType = json ? 'application/jsonl; charset=utf-8' : 'text/csv; charset=utf-8; header=present';
  const part = (text: string) => ({ content: { contentType, data: encoder.encode(text) } });
  call.setReplyHeader('content-disposition', `attachment; filename="${name}.${json ? 'jsonl' : 'csv'}"`);
  // Also without rows there is a file of the right type.
  yield part(json ? '' : csvLine(columns));
  for await (const rows of batches) {
    const lines = rows.map((row) =>
      json ? `${JSON.stringify(row)}\n` : csvLine(columns.map((column) => row[column] ?? '')),
    );
    yield part(lines.join(''));
  }
}

/** Rows in parts of a size that is kind to memory. */
export function* inBatches<T>(rows: readonly T[], size = 1_000): Iterable<T[]> {
  for (let start = 0; start < rows.length; start += size) yield rows.slice(start, start + size);
}

const encoder = new TextEncoder();
