import type { CheckRule } from '../checks/checks.ts';

/** A client's workflow as far as rules go: plain data that a worker can be handed. */
export interface CustomDefinition {
  /** Names this version for ever, so that what was compiled can be kept. Undefined while it is not made yet. */
  id: string | undefined;
  inputSchema: Readonly<Record<string, unknown>>;
  outputSchema: Readonly<Record<string, unknown>>;
  checks: CheckRule[];
  fields: { name: string; expression: string }[];
}

export interface CustomCheck {
  rule: CheckRule;
  outcome: 'passed' | 'failed' | 'skipped' | 'error';
}

/** What a run comes to. `output` is undefined when the computed fields alone do not fit the output schema. */
export type CustomOutcome =
  | { ok: true; output: Record<string, unknown>; fits: boolean; problem: string; checks: CustomCheck[]; score: number }
  | { ok: false; field: string; problem: string };
