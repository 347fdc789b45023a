/** The possible outcomes of a judged thing, and whether a judgement should warn of them. A closed list. */
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

/** One report of an outcome. */
export interface OutcomeReport {
  /** The judgement's charge, or the label `subjectId` in its request's metadata. */
  of: { chargeId: string } | { subjectId: string };
  /** Only judgements of this family; undefined: of any. */
  family: string | undefined;
  outcome: Outcome;
  /** When it occurred, in milliseconds since 1970; undefined: now. */
  occurredMs: number | undefined;
  /** Its value, in nano-USD. */
  value: bigint | undefined;
}

/** What is known about a judgement's outcome. */
export interface KnownOutcome {
  outcome: string;
  occurredMs: number;
  value: bigint | undefined;
}

/** What a report does to the known outcome. */
export type Effect = 'recorded' | 'replaced' | 'unchanged' | 'outdated';

/**
 * The latest outcome counts, in whatever order reports arrive: one that occurred before the known one changes nothing. Neither
 * does a repetition, so reports can safely be sent again.
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
