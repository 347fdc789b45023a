import type { MessageInitShape } from '@bufbuild/protobuf';
import type { Account, Accounts } from '../accounts/index.ts';
import { FailureError, invalid, unwrap } from '../base/failure.ts';
import { present } from '../base/present.ts';
import type { Transactional } from '../db/index.ts';
import type { AccountSchema } from '../gen/intelligence/account/v1/account_pb.ts';
import { AccountService } from '../gen/intelligence/account/v1/account_service_pb.ts';
import type { Keys } from '../keys/index.ts';
import type { WalletKind, Wallets } from '../wallet/index.ts';
import { adjustmentMessage } from './adjustment.ts';
import { type ServedService, serve } from './handlers.ts';
import { idempotencyKeyOf } from './idempotency.ts';
import { amountOf, timestamp } from './mapping.ts';
import type { Once } from './once.ts';
import { topUpMessage, walletMessage } from './wallet.ts';

interface AccountRooms {
  accounts: Accounts;
  keys: Keys;
  wallets: Wallets;
}

/** AccountService: what operators do with accounts. */
export function accountService({ accounts, keys, wallets, once }: AccountRooms & { once: Once }): ServedService {
  return serve(AccountService, {
    createAccount: (request, call) =>
      once(AccountService.method.createAccount, request, call, {
        write: async (within) => {
          const opened = await openAccount({ accounts, keys, wallets }, request.displayName, within);
          return { account: accountMessage(opened.account), managementKey: opened.managementKey };
        },
      }),
    getAccount: async ({ accountId }, { caller }) => {
      if (caller.accountId !== undefined && caller.accountId !== accountId)
        throw new FailureError({ kind: 'not_found', resource: 'account' });
      return { account: accountMessage(unwrap(await accounts.get(accountId))) };
    },
    creditAccount: async ({ accountId, amountUsd, reference }, { caller }) => {
      unwrap(await accounts.get(accountId));
      const topUp = unwrap(
        await wallets.topUps.record({
          accountId,
          kind: 'api',
          amount: amountOf(amountUsd, 'amountUsd'),
          reference,
          actor: caller.name,
          idempotencyKey: reference,
        }),
      );
      return { topUp: topUpMessage(topUp), wallet: walletMessage(unwrap(await wallets.get(accountId, 'api'))) };
    },
    adjustAccount: async (request, call) => {
      const { accountId, direction, reason, chargeId } = request;
      const idempotencyKey = idempotencyKeyOf(call);
      if (idempotencyKey === undefined)
        throw new FailureError(invalid('Idempotency-Key', 'is required, so that a repeated request adjusts once'));
      const amount = amountOf(request.amountUsd, 'amountUsd');
      if (amount === 0n) throw new FailureError(invalid('amountUsd', 'must be above zero'));
      const kind: WalletKind = request.wallet === 'application' ? 'application' : 'api';
      if (chargeId !== '' && (direction !== 'add' || kind !== 'api'))
        throw new FailureError(invalid('chargeId', 'needs direction "add" and the wallet "api"'));
      const adjustment = unwrap(
        await wallets.adjust({
          ...{ accountId, kind, reason, idempotencyKey, actor: call.caller.name },
          amount: direction === 'add' ? amount : -amount,
          ...present({ reversesChargeId: chargeId || undefined }),
        }),
      );
      return {
        adjustment: adjustmentMessage(adjustment),
        wallet: walletMessage(unwrap(await wallets.get(accountId, kind))),
      };
    },
  });
}

/**
 * An account with all that belongs to it: two empty wallets and a management key, whose secret is shown here once. `within`: the
 * transaction that all of it is part of; absent: each has its own.
 */
export async function openAccount(
  { accounts, keys, wallets }: AccountRooms,
  displayName: string,
  within?: Transactional,
): Promise<{ account: Account; managementKey: string }> {
  const account = await accounts.create({ displayName }, within);
  // Wallets before the key: whoever holds a credential finds an account that is whole.
  await wallets.create(account.id, 'api', within);
  await wallets.create(account.id, 'application', within);
  const { secret } = unwrap(
    await keys.create(
      {
        ...{ accountId: account.id, kind: 'management', displayName: 'Management key' },
        purpose: 'Managing the account: its keys, credit and usage.',
      },
      within,
    ),
  );
  return { account, managementKey: secret };
}

function accountMessage(account: Account): MessageInitShape<typeof AccountSchema> {
  return { accountId: account.id, displayName: account.displayName, ...time(account.createTime) };
}

function time(createTime: number) {
  const message = timestamp(createTime);
  return message ? { createTime: message } : {};
}
