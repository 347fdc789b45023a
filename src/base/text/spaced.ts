/** A name in code as separate words: `openInvoices` and `open_invoices` are "open Invoices" and "open invoices". */
export function spaced(name: string): string {
  return name.replace(/([a-z\d])([A-Z])/g, '$1 $2').replaceAll('_', ' ');
}
