import {
  APICallError,
  InvalidArgumentError,
  InvalidPromptError,
  InvalidResponseDataError,
  JSONParseError,
  NoContentGeneratedError,
  TypeValidationError,
  UnsupportedFunctionalityError,
} from '@ai-sdk/provider';

/**
 * The outcome of a failed call.
 * - `timeout`: nothing arrived in time. `connection_failed`: the connection could not be made, or broke.
 * - `rate_limited`: 429, or Anthropic's 529. `server_error`: any other 5xx.
 * - `invalid_reply`: the reply cannot be read.
 * - `misconfigured`: the provider refused our key, wants payment, or does not know the model (401, 402, 403, 404).
 * - `caller_mistake`: certainly the caller's input. `rejected`: any other 4xx, or the provider's protocol cannot express the request; another
 *   model might accept it.
 * - `cancelled`: we ended it ourselves.
 */
export type UpstreamOutcome =
  | 'timeout'
  | 'connection_failed'
  | 'rate_limited'
  | 'server_error'
  | 'invalid_reply'
  | 'misconfigured'
  | 'caller_mistake'
  | 'rejected'
  | 'cancelled';

/** A failed call, without any of the provider's own text, which may quote prompts and keys. */
export interface UpstreamFailure {
  outcome: UpstreamOutcome;
  /** The HTTP status, if there was one. */
  status?: number;
  /** How long the provider asked us to wait. */
  retryAfterMs?: number;
  /** For the caller, if another request would be accepted: what to change, in our own words. */
  advice?: string;
  /** Whether the provider wants back state that it gave with an earlier message. */
  wantsState?: boolean;
}

const timeouts = new Set(['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT', 'UND_ERR_CONNECT_TIMEOUT', 'ETIMEDOUT']);
const brokenConnections = new Set([
  'UND_ERR_SOCKET',
  'UND_ERR_CLOSED',
  'UND_ERR_DESTROYED',
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EPIPE',
]);

/** Classifies whatever a provider package threw or streamed. */
export function upstreamFailure(error: unknown): UpstreamFailure {
  for (const cause of causes(error)) {
    const name = cause instanceof Error ? cause.name : '';
    if (name === 'TimeoutError') return { outcome: 'timeout' };
    if (name === 'AbortError') return { outcome: 'cancelled' };
    const code = (cause as { code?: unknown }).code;
    if (typeof code === 'string') {
      if (timeouts.has(code)) return { outcome: 'timeout' };
      if (brokenConnections.has(code)) return { outcome: 'connection_failed' };
      if (code.startsWith('HPE_') || code.startsWith('UND_ERR_RES')) return { outcome: 'invalid_reply' };
      if (code.startsWith('ERR_TLS') || code.startsWith('ERR_SSL') || code.includes('CERT'))
        return { outcome: 'connection_failed' };
    }
    if (
      JSONParseError.isInstance(cause) ||
      TypeValidationError.isInstance(cause) ||
      InvalidResponseDataError.isInstance(cause) ||
      NoContentGeneratedError.isInstance(cause)
    )
      return { outcome: 'invalid_reply' };
    // Thrown before the provider is asked, so it says nothing about the provider.
    if (
      UnsupportedFunctionalityError.isInstance(cause) ||
      InvalidPromptError.isInstance(cause) ||
      InvalidArgumentError.isInstance(cause)
    )
      return { outcome: 'rejected', advice: inexpressibleAdvice };
  }
  if (APICallError.isInstance(error) && error.statusCode !== undefined) return ofStatus(error, error.statusCode);
  return { outcome: streamedOutcome(error) };
}

function ofStatus(error: APICallError, status: number): UpstreamFailure {
  const failure: UpstreamFailure = { outcome: 'rejected', status };
  const retryAfterMs = retryAfter(error.responseHeaders ?? {});
  if (retryAfterMs !== undefined) failure.retryAfterMs = retryAfterMs;
  if (status < 400) failure.outcome = 'invalid_reply';
  // The owner of the key has run out of credit there, which unlike a rate limit does not pass without action.
  else if (status < 500 && wantsPayment(error)) Object.assign(failure, { outcome: 'misconfigured', status: 402 });
  else if (status === 429 || status === 529) failure.outcome = 'rate_limited';
  else if (status === 408) failure.outcome = 'timeout';
  else if (status >= 500) failure.outcome = 'server_error';
  else if (status === 401 || status === 402 || status === 403 || status === 404) failure.outcome = 'misconfigured';
  else {
    const wantsState = wantedState.some((pattern) => pattern.test(messageOf(error)));
    const advice = wantsState ? stateAdvice : adviceFor(codeOf(error));
    if (wantsState) failure.wantsState = true;
    if (advice) Object.assign(failure, { outcome: 'caller_mistake', advice });
  }
  return failure;
}

