import { Code } from '@connectrpc/connect';
import type { Caller } from '../base/caller.ts';
import { type Failure, FailureError, type FieldViolation } from '../base/failure.ts';
import { formatUsd } from '../base/money.ts';
import { isConnectionLost } from '../db/index.ts';
import { brief } from './brief.ts';
import { refusalHeaders } from './rate-limit-headers.ts';
import type { Refusal } from './refusal.ts';
import {
  attemptsText,
  creditMessage,
  invalidMessage,
  notFoundMessage,
  scopeMessage,
  upstreamMessage,
} from './refusal-messages.ts';

/** What the table needs to know about the service. */
export interface RefusalTexts {
  /** The minimum top-up, as printed in refusals for insufficient credit. */
  minimumTopUpUsd: string;
  /** Where to top up; undefined when the service doesn't know its public address. */
  topUpUrl?: string | undefined;
}

/** The one table from failures to gRPC codes, HTTP statuses and documented reasons (proto `ErrorReason`). */
export function refusalOf(failure: Failure, texts: RefusalTexts): Refusal {
  switch (failure.kind) {
    case 'invalid_argument':
      return invalidRequest(failure.violations);
    case 'credential_missing':
      return unauthenticated(
        'CREDENTIAL_MISSING',
        'This call needs a credential: send the header "Authorization: Bearer <API_KEY>".',
        'Bearer',
      );
    case 'credential_invalid':
      return unauthenticated(
        'CREDENTIAL_INVALID',
        'The credential is not valid here. Check that the whole key or token was sent, as "Authorization: Bearer <API_KEY>".',
        'Bearer error="invalid_token"',
      );
    case 'key_revoked':
      return unauthenticated(
        'KEY_REVOKED',
        'This key was revoked or has expired. Use another key of the account, or create one.',
        'Bearer error="invalid_token", error_description="the key was revoked or has expired"',
      );
    case 'session_ended':
      return unauthenticated(
        'SESSION_ENDED',
        'The session has ended: it was not used for a while, was signed out, or its key was rotated or revoked. Sign in again.',
        'Bearer error="invalid_token", error_description="the session is over"',
      );
    case 'confirmation_required':
      return {
        code: Code.PermissionDenied,
        status: 403,
        reason: 'CONFIRMATION_REQUIRED',
        message:
          'This call needs the key again, because it was last shown more than 10 minutes ago: send it to POST /console/session/confirm, then repeat this call.',
      };
    case 'not_from_console':
      return {
        code: Code.PermissionDenied,
        status: 403,
        reason: 'NOT_FROM_CONSOLE',
        message: failure.description,
      };
    case 'token_expired':
      return unauthenticated(
        'TOKEN_EXPIRED',
        'This access token has expired. Get a new one and send the request again.',
        'Bearer error="invalid_token", error_description="the token has expired"',
      );
    case 'account_suspended':
      return {
        code: Code.PermissionDenied,
        status: 403,
        reason: 'ACCOUNT_SUSPENDED',
        message:
          'The account of this credential is suspended, and nothing is served for it. Its money stays. Ask whoever runs this service; once the account is resumed, the same credential works again.',
      };
    case 'insufficient_credit':
      return {
        code: Code.FailedPrecondition,
        status: 402,
        reason: 'INSUFFICIENT_CREDIT',
        message: creditMessage(failure, texts.minimumTopUpUsd),
        metadata: {
          balanceUsd: formatUsd(failure.balance),
          heldUsd: formatUsd(failure.held),
          neededUsd: formatUsd(failure.needed),
          minimumTopUpUsd: texts.minimumTopUpUsd,
        },
        ...(failure.retryAfterMs !== undefined && { retryAfterMs: failure.retryAfterMs }),
        ...(texts.topUpUrl !== undefined && { help: { description: 'Add API credit', url: texts.topUpUrl } }),
      };
    case 'account_cannot_pay':
      return {
        code: Code.FailedPrecondition,
        status: 402,
        reason: failure.because === 'insufficient_credit' ? 'INSUFFICIENT_CREDIT' : 'SPENDING_CAP_REACHED',
        message:
          failure.retryAfterMs === undefined
            ? 'The account behind this app cannot pay for the request. Tell whoever runs the app; requests fail until credit is added or a spending cap is raised.'
            : 'The credit of the account behind this app is held by other requests. Send the request again in a moment.',
        metadata: { neededUsd: formatUsd(failure.needed) },
        ...(failure.retryAfterMs !== undefined && { retryAfterMs: failure.retryAfterMs }),
      };
    case 'spending_cap_reached':
      return {
        code: Code.FailedPrecondition,
        status: 402,
        reason: 'SPENDING_CAP_REACHED',
        message: `The spending cap of this ${failure.owner}, ${formatUsd(failure.limit)} USD, does not leave the ${formatUsd(failure.needed)} USD that the request needs.`,
        metadata: {
          owner: failure.owner,
          limitUsd: formatUsd(failure.limit),
          spentUsd: formatUsd(failure.spent),
          heldUsd: formatUsd(failure.held),
          neededUsd: formatUsd(failure.needed),
        },
      };
    case 'scope_missing':
      return {
        code: Code.PermissionDenied,
        status: 403,
        reason: 'SCOPE_MISSING',
        message: scopeMessage(failure),
        metadata: {
          ...{ requiredScope: failure.scope, credential: failure.credential },
          ...(failure.needed && { requiredCredentials: failure.needed.join(',') }),
        },
      };
    case 'not_found':
      return {
        code: Code.NotFound,
        status: 404,
        reason: 'NOT_FOUND',
        message: notFoundMessage(failure),
        metadata: { resource: failure.resource },
      };
    case 'already_exists':
      return {
        code: Code.AlreadyExists,
        status: 409,
        reason: 'ALREADY_EXISTS',
        message: `The ${failure.resource} exists already. Change or remove that one, or make another.`,
        metadata: { resource: failure.resource },
      };
    case 'precondition_failed':
      return {
        code: Code.FailedPrecondition,
        status: 409,
        reason: 'PRECONDITION_FAILED',
        message: failure.description,
      };
    case 'idempotency_in_flight':
      return {
        code: Code.Aborted,
        status: 409,
        reason: 'IDEMPOTENCY_IN_FLIGHT',
        message:
          'A request with this Idempotency-Key is still being processed. Send it again in a moment to get its reply.',
        ...(failure.chargeId !== undefined && { metadata: { chargeId: failure.chargeId } }),
        retryAfterMs: failure.retryAfterMs,
      };
    case 'idempotency_mismatch':
      return {
        code: Code.FailedPrecondition,
        status: 422,
        reason: 'IDEMPOTENCY_MISMATCH',
        message: 'This Idempotency-Key was used for another request. Use a new key for a new request.',
      };
    case 'guardrail':
      return {
        code: Code.InvalidArgument,
        status: 400,
        reason: 'GUARDRAIL',
        message: `A guardrail of this key refuses the request: ${failure.categories.join(', ')}. No model was called, and nothing was charged. Send it without that, or have the key's owner change the guardrail.`,
        metadata: { categories: failure.categories.join(',') },
      };
    case 'reply_purged':
      return {
        code: Code.FailedPrecondition,
        status: 409,
        reason: 'REPLY_PURGED',
        message: `This request was charged once (${failure.chargeId}), but there is no reply to repeat: it is no longer stored, or no model gave a usable one. To ask again, use a new Idempotency-Key; that is a new charge.`,
        metadata: { chargeId: failure.chargeId },
      };
    case 'payload_too_large':
      return {
        code: Code.ResourceExhausted,
        status: 413,
        reason: 'PAYLOAD_TOO_LARGE',
        message: `The message is over the limit of ${failure.limitBytes} bytes, measured after decompression.`,
        metadata: { limitBytes: String(failure.limitBytes) },
      };
    case 'unsupported_media_type':
      return {
        code: Code.InvalidArgument,
        status: 415,
        reason: 'UNSUPPORTED_MEDIA_TYPE',
        message: failure.accepted.includes('identity')
          ? 'Send the body with Content-Encoding gzip, or without one.'
          : `Send the body as Content-Type ${failure.accepted.join(' or ')}.`,
      };
    case 'rate_limited':
      return {
        code: Code.ResourceExhausted,
        status: 429,
        reason: 'RATE_LIMITED',
        message: `Over the limit of ${failure.limit}. Nothing was charged. Send it again in ${Math.ceil(failure.retryAfterMs / 1000)} s.`,
        metadata: { limit: failure.limit },
        retryAfterMs: failure.retryAfterMs,
        headers: refusalHeaders(failure.quota, failure.retryAfterMs),
      };
    case 'upstream_failed':
      return {
        code: Code.Unavailable,
        status: 502,
        reason: 'UPSTREAM_FAILED',
        message: upstreamMessage(failure),
        ...(failure.retryAfterMs !== undefined && { retryAfterMs: failure.retryAfterMs }),
      };
    case 'provider_key_refused':
      return refusedKey(failure);
    case 'account_key_refused':
      return {
        code: Code.FailedPrecondition,
        status: 424,
        reason: 'PROVIDER_KEY_REFUSED',
        message:
          'No model could answer: the provider refused the credentials of the account behind this app. Tell whoever runs the app. Nothing was charged.',
      };
    case 'upstream_timeout':
      return {
        code: Code.DeadlineExceeded,
        status: 504,
        reason: 'UPSTREAM_TIMEOUT',
        message: `No model answered in time (${attemptsText(failure.attempts)}).`,
      };
    case 'deadline_exceeded':
      return {
        code: Code.DeadlineExceeded,
        status: 504,
        reason: 'DEADLINE_EXCEEDED',
        message: 'The deadline that the request set has passed.',
      };
    case 'ledger_unavailable':
      return {
        code: Code.Unavailable,
        status: 503,
        reason: 'LEDGER_UNAVAILABLE',
        message: 'The ledger cannot be reached, and nothing is served without it. Send the request again.',
        retryAfterMs: failure.retryAfterMs,
      };
    case 'database_unavailable':
      return {
        code: Code.Unavailable,
        status: 503,
        reason: 'DATABASE_UNAVAILABLE',
        message:
          'The database of the service cannot be reached. Ask again in a moment. A change without an answer may still have been made: look for it first, or send it again with the same Idempotency-Key.',
        retryAfterMs: failure.retryAfterMs,
      };
    case 'overloaded':
      return {
        code: Code.Unavailable,
        status: 503,
        reason: 'OVERLOADED',
        message: 'Too many requests are in flight. Nothing was charged. Send it again in a moment.',
        retryAfterMs: failure.retryAfterMs,
      };
    case 'cancelled':
      return { code: Code.Canceled, status: 499, reason: 'CANCELLED', message: 'The caller cancelled the request.' };
    case 'shutting_down':
      return {
        code: Code.Unavailable,
        status: 503,
        reason: 'SHUTTING_DOWN',
        message:
          'The service is shutting down, and ended the call before its reply. Send it again, with the same Idempotency-Key if it has one: it is charged once.',
      };
    case 'protocol_error':
      return { code: Code.Internal, status: 400, reason: 'PROTOCOL_ERROR', message: failure.description };
    case 'route_not_found':
      return {
        code: Code.NotFound,
        status: 404,
        reason: 'NOT_FOUND',
        message: failure.meant
          ? `Nothing is served at this path. Did you mean ${failure.meant}? If so, the base URL of your client is wrong.`
          : 'Nothing is served at this path. GET /openapi.json lists the paths; the README names those for clients of other APIs.',
      };
    case 'method_not_allowed':
      return {
        code: Code.Unimplemented,
        status: 405,
        reason: 'METHOD_NOT_ALLOWED',
        message: `This path accepts ${failure.allow.join(', ')}.`,
        headers: { allow: failure.allow.join(', ') },
      };
    case 'unimplemented':
      return {
        code: Code.Unimplemented,
        status: 501,
        reason: 'UNIMPLEMENTED',
        message: failure.description ?? 'There is no such method.',
      };
    case 'internal':
      return {
        code: Code.Internal,
        status: 500,
        reason: 'INTERNAL',
        message: 'Internal error. Nothing was charged without an answer. Quote the request id when you report it.',
      };
  }
}

