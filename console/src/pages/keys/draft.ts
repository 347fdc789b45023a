import type { GuardrailJson, GuardrailsJson, KeyJson, KeyLimitsJson } from '../../../gen/intelligence/key/v1/key_pb';
import type { CreateKeyRequestJson, UpdateKeyRequestJson } from '../../../gen/intelligence/key/v1/key_service_pb';
import { typedUsd, usdOf, usdToType } from '../../typed-usd.ts';

/** What a key may be used for, in the form's order. */
export const scopes = ['chat', 'workflows', 'pulse', 'tokens', 'devices'] as const;
export const limitNames = ['requestsPerMinute', 'tokensPerMinute', 'concurrent'] as const;

/** What was typed about a key, as text. */
export interface Draft {
  name: string;
  purpose: string;
  scopes: readonly string[];
  cap: string;
  /** Days from now; empty: never; `keep`: as it is. */
  expiry: string;
  limits: Record<(typeof limitNames)[number], string>;
  /** One per line. */
  origins: string;
  input: GuardrailJson | undefined;
  output: GuardrailJson | undefined;
}

export function draftOf(key: KeyJson | undefined): Draft {
  const limit = (name: (typeof limitNames)[number]) => String(key?.limits?.[name] ?? '');
  return {
    name: key?.displayName ?? '',
    purpose: key?.purpose ?? '',
    scopes: key?.scopes ?? scopes,
    cap: usdToType(key?.spendingCapUsd ?? ''),
    expiry: key?.expireTime === undefined ? '' : 'keep',
    limits: {
      requestsPerMinute: limit('requestsPerMinute'),
      tokensPerMinute: limit('tokensPerMinute'),
      concurrent: limit('concurrent'),
    },
    origins: (key?.allowedOrigins ?? []).join('\n'),
    input: key?.guardrails?.input,
    output: key?.guardrails?.output,
  };
}

/** Whether nothing was typed, or an amount above 0. */
export function isCap(text: string): boolean {
  return text.trim() === '' || (typedUsd(text) ?? 0n) > 0n;
}

/** Whether nothing was typed, or a valid limit. */
export function isLimit(text: string): boolean {
  return text.trim() === '' || /^[1-9][0-9]{0,8}$/.test(text.trim());
}

export function isWhole({ name, purpose, cap, limits, scopes: chosen }: Draft): boolean {
  const texts = name.trim() !== '' && purpose.trim() !== '';
  return texts && chosen.length > 0 && isCap(cap) && limitNames.every((limit) => isLimit(limits[limit]));
}

export function createRequest(draft: Draft, now: Date): CreateKeyRequestJson {
  const { displayName, purpose, ...fields } = fieldsOf(draft, now);
  const there = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
  return { displayName, purpose, ...there };
}

/** Changes only what differs, so that changes made by others meanwhile stay. Undefined: nothing differs. */
export function updateRequest(key: KeyJson, draft: Draft, now: Date): UpdateKeyRequestJson | undefined {
  const before = fieldsOf(draftOf(key), now);
  const after = fieldsOf(draft, now);
  const names = (Object.keys(after) as (keyof typeof after)[]).filter(
    (name) => JSON.stringify(after[name]) !== JSON.stringify(before[name]),
  );
  if (names.length === 0 || !key.keyId) return undefined;
  const changed = Object.fromEntries(names.flatMap((name) => (after[name] === undefined ? [] : [[name, after[name]]])));
  return { keyId: key.keyId, updateMask: names.join(','), ...changed };
}

const dayMs = 86_400_000;
/** An unchanged expiry: it is the same before and after. */
const kept = 'keep';

function fieldsOf(draft: Draft, now: Date) {
  const { name, purpose, cap, expiry, origins, input, output } = draft;
  const guardrails: GuardrailsJson | undefined =
    input || output ? { ...(input && { input }), ...(output && { output }) } : undefined;
  return {
    displayName: name.trim(),
    purpose: purpose.trim(),
    scopes: scopes.filter((scope) => draft.scopes.includes(scope)),
    spendingCapUsd: usdOf(cap) || undefined,
    expireTime:
      expiry === '' || expiry === kept
        ? expiry || undefined
        : new Date(now.getTime() + Number(expiry) * dayMs).toISOString(),
    limits: limitsOf(draft),
    allowedOrigins: origins.split(/\s+/).filter(Boolean),
    guardrails,
  };
}

function limitsOf({ limits }: Draft): KeyLimitsJson | undefined {
  const typed = limitNames.flatMap((name) => (limits[name].trim() === '' ? [] : [[name, Number(limits[name])]]));
  return typed.length === 0 ? undefined : (Object.fromEntries(typed) as KeyLimitsJson);
}
