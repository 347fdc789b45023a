import { parseUsd } from '../base/money.ts';
import { present } from '../base/present.ts';
import { createSeal } from '../base/seal.ts';
import { chatInvariants } from '../chat/index.ts';
import { createStripeApi, createStripeEvents } from '../payments/index.ts';
import { pulseInvariants } from '../pulse/index.ts';
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
} from '../wallet/index.ts';
import { createWebhooks } from '../webhooks/index.ts';
import { workflowInvariants } from '../workflows/index.ts';
import type { Foundation } from './foundation.ts';
import type { Opening } from './opening.ts';
import { lowBalanceData } from './settings.ts';
import type { Telemetry } from './telemetry.ts';

export type Money = Awaited<ReturnType<typeof openMoney>>;

/** The ledger, how money comes in, and who hears of it. */
export async function openMoney(
  { config, secrets, log, stack }: Opening,
  { db, metrics, tracing }: Foundation & Telemetry,
) {
  const ledger = stack.use(
    createLedger({
      db,
      log,
      onGroup: metrics.observeGroup,
      seal: createSeal(secrets.encryptionKeys),
      settings: {
        replyRetentionMs: config.ledger.storeReplies ? config.ledger.replyRetentionHours * 3_600_000 : 0,
      },
    }),
  );
  // The flows' holds and settlements are counted, and traced if tracing is on.
  const meteredLedger = metrics.ledger(ledger);
  const observedLedger = tracing?.ledger(meteredLedger) ?? meteredLedger;
  stack.start(createReaper({ db, ledger, log }));
  stack.start(createUsageCatchUp({ db, log }));

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
  const auditRuns = stack.use(
    createAuditRuns({
      db,
      log,
      more: [...chatInvariants, ...pulseInvariants, ...workflowInvariants],
    }),
  );
  const statements = createStatements({ db });

  const webhooks = stack.start(
    createWebhooks({
      db,
      log,
      seal: createSeal(secrets.encryptionKeys),
      allowPrivateNetworks: config.webhooks.allowPrivateNetworks,
    }),
  );
  const lowBalanceAlerts = stack.start(
    createLowBalanceAlerts({
      db,
      log,
      announce: (tx, { accountId, ...low }) =>
        webhooks.enqueue(tx, accountId, 'wallet.low_balance', lowBalanceData(low)),
    }),
  );
  const stripeEvents = stripe && stack.start(createStripeEvents({ db, stripe, topUps: wallets.topUps, log }));
  return {
    ledger: observedLedger,
    sandboxMoney: payments.sandbox,
    ...{ wallets, auditRuns, statements, webhooks, lowBalanceAlerts, stripeEvents },
  };
}