/**
 * A failure as this caller may see it: end users see only their own cap, nothing about the account's money. Operators have no
 * account in which something could be missing.
 */
export function heardBy({ credential, token }: Caller, failure: Failure): Failure {
  if (credential === 'operator' && failure.kind === 'not_found') return { ...failure, inAccount: false };
  if (!token) return failure;
  const { kind } = failure;
  if (kind === 'insufficient_credit') {
    const { needed, retryAfterMs } = failure;
    return { kind: 'account_cannot_pay', because: kind, needed, ...(retryAfterMs !== undefined && { retryAfterMs }) };
  }
  if (kind === 'spending_cap_reached' && failure.owner === 'key')
    return { kind: 'account_cannot_pay', because: kind, needed: failure.needed };
  // Whose key it is, and which, is between the provider and the account.
  if (kind === 'provider_key_refused') return { kind: 'account_key_refused' };
  return failure;
}

/** The failure in anything thrown. Any other error is a fault of the service, whose message callers never see. */
export function failureOf(error: unknown): Failure {
  if (error instanceof FailureError) return error.failure;
  return isConnectionLost(error) ? { kind: 'database_unavailable', retryAfterMs: 1_000 } : { kind: 'internal' };
}

function unauthenticated(reason: string, message: string, challenge: string): Refusal {
  return { code: Code.Unauthenticated, status: 401, reason, message, headers: { 'www-authenticate': challenge } };
}

