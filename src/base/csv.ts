/**
 * One line of CSV (RFC 4180), with its line break. Text that a spreadsheet would treat as a formula is prefixed with an
 * apostrophe (OWASP, "CSV injection"); plain numbers are left alone.
 */
export function csvLine(cells: readonly string[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`;
}

function csvCell(text: string): string {
  const safe = /^[=+\-@\t\r\n]/.test(text) && !/^-?\d+(\.\d+)?$/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
