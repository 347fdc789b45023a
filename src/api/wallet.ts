import type { Message, MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { FailureError, invalid, unwrap } from '../base/failure.ts';
import { formatUsd } from '../base/money.ts';
import { present } from '../base/present.ts';
import type {
  EntrySchema,
  PaymentOptionsSchema,
  TopUpSchema,
  WalletSchema,
} from '../gen/intelligence/wallet/v1/wallet_pb.ts';
import { type ListChargesRequest, WalletService } from '../gen/intelligence/wallet/v1/wallet_service_pb.ts';
import {
  type ChargeState,
  type ChargesFilter,
  type Entry,
  type EntryKind,
  fits,
  type LowBalanceAlerts,
  type PaymentOptions,
  type Statements,
  type TopUp,
  type Wallet,
  type WalletKind,
  type Wallets,
} from '../wallet/index.ts';
import type { Call } from './call.ts';
import { accountOf, accountToRead } from './caller.ts';
import { chargeMessage, type PriceBook } from './charge.ts';
import { type ServedService, serve } from './handlers.ts';
import { idempotencyKeyOf } from './idempotency.ts';
import { lowBalanceHandlers } from './low-balance.ts';
import { amountOf, milliseconds } from './mapping.ts';
import { statementHandlers } from './statement.ts';
import { usageHandlers } from './usage.ts';

interface WalletRooms {
  wallets: Wallets;
  statements: Statements;
  lowBalanceAlerts: LowBalanceAlerts;
  catalog: PriceBook;
}

/** WalletService: the API wallet and the companion application's wallet, which never pays for API use. */
export function walletService({ wallets, statements, lowBalanceAlerts, catalog }: WalletRooms): ServedService {
  const walletOf = async (accountId: string, kind: WalletKind) => ({
    wallet: walletMessage(unwrap(await wallets.get(accountId, kind))),
  });
  const topUp = async (amountUsd: string, call: Call, kind: WalletKind) => ({
    topUp: topUpMessage(
      unwrap(
        await wallets.topUps.create({
          accountId: accountOf(call.caller),
          kind,
          amount: amountOf(amountUsd, 'amountUsd'),
          ...present({ idempotencyKey: idempotencyKeyOf(call) }),
        }),
      ),
    ),
  });

  return serve(WalletService, {
    getWallet: async (request, { caller }) => walletOf(accountToRead(caller, request), 'api'),
    createTopUp: ({ amountUsd }, call) => topUp(amountUsd, call, 'api'),
    getTopUp: async ({ topUpId }, { caller }) => ({
      topUp: topUpMessage(unwrap(await wallets.topUps.get(accountOf(caller), 'api', topUpId))),
    }),
    listTopUps: async (page, { caller }) => {
      const accountId = accountToRead(caller, page);
      const { items, nextPageToken } = unwrap(await wallets.topUps.list(accountId, 'api', page));
      return { topUps: items.map(topUpMessage), nextPageToken };
    },
    getPaymentOptions: async () => ({ options: optionsMessage(wallets.topUps.options) }),
    listEntries: async (message, { caller }) => {
      const { pageSize, pageToken, kinds, startTime, endTime } = message;
      const request = present({
        ...{ pageSize, pageToken, kinds: kinds as EntryKind[] },
        ...{ start: milliseconds(startTime), end: milliseconds(endTime) },
      });
      const { items, nextPageToken } = unwrap(
        await wallets.listEntries(accountToRead(caller, message), 'api', request),
      );
      return { entries: items.map(entryMessage), nextPageToken };
    },
    getCharge: async (request, { caller }) => {
      const accountId = accountToRead(caller, request);
      const charge = unwrap(await wallets.getCharge(accountId, request.chargeId));
      return { charge: chargeMessage(charge, accountId, catalog) };
    },
    listCharges: async ({ idempotencyKey, pageSize, pageToken, ...filters }, { caller }) => {
      const accountId = accountToRead(caller, filters);
      const wanted = filterOf(filters);
      if (idempotencyKey !== '') {
        // The account's own keys only: those of end users' requests are in each user's scope.
        const charge = await wallets.findCharge(accountId, accountId, idempotencyKey);
        return { charges: charge && fits(charge, wanted) ? [chargeMessage(charge, accountId, catalog)] : [] };
      }
      const charges = await wallets.listCharges(accountId, { ...wanted, pageSize, pageToken });
      const { items, nextPageToken } = unwrap(charges);
      return { charges: items.map((charge) => chargeMessage(charge, accountId, catalog)), nextPageToken };
    },
    eraseMetadata: async ({ metadata }, { caller }) => {
      if (!metadata) throw new FailureError(invalid('metadata', 'is required'));
      return { charges: unwrap(await wallets.eraseMetadata(accountOf(caller), metadata)) };
    },
    ...usageHandlers(statements),
    ...statementHandlers(statements),
    ...lowBalanceHandlers(lowBalanceAlerts),
    getApplicationWallet: async (_, { caller }) => walletOf(accountOf(caller), 'application'),
    createApplicationTopUp: ({ amountUsd }, call) => topUp(amountUsd, call, 'application'),
  });
}

/** The contract's rules allow no other states here. */
function filterOf(filters: ChargeFilters): ChargesFilter {
  const { metadata, startTime, endTime, state, operation, model, keyId, deviceId, subject, requestId } = filters;
  return present({
    metadata,
    start: milliseconds(startTime),
    end: milliseconds(endTime),
    state: (state || undefined) as ChargeState | undefined,
    operation: operation || undefined,
    model: model || undefined,
    keyId: keyId || undefined,
    deviceId: deviceId || undefined,
    subject: subject || undefined,
    requestId: requestId || undefined,
  });
}

type ChargeFilters = Omit<
  ListChargesRequest,
  keyof Message | 'accountId' | 'idempotencyKey' | 'pageSize' | 'pageToken'
>;

export function walletMessage(wallet: Wallet): MessageInitShape<typeof WalletSchema> {
  return {
    walletId: wallet.walletId,
    balanceUsd: formatUsd(wallet.balance),
    heldUsd: formatUsd(wallet.held),
    availableUsd: formatUsd(wallet.available),
    paused: wallet.paused,
    owedUsd: formatUsd(wallet.owed),
  };
}

export function topUpMessage(topUp: TopUp): MessageInitShape<typeof TopUpSchema> {
  return present({
    topUpId: topUp.topUpId,
    state: topUp.state,
    amountUsd: formatUsd(topUp.amount),
    provider: topUp.provider,
    paymentUrl: topUp.paymentUrl,
    createTime: timestampFromDate(topUp.createdAt),
    payTime: topUp.paidAt && timestampFromDate(topUp.paidAt),
  });
}

function optionsMessage(options: Readonly<PaymentOptions>): MessageInitShape<typeof PaymentOptionsSchema> {
  const { provider, sandbox, least, most, step, instructions } = options;
  return present({
    ...{ provider, sandbox, currency: 'USD' },
    ...{ minimumUsd: formatUsd(least), maximumUsd: formatUsd(most) },
    ...{ stepUsd: step === undefined ? undefined : formatUsd(step), instructions },
  });
}

function entryMessage(entry: Entry): MessageInitShape<typeof EntrySchema> {
  return present({
    entryId: entry.entryId,
    kind: entry.kind,
    amountUsd: formatUsd(entry.amount),
    balanceAfterUsd: formatUsd(entry.balanceAfter),
    chargeId: entry.chargeId,
    topUpId: entry.topUpId,
    adjustmentId: entry.adjustmentId,
    metadata: entry.metadata,
    time: timestampFromDate(entry.time),
  });
}
