import { createValidator } from '@bufbuild/protovalidate';
import type { Items } from '../api/items.ts';
import { fail, succeed } from '../base/failure.ts';
import { statusNames } from './error-body.ts';
import { heardBy, type RefusalTexts, refusalOf } from './failures.ts';
import { createPatternMatcher } from './patterns.ts';
import { violationsOf } from './violations.ts';

/** Items of batches: the contract's rules and the table of failures, as the gate has them for calls. */
export function createItems(texts: RefusalTexts): Items {
  const validator = createValidator({ regexMatch: createPatternMatcher() });
  return {
    check(desc, message, at) {
      const result = validator.validate(desc, message);
      if (result.kind === 'valid') return succeed(undefined);
      if (result.kind === 'error') throw result.error;
      const violations = violationsOf(result.violations);
      return fail({
        kind: 'invalid_argument',
        violations: violations.map(({ field, description }) => ({ field: `${at}.${field}`, description })),
      });
    },
    errorOf(caller, failure) {
      const { code, status, reason, message, metadata, violations, retryAfterMs } = refusalOf(
        heardBy(caller, failure),
        texts,
      );
      return {
        ...{ code: statusNames[code], status, reason, message, metadata: metadata ?? {} },
        fieldViolations: violations ?? [],
        retryAfterMs,
      };
    },
  };
}