/** A description has words of ours around the caller's. */
const descriptionMax = 600;

/** Names that callers chose, and their texts, are repeated as they came, but not at any length. */
function invalidRequest(found: readonly FieldViolation[]): Refusal {
  const violations = found.map(({ field, description, ...rest }) => ({
    ...{ field: brief(field), description: brief(description, descriptionMax) },
    ...rest,
  }));
  return {
    code: Code.InvalidArgument,
    status: 400,
    reason: 'INVALID_ARGUMENT',
    message: invalidMessage(violations),
    violations,
  };
}

/** 424 of RFC 4918: clients read a 401 as being about their own credential, and retry a 409. */
function refusedKey(failure: Extract<Failure, { kind: 'provider_key_refused' }>): Refusal {
  const { providerKeyId, provider, lastFour, status } = failure;
  const key = `your key ${providerKeyId} (ending in ${lastFour})`;
  const message =
    status === 404
      ? `${provider} does not know the model for ${key}: choose another model, or give the key access to it.`
      : status === 402
        ? `${provider} wants to be paid before it serves ${key}: see its billing.`
        : `${provider} refused ${key}${status === undefined ? '' : ` with status ${status}`}. Store one that works and delete this one, or set ownKey (of a chat, routing.ownKey) to "never" or "prefer".`;
  return {
    code: Code.FailedPrecondition,
    status: 424,
    reason: 'PROVIDER_KEY_REFUSED',
    message,
    metadata: { providerKeyId, provider, lastFour, ...(status !== undefined && { status: String(status) }) },
  };
}
