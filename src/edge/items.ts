import type { Items } from '../api/items.ts';
import { fail, succeed } from '../base/failure.ts';
import { statusNames } from './error-body.ts';
import { heardBy, type RefusalTexts, refusalOf } from './failures.ts';
import { createViolationFinder } from './violations.ts';

/** Batch items, checked against the contract's rules and the table of failures, as the gate does for calls. */
export function createItems(texts: RefusalTexts): Items {
  const violationsOf = createViolationFinder();
  return {
    check(desc, message, at) {
      const violations = violationsOf(desc, message);
      if (!violations) return succeed(undefined);
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
