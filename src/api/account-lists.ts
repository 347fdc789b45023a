import type { MessageInitShape } from '@bufbuild/protobuf';
import type { Account, AccountFilter, Accounts } from '../accounts/index.ts';
import { FailureError, unwrap } from '../base/failure.ts';
import { formatUsd } from '../base/money.ts';
import { present } from '../base/present.ts';
import type { AccountSchema } from '../gen/intelligence/account/v1/account_pb.ts';
import type { AccountService, AccountSummarySchema } from '../gen/intelligence/account/v1/account_service_pb.ts';
import type { Keys } from '../keys/index.ts';
import type { Statements, Wallets } from '../wallet/index.ts';
import { adjustmentMessage } from './adjustment.ts';
import type { Handlers } from './handlers.ts';
import { timestamp } from './mapping.ts';
import { topUpMessage } from './wallet.ts';

interface ListRooms {
  accounts: Accounts;
  keys: Keys;
  wallets: Wallets;
  statements: Statements;
}

/** The parts of AccountService that read accounts, one or all. */
export function accountLists(
  rooms: ListRooms,
): Pick<Handlers<typeof AccountService>, 'getAccount' | 'listAccounts' | 'listPendingTopUps' | 'listAdjustments'> {
  const { accounts, wallets } = rooms;
  return {
    getAccount: async ({ accountId }, { caller }) => {
      if (caller.accountId !== undefined && caller.accountId !== accountId)
        throw new FailureError({ kind: 'not_found', resource: 'account' });
      return { account: accountMessage(unwrap(await accounts.get(accountId))) };
    },
    listAccounts: async ({ search, state, ...page }) => {
      // The contract's rules allow no other states here.
      const filter = present({ search, state: (state || undefined) as AccountFilter['state'] });
      const { items, nextPageToken } = unwrap(await accounts.list(filter, page));
      return { accounts: await summaries(rooms, items), nextPageToken };
    },
    listPendingTopUps: async (page) => {
      const { items, nextPageToken } = unwrap(await wallets.topUps.listPending(page));
      const topUps = items.map((topUp) => ({
        accountId: topUp.accountId,
        wallet: topUp.kind,
        topUp: topUpMessage(topUp),
        ...present({ providerReference: topUp.providerReference }),
      }));
      return { topUps, nextPageToken };
    },
    listAdjustments: async ({ accountId, ...page }) => {
      const wanted = present({ ...page, accountId: accountId || undefined });
      const { items, nextPageToken } = unwrap(await wallets.listAdjustments(wanted));
      const adjustments = items.map((item) => ({
        accountId: item.accountId,
        wallet: item.kind,
        adjustment: adjustmentMessage(item),
      }));
      return { adjustments, nextPageToken };
    },
  };
}

export function accountMessage({
  id,
  displayName,
  createTime,
  suspendTime,
}: Account): MessageInitShape<typeof AccountSchema> {
  const times = { createTime: timestamp(createTime), suspendTime: timestamp(suspendTime) };
  return { accountId: id, displayName, ...present(times) };
}

async function summaries(
  { keys, wallets, statements }: ListRooms,
  items: readonly Account[],
): Promise<MessageInitShape<typeof AccountSummarySchema>[]> {
  const ids = items.map(({ id }) => id);
  const [found, lastUses] = await Promise.all([wallets.getAll(ids), keys.lastUses(ids)]);
  const rows: MessageInitShape<typeof AccountSummarySchema>[] = [];
  for (const account of items) {
    const wallet = found.get(account.id);
    if (!wallet) throw new Error('An account has no API wallet.');
    // Sequential: sums are rationed, and the ledger needs the connections.
    const sums = await statements.usage({ accountId: account.id, groupBy: [] }, {});
    const cost = sums.ok ? sums.value.items[0]?.cost : undefined;
    rows.push({
      account: accountMessage(account),
      balanceUsd: formatUsd(wallet.balance),
      heldUsd: formatUsd(wallet.held),
      owedUsd: formatUsd(wallet.owed),
      ...present({
        cost30DaysUsd: cost === undefined ? undefined : formatUsd(cost),
        lastUsedTime: timestamp(lastUses.get(account.id)),
      }),
    });
  }
  return rows;
}
