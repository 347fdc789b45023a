import { pulseService } from '../../src/api/pulse.ts';
import { systemClock } from '../../src/base/clock.ts';
import { fail, succeed } from '../../src/base/failure.ts';
import { createGate } from '../../src/edge/gate.ts';
import { monitorReadiness, type RunningServer, serveEdge } from '../../src/edge/index.ts';
import type { Pulse } from '../../src/pulse/index.ts';
import { callerOf, silent } from './support.ts';

/**
 * Pulse behind the gate, on a port of its own. `Bearer api acc_1` is an API key of account acc_1, `Bearer owner acc_1` its
 * management key, `Bearer other acc_1` a key without the scope.
 */
export async function startPulseServer(pulse: Pulse): Promise<RunningServer> {
  const services = [pulseService({ pulse, fingerprintKey: Buffer.alloc(32, 9) })];
  const gate = createGate({
    services,
    authenticate: (authorization = '') => {
      const [, kind, account = ''] = authorization.split(' ');
      if (kind === 'api') return succeed(callerOf(account));
      if (kind === 'other') return succeed({ ...callerOf(account), scopes: new Set(['chat']) });
      if (kind === 'owner')
        return succeed({ credential: 'management_key', name: 'owner', accountId: account, scopes: new Set() });
      return fail({ kind: 'credential_missing' });
    },
    admission: {
      admit: () => succeed(() => {}),
      admitStream: () => succeed(() => {}),
      refused: () => succeed(undefined),
    },
    clock: systemClock,
    log: silent,
    texts: { minimumTopUpUsd: '5.00' },
  });
  return serveEdge({
    http: { host: '127.0.0.1', port: 0, pathPrefix: '', trustedProxies: [], tls: null },
    services,
    gate,
    readiness: monitorReadiness(async () => {}),
    log: silent,
  });
}
