import type { CustomOutcome } from '../../sandbox/index.ts';
import type { CheckResult, CheckRule } from '../checks/checks.ts';

/** A client's workflow as far as rules go. */
export interface CustomDefinition {
  /** Names this version for ever, so that what was compiled can be kept. Undefined while it is not made yet. */
  id: string | undefined;
  inputSchema: Readonly<Record<string, unknown>>;
  outputSchema: Readonly<Record<string, unknown>>;
  checks: CheckRule[];
  fields: { name: string; expression: string }[];
}

/** What a run comes to, with each check beside its outcome. */
export type CustomRun =
  | (Omit<Extract<CustomOutcome, { ok: true }>, 'outcomes'> & { checks: CheckResult[] })
  | Extract<CustomOutcome, { ok: false }>;
