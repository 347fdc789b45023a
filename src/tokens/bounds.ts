import { type FieldViolation, fail, invalid, type Result } from '../base/failure.ts';
import { maxAmountNanoUsd, type NanoUsd } from '../base/money.ts';
import { type ParentKey, tokenScopes } from './types.ts';

export const ttlSecondsDefault = 600;
const ttlSecondsMin = 60;
const ttlSecondsMax = 3_600;
const subjectBytesMax = 128;
const modelsMax = 50;

/** What is requested for a token or a device. */
export interface Wish {
  subject: string;
  scopes?: readonly string[];
  ttlSeconds?: number;
  spendingCap?: NanoUsd;
  models?: readonly string[];
}

/** Everything wrong with a request; a child never gets what its parent key does not have. */
export function violationsOf(wish: Wish, parent: ParentKey): FieldViolation[] {
  const violations: FieldViolation[] = [];
  const check = (holds: boolean, field: string, description: string) => {
    if (!holds) violations.push({ field, description });
  };
  const { subject, scopes = [], ttlSeconds = ttlSecondsDefault, spendingCap, models = [] } = wish;
  check(
    subject.trim() !== '' && Buffer.byteLength(subject) <= subjectBytesMax && !/\p{Cc}/u.test(subject),
    'subject',
    `must name the end user in 1 to ${subjectBytesMax} bytes without control characters`,
  );
  const possible = scopesOf(parent);
  check(possible.length > 0, 'scopes', 'the key has none that tokens can have');
  if (possible.length > 0)
    for (const scope of scopes)
      check(
        possible.includes(scope),
        'scopes',
        `must be among those of the key that tokens can have: ${possible.join(', ')}`,
      );
  check(
    Number.isInteger(ttlSeconds) && ttlSeconds >= ttlSecondsMin && ttlSeconds <= ttlSecondsMax,
    'ttlSeconds',
    `must be from ${ttlSecondsMin} to ${ttlSecondsMax}`,
  );
  if (spendingCap !== undefined)
    check(spendingCap > 0n && spendingCap <= maxAmountNanoUsd, 'spendingCapUsd', 'must be more than 0');
  check(models.length <= modelsMax, 'models', `must not be more than ${modelsMax}`);
  for (const model of models)
    check(/^[\x21-\x7e]{1,79}$/.test(model), 'models', 'must be ids of models, of at most 79 characters each');
  return violations;
}

/** The most that a token of this key can be allowed. */
export function scopesOf(parent: ParentKey): string[] {
  return tokenScopes.filter((scope) => parent.scopes.has(scope));
}

/** The smaller cap; undefined means no cap. */
export function lesserCap(one: NanoUsd | undefined, other: NanoUsd | undefined): NanoUsd | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return one < other ? one : other;
}

/**
 * Checks the API key that an account names as a parent. A key that is not the account's own counts as missing, and nothing about
 * it is revealed. Fails with `invalid_argument` for `keyId`, or with `overloaded`.
 */
export function ownKey(found: Result<ParentKey>, accountId: string): Result<ParentKey> {
  if (!found.ok && found.failure.kind === 'overloaded') return found;
  if (!found.ok || found.value.accountId !== accountId)
    return fail(invalid('keyId', 'must name an API key of the account that works'));
  if (found.value.scopes.size === 0) return fail(invalid('keyId', 'must name an API key, not a management key'));
  return found;
}
