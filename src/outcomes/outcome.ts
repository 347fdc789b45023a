/** What may become of a judged thing, and whether that is what a judgement is to warn of. A closed list. */
export const outcomeClasses = {
  sold: 'favourable',
  approved: 'favourable',
  accepted: 'favourable',
  paid: 'favourable',
  completed: 'favourable',
  kept: 'favourable',
  not_sold: 'adverse',
  rejected: 'adverse',
  fraud: 'adverse',
  chargeback: 'adverse',
  disputed: 'adverse',
  defaulted: 'adverse',
  returned: 'adverse',
  complaint: 'adverse',
  removed: 'adverse',
  withdrawn: 'neutral',
  expired: 'neutral',
} as const;

export type Outcome = keyof typeof outcomeClasses;
export type OutcomeClass = (typeof outcomeClasses)[Outcome];

export const outcomes = Object.keys(outcomeClasses) as Outcome[];

/** One report of what became of something. */
export interface OutcomeReport {
  /** The charge of the judgement, or the label `subjectId` of its request's metadata. */
  of: { chargeId: string } | { subjectId: string };
  /** Only judgements of this family; undefined: of any. */
  family: string | undefined;
  outcome: Outcome;
  /** When it came about, in milliseconds since 1970; undefined: now. */
  occurredMs: number | undefined;
  /** What it came to, in nano-USD. */
  value: bigint | undefined;
}

/** What is known of a judgement's outcome. */
export interface KnownOutcome {
  outcome: string;
  occurredMs: number;
  value: bigint | undefined;
}

/** What a report does to what is known. */
export type Effect = 'recorded' | 'replaced' | 'unchanged' | 'outdated';

/**
 * The latest outcome counts, whatever order reports arrive in: one that came about before the known one changes nothing. The
 * same again changes nothing either, so that reports can be repeated.
 */
export function effectOf(
  known: KnownOutcome | undefined,
  { outcome, occurredMs, value }: Pick<OutcomeReport, 'outcome' | 'occurredMs' | 'value'>,
): Effect {
  if (!known) return 'recorded';
  if (occurredMs !== undefined && occurredMs < known.occurredMs) return 'outdated';
  const same = known.outcome === outcome && known.value === value;
  return same && (occurredMs === undefined || occurredMs === known.occurredMs) ? 'unchanged' : 'replaced';
}
