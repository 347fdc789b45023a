import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Accounts } from '../../accounts/index.ts';
import type { AuditEvent } from '../../base/audit-event.ts';
import type { Clock } from '../../base/clock.ts';
import { type Failure, FailureError, invalid, type Result, unwrap } from '../../base/failure.ts';
import { newId } from '../../base/ids.ts';
import type { Keys } from '../../keys/index.ts';
import { addressOf, type Limits } from '../../limits/index.ts';
import type { Passkey, Session, Sessions } from '../../sessions/index.ts';
import { checkConfirmedLately } from '../confirmation.ts';
import { requestIdOf } from '../request-id.ts';
import { browserRequest, forgetCookie, registerConsoleRoutes, signedIn, timestamp } from './console-request.ts';
import { checkFromConsole } from './from-console.ts';

export interface PasskeyRoutesOptions {
  accounts: Pick<Accounts, 'get'>;
  keys: Pick<Keys, 'find'>;
  limits: Pick<Limits, 'anonymous'>;
  sessions: Sessions;
  clock: Clock;
}

/** For a passkey's name, which its owner chooses. */
const nameCharactersMax = 100;

/** `/console/passkeys`: passkeys for signing in and confirming instead of a key. Authenticator responses go to `/console/session`. */
export function registerPasskeyRoutes(app: FastifyInstance, options: PasskeyRoutesOptions): void {
  const { accounts, keys, limits, sessions, clock } = options;
  const { passkeys } = sessions;

  registerConsoleRoutes(app, (routes) => {
    // What a browser passes to an authenticator: a challenge for a single purpose.
    routes.post('/console/passkeys/challenge', async (request, reply) => {
      unwrap(checkFromConsole(browserRequest(request)));
      checkOrigin(request);
      return reply.send({ publicKey: unwrap(await challenge(request)) });
    });

    routes.get('/console/passkeys', async (request, reply) => {
      const { session } = await signedIn(request, sessions);
      const listed = await passkeys.list(session);
      return reply.send({ passkeys: listed.map(lineOf), origin: passkeys.origin() ?? null });
    });

    routes.post('/console/passkeys', async (request, reply) => {
      const { session } = await signedIn(request, sessions);
      const { name, response } = newPasskeyOf(request.body);
      const event = eventOf(request, reply, session, { action: 'passkey.create', details: { displayName: name } });
      return reply.send({ passkey: lineOf(unwrap(await passkeys.add(session, { name, answer: response }, event))) });
    });

    routes.delete('/console/passkeys/:id', async (request, reply) => {
      const { session } = await signedIn(request, sessions);
      const { id } = request.params as { id: string };
      const event = eventOf(request, reply, session, { action: 'passkey.delete', details: {} });
      if (!(await passkeys.remove(session, id, event)))
        throw new FailureError({ kind: 'not_found', resource: 'passkey' });
      if (id === session.passkeyId) forgetCookie(request, reply);
      return reply.code(204).send();
    });
  });

  async function challenge(request: FastifyRequest): Promise<Result<object>> {
    const purpose = purposeOf(request.body);
    if (purpose === 'sign-in') {
      unwrap(limits.anonymous.mayTry(request.ip));
      return passkeys.askToSignIn(addressOf(request.ip));
    }
    const { session } = await signedIn(request, sessions);
    if (purpose === 'confirm') return passkeys.askToConfirm(session);
    // Someone who finds an unattended browser must not be able to add their own way in.
    unwrap(checkConfirmedLately(session, clock.now()));
    return passkeys.askToAdd(session, await userNameOf(session));
  }

  /** Browsers do not offer another site's passkeys; this explains why before they try. */
  function checkOrigin({ headers }: FastifyRequest): void {
    const origin = passkeys.origin();
    if (origin === undefined || headers.origin === undefined || headers.origin === origin) return;
    throw new FailureError(elsewhere(origin));
  }

  /** How people recognise the passkey among those of other keys and accounts. */
  async function userNameOf({ holder }: Session): Promise<string> {
    if (holder.role === 'operator') return `Operator ${holder.operator}`;
    const { displayName } = unwrap(await accounts.get(holder.accountId));
    return `${unwrap(await keys.find(holder.keyId)).displayName} (${displayName})`;
  }
}

function elsewhere(origin: string): Failure {
  return {
    kind: 'precondition_failed',
    description: `Passkeys of this service work only at ${origin}. Open the console there, or set http.publicUrl to this address.`,
  };
}

function purposeOf(body: unknown): 'sign-in' | 'add' | 'confirm' {
  const { for: purpose } = (typeof body === 'object' && body !== null ? body : {}) as { for?: unknown };
  if (purpose === 'sign-in' || purpose === 'add' || purpose === 'confirm') return purpose;
  throw new FailureError(invalid('for', 'must be "sign-in", "add" or "confirm"'));
}

function newPasskeyOf(body: unknown): { name: string; response: unknown } {
  const { name, response } = (typeof body === 'object' && body !== null ? body : {}) as Record<string, unknown>;
  const trimmed = typeof name === 'string' ? name.trim() : '';
  if (trimmed === '' || trimmed.length > nameCharactersMax)
    throw new FailureError(invalid('name', `must have 1 to ${nameCharactersMax} characters`));
  if (!trimmed.isWellFormed() || /\p{Cc}/u.test(trimmed))
    throw new FailureError(invalid('name', 'must be text without control characters, such as line breaks'));
  return { name: trimmed, response };
}

function eventOf(
  request: FastifyRequest,
  reply: FastifyReply,
  { holder }: Session,
  deed: Pick<AuditEvent, 'action' | 'details'>,
): AuditEvent {
  const requestId = requestIdOf(request.headers['x-request-id']);
  reply.header('x-request-id', requestId);
  return {
    ...{ eventId: newId('aud'), target: '', reason: '', ...deed, requestId, address: request.ip.slice(0, 64) },
    actor: holder.role === 'owner' ? holder.keyId : `operator:${holder.operator}`,
    ...(holder.role === 'owner' && { accountId: holder.accountId }),
  };
}

function lineOf({ id, holder, name, multiDevice, createTime, useTime }: Passkey) {
  return {
    ...{ id, name, multiDevice },
    ...(holder.role === 'owner' && { keyId: holder.keyId }),
    createdAt: timestamp(createTime),
    ...(useTime !== undefined && { usedAt: timestamp(useTime) }),
  };
}
