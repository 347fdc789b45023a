import { RE2JS } from 're2js';
import { compileChecks, runChecks } from '../checks/checks.ts';
import { boundExpression } from '../checks/expression-bounds.ts';
import { runCustom } from '../custom/run-custom.ts';
import type { Job, JobAnswer, PatternUse } from './job.ts';

/** Does one job. Pure; may take as long as a hostile expression likes, so only a worker that can be ended calls it. */
export function doJob(job: Job): JobAnswer {
  if (job.kind === 'custom') return runCustom(job.definition, job.input, job.drafted);
  if (job.kind === 'patterns') return matchPatterns(job.patterns);
  for (const [index, rule] of job.rules.entries())
    for (const part of ['when', 'pass'] as const) {
      const problem = rule[part] ? boundExpression(rule[part]) : undefined;
      if (problem) return { kind: 'refused', field: `checks[${index}].${part}`, problem };
    }
  try {
    const results = runChecks(compileChecks(job.rules, 'caller'), job.variables);
    return { kind: 'checks', outcomes: results.map(({ outcome }) => outcome) };
  } catch (error) {
    return { kind: 'refused', field: 'checks', problem: error instanceof Error ? error.message : 'cannot be read' };
  }
}

function matchPatterns(patterns: readonly PatternUse[]): JobAnswer {
  const fits: boolean[] = [];
  for (const { field, pattern, text } of patterns)
    try {
      fits.push(RE2JS.compile(pattern).matches(text));
    } catch {
      return { kind: 'refused', field, problem: 'is not a regular expression of RE2 syntax' };
    }
  return { kind: 'patterns', fits };
}
