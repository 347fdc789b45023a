import type { DescMessage, Message } from '@bufbuild/protobuf';
import { pathToString } from '@bufbuild/protobuf/reflect';
import { createValidator, type Violation } from '@bufbuild/protovalidate';
import type { FieldViolation } from '../base/failure.ts';
import { createPatternMatcher } from './patterns.ts';
import { createRuleScreen } from './rule-screen.ts';
import { ruleWords } from './rule-words.ts';
import { shortened } from './shortened.ts';

/** The number of list and map elements up to which all of a message's faults are listed. */
const elementsMax = 1_000;

/**
 * The contract violations in a message; undefined if there are none. For a long message only the first is listed: listing tens of
 * thousands of small faults would take the event loop 0.2 s. Throws when the rules themselves are at fault.
 */
export function createViolationFinder(): (schema: DescMessage, message: Message) => FieldViolation[] | undefined {
  const regexMatch = createPatternMatcher();
  const isInOrder = createRuleScreen(regexMatch);
  const first = createValidator({ regexMatch, failFast: true });
  const all = createValidator({ regexMatch });
  return (schema, message) => {
    if (isInOrder(schema, message)) return undefined;
    const short = shortened(schema, message, regexMatch);
    let result = first.validate(schema, short);
    if (result.kind === 'invalid' && !isLong(message)) result = all.validate(schema, short);
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

/** protovalidate's violations as data. */
function violationsOf(violations: readonly Violation[]): FieldViolation[] {
  return violations.slice(0, maxViolations).map((violation) => ({
    field: camelCasePath(pathToString(violation.field)),
    description: ruleWords(violation.message) || 'is not valid',
  }));
}

/** Enough to fix a request; a list of a thousand bad items must not produce a megabyte reply. */
const maxViolations = 20;

/** A field's path in the contract as JSON callers write it. Quoted map keys are the caller's own. */
export function camelCasePath(path: string): string {
  return path.replace(/"(?:[^"\\]|\\.)*"|_([a-z0-9])/g, (all, letter?: string) => letter?.toUpperCase() ?? all);
}
