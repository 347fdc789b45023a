import type { Accounts } from '../accounts/index.ts';
import type { AuditEvents } from '../audit-events/index.ts';
import { FailureError, invalid, unwrap } from '../base/failure.ts';
import { present } from '../base/present.ts';
import type { Database, Transactional } from '../db/index.ts';
import { AccountService } from '../gen/intelligence/account/v1/account_service_pb.ts';
import type { Keys } from '../keys/index.ts';
import type { Statements, WalletKind, Wallets } from '../wallet/index.ts';
import { accountLists, accountMessage } from './account-lists.ts';
import { adjustmentMessage } from './adjustment.ts';
import { eventOf } from './audit.ts';
import type { Call } from './call.ts';
import { type ServedService, serve } from './handlers.ts';
import { idempotencyKeyOf } from './idempotency.ts';
import { amountOf } from './mapping.ts';
import type { Once } from './once.ts';
import { topUpMessage, walletMessage } from './wallet.ts';

interface AccountRooms {
  accounts: Accounts;
  keys: Keys;
  wallets: Wallets;
}

interface AccountServiceRooms extends AccountRooms {
  db: Database;
  statements: Statements;
  auditEvents: AuditEvents;
  once: Once;
}

/** AccountService: what operators do with accounts. Each write records an audit event in its own transaction. */
export function accountService(rooms: AccountServiceRooms): ServedService {
  const { db, accounts, wallets, auditEvents, once } = rooms;

  /** Suspends or resumes; if nothing changes, no event is recorded. */
  async function setSuspended(suspended: boolean, request: { accountId: string; reason: string }, call: Call) {
    const { accountId, reason } = request;
    return db.transaction(async (tx) => {
      const { account, changed } = unwrap(await accounts.setSuspended(accountId, suspended, tx));
      const action = suspended ? 'account.suspend' : 'account.resume';
      if (changed) await auditEvents.append(tx, eventOf(call, { action, target: accountId, accountId, reason }));
      return { account: accountMessage(account) };
    });
  }

  return serve(AccountService, {
    ...accountLists(rooms),
    createAccount: (request, call) =>
      once(AccountService.method.createAccount, request, call, {
        write: (within = db) =>
          within.transaction(async (tx) => {
            const { displayName, reason } = request;
            const { account, managementKey } = await openAccount(rooms, displayName, tx);
            const made = { action: 'account.create' as const, target: account.id, accountId: account.id };
            await auditEvents.append(tx, eventOf(call, { ...made, reason, details: { displayName } }));
            return { account: accountMessage(account), managementKey };
          }),
      }),
    updateAccount: async ({ accountId, displayName, reason }, call) =>
      db.transaction(async (tx) => {
        const account = unwrap(await accounts.rename(accountId, displayName, tx));
        const renamed = { action: 'account.update' as const, target: accountId, details: { displayName } };
        await auditEvents.append(tx, eventOf(call, { ...renamed, accountId, reason }));
        return { account: accountMessage(account) };
      }),
    suspendAccount: (request, call) => setSuspended(true, request, call),
    resumeAccount: (request, call) => setSuspended(false, request, call),
    creditAccount: async ({ accountId, amountUsd, reference, reason }, call) => {
      unwrap(await accounts.get(accountId));
      const { topUp, repeated } = unwrap(
        await wallets.topUps.record({
          accountId,
          kind: 'api',
          amount: amountOf(amountUsd, 'amountUsd'),
          reference,
          actor: call.caller.name,
          idempotencyKey: reference,
          event: eventOf(call, { action: 'account.credit', accountId, reason, details: { amountUsd, reference } }),
        }),
      );
      return {
        topUp: topUpMessage(topUp),
        wallet: walletMessage(unwrap(await wallets.get(accountId, 'api'))),
        alreadyRecorded: repeated,
      };
    },
    adjustAccount: async (request, call) => {
      const { accountId, direction, amountUsd, reason } = request;
      const idempotencyKey = idempotencyKeyOf(call);
      if (idempotencyKey === undefined)
        throw new FailureError(invalid('Idempotency-Key', 'is required, so that a repeated request adjusts once'));
      const amount = amountOf(amountUsd, 'amountUsd');
      if (amount === 0n) throw new FailureError(invalid('amountUsd', 'must be above zero'));
      const kind: WalletKind = request.wallet === 'application' ? 'application' : 'api';
      const chargeId = request.chargeId || undefined;
      if (chargeId !== undefined && (direction !== 'add' || kind !== 'api'))
        throw new FailureError(invalid('chargeId', 'needs direction "add" and the wallet "api"'));
      const details = { wallet: kind, direction, amountUsd, chargeId };
      const adjustment = unwrap(
        await wallets.adjust({
          ...{ accountId, kind, reason, idempotencyKey, actor: call.caller.name },
          amount: direction === 'add' ? amount : -amount,
          ...present({ reversesChargeId: chargeId }),
          event: eventOf(call, { action: 'account.adjust', accountId, reason, details }),
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
 * An account with everything it needs: two empty wallets and a management key, whose secret is only shown here. `within`: the
 * transaction that all of it joins; if absent, each part has its own.
 */
export async function openAccount(
  { accounts, keys, wallets }: AccountRooms,
  displayName: string,
  within?: Transactional,
) {
  const account = await accounts.create({ displayName }, within);
  // Wallets before the key: anyone with a credential finds a complete account.
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
