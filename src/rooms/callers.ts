import { createAccounts } from '../accounts/index.ts';
import { createAuditEvents } from '../audit-events/index.ts';
import { createSeal } from '../base/seal.ts';
import { createIdempotentWrites } from '../idempotency/index.ts';
import { createKeys } from '../keys/index.ts';
import { createLimits } from '../limits/index.ts';
import type { Metrics } from '../metrics.ts';
import { createSessions, passkeySite } from '../sessions/index.ts';
import { createTokens } from '../tokens/index.ts';
import type { Foundation } from './foundation.ts';
import type { Opening } from './opening.ts';
import { levelsOf, operatorState, operatorsOf, secretTimeOf } from './settings.ts';

export type Callers = Awaited<ReturnType<typeof openCallers>>;

/** Who calls: accounts, their credentials and limits, and what is kept of their changes. */
export async function openCallers(
  { config, secrets, log, clock, stack }: Opening,
  { db, changes, metrics }: Foundation & { metrics: Metrics },
) {
  const limits = stack.use(
    createLimits({
      clock,
      log,
      levels: levelsOf(config),
      redisUrl: config.limits.redisUrl ?? undefined,
      nodes: config.limits.nodes,
      anonymous: config.limits.anonymous,
      onAnonymousRefused: (what) => metrics.countAnonymousRefusal(what),
    }),
  );
  const { lookUps } = limits.anonymous;
  const accounts = stack.use(createAccounts({ db, clock, log, changes }));
  const auditEvents = createAuditEvents({ db });
  const keys = stack.use(
    createKeys({
      ...{ db, clock, log, changes, lookUps },
      peppers: secrets.keyPeppers,
      standing: accounts.standing,
    }),
  );
  await keys.checkPeppersInUse();

  // The port is only certain once it is open; `app.ts` sets it then.
  const address = {
    publicUrl: config.http.publicUrl?.replace(/\/+$/, '') ?? `http://${config.http.host}:${config.http.port}`,
  };
  const tokens = stack.use(
    createTokens({
      ...{ db, clock, log, changes, lookUps },
      seal: createSeal(secrets.encryptionKeys),
      issuer: () => address.publicUrl,
      issuerOfNode: config.http.publicUrl === null,
      parentOf: keys.find,
    }),
  );
  await tokens.checkSigningKeys();

  const operators = operatorsOf(config, () => secrets);
  const sessions = stack.start(
    createSessions({
      ...{ db, clock, log, lookUps },
      credentialOf: (holder) =>
        holder.role === 'owner' ? secretTimeOf(keys.find(holder.keyId)) : operatorState(operators, holder.operator),
      passkeySite: () => passkeySite(address.publicUrl),
      record: auditEvents.append,
    }),
  );

  const writes = stack.start(
    createIdempotentWrites({
      db,
      seal: createSeal(secrets.encryptionKeys),
      secret: secrets.fingerprintKey,
      log,
    }),
  );
  return { limits, accounts, auditEvents, keys, address, tokens, operators, sessions, writes };
}
