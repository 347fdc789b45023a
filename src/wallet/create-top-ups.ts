import { fail, invalid, type Result, succeed } from '../base/failure.ts';
import { isId, newId } from '../base/ids.ts';
import { formatUsd, type NanoUsd, nanoPerUsd } from '../base/money.ts';
import { makePage, readPageRequest } from '../base/page.ts';
import type { Database } from '../db/index.ts';
import { checkText } from './check.ts';
import type { RunningLedger } from './create-ledger.ts';
import { dateOf, type TopUpTable } from './tables.ts';
import type { PaymentProvider, TopUp, TopUps } from './top-ups.ts';
import {
  addTopUp,
  closeTopUp,
  findTopUp,
  findTopUpByKey,
  findTopUpOwner,
  listTopUps,
  type NewTopUp,
  notePayment,
} from './top-ups-store.ts';
import type { WalletKind } from './wallets.ts';
import { findWallet } from './wallets-store.ts';

export interface TopUpSettings {
  /** The largest top-up; default 10,000 USD. */
  topUpMax?: NanoUsd;
}

/** A rule of the business, not a setting. */
export const topUpMin: NanoUsd = 5n * nanoPerUsd;

interface Dependencies {
  db: Database;
  ledger: RunningLedger;
  payments: PaymentProvider;
  settings: TopUpSettings;
}

