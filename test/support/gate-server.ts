import { pino } from 'pino';
import type { ServedService } from '../../src/api/handlers.ts';
import { type Caller, nobody } from '../../src/base/caller.ts';
import { systemClock } from '../../src/base/clock.ts';
import { fail, type Result, succeed } from '../../src/base/failure.ts';
import { type Admission, createGate } from '../../src/edge/gate.ts';
import { type EdgeOptions, monitorReadiness, type RunningServer, serveEdge } from '../../src/edge/index.ts';
import { defaultListenerLimits, type ListenerLimits } from '../../src/edge/listener.ts';
import type { AnonymousBudget } from '../../src/limits/index.ts';
import { gateService } from './gate-service.ts';

/** A credential that the test gate accepts, and one without the scope. */
export const goodToken = 'Bearer operator-good';
export const scopelessToken = 'Bearer key-without-scope';

export interface GateServer extends RunningServer {
  /** Every log line, as text. */
  logged(): string;
  refusedPeers: string[];
  /** Calls that were admitted and have not freed their slot. */
  occupied(): number;
}

/** The gate with its lanes, on its own port, with the service of `gate-service.ts`. */
export async function startGateServer({
  logged = true,
  limits,
  anonymous,
  trustedProxies = [],
  tls = null,
  also = [],
  whileAdmitting = () => undefined,
  ...edge
}: {
  logged?: boolean;
  limits?: Partial<ListenerLimits>;
  /** Limits for callers without a credential; absent: none. */
  anonymous?: AnonymousBudget;
  trustedProxies?: string[];
  tls?: { certFile: string; keyFile: string } | null;
  /** Served in addition to the service of `gate-service.ts`. */
  also?: readonly ServedService[];
  /** What the look-up of a credential waits for; nothing: it is synchronous, like a cached one. */
  whileAdmitting?(): Promise<void> | undefined;
} & Pick<EdgeOptions, 'operations' | 'reflection'> = {}): Promise<GateServer> {
  const lines: string[] = [];
  // Without `logged`, lines are written as in production and discarded.
  const log = pino({ level: logged ? 'debug' : 'info' }, { write: (line: string) => logged && lines.push(line) });
  const services = [gateService(), ...also];
  const refusedPeers: string[] = [];
  let occupied = 0;
  const admission: Admission = {
    admit: () => {
      occupied += 1;
      return succeed(() => {
        occupied -= 1;
      });
    },
    admitStream: () => succeed(() => {}),
    refused: (peer) => {
      refusedPeers.push(peer);
      return anonymous ? anonymous.countRefused(peer) : succeed(undefined);
    },
  };
  const gate = createGate({
    services,
    authenticate: (authorization) => {
      const waiting = whileAdmitting();
      return waiting ? waiting.then(() => callerOf(authorization)) : callerOf(authorization);
    },
    admission,
    clock: systemClock,
    log,
    texts: { minimumTopUpUsd: '5.00' },
  });
  const server = await serveEdge({
    http: { host: '127.0.0.1', port: 0, pathPrefix: '', trustedProxies, tls },
    services,
    gate,
    readiness: monitorReadiness(async () => {}),
    log,
    limits: { ...defaultListenerLimits, ...limits },
    ...(anonymous && { anonymous }),
    ...edge,
  });
  return { ...server, logged: () => lines.join(''), refusedPeers, occupied: () => occupied };
}

function callerOf(authorization: string | undefined): Result<Caller> {
  if (authorization === undefined) return fail({ kind: 'credential_missing' });
  if (authorization === goodToken)
    return succeed({ credential: 'operator', name: 'operator:test', scopes: new Set<string>() });
  if (authorization === scopelessToken)
    return succeed({ ...nobody, credential: 'api_key', name: 'key_1', accountId: 'acc_1' });
  return fail({ kind: 'credential_invalid' });
}
