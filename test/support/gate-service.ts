import { setTimeout as sleep } from 'node:timers/promises';
import { type ServedService, serve } from '../../src/api/handlers.ts';
import { type Failure, FailureError } from '../../src/base/failure.ts';
import { GateService } from '../gen/intelligence/test/v1/gate_pb.ts';

/** One failure of each kind, with its parameters. */
export const failures: { [Kind in Failure['kind']]: Extract<Failure, { kind: Kind }> } = {
  invalid_argument: { kind: 'invalid_argument', violations: [{ field: 'text', description: 'must not be empty' }] },
  credential_missing: { kind: 'credential_missing' },
  credential_invalid: { kind: 'credential_invalid' },
  key_revoked: { kind: 'key_revoked' },
  session_ended: { kind: 'session_ended' },
  confirmation_required: { kind: 'confirmation_required' },
  not_from_console: { kind: 'not_from_console', description: 'A cookie counts only in requests of our pages.' },
  token_expired: { kind: 'token_expired' },
  account_suspended: { kind: 'account_suspended' },
  insufficient_credit: { kind: 'insufficient_credit', balance: 5n, held: 5n, needed: 12_000n, retryAfterMs: 1500 },
  account_key_refused: { kind: 'account_key_refused' },
  account_cannot_pay: { kind: 'account_cannot_pay', because: 'insufficient_credit', needed: 12_000n },
  spending_cap_reached: { kind: 'spending_cap_reached', owner: 'key', limit: 9n, spent: 8n, held: 0n, needed: 2n },
  scope_missing: { kind: 'scope_missing', scope: 'chat', credential: 'management_key' },
  not_found: { kind: 'not_found', resource: 'key' },
  already_exists: { kind: 'already_exists', resource: 'workflow' },
  precondition_failed: { kind: 'precondition_failed', description: 'The draft was approved already.' },
  idempotency_in_flight: { kind: 'idempotency_in_flight', retryAfterMs: 1000 },
  idempotency_mismatch: { kind: 'idempotency_mismatch' },
  guardrail: { kind: 'guardrail', categories: ['threat'] },
  reply_purged: { kind: 'reply_purged', chargeId: 'chg_1' },
  payload_too_large: { kind: 'payload_too_large', limitBytes: 1_048_576 },
  unsupported_media_type: { kind: 'unsupported_media_type', accepted: ['application/json'] },
  rate_limited: { kind: 'rate_limited', limit: '600 requests a minute', retryAfterMs: 2300 },
  upstream_failed: { kind: 'upstream_failed', attempts: [{ provider: 'p', model: 'm', outcome: 'server_error' }] },
  provider_key_refused: {
    kind: 'provider_key_refused',
    ...{ providerKeyId: 'pky_1', provider: 'openai', lastFour: '3fG9', status: 401 },
  },
  upstream_timeout: { kind: 'upstream_timeout', attempts: [] },
  deadline_exceeded: { kind: 'deadline_exceeded' },
  ledger_unavailable: { kind: 'ledger_unavailable', retryAfterMs: 1000 },
  database_unavailable: { kind: 'database_unavailable', retryAfterMs: 1000 },
  overloaded: { kind: 'overloaded', retryAfterMs: 1000 },
  cancelled: { kind: 'cancelled' },
  shutting_down: { kind: 'shutting_down' },
  protocol_error: { kind: 'protocol_error', description: 'A message begins with 7, where gRPC has 0 or 1.' },
  route_not_found: { kind: 'route_not_found' },
  method_not_allowed: { kind: 'method_not_allowed', allow: ['GET', 'POST'] },
  unimplemented: { kind: 'unimplemented' },
  internal: { kind: 'internal' },
};

/** What an internal error of the service contains and no caller may see. */
export const secretInFault = 'SELECT secret FROM api_key';

/** As `then_fail`: the last message is one that can't be written. */
export const unwritable = 'unwritable';

/** A service that echoes, counts and fails, behind the real gate. */
export function gateService(): ServedService {
  return serve(GateService, {
    say: async ({ text, number, tags }) => ({ text, number, tags }),
    greet: async () => ({ greeting: 'hello' }),
    fail: async ({ kind }) => {
      throw failureCalled(kind);
    },
    count: async function* ({ to, thenFail, pauseMs }, call) {
      for (let number = 1; number <= to; number += 1) {
        if (pauseMs > 0) await sleep(pauseMs, undefined, { signal: call.signal });
        yield { number };
      }
      if (thenFail === unwritable) yield { number: Symbol('not a number') as never };
      else if (thenFail !== '') throw failureCalled(thenFail);
    },
  });
}

function failureCalled(kind: string): Error {
  const failure = Object.values(failures).find((candidate) => candidate.kind === kind);
  return failure ? new FailureError(failure) : new Error(`Duplicate entry in ${secretInFault}`);
}
