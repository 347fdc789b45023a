import { RestError, type RestProblem } from './errors.ts';
import type { RenderedError } from './options.ts';

/** gRPC's codes by number, with their HTTP statuses from google/rpc/code.proto. */
const codes = [
  ['OK', 200],
  ['CANCELLED', 499],
  ['UNKNOWN', 500],
  ['INVALID_ARGUMENT', 400],
  ['DEADLINE_EXCEEDED', 504],
  ['NOT_FOUND', 404],
  ['ALREADY_EXISTS', 409],
  ['PERMISSION_DENIED', 403],
  ['RESOURCE_EXHAUSTED', 429],
  ['FAILED_PRECONDITION', 400],
  ['ABORTED', 409],
  ['OUT_OF_RANGE', 400],
  ['UNIMPLEMENTED', 501],
  ['INTERNAL', 500],
  ['UNAVAILABLE', 503],
  ['DATA_LOSS', 500],
  ['UNAUTHENTICATED', 401],
] as const;

type Code = (typeof codes)[number][0];

/**
 * An error body in the format of Google's APIs (AIP-193): `{"error": {"code", "status", "message", "details"}}`. An error with a
 * gRPC code, such as grpc-js's and Connect's, keeps its code and message; for any other, the caller learns only that it happened.
 */
export function renderStatus(error: unknown): RenderedError {
  if (error instanceof RestError) return rendered(...ofProblem(error.problem));
  const { code, rawMessage, details, message } = (error ?? {}) as Record<string, unknown>;
  const known = typeof code === 'number' && code > 0 ? codes[code] : undefined;
  if (!known) return rendered('INTERNAL', 500, 'The server failed to answer.');
  const words = [rawMessage, details, message].find((each) => typeof each === 'string');
  return rendered(known[0], known[1], String(words ?? ''));
}

function ofProblem(problem: RestProblem): Parameters<typeof rendered> {
  switch (problem.kind) {
    case 'invalid_argument': {
      const { violations } = problem;
      const message = violations.map(({ field, description }) => `${field}: ${description}`).join('; ');
      const type = 'type.googleapis.com/google.rpc.BadRequest';
      return ['INVALID_ARGUMENT', 400, message, [{ '@type': type, fieldViolations: violations }]];
    }
    case 'route_not_found':
      return ['NOT_FOUND', 404, 'There is nothing at this path.'];
    case 'method_not_allowed':
      return ['UNIMPLEMENTED', 405, `This path takes ${problem.allow.join(', ')}.`];
    case 'payload_too_large':
      return ['RESOURCE_EXHAUSTED', 413, `The body may have at most ${problem.limitBytes} bytes.`];
    case 'unsupported_media_type':
      return ['INVALID_ARGUMENT', 415, `The body must be ${problem.accepted.join(' or ')}.`];
    case 'deadline_exceeded':
      return ['DEADLINE_EXCEEDED', 504, 'The deadline of the request has passed.'];
    case 'cancelled':
      return ['CANCELLED', 499, 'The caller went away.'];
  }
}

function rendered(status: Code, code: number, message: string, details: object[] = []): RenderedError {
  return { status: code, body: JSON.stringify({ error: { code, status, message, details } }) };
}