export function createTopUps({ db, ledger, payments, settings }: Dependencies): TopUps {
  const { committer } = ledger;
  const { topUpMax = 10_000n * nanoPerUsd } = settings;

  /** The top-up of a request, made now or by the same request before. */
  async function prepare(
    { accountId, kind, amount }: { accountId: string; kind: WalletKind; amount: NanoUsd },
    row: Pick<NewTopUp, 'provider' | 'reference' | 'actor' | 'idempotencyKey'>,
  ): Promise<Result<TopUpTable>> {
    if (amount < topUpMin) return fail(invalid('amountUsd', `must be at least ${formatUsd(topUpMin)}`));
    if (amount > topUpMax) return fail(invalid('amountUsd', `must be at most ${formatUsd(topUpMax)}`));
    if (row.idempotencyKey !== undefined) checkText('idempotencyKey', row.idempotencyKey, 300);
    const wallet = await findWallet(db, accountId, kind);
    if (!wallet) return fail({ kind: 'not_found', resource: 'wallet' });
    const id = newId('top');
    const added = await addTopUp(db, { id, walletId: wallet.id, amount, ...row });
    const stored = added ? await findTopUp(db, id) : await findTopUpByKey(db, wallet.id, row.idempotencyKey ?? '');
    if (!stored) throw new Error('A top-up that was just added is gone.');
    return stored.amount === amount ? succeed(stored) : fail({ kind: 'idempotency_mismatch' });
  }

  async function read(topUpId: string): Promise<Result<{ row: TopUpTable; topUp: TopUp; owed: NanoUsd }>> {
    const row = isId('top', topUpId) ? await findTopUp(db, topUpId) : undefined;
    const owner = row && (await findTopUpOwner(db, row.wallet_id));
    if (!row || !owner) return fail({ kind: 'not_found', resource: 'top-up' });
    return succeed({ row, topUp: toTopUp(row, owner.account_id, owner.kind), owed: owner.owed });
  }

  async function current(topUpId: string): Promise<Result<TopUp>> {
    const found = await read(topUpId);
    return found.ok ? succeed(found.value.topUp) : found;
  }

  async function credit(topUpId: string): Promise<Result<TopUp>> {
    const found = await read(topUpId);
    if (!found.ok) return found;
    const walletId = found.value.row.wallet_id;
    const credited = await committer.submit({ type: 'credit', walletId, topUpId });
    if (!credited.ok) return credited;
    // What is owed is paid first; no hold is given before.
    if (found.value.owed > 0n) await committer.submit({ type: 'repay', walletId });
    return current(topUpId);
  }

  return {
    async create({ accountId, kind, amount, idempotencyKey }) {
      const { amountStep } = payments;
      if (amountStep !== undefined && amount % amountStep !== 0n)
        return fail(invalid('amountUsd', `must be a multiple of ${formatUsd(amountStep)}`));
      const prepared = await prepare(
        { accountId, kind, amount },
        {
          provider: payments.name,
          reference: undefined,
          actor: undefined,
          idempotencyKey: idempotencyKey === undefined ? undefined : `caller:${idempotencyKey}`,
        },
      );
      if (!prepared.ok) return prepared;
      const { value: row } = prepared;
      if (row.state !== 'pending' || row.provider_reference !== null || row.payment_url !== null)
        return current(row.id);
      const started = await payments.createPayment(toTopUp(row, accountId, kind));
      await notePayment(db, row.id, { reference: started.reference, paymentUrl: started.paymentUrl });
      return started.paid ? credit(row.id) : current(row.id);
    },
    async record({ accountId, kind, amount, reference, actor, idempotencyKey }) {
      checkText('reference', reference, 255);
      checkText('actor', actor, 200);
      const prepared = await prepare(
        { accountId, kind, amount },
        { provider: 'manual', reference, actor, idempotencyKey: `operator:${idempotencyKey}` },
      );
      return prepared.ok ? credit(prepared.value.id) : prepared;
    },
    async get(accountId, kind, topUpId) {
      const found = await current(topUpId);
      if (found.ok && (found.value.accountId !== accountId || found.value.kind !== kind))
        return fail({ kind: 'not_found', resource: 'top-up' });
      return found;
    },
    async list(accountId, kind, page) {
      const start = readPageRequest(`top-ups:${kind}`, page);
      if (!start.ok) return start;
      const wallet = await findWallet(db, accountId, kind);
      if (!wallet) return fail({ kind: 'not_found', resource: 'wallet' });
      const { after, size } = start.value;
      const rows = await listTopUps(db, { walletId: wallet.id, before: after, limit: size + 1 });
      const topUps = rows.map((row) => toTopUp(row, accountId, kind));
      return succeed(makePage(`top-ups:${kind}`, start.value, topUps, ({ topUpId }) => topUpId));
    },
    find: current,
    async note(topUpId, providerReference) {
      checkText('providerReference', providerReference, 255);
      await notePayment(db, topUpId, { reference: providerReference, paymentUrl: undefined });
      return current(topUpId);
    },
    credit,
    async close(topUpId, state) {
      await closeTopUp(db, topUpId, state);
      return current(topUpId);
    },
    async reverse({ topUpId, kind, amount, reference }) {
      checkText('reference', reference, 60);
      const found = await read(topUpId);
      if (!found.ok) return found;
      const walletId = found.value.row.wallet_id;
      const reversed = await committer.submit({ type: 'reverse', walletId, topUpId, kind, amount, reference });
      return reversed.ok ? current(topUpId) : reversed;
    },
    async conclude(topUpId, reference, outcome) {
      const found = await read(topUpId);
      if (!found.ok) return found;
      const walletId = found.value.row.wallet_id;
      const concluded = await committer.submit({ type: 'conclude', walletId, topUpId, reference, outcome });
      return concluded.ok ? current(topUpId) : concluded;
    },
  };
}

function toTopUp(row: TopUpTable, accountId: string, kind: WalletKind): TopUp {
  return {
    topUpId: row.id,
    walletId: row.wallet_id,
    accountId,
    kind,
    amount: row.amount,
    state: row.state,
    provider: row.provider,
    ...(row.provider_reference !== null && { providerReference: row.provider_reference }),
    ...(row.state === 'pending' && row.payment_url !== null && { paymentUrl: row.payment_url }),
    createdAt: dateOf(row.created_at_us),
    ...(row.paid_at_us !== null && { paidAt: dateOf(row.paid_at_us) }),
  };
}
