import type { CheckRule } from '../checks/checks.ts';
import type { Words } from './words.ts';

/** A check that could not be evaluated, with its own wording: it counts as failed and blocks, whatever its severity. */
export function notEvaluated(rule: CheckRule, { say }: Words): CheckRule {
  const fact = rule.fact === '' ? rule.id : rule.fact;
  return {
    ...rule,
    severity: 'critical',
    message: say('check.notEvaluated', { check: fact }),
    action: rule.action === '' ? say('check.addFact', { fact }) : rule.action,
  };
}
