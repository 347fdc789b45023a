import { pathToString } from '@bufbuild/protobuf/reflect';
import type { Violation } from '@bufbuild/protovalidate';
import type { FieldViolation } from '../base/failure.ts';

/** protovalidate's findings as data. */
export function violationsOf(violations: readonly Violation[]): FieldViolation[] {
  return violations.slice(0, maxViolations).map((violation) => ({
    field: pathToString(violation.field),
    description: wording(violation.message) || 'is not valid',
  }));
}

/** Lists as people write them; the empty name among the values of a field stands for leaving the field out. */
function wording(message: string): string {
  const [, list] = /^must be in list \[(.*)\]$/.exec(message) ?? [];
  if (list === undefined) return message;
  const values = list.split(', ').filter((value) => value !== '');
  return `must be one of ${values.join(', ')}`;
}

/** Enough to mend a request by; a list of a thousand bad items does not make a reply of a megabyte. */
const maxViolations = 20;

/** A field's path as JSON callers write it. */
export function camelCasePath(path: string): string {
  return path.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}
