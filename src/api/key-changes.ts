import { FailureError, invalid } from '../base/failure.ts';
import type { Guardrail, Guardrails } from '../base/guardrails.ts';
import { present } from '../base/present.ts';
import type {
  Guardrail as GuardrailMessage,
  Guardrails as GuardrailsMessage,
  KeyLimits as KeyLimitsMessage,
} from '../gen/intelligence/key/v1/key_pb.ts';
import type { UpdateKeyRequest } from '../gen/intelligence/key/v1/key_service_pb.ts';
import { type KeyChanges, type KeyLimits, keyScopes } from '../keys/index.ts';
import { amountOf, milliseconds } from './mapping.ts';

/** What each field of the mask changes. Fields missing from the request are removed, or reset to their default. */
const changesByField: Record<string, (request: UpdateKeyRequest) => KeyChanges> = {
  display_name: ({ displayName }) => ({ displayName }),
  purpose: ({ purpose }) => ({ purpose }),
  scopes: ({ scopes }) => ({ scopes: scopes.length > 0 ? scopes : keyScopes }),
  expire_time: ({ expireTime }) => ({ expireTime: milliseconds(expireTime) ?? null }),
  spending_cap_usd: ({ spendingCapUsd }) => ({
    spendingCap: spendingCapUsd === undefined ? null : amountOf(spendingCapUsd, 'spendingCapUsd'),
  }),
  guardrails: ({ guardrails }) => ({ guardrails: guardrailsOf(guardrails) ?? null }),
  limits: ({ limits }) => ({ limits: limitsOf(limits) ?? null }),
  allowed_origins: ({ allowedOrigins }) => ({ allowedOrigins }),
};

/** The changes that a request asks for: those in its mask or, without one, the fields that are set (AIP-134). */
export function keyChangesOf(request: UpdateKeyRequest): KeyChanges {
  const changes: KeyChanges = {};
  for (const path of request.updateMask?.paths ?? presentFields(request)) {
    const change = changesByField[path];
    if (!change) throw new FailureError(invalid('updateMask', `${path} is not a field that can be changed`));
    Object.assign(changes, change(request));
  }
  return changes;
}

/** Limits in the room's format; undefined if none is set. */
export function limitsOf(limits: KeyLimitsMessage | undefined): KeyLimits | undefined {
  if (!limits) return undefined;
  const { requestsPerMinute, tokensPerMinute, concurrent } = limits;
  return {
    ...(requestsPerMinute !== undefined && { requestsPerMinute }),
    ...(tokensPerMinute !== undefined && { tokensPerMinute }),
    ...(concurrent !== undefined && { concurrent }),
  };
}

/** Guardrails in the room's format; undefined if none is set. */
export function guardrailsOf(guardrails: GuardrailsMessage | undefined): Guardrails | undefined {
  const input = guardrailOf(guardrails?.input);
  const output = guardrailOf(guardrails?.output);
  return input || output ? present({ input, output }) : undefined;
}

function guardrailOf(guardrail: GuardrailMessage | undefined): Guardrail | undefined {
  if (!guardrail) return undefined;
  const { action, packs, ownPacks, categories, leastSeverity } = guardrail;
  return {
    ...{ action: action as Guardrail['action'], packs, categories },
    ...(ownPacks.length > 0 && { ownPacks }),
    leastSeverity: (leastSeverity || 'medium') as Guardrail['leastSeverity'],
  };
}

function presentFields(request: UpdateKeyRequest): string[] {
  return [
    ...(request.displayName !== '' ? ['display_name'] : []),
    ...(request.purpose !== '' ? ['purpose'] : []),
    ...(request.scopes.length > 0 ? ['scopes'] : []),
    ...(request.expireTime ? ['expire_time'] : []),
    ...(request.spendingCapUsd !== undefined ? ['spending_cap_usd'] : []),
    ...(request.limits ? ['limits'] : []),
    ...(request.guardrails ? ['guardrails'] : []),
    ...(request.allowedOrigins.length > 0 ? ['allowed_origins'] : []),
  ];
}
