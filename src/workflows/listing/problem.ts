import type { CheckResult, Severity } from '../checks/checks.ts';

/** Something wrong in a listing, in the form of a failed check. */
export function problem(
  id: string,
  fact: string,
  message: string,
  action: string,
  severity: Severity = 'critical',
): CheckResult {
  return { outcome: 'failed', rule: { id, fact, pass: '', weight: 6, severity, message, action } };
}
