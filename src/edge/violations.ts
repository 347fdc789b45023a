import { pathToString } from '@bufbuild/protobuf/reflect';
import type { Violation } from '@bufbuild/protovalidate';
import type { FieldViolation } from '../base/failure.ts';

/** protovalidate's findings as data. */
export function violationsOf(violations: readonly Violation[]): FieldViolation[] {
  return violations.slice(0, maxViolations).map((violation) => ({
    field: pathToString(violation.field),
    description: violation.message || 'is not valid',
  }));
}

/** Enough to mend a request by; a list of a thousand bad items does not make a reply of a megabyte. */
const maxViolations = 20;

/** A field's path as JSON callers write it. */
export function camelCasePath(path: string): string {
  return path.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}
