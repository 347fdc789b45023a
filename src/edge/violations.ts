import type { DescMessage, Message } from '@bufbuild/protobuf';
import { pathToString } from '@bufbuild/protobuf/reflect';
import { createValidator, type Violation } from '@bufbuild/protovalidate';
import type { FieldViolation } from '../base/failure.ts';
import { createPatternMatcher } from './patterns.ts';
import { ruleWords } from './rule-words.ts';

/** Elements of lists and maps in a message whose faults are all looked for. */
const elementsMax = 1_000;

/**
 * What the contract's rules find wrong with a message; undefined: nothing. Of a long message it is the first fault only:
 * tens of thousands of small faults would take the event loop 0.2 s to list. Throws when the rules themselves are at fault.
 */
export function createViolationFinder(): (schema: DescMessage, message: Message) => FieldViolation[] | undefined {
  const regexMatch = createPatternMatcher();
  const first = createValidator({ regexMatch, failFast: true });
  const all = createValidator({ regexMatch });
  return (schema, message) => {
    let result = first.validate(schema, message);
    if (result.kind === 'invalid' && !isLong(message)) result = all.validate(schema, message);
    if (result.kind === 'error') throw result.error;
    return result.kind === 'invalid' ? violationsOf(result.violations) : undefined;
  };
}

function isLong(message: Message): boolean {
  const unseen: object[] = [message];
  let elements = 0;
  for (let next = unseen.pop(); next !== undefined; next = unseen.pop()) {
    if (ArrayBuffer.isView(next)) continue;
    const values = Object.values(next);
    elements += values.length;
    if (elements > elementsMax) return true;
    for (const value of values) if (typeof value === 'object' && value !== null) unseen.push(value);
  }
  return false;
}

/** protovalidate's findings as data. */
function violationsOf(violations: readonly Violation[]): FieldViolation[] {
  return violations.slice(0, maxViolations).map((violation) => ({
    field: pathToString(violation.field),
    description: ruleWords(violation.message) || 'is not valid',
  }));
}

/** Enough to mend a request by; a list of a thousand bad items does not make a reply of a megabyte. */
const maxViolations = 20;

/** A field's path as JSON callers write it. Keys of maps, in quotes, are the caller's own. */
export function camelCasePath(path: string): string {
  return path.replace(/"(?:[^"\\]|\\.)*"|_([a-z0-9])/g, (all, letter?: string) => letter?.toUpperCase() ?? all);
}
