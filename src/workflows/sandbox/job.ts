import type { CheckRule, Outcome } from '../checks/checks.ts';
import type { Variables } from '../checks/expressions.ts';
import type { CustomDefinition, CustomOutcome } from '../custom/definition.ts';

/** A caller's pattern (RE2), and the text that it has to match as a whole. */
export interface PatternUse {
  /** Where the pattern stands in the request. */
  field: string;
  pattern: string;
  text: string;
}

/** What the sandbox is asked to do: everything in which a caller's own expressions, schemas or patterns run. */
export type Job =
  | { kind: 'checks'; rules: CheckRule[]; variables: Variables }
  | { kind: 'patterns'; patterns: readonly PatternUse[] }
  | {
      kind: 'custom';
      definition: CustomDefinition;
      input: unknown;
      drafted?: Readonly<Record<string, unknown>> | undefined;
    };

export type JobAnswer =
  | { kind: 'checks'; outcomes: Outcome[] }
  | { kind: 'patterns'; fits: boolean[] }
  | { kind: 'custom'; outcome: CustomOutcome }
  /** The caller's own words are wrong: where, and why. */
  | { kind: 'refused'; field: string; problem: string };

/** What a worker says: that it can begin, or an answer; and how much time its thread has had so far. */
export interface WorkerMessage {
  answer: JobAnswer | 'ready';
  cpuMicroseconds: number;
}
