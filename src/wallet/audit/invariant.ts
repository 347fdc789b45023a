/** A rule as a query that lists what breaks it: columns `subject` and `detail`. */
export interface Invariant {
  name: string;
  /** What holds, in words. */
  promise: string;
  /**
   * Its work must grow with the rows and no faster: where a server could choose a plan that reads one wallet's rows once for
   * each of them, the index is forced or the order of the joins is fixed.
   */
  sql: string;
}

/** Rules by their names. */
export type Rules = Readonly<Record<string, Omit<Invariant, 'name'>>>;

/** How long a hold may be past its expiry before someone must look: reapers come by, and rest after an outage. */
export const graceUs = 300_000_000;
/** A server that takes over from another has a clock of its own. */
export const clocksDifferUs = 300_000_000;
export const nowUs = "TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6))";
/** A posting as its wallet sees it. */
export const signed = "IF(p.credit_account = 'wallet', p.amount, -p.amount)";
/** Rows by their own key; without the force a server that takes a table for a small one may compare all with all. */
export const byKey = 'FORCE INDEX (PRIMARY)';
/** Postings by what they are for; without the force they are looked up by their wallet, all of them for each. */
export const bySource = 'FORCE INDEX (posting_source)';
