import type { CheckRule, Outcome } from '../checks/checks.ts';
import type { Variables } from '../checks/expressions.ts';
import type { CustomDefinition, CustomOutcome } from '../custom/definition.ts';

/** What the sandbox is asked to do: everything in which a caller's own expressions, schemas or patterns run. */
export type Job =
  | { kind: 'checks'; rules: CheckRule[]; variables: Variables }
  | {
      kind: 'custom';
      definition: CustomDefinition;
      input: unknown;
      drafted?: Readonly<Record<string, unknown>> | undefined;
    };

export type JobAnswer =
  | { kind: 'checks'; outcomes: Outcome[] }
  | { kind: 'custom'; outcome: CustomOutcome }
  /** The caller's own words are wrong: where, and why. */
  | { kind: 'refused'; field: string; problem: string };

/** What a worker says: that it can begin, or an answer; and how much time its thread has had so far. */
export interface WorkerMessage {
  answer: JobAnswer | 'ready';
  cpuMicroseconds: number;
}
