import type { Guardrails } from '../base/guardrails.ts';
import type { StoredHash } from './pepper.ts';
import type { KeyKind } from './secret.ts';
import type { ApiKey, KeyLimits } from './types.ts';
import type { KeyRecord } from './verifier.ts';

/** This room's tables. Times are whole milliseconds since the epoch, so no session time zone can distort them. */
export interface KeyTables {
  api_key: KeyRow;
  api_key_use: { key_id: string; used_at_ms: number };
}

/** A key as it is stored. */
export interface KeyRow {
  id: string;
  account_id: string;
  kind: KeyKind;
  display_name: string;
  purpose: string;
  /** Names, separated by spaces. */
  scopes: string;
  secret_hash: Buffer;
  pepper_version: number;
  last_four: string;
  previous_hash: Buffer | null;
  previous_pepper_version: number | null;
  previous_expires_at_ms: number | null;
  version: number;
  created_at_ms: number;
  rotated_at_ms: number | null;
  expires_at_ms: number | null;
  revoked_at_ms: number | null;
  spending_cap: bigint | null;
  requests_per_minute: number | null;
  tokens_per_minute: number | null;
  concurrent: number | null;
  streams: number | null;
  /** Separated by spaces. */
  allowed_origins: string;
  /** JSON of `Guardrails`. */
  guardrails: string | null;
}

/** What a change writes. An absent field stays; `null` removes it. */
export interface KeyWrite {
  displayName?: string;
  purpose?: string;
  scopes?: readonly string[];
  expireTime?: number | null;
  spendingCap?: bigint | null;
  limits?: KeyLimits | null;
  guardrails?: Guardrails | null;
  allowedOrigins?: readonly string[];
  rotation?: { secret: StoredHash; lastFour: string; time: number; previous: StoredHash; previousExpireTime: number };
  revokeTime?: number;
}

export function keyOf(row: KeyRow, usedAtMs: number, now: number): ApiKey {
  const limits = limitsOf(row);
  const previousExpireTime = optional(row.previous_expires_at_ms);
  const state = stateOf(row, now);
  return {
    id: String(row.id),
    accountId: String(row.account_id),
    kind: kindOf(row),
    state,
    displayName: row.display_name,
    purpose: row.purpose,
    scopes: words(row.scopes),
    lastFour: String(row.last_four),
    version: Number(row.version),
    createTime: Number(row.created_at_ms),
    allowedOrigins: words(row.allowed_origins),
    ...(row.rotated_at_ms !== null && { rotateTime: Number(row.rotated_at_ms) }),
    ...(row.expires_at_ms !== null && { expireTime: Number(row.expires_at_ms) }),
    ...(row.revoked_at_ms !== null && { revokeTime: Number(row.revoked_at_ms) }),
    ...(usedAtMs > 0 && { lastUsedTime: usedAtMs }),
    ...(state === 'active' &&
      previousExpireTime !== undefined &&
      previousExpireTime > now && { previousSecretExpireTime: previousExpireTime }),
    ...(row.spending_cap !== null && { spendingCap: BigInt(row.spending_cap) }),
    ...(limits && { limits }),
    ...(row.guardrails !== null && { guardrails: JSON.parse(row.guardrails) as Guardrails }),
  };
}

export function recordOf(row: KeyRow): KeyRecord {
  const limits = limitsOf(row);
  return {
    key: {
      keyId: String(row.id),
      accountId: String(row.account_id),
      kind: kindOf(row),
      version: Number(row.version),
      secretTime: Number(row.rotated_at_ms ?? row.created_at_ms),
      displayName: row.display_name,
      scopes: new Set(words(row.scopes)),
      allowedOrigins: words(row.allowed_origins),
      ...(row.expires_at_ms !== null && { expireTime: Number(row.expires_at_ms) }),
      ...(row.spending_cap !== null && { spendingCap: BigInt(row.spending_cap) }),
      ...(limits && { limits }),
      ...(row.guardrails !== null && { guardrails: JSON.parse(row.guardrails) as Guardrails }),
    },
    revoked: row.revoked_at_ms !== null,
    secret: { hash: row.secret_hash, pepperVersion: Number(row.pepper_version) },
    ...(row.previous_hash !== null && {
      previous: {
        hash: row.previous_hash,
        pepperVersion: Number(row.previous_pepper_version),
        expireTime: Number(row.previous_expires_at_ms),
      },
    }),
  };
}

function stateOf(row: KeyRow, now: number): ApiKey['state'] {
  if (row.revoked_at_ms !== null) return 'revoked';
  return row.expires_at_ms !== null && Number(row.expires_at_ms) <= now ? 'expired' : 'active';
}

function kindOf(row: KeyRow): KeyKind {
  return String(row.kind) === 'management' ? 'management' : 'live';
}

function limitsOf(row: KeyRow): KeyLimits | undefined {
  const limits: KeyLimits = {
    ...(row.requests_per_minute !== null && { requestsPerMinute: Number(row.requests_per_minute) }),
    ...(row.tokens_per_minute !== null && { tokensPerMinute: Number(row.tokens_per_minute) }),
    ...(row.concurrent !== null && { concurrent: Number(row.concurrent) }),
    ...(row.streams !== null && { streams: Number(row.streams) }),
  };
  return Object.keys(limits).length > 0 ? limits : undefined;
}

export function limitColumns(limits: KeyLimits | null | undefined) {
  return {
    requests_per_minute: limits?.requestsPerMinute ?? null,
    tokens_per_minute: limits?.tokensPerMinute ?? null,
    concurrent: limits?.concurrent ?? null,
    streams: limits?.streams ?? null,
  };
}

export function guardrailsColumn(guardrails: Guardrails | null | undefined): string | null {
  return guardrails ? JSON.stringify(guardrails) : null;
}

export function columnsOf(write: KeyWrite) {
  const { rotation } = write;
  return {
    ...(write.displayName !== undefined && { display_name: write.displayName }),
    ...(write.purpose !== undefined && { purpose: write.purpose }),
    ...(write.scopes !== undefined && { scopes: write.scopes.join(' ') }),
    ...(write.expireTime !== undefined && { expires_at_ms: write.expireTime }),
    ...(write.spendingCap !== undefined && { spending_cap: write.spendingCap }),
    ...(write.limits !== undefined && limitColumns(write.limits)),
    ...(write.guardrails !== undefined && { guardrails: guardrailsColumn(write.guardrails) }),
    ...(write.allowedOrigins !== undefined && { allowed_origins: write.allowedOrigins.join(' ') }),
    ...(write.revokeTime !== undefined && { revoked_at_ms: write.revokeTime }),
    ...(rotation && {
      secret_hash: rotation.secret.hash,
      pepper_version: rotation.secret.pepperVersion,
      last_four: rotation.lastFour,
      rotated_at_ms: rotation.time,
      previous_hash: rotation.previous.hash,
      previous_pepper_version: rotation.previous.pepperVersion,
      previous_expires_at_ms: rotation.previousExpireTime,
    }),
  };
}

function optional(value: number | null): number | undefined {
  return value === null ? undefined : Number(value);
}

function words(text: string): string[] {
  return String(text).split(' ').filter(Boolean);
}
