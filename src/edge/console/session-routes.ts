import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { type Failure, FailureError, invalid, unwrap } from '../../base/failure.ts';
import { isSameHolder, type Session, type Sessions } from '../../sessions/index.ts';
import {
  agentOf,
  browserRequest,
  forgetCookie,
  isSecure,
  registerConsoleRoutes,
  secretOf,
  signedIn,
  timestamp,
} from './console-request.ts';
import { cookieFor } from './cookies.ts';
import { checkFromConsole } from './from-console.ts';
import { createSignIn, type ShownCredential, type SignInOptions } from './sign-in.ts';

export interface SessionRoutesOptions extends SignInOptions {
  sessions: Sessions;
  log: Logger;
  /** The prefix of the API's paths; pages ask for it here. */
  apiPrefix: string;
  /** Whether top-ups take no real money. */
  sandbox: boolean;
}

/** `/console/session` and `/console/sessions`: signing in and out. Not part of the API contract, because they set cookies. */
export function registerSessionRoutes(app: FastifyInstance, options: SessionRoutesOptions): void {
  const { accounts, sessions, log } = options;
  const signIn = createSignIn(options);

  registerConsoleRoutes(app, (routes) => {
    routes.get('/console/session', async (request, reply) => {
      const secret = secretOf(request);
      // Not being signed in is not an error.
      if (secret === undefined || !checkFromConsole(browserRequest(request)).ok)
        return reply.type('application/json; charset=utf-8').send('null');
      const session = await sessions.verify(secret, { peer: request.ip, unseen: true });
      if (session.ok) return reply.send(await describe(session.value));
      if (session.failure.kind !== 'session_ended') throw new FailureError(session.failure);
      forgetCookie(request, reply);
      return reply.type('application/json; charset=utf-8').send('null');
    });

    routes.post('/console/session', async (request, reply) => {
      unwrap(checkFromConsole(browserRequest(request)));
      const cookie = cookieFor(isSecure(request), request.headers);
      if (!cookie) throw new FailureError(notSafe);
      const shown = credentialOf(request.body);
      const { holder, until, passkey } = unwrap(await signIn.by(shown, request.ip));
      const { session, secret } = unwrap(await sessions.open(holder, { agent: agentOf(request), until, passkey }));
      // A browser has one session: its previous one must not live on unseen.
      const before = secretOf(request);
      if (before !== undefined) await sessions.end(before);
      log.info({ session: session.id, ...holder, passkey: passkey?.id, peer: request.ip }, 'signed in to the console');
      reply.header('set-cookie', `${cookie.name}=${secret}; ${cookie.attributes}`);
      return reply.send(await describe(session));
    });

    routes.delete('/console/session', async (request, reply) => {
      unwrap(checkFromConsole(browserRequest(request)));
      const secret = secretOf(request);
      if (secret !== undefined) await sessions.end(secret);
      forgetCookie(request, reply);
      return reply.code(204).send();
    });

    routes.post('/console/session/confirm', async (request, reply) => {
      const { session, secret } = await signedIn(request, sessions);
      const shown = credentialOf(request.body);
      if ('code' in shown) throw new FailureError(invalid('key', 'is needed, or a passkey: a code does not confirm'));
      const { holder } = unwrap(await signIn.again(session, shown, request.ip));
      if (!isSameHolder(holder, session.holder)) throw new FailureError(anotherKey);
      return reply.send(await describe(unwrap(await sessions.confirm(secret))));
    });

    routes.get('/console/sessions', async (request, reply) => {
      const { session } = await signedIn(request, sessions);
      const listed = await sessions.list(session);
      return reply.send({ sessions: listed.map((each) => lineOf(each, session)) });
    });

    routes.delete('/console/sessions/:id', async (request, reply) => {
      const { session } = await signedIn(request, sessions);
      const { id } = request.params as { id: string };
      if (!(await sessions.endById(session, id))) throw new FailureError({ kind: 'not_found', resource: 'session' });
      if (id === session.id) forgetCookie(request, reply);
      return reply.code(204).send();
    });
  });

  async function describe(session: Session) {
    const { holder, confirmTime } = session;
    return {
      role: holder.role,
      ...(holder.role === 'owner'
        ? { accountId: holder.accountId, accountName: await nameOf(holder.accountId), keyId: holder.keyId }
        : { operator: holder.operator }),
      expiresAt: timestamp(sessions.endsAt(session)),
      confirmedAt: timestamp(confirmTime),
      hasPasskey: await sessions.passkeys.has(session),
      apiPrefix: options.apiPrefix,
      sandbox: options.sandbox,
    };
  }

  async function nameOf(accountId: string): Promise<string> {
    return unwrap(await accounts.get(accountId)).displayName;
  }

  function lineOf(session: Session, current: Session) {
    const { id, holder, agent, createTime, seenTime } = session;
    return {
      ...{ id, agent, current: id === current.id },
      ...(holder.role === 'owner' && { keyId: holder.keyId }),
      createdAt: timestamp(createTime),
      seenAt: timestamp(seenTime),
      expiresAt: timestamp(sessions.endsAt(session)),
    };
  }
}

const notSafe: Failure = {
  kind: 'precondition_failed',
  description:
    'Signing in needs HTTPS, because others on the network could read plain HTTP. Use https://, or http://localhost on the machine itself. Behind a proxy that speaks TLS, name the proxy in http.trustedProxies and let it set X-Forwarded-Proto.',
};

const anotherKey: Failure = {
  kind: 'precondition_failed',
  description: 'This is not the key that this session began with. Sign out and in again to use it.',
};

/** A body contains exactly one credential, as the member of that name. */
function credentialOf(body: unknown): ShownCredential {
  const { key, code, passkey, ...others } = (typeof body === 'object' && body !== null ? body : {}) as Record<
    string,
    unknown
  >;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined)
    throw new FailureError(invalid('body', 'has a field that is not known: send key, code or passkey'));
  const given = [key, code, passkey].filter((each) => each !== undefined);
  if (given.length === 1 && typeof key === 'string') return { key: key.trim() };
  if (given.length === 1 && typeof code === 'string') return { code: code.trim() };
  if (given.length === 1 && typeof passkey === 'object') return { passkey };
  throw new FailureError(invalid('body', 'must be {"key": "..."}, {"code": "..."} or {"passkey": {...}}'));
}
