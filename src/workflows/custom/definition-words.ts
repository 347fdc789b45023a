import type { WorkflowDefinition } from '../../gen/intelligence/workflow/v1/definition_pb.ts';
import type { Plain } from '../family.ts';
import { type Words, wordsFor } from '../words/index.ts';

/** Uses the definition's own language: its runs have no locale, because the whole body of a request is the input. */
export function definitionWords({ displayName, checks }: Plain<WorkflowDefinition>): Words {
  const texts = checks.flatMap(({ fact, message, action }) => [message, action, fact]);
  return wordsFor('', [displayName, ...texts].join('\n'));
}
