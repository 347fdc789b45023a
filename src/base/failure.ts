import type { CredentialKind } from './caller.ts';
import type { NanoUsd } from './money.ts';

/** One problem with a request: the field's path as the caller writes it, and how to fix it. */
export interface FieldViolation {
  field: string;
  description: string;
  /** Machine-readable, where programs act on it: the `reason` of `google.rpc.BadRequest.FieldViolation`. */
  reason?: FieldReason;
}

/** `MODEL_NOT_FOUND`: no enabled model has the name. */
export type FieldReason = 'MODEL_NOT_FOUND';

/** The outcome of one upstream attempt as callers see it: never in the upstream's own words. */
export interface FailedAttempt {
  provider: string;
  model: string;
  outcome: string;
}

/** A limit that leaves too little: how much fits at once, how much is left, and how long until all of it is available again (not for slots). */
export interface RateQuota {
  name: 'requests' | 'tokens' | 'concurrent-requests' | 'concurrent-streams';
  most: number;
  remaining: number;
  windowMs?: number;
}

/**
 * Everything that can go wrong for a caller, as data. Rooms return these; only `edge/failures.ts` turns them into gRPC codes
 * and HTTP statuses. Nothing in here may contain a secret, SQL, a stack trace or a host name.
 */
export type Failure =
  | { kind: 'invalid_argument'; violations: FieldViolation[] }
  | { kind: 'credential_missing' }
  | { kind: 'credential_invalid' }
  | { kind: 'key_revoked' }
  /** The browser's session has ended, or never existed. */
  | { kind: 'session_ended' }
  /** The session's holder must present its credential again first. */
  | { kind: 'confirmation_required' }
  /** A cookie came with a request that the service's own pages do not send. */
  | { kind: 'not_from_console'; description: string }
  | { kind: 'token_expired' }
  /** An operator has suspended the credential's account. */
  | { kind: 'account_suspended' }
  | {
      kind: 'insufficient_credit';
      balance: NanoUsd;
      held: NanoUsd;
      /** The least that the request could cost. */
      needed: NanoUsd;
      /** Set if the credit is only held by requests in flight. */
      retryAfterMs?: number;
    }
  | {
      /** What an end user sees instead of `insufficient_credit`, and of its key's `spending_cap_reached`: nothing about the account's money. */
      kind: 'account_cannot_pay';
      because: 'insufficient_credit' | 'spending_cap_reached';
      needed: NanoUsd;
      retryAfterMs?: number;
    }
  | {
      kind: 'spending_cap_reached';
      /** Which one has the cap: `key`, `token` or `device`. */
      owner: string;
      limit: NanoUsd;
      spent: NanoUsd;
      held: NanoUsd;
      needed: NanoUsd;
    }
  /** `needed`: the kinds of credential that may, if this kind may not; absent or empty: this kind may. */
  | { kind: 'scope_missing'; scope: string; credential: string; needed?: readonly CredentialKind[] }
  /** `advice`: which ones exist, and what to do instead. `inAccount`: false for callers who look into all accounts. */
  | { kind: 'not_found'; resource: string; advice?: string; inAccount?: boolean }
  | { kind: 'already_exists'; resource: string }
  | { kind: 'precondition_failed'; description: string }
  | { kind: 'idempotency_in_flight'; chargeId?: string; retryAfterMs: number }
  | { kind: 'idempotency_mismatch' }
  /** A guardrail of the key found something of these categories in the request. */
  | { kind: 'guardrail'; categories: string[] }
  | { kind: 'reply_purged'; chargeId: string }
  | { kind: 'payload_too_large'; limitBytes: number }
  | { kind: 'unsupported_media_type'; accepted: string[] }
  | {
      kind: 'rate_limited';
      limit: string;
      retryAfterMs: number;
      /** Which of the caller's own limits was hit. */
      quota?: RateQuota;
    }
  | {
      kind: 'upstream_failed';
      attempts: FailedAttempt[];
      /** What failed to answer, if not a model; for example `payment provider`. */
      upstream?: string;
      /** What was wrong with its answer, if there was one. */
      misfit?: string;
      /** If none was called, because all have failed: when one may be tried again. */
      retryAfterMs?: number;
    }
  | {
      /** The provider does not accept the key that the account brought. */
      kind: 'provider_key_refused';
      providerKeyId: string;
      provider: string;
      /** The last four characters of its secret. */
      lastFour: string;
      /** The provider's HTTP status: 401, 402, 403 or 404; also 402 if the provider's own code says that it wants payment. */
      status?: number;
    }
  /** What an end user sees instead of `provider_key_refused`: neither whose key it is, nor which one. */
  | { kind: 'account_key_refused' }
  | { kind: 'upstream_timeout'; attempts: FailedAttempt[] }
  | { kind: 'deadline_exceeded' }
  | { kind: 'ledger_unavailable'; retryAfterMs: number }
  /** The database connection was lost, or could not be made: what was asked of it may have been done. */
  | { kind: 'database_unavailable'; retryAfterMs: number }
  | { kind: 'overloaded'; retryAfterMs: number }
  | { kind: 'cancelled' }
  /** The service is stopping, and the time for calls still running is over. */
  | { kind: 'shutting_down' }
  /** The request breaks a rule of its protocol. */
  | { kind: 'protocol_error'; description: string }
  | {
      kind: 'route_not_found';
      /** An existing path that the caller may have meant. */
      meant?: string;
    }
  | { kind: 'method_not_allowed'; allow: string[] }
  | {
      kind: 'unimplemented';
      /** What is missing, and what to do instead; absent: the method itself. */
      description?: string;
    }
  | { kind: 'internal' };

/** The outcome of something that may fail in a way that the caller should know about. */
export type Result<T> = { ok: true; value: T } | { ok: false; failure: Failure };

export function succeed<T>(value: T): Result<T> {
  return { ok: true, value };
}

export function fail(failure: Failure): { ok: false; failure: Failure } {
  return { ok: false, failure };
}

/** A failure on its way up to the gate, the only place that catches it. Thrown in `api/` and streams, by `unwrap`. */
export class FailureError extends Error {
  readonly failure: Failure;

  constructor(failure: Failure, options?: ErrorOptions) {
    super(failure.kind, options);
    this.name = 'FailureError';
    this.failure = failure;
  }
}

/** The value of a success; throws a failure for the gate to catch. */
export function unwrap<T>(result: Result<T>): T {
  if (!result.ok) throw new FailureError(result.failure);
  return result.value;
}

/** The inverse: turns a failure that the work throws back into data. */
export async function resultOf<T>(work: () => Promise<Result<T>>): Promise<Result<T>> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof FailureError) return fail(error.failure);
    throw error;
  }
}

/** One invalid field. */
export function invalid(field: string, description: string, reason?: FieldReason): Failure {
  return { kind: 'invalid_argument', violations: [{ field, description, ...(reason && { reason }) }] };
}

/** Whether the caller lacks credit, or has reached its spending cap. */
export function isShortOfCredit({ kind }: Failure): boolean {
  return kind === 'insufficient_credit' || kind === 'spending_cap_reached';
}
