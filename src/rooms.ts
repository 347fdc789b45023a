import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { createAccounts } from './accounts/index.ts';
import { createAuditEvents } from './audit-events/index.ts';
import { systemClock } from './base/clock.ts';
import { parseUsd } from './base/money.ts';
import { present } from './base/present.ts';
import { createSeal } from './base/seal.ts';
import { type Catalog, createCatalog } from './catalog/index.ts';
import { createPriceStore } from './catalog/price-store.ts';
import {
  chatDeadlineMs,
  chatInvariants,
  createChat,
  createCircuitBreaker,
  createKeptStreams,
  createModelCalls,
  createProviderStates,
  createReplyCache,
  type Overrun,
  tokenCounter,
} from './chat/index.ts';
import type { Config, Secrets } from './config/index.ts';
import { createCredentialChanges } from './db/credential-changes.ts';
import { migrate } from './db/index.ts';
import { createEmbeddings } from './embeddings/index.ts';
import { createIdempotentWrites } from './idempotency/index.ts';
import { createKeys } from './keys/index.ts';
import { createLimits } from './limits/index.ts';
import { createMetrics } from './metrics.ts';
import { openDatabase } from './open-database.ts';
import { createOtlpMetrics } from './otlp-metrics.ts';
import { createOutcomes } from './outcomes/index.ts';
import { createStripeApi, createStripeEvents } from './payments/index.ts';
import { createProviderKeys } from './provider-keys/index.ts';
import { createProviders } from './providers/index.ts';
import { createPulse, pulseInvariants } from './pulse/index.ts';
import { createReranking } from './reranking/index.ts';
import {
  alertData,
  catalogSettings,
  levelsOf,
  lowBalanceData,
  operatorState,
  operatorsOf,
  pulsePrice,
  secretTimeOf,
} from './room-settings.ts';
import { createSandbox } from './sandbox/index.ts';
import { createSessions, passkeySite } from './sessions/index.ts';
import { createWatchCall, upstreamServers } from './telemetry/index.ts';
import { createTokens } from './tokens/index.ts';
import { createTracing } from './tracing.ts';
import {
  createAuditRuns,
  createLedger,
  createLowBalanceAlerts,
  createReaper,
  createStatements,
  createUsageCatchUp,
  createWallets,
  manualPayments,
  refuseSandboxMoney,
  sandboxPayments,
} from './wallet/index.ts';
import { createWebhooks } from './webhooks/index.ts';
import { createOwnPacks, createWorkflows, sightingsIn, workflowInvariants } from './workflows/index.ts';

export interface RoomsOptions {
  config: Config;
  secrets: Secrets;
  log: Logger;
  /** Reports each step to users waiting for the start. */
  progress(step: string): void;
  /** How long a job of callers' code waits for a process, in milliseconds. Default: 5,000. */
  sandboxWaitMs?: number;
}

/** For what providers were already asked for. What is not settled by then expires, and is charged for the progress recorded. */
const drainMaxMs = 30_000;

/** Everything below the edge, opened bottom to top. */
export type Rooms = Awaited<ReturnType<typeof openRooms>>;

