/** A rule, written as a query that lists its violations in the columns `subject` and `detail`. */
export interface Invariant {
  name: string;
  /** The rule in words. */
  promise: string;
  /**
   * Its cost must grow at most linearly with the rows: where a server could choose a plan that rereads a wallet's rows for each
   * of them, force the index or fix the join order.
   */
  sql: string;
}

/** Rules by name. */
export type Rules = Readonly<Record<string, Omit<Invariant, 'name'>>>;

/** How overdue a hold may be before it is a violation: reapers run periodically, and pause after an outage. */
export const graceUs = 300_000_000;
/** The clock skew allowed, because a server that takes over from another has its own clock. */
export const clocksDifferUs = 300_000_000;
export const nowUs = "TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6))";
/** A posting's amount, signed as its wallet sees it. */
export const signed = "IF(p.credit_account = 'wallet', p.amount, -p.amount)";
/** Looks rows up by primary key; unforced, a server that believes a table is small may compare all rows with all. */
export const byKey = 'FORCE INDEX (PRIMARY)';
/** Looks postings up by their source; unforced, each lookup reads all of the wallet's postings. */
export const bySource = 'FORCE INDEX (posting_source)';
