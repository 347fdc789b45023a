import { runChecks } from '../cel/checks.ts';
import { celVariables } from '../cel/expressions.ts';
import type { Answers, Job, JobKind, Jobs, Refused } from '../job.ts';
import { countPiece } from '../tokens.ts';
import { compileCallersChecks, wordsOf } from './caller-expressions.ts';
import { checkSchema } from './check-schema.ts';
import { matchPatterns } from './patterns.ts';
import { runCustom } from './run-custom.ts';

/**
 * Does one job. Pure; may take as long as a hostile caller likes, so it must only run in a process that can be killed. Never
 * throws: anything a caller's code throws becomes an answer.
 */
export function doJob(job: Job): Answers[JobKind] | Refused {
  try {
    switch (job.kind) {
      case 'checks':
        return check(job);
      case 'patterns':
        return matchPatterns(job);
      case 'custom':
        return runCustom(job);
      case 'schema':
        return checkSchema(job);
      case 'tokens':
        return { tokens: job.pieces.reduce((sum, piece) => sum + countPiece(piece), 0) };
    }
  } catch (error) {
    // For example, a value nested too deep for the stack.
    return { refused: { at: '', problem: `cannot be run: ${wordsOf(error)}` } };
  }
}

function check({ checks, variables }: Jobs['checks']): Answers['checks'] | Refused {
  const compiled = compileCallersChecks(checks);
  if (!compiled.ok) return { refused: { at: compiled.at, problem: compiled.problem } };
  return { outcomes: runChecks(compiled.checks, celVariables(variables)).map(({ outcome }) => outcome) };
}
