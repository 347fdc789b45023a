import type { FieldViolation } from '../base/failure.ts';
import { maxAmountNanoUsd } from '../base/money.ts';
import { type KeyChanges, type KeyLimits, keyScopes, type NewKey } from './types.ts';

const limitMax = 1_000_000_000;
const originsMax = 20;
const originLengthMax = 190;

/** Everything wrong with a new key, or with changes to one. */
export function violationsOf(key: NewKey | KeyChanges, now: number): FieldViolation[] {
  const violations: FieldViolation[] = [];
  const isNew = 'kind' in key;
  const check = (holds: boolean, field: string, description: string) => {
    if (!holds) violations.push({ field, description });
  };
  if (isNew || key.displayName !== undefined)
    check(isText(key.displayName, 200), 'displayName', 'must have 1 to 200 characters');
  if (isNew || key.purpose !== undefined)
    check(isText(key.purpose, 1000), 'purpose', 'must say what is being built with the key, in 1 to 1000 characters');
  const scopes: readonly string[] = keyScopes;
  for (const scope of key.scopes ?? []) check(scopes.includes(scope), 'scopes', `must be among ${scopes.join(', ')}`);
  if (isNew && key.kind === 'management')
    for (const field of notOfManagement(key)) check(false, field, 'must be empty: a management key has none');
  if (typeof key.expireTime === 'number')
    check(Number.isSafeInteger(key.expireTime) && key.expireTime > now, 'expireTime', 'must be in the future');
  if (typeof key.spendingCap === 'bigint')
    check(key.spendingCap > 0n && key.spendingCap <= maxAmountNanoUsd, 'spendingCapUsd', 'must be more than 0');
  for (const [name, value] of Object.entries(key.limits ?? ({} as KeyLimits)))
    if (value !== undefined)
      check(
        Number.isSafeInteger(value) && value >= 1 && value <= limitMax,
        `limits.${name}`,
        `must be a whole number from 1 to ${limitMax}`,
      );
  const origins = key.allowedOrigins ?? [];
  check(origins.length <= originsMax, 'allowedOrigins', `must not be more than ${originsMax}`);
  for (const origin of origins)
    check(isOrigin(origin), 'allowedOrigins', 'must be origins such as https://app.example.com, without a path');
  return violations;
}

/** The fields set for a management key that only API keys have. */
export function notOfManagement(key: NewKey | KeyChanges): string[] {
  return [
    ...(key.scopes?.length ? ['scopes'] : []),
    ...(typeof key.spendingCap === 'bigint' ? ['spendingCapUsd'] : []),
    ...(key.allowedOrigins?.length ? ['allowedOrigins'] : []),
    ...(key.guardrails ? ['guardrails'] : []),
  ];
}

function isText(text: string | undefined, max: number): boolean {
  return text !== undefined && text.trim() !== '' && [...text].length <= max;
}

/** An origin exactly as browsers send it (RFC 6454): it is later compared byte by byte. */
function isOrigin(text: string): boolean {
  if (text.length > originLengthMax || !URL.canParse(text)) return false;
  const url = new URL(text);
  return (url.protocol === 'https:' || url.protocol === 'http:') && url.origin === text;
}