/** Opens the database, brings it up to date, and opens the rooms over it. */
export async function openRooms({ config, secrets, log, progress, sandboxWaitMs }: RoomsOptions) {
  const clock = systemClock;
  const closers: (() => unknown)[] = [];
  try {
    // First of all, so that its first child process is ready by the time the database is.
    const sandbox = createSandbox({ log, settings: sandboxWaitMs === undefined ? {} : { waitMs: sandboxWaitMs } });
    closers.push(() => sandbox.close());
    const { db, close: closeDatabase } = await openDatabase(config, { log, progress });
    closers.push(closeDatabase);
    progress('bringing the database up to date');
    await migrate({ url: db.url, log });

    const changes = createCredentialChanges({
      db,
      clock,
      onError: (error) => log.warn({ err: error }, 'changes of credentials could not be read'),
    });
    await changes.start();
    closers.push(() => changes.close());
    const metrics = createMetrics();
    const limits = createLimits({
      clock,
      log,
      levels: levelsOf(config),
      redisUrl: config.limits.redisUrl ?? undefined,
      nodes: config.limits.nodes,
      anonymous: config.limits.anonymous,
      onAnonymousRefused: (what) => metrics.countAnonymousRefusal(what),
    });
    closers.push(() => limits.close());
    const accounts = createAccounts({ db, clock, log, changes });
    closers.push(() => accounts.close());
    const auditEvents = createAuditEvents({ db });
    const keys = createKeys({
      db,
      clock,
      log,
      changes,
      peppers: secrets.keyPeppers,
      lookUps: limits.anonymous.lookUps,
      standing: accounts.standing,
    });
    closers.push(() => keys.close());
    await keys.checkPeppersInUse();
    // The port is only certain once it is open; `app.ts` sets it then.
    const address = {
      publicUrl: config.http.publicUrl?.replace(/\/+$/, '') ?? `http://${config.http.host}:${config.http.port}`,
    };
    const tokens = createTokens({
      db,
      clock,
      log,
      changes,
      seal: createSeal(secrets.encryptionKeys),
      issuer: () => address.publicUrl,
      issuerOfNode: config.http.publicUrl === null,
      parentOf: keys.find,
      lookUps: limits.anonymous.lookUps,
    });
    closers.push(() => tokens.close());

    const operators = operatorsOf(config, () => secrets);
    const sessions = createSessions({
      ...{ db, clock, log },
      credentialOf: (holder) =>
        holder.role === 'owner' ? secretTimeOf(keys.find(holder.keyId)) : operatorState(operators, holder.operator),
      lookUps: limits.anonymous.lookUps,
      passkeySite: () => passkeySite(address.publicUrl),
      record: auditEvents.append,
    });
    sessions.start();
    closers.push(() => sessions.close());

    const writes = createIdempotentWrites({
      db,
      seal: createSeal(secrets.encryptionKeys),
      secret: secrets.fingerprintKey,
      log,
    });
    writes.start();
    closers.push(() => writes.close());

    const tracing = config.tracing ? createTracing(config.tracing, log) : undefined;
    const otlpMetrics = config.metrics ? createOtlpMetrics(config.metrics, { source: metrics.source, log }) : undefined;
    closers.push(() => Promise.all([tracing?.close(), otlpMetrics?.close()]));
    const watchCall =
      tracing || otlpMetrics
        ? createWatchCall({
            startSpan: tracing?.startSpan,
            instruments: otlpMetrics?.instruments,
            servers: upstreamServers(config.providers),
            contentBytesMax: config.tracing?.content ? config.tracing.contentBytesMax : 0,
          })
        : undefined;
    const ledger = createLedger({
      db,
      log,
      onGroup: metrics.observeGroup,
      seal: createSeal(secrets.encryptionKeys),
      settings: {
        replyRetentionMs: config.ledger.storeReplies ? config.ledger.replyRetentionHours * 3_600_000 : 0,
      },
    });
    closers.push(() => ledger.close());
    // The flows' holds and settlements are counted, and traced if tracing is on.
    const meteredLedger = metrics.ledger(ledger);
    const observedLedger = tracing?.ledger(meteredLedger) ?? meteredLedger;
    const reaper = createReaper({ db, ledger, log });
    reaper.start();
    closers.push(() => reaper.close());
    const usageCatchUp = createUsageCatchUp({ db, log });
    usageCatchUp.start();
    closers.push(() => usageCatchUp.close());
    const stripe = config.payments.stripe && createStripeApi(config.payments.stripe, log);
    const payments = stripe?.provider ?? (config.payments.provider === 'sandbox' ? sandboxPayments : manualPayments);
    if (!payments.sandbox) await refuseSandboxMoney(db);
    const wallets = createWallets({
      db,
      ledger,
      payments,
      settings: present({
        topUpMax: parseUsd(config.payments.maximumTopUpUsd),
        instructions: config.payments.instructions ?? undefined,
      }),
    });
    const auditRuns = createAuditRuns({
      db,
      log,
      more: [...chatInvariants, ...pulseInvariants, ...workflowInvariants],
    });
    closers.push(() => auditRuns.close());
    const statements = createStatements({ db });
    const webhooks = createWebhooks({
      db,
      log,
      seal: createSeal(secrets.encryptionKeys),
      allowPrivateNetworks: config.webhooks.allowPrivateNetworks,
    });
    webhooks.start();
    closers.push(() => webhooks.close());
    const lowBalanceAlerts = createLowBalanceAlerts({
      db,
      log,
      announce: (tx, { accountId, ...low }) =>
        webhooks.enqueue(tx, accountId, 'wallet.low_balance', lowBalanceData(low)),
    });
    lowBalanceAlerts.start();
    closers.push(() => lowBalanceAlerts.close());
    const stripeEvents = stripe && createStripeEvents({ db, stripe, topUps: wallets.topUps, log });
    stripeEvents?.start();
    closers.push(() => stripeEvents?.close());

    const ownKeysOf = config.ownKeys.pricePerRequestUsd === null ? [] : config.ownKeys.providers;
    const providers = createProviders({ providers: config.providers, ownKeys: ownKeysOf, log });
    closers.push(() => providers.close());
    const catalog = await createCatalog({
      store: createPriceStore(db),
      settings: catalogSettings(config),
      enabledProviders: providers.enabled,
      ownKeyProviders: providers.ownKeys,
      log,
    });
    closers.push(() => catalog.close());
    const providerKeys = createProviderKeys({
      ...{ db, clock, log, changes },
      seal: createSeal(secrets.encryptionKeys),
      providers: providers.ownKeys,
    });
    closers.push(() => providerKeys.close());
    await importPrices(catalog, log);
    const overran = (overrun: Overrun) => {
      metrics.observeOverrun(overrun);
      log.warn(overrun, 'an upstream went beyond what it was asked for, which is not charged');
    };
    const breaker = metrics.circuitBreaker(createCircuitBreaker({ clock }));
    const replyCache = createReplyCache({
      db,
      wallets,
      log,
      seal: createSeal(secrets.encryptionKeys),
      secret: secrets.fingerprintKey,
      // Where replies must not be stored, they must not be cached either.
      settings: { ...config.chat.cache, enabled: config.chat.cache.enabled && config.ledger.storeReplies },
      observe: metrics.observeCache,
    });
    replyCache.start();
    closers.push(() => replyCache.close());
    const { keptSeconds, accountMebibytes, mebibytes } = config.chat.resumable;
    const streams =
      // Where replies must not be stored, they must not be kept for minutes either.
      keptSeconds > 0 && config.ledger.storeReplies
        ? createKeptStreams({
            ...{ db, log, seal: createSeal(secrets.encryptionKeys) },
            settings: {
              keptMs: keptSeconds * 1_000,
              accountBytesMax: accountMebibytes * 1_048_576,
              bytesMax: mebibytes * 1_048_576,
            },
          })
        : undefined;
    streams?.start();
    closers.push(() => streams?.close());
    const ownPacks = createOwnPacks({ db, clock, changes });
    closers.push(() => ownPacks.close());
    const chat = createChat({
      ledger: observedLedger,
      catalog,
      providers,
      sandbox,
      log,
      breaker,
      reserveTokens: limits.reserveTokens,
      deferHoldMs: config.ledger.deferredHoldMs,
      overran,
      watchCall,
      ownKeys: providerKeys,
      cache: replyCache,
      streams,
      states: createProviderStates(createSeal(secrets.encryptionKeys)),
      guardrails: {
        find: (text, packs, isCut) => sightingsIn(text, packs, isCut),
        ownPacks: async (accountId, ids) => {
          const { rules, missing } = (await ownPacks.of(accountId)).select({ packs: ids, domain: '' });
          return {
            missing,
            versions: rules.labels,
            find: (text, packs, isCut) => sightingsIn(text, packs, isCut, rules),
          };
        },
        fee: (accountId) => catalog.price('guardrail', accountId)?.perRequest ?? 0n,
        wasCharged: async (accountId, scope, key) =>
          (await wallets.findCharge(accountId, scope, key))?.state === 'settled',
      },
    });
    const ofTexts = {
      ...{ ledger: observedLedger, catalog, providers, breaker, clock, overran },
      countTokens: (owner: string, texts: readonly string[]) => tokenCounter(sandbox, owner)(texts),
      reserveTokens: limits.reserveTokens,
      ownKeys: providerKeys,
      watchCall,
    };
    const embeddings = createEmbeddings(ofTexts);
    const reranking = createReranking(ofTexts);
    const drained = () => Promise.all([chat.drained(), embeddings.drained(), reranking.drained()]);
    closers.push(() => Promise.race([drained(), sleep(drainMaxMs, undefined, { ref: false })]));

    const pulse = createPulse({
      db,
      ledger: observedLedger,
      clock,
      log,
      price: (accountId) => pulsePrice(catalog, accountId),
      announce: (tx, change) => webhooks.enqueue(tx, change.accountId, 'pulse.alert', alertData(change)),
      secret: secrets.fingerprintKey,
      bytesPerDayMax: config.pulse.mebibytesPerDay * 1_048_576,
    });
    closers.push(() => pulse.close());

    const { retentionDays } = config.outcomes;
    const outcomes = createOutcomes({ db, clock, log, retentionDays });
    outcomes.start();
    closers.push(() => outcomes.close());
    const workflows = createWorkflows({
      keepJudgements: retentionDays > 0,
      db,
      ledger: observedLedger,
      prices: catalog,
      sandbox,
      ownPacks,
      log,
      clock,
      assistant: createModelCalls({
        ...{ catalog, providers, sandbox, breaker, clock },
        deadlineMs: chatDeadlineMs,
        ownKeys: providerKeys,
        reserveTokens: limits.reserveTokens,
        overran,
        watchCall,
      }),
    });
    return {
      metrics,
      tracing,
      otlpMetrics,
      watchCall,
      db,
      address,
      changes,
      accounts,
      auditEvents,
      keys,
      tokens,
      sessions,
      operators,
      sandboxMoney: payments.sandbox,
      writes,
      ledger: observedLedger,
      wallets,
      statements,
      stripeEvents,
      webhooks,
      lowBalanceAlerts,
      limits,
      providers,
      providerKeys,
      catalog,
      breaker,
      auditRuns,
      chat,
      embeddings,
      reranking,
      pulse,
      workflows,
      ownPacks,
      outcomes,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }

  /** Closes the rooms in reverse order. A room that fails to close does not keep the others open. */
  async function close(): Promise<void> {
    for (const closer of closers.splice(0).reverse())
      try {
        await closer();
      } catch (error) {
        log.error({ err: error }, 'closing failed');
      }
  }
}

/**
 * Imports configured prices that are not yet in the price book, and logs what is not offered. Prices that it refuses are left
 * out; the service charges by the book.
 */
async function importPrices(catalog: Catalog, log: Logger): Promise<void> {
  const { additions, problems } = await catalog.importPrices();
  for (const problem of problems) log.error({ problem }, 'prices were not imported: run "npm run cli prices import"');
  if (problems.length === 0 && additions.length > 0) log.info({ prices: additions.length }, 'prices imported');
  for (const { name, reason } of catalog.unoffered()) log.info({ model: name, reason }, 'a model is not offered');
}