/** Whether the provider says that its credit or spending limit is used up; few use 402 for that. */
function wantsPayment(error: APICallError): boolean {
  // Anthropic has no code for it; it answers 400.
  return unpaidCodes.has(codeOf(error) ?? '') || /credit balance is too low/i.test(messageOf(error));
}

/** OpenAI's codes, which come with 429 and with 400. */
const unpaidCodes = new Set(['insufficient_quota', 'billing_hard_limit_reached', 'billing_not_active']);

// Only codes whose meaning the provider documents: a guess would blame the caller for our mistake.
function adviceFor(code: string | undefined): string | undefined {
  switch (code) {
    case 'context_length_exceeded':
      return 'The conversation is too long for this model. Shorten it, or choose a model with a larger context.';
    case 'string_above_max_length':
      return 'A message is too long for this model. Shorten it.';
    case 'invalid_image_url':
    case 'image_parse_error':
    case 'invalid_base64_image':
      return 'An image could not be read. Send a PNG, JPEG, GIF or WebP image.';
    case 'content_policy_violation':
    case 'content_filter':
      return "The provider's content policy refuses this conversation.";
    case 'invalid_json_schema':
      return 'The provider does not support this JSON Schema.';
    default:
      return undefined;
  }
}

// Providers that want their state back say so with codes that are also used for much else.
const wantedState = [
  // OpenAI: an item "was provided without its required 'reasoning' item".
  /without its required '?reasoning'? item/i,
  // Anthropic: "Expected `thinking` or `redacted_thinking`, but found `tool_use`".
  /expected .?thinking.? or .?redacted_thinking/i,
  // Gemini: "Function call is missing a thought_signature in functionCall parts".
  /missing a .?thought_signature/i,
];

const inexpressibleAdvice =
  'A part of this cannot be sent to the model. Send images and documents as `data`, images with their `mediaType`, or choose another model.';

const stateAdvice =
  "The model asked for a tool, but its message came back without its state. Send the assistant's messages and tool calls back unchanged, with `providerState`, or turn reasoning off.";

function messageOf(error: APICallError): string {
  const message = (error.data as { error?: { message?: unknown } } | undefined)?.error?.message;
  return typeof message === 'string' ? message : '';
}

function codeOf(error: APICallError): string | undefined {
  const code = (error.data as { error?: { code?: unknown } } | undefined)?.error?.code;
  return typeof code === 'string' ? code : undefined;
}

/** Retry-After as seconds or a date (RFC 9110), or OpenAI's `retry-after-ms`; at most an hour. */
function retryAfter(headers: Record<string, string>): number | undefined {
  const precise = Number(headers['retry-after-ms']);
  if (headers['retry-after-ms'] !== undefined && Number.isFinite(precise)) return bounded(precise);
  const text = headers['retry-after'];
  if (text === undefined) return undefined;
  const seconds = Number(text);
  if (Number.isFinite(seconds)) return bounded(seconds * 1_000);
  const date = Date.parse(text);
  return Number.isNaN(date) ? undefined : bounded(date - Date.now());
}

function bounded(ms: number): number {
  return Math.min(Math.max(ms, 0), 3_600_000);
}

// An error inside a stream is a plain object of the provider's own shape.
function streamedOutcome(error: unknown): UpstreamOutcome {
  const inner = (error as { error?: unknown } | undefined)?.error ?? error;
  const { type, code, status } = (inner ?? {}) as Record<string, unknown>;
  const text = JSON.stringify([type, code, status]).toLowerCase();
  if (/rate_limit|overloaded|429|resource_exhausted/.test(text)) return 'rate_limited';
  if (/timeout|deadline/.test(text)) return 'timeout';
  return 'server_error';
}

function* causes(error: unknown): Generator<object> {
  let current = error;
  for (let depth = 0; depth < 8 && typeof current === 'object' && current !== null; depth++) {
    yield current;
    current = (current as { cause?: unknown }).cause;
  }
}
