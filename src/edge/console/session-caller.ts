import type { Caller } from '../../base/caller.ts';
import { fail, type Result, succeed } from '../../base/failure.ts';
import type { Keys, VerifiedKey } from '../../keys/index.ts';
import type { Session, Sessions } from '../../sessions/index.ts';
import { keyCaller, operatorCaller } from '../authenticate.ts';
import type { IncomingCall } from '../incoming-call.ts';
import { sessionSecretOf } from './cookies.ts';
import { checkFromConsole } from './from-console.ts';

/** Identifies a caller by browser session; undefined if the call has none. Only asked when there is no `Authorization` header. */
export type SessionCallers = (incoming: IncomingCall) => Result<Caller> | Promise<Result<Caller>> | undefined;

export interface SessionCallersOptions {
  sessions: Pick<Sessions, 'verify'>;
  keys: Pick<Keys, 'find'>;
}

/**
 * A session calls as its key or operator would, with no further permissions. Only the JSON paths accept it: pages use nothing
 * else, so a cookie has no effect on gRPC, Connect, MCP and the paths for clients of other APIs.
 */
export function createSessionCallers({ sessions, keys }: SessionCallersOptions): SessionCallers {
  return (incoming) => {
    const { http, protocol } = incoming;
    const secret = protocol === 'rest' && http ? sessionSecretOf(http) : undefined;
    if (secret === undefined) return undefined;
    const ours = checkFromConsole({ httpMethod: http?.method ?? '', header: (name) => incoming.header(name) });
    if (!ours.ok) return ours;
    const verified = sessions.verify(secret, incoming);
    return verified instanceof Promise ? verified.then(callerOf) : callerOf(verified);
  };

  function callerOf(verified: Result<Session>): Result<Caller> | Promise<Result<Caller>> {
    if (!verified.ok) return verified;
    const session = verified.value;
    const { holder } = session;
    if (holder.role === 'operator') return succeed(withSession(operatorCaller(holder.operator), session));
    const key = keys.find(holder.keyId);
    return key instanceof Promise ? key.then((late) => ownerOf(late, session)) : ownerOf(key, session);
  }
}

function ownerOf(key: Result<VerifiedKey>, session: Session): Result<Caller> {
  if (key.ok) return succeed(withSession(keyCaller(key.value), session));
  const { kind } = key.failure;
  return kind === 'overloaded' || kind === 'account_suspended' ? key : fail({ kind: 'session_ended' });
}

function withSession(caller: Caller, { id, confirmTime }: Session): Caller {
  return { ...caller, session: { id, confirmTime } };
}
