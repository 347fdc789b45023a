import type { CustomOutcome } from '../../sandbox/index.ts';
import type { CheckResult, CheckRule } from '../checks/checks.ts';

/** A client's workflow, as far as rules are concerned. */
export interface CustomDefinition {
  /** Identifies this version forever, so that its compiled form can be cached. Undefined until it is created. */
  id: string | undefined;
  inputSchema: Readonly<Record<string, unknown>>;
  outputSchema: Readonly<Record<string, unknown>>;
  checks: CheckRule[];
  fields: { name: string; expression: string }[];
}

/** The result of a run, with each check next to its outcome. */
export type CustomRun =
  | (Omit<Extract<CustomOutcome, { ok: true }>, 'outcomes'> & { checks: CheckResult[] })
  | Extract<CustomOutcome, { ok: false }>;
