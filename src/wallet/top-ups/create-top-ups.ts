import { fail, invalid, type Result, succeed } from '../../base/failure.ts';
import { isId, newId } from '../../base/ids.ts';
import { formatUsd, type NanoUsd, nanoPerUsd } from '../../base/money.ts';
import { makePage, readPageRequest } from '../../base/page.ts';
import { pick, present } from '../../base/present.ts';
import type { Database } from '../../db/index.ts';
import type { RunningLedger } from '../ledger/create-ledger.ts';
import type { ConcludeOperation, CreditOperation, ReverseOperation } from '../ledger/operation.ts';
import { findOne, listNewest } from '../rows-store.ts';
import { dateOf, type FoundTopUp, topUpTable, walletTable } from '../tables.ts';
import { checkText } from '../validate.ts';
import type { WalletKind } from '../wallets/wallets.ts';
import { findWallets, requireWallet } from '../wallets/wallets-store.ts';
import type { PaymentProvider, TopUp, TopUps } from './top-ups.ts';
import { addTopUp, closeTopUp, listPendingTopUps, type NewTopUp, notePayment } from './top-ups-store.ts';

export interface TopUpSettings {
  /** The largest top-up; default 10,000 USD. */
  topUpMax?: NanoUsd;
  /** How to pay by hand, in the operator's words. */
  instructions?: string;
}

/** A business rule, not a setting. */
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

  /** The top-up of a request, created now or by an earlier identical request. */
  async function prepare(
    accountId: string,
    kind: WalletKind,
    row: Omit<NewTopUp, 'id' | 'walletId'>,
  ): Promise<Result<FoundTopUp>> {
    const { amount } = row;
    if (amount < topUpMin) return fail(invalid('amountUsd', `must be at least ${formatUsd(topUpMin)}`));
    if (amount > topUpMax) return fail(invalid('amountUsd', `must be at most ${formatUsd(topUpMax)}`));
    if (row.idempotencyKey !== undefined) checkText('idempotencyKey', row.idempotencyKey, 300);
    const wallet = await requireWallet(db, accountId, kind);
    if (!wallet.ok) return wallet;
    const id = newId('top');
    const walletId = wallet.value.id;
    const added = await addTopUp(db, { id, walletId, ...row });
    const stored = await findOne(db, topUpTable, added ? { id } : { walletId, idempotencyKey: row.idempotencyKey });
    if (!stored) throw new Error('A top-up that was just added is gone.');
    // One key identifies one payment: a second bank transfer of the same amount is a different one and must not be dropped.
    const isOther = row.reference !== undefined && stored.providerReference !== row.reference;
    return stored.amount === amount && !isOther ? succeed(stored) : fail({ kind: 'idempotency_mismatch' });
  }

  async function read(topUpId: string): Promise<Result<{ topUp: TopUp; owed: NanoUsd }>> {
    const row = isId('top', topUpId) ? await findOne(db, topUpTable, { id: topUpId }) : undefined;
    const wallet = row && (await findOne(db, walletTable, { id: row.walletId }));
    if (!wallet) return fail({ kind: 'not_found', resource: 'top-up' });
    return succeed({ topUp: toTopUp(row, wallet.accountId, wallet.kind), owed: wallet.owed });
  }

  async function current(topUpId: string): Promise<Result<TopUp>> {
    const found = await read(topUpId);
    return found.ok ? succeed(found.value.topUp) : found;
  }

  /** Moves a top-up's money and returns the top-up as it is then. */
  async function move(topUpId: string, movement: Movement): Promise<Result<TopUp>> {
    const found = await read(topUpId);
    if (!found.ok) return found;
    const { topUp, owed } = found.value;
    const { walletId } = topUp;
    const moved = await committer.submit({ ...movement, walletId, topUpId });
    if (!moved.ok) return moved;
    // Debts are repaid first; no hold is granted before.
    if (movement.type === 'credit' && owed > 0n) await committer.submit({ type: 'repay', walletId });
    return current(topUpId);
  }

  const credit = (topUpId: string) => move(topUpId, { type: 'credit' });

  return {
    options: present({
      ...{ provider: payments.name, sandbox: payments.sandbox, least: topUpMin, most: topUpMax },
      ...{ step: payments.amountStep, instructions: settings.instructions },
    }),
    async create({ accountId, kind, amount, idempotencyKey }) {
      const { amountStep } = payments;
      if (amountStep !== undefined && amount % amountStep !== 0n)
        return fail(invalid('amountUsd', `must be a multiple of ${formatUsd(amountStep)}`));
      const key = idempotencyKey === undefined ? undefined : `caller:${idempotencyKey}`;
      const prepared = await prepare(accountId, kind, { amount, provider: payments.name, idempotencyKey: key });
      if (!prepared.ok) return prepared;
      const { value: row } = prepared;
      if (row.state !== 'pending' || row.providerReference !== undefined || row.paymentUrl !== undefined)
        return current(row.id);
      const started = await payments.createPayment(toTopUp(row, accountId, kind));
      // Credit a paid top-up first: once its payment reference is stored, a retry would not start it again.
      const credited = started.paid ? await credit(row.id) : undefined;
      if (credited?.ok === false) return credited;
      await notePayment(db, row.id, started);
      return current(row.id);
    },
    async record({ accountId, kind, amount, reference, actor, idempotencyKey, event }) {
      checkText('reference', reference, 255);
      checkText('actor', actor, 200);
      const payment = { amount, provider: 'manual', reference, actor, idempotencyKey: `operator:${idempotencyKey}` };
      const prepared = await prepare(accountId, kind, payment);
      if (!prepared.ok) return prepared;
      const { id, state } = prepared.value;
      const credited = await move(id, { type: 'credit', event: event && { ...event, target: id } });
      return credited.ok ? succeed({ topUp: credited.value, repeated: state === 'paid' }) : credited;
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
      const wallet = await requireWallet(db, accountId, kind);
      if (!wallet.ok) return wallet;
      const { after, size } = start.value;
      const rows = await listNewest(db, topUpTable, { walletId: wallet.value.id, before: after, limit: size + 1 });
      const topUps = rows.map((row) => toTopUp(row, accountId, kind));
      return succeed(makePage(`top-ups:${kind}`, start.value, topUps, ({ topUpId }) => topUpId));
    },
    async listPending(page) {
      const start = readPageRequest('pending-top-ups', page);
      if (!start.ok) return start;
      const { after, size } = start.value;
      const rows = await listPendingTopUps(db, { before: after, limit: size + 1 });
      const wallets = await findWallets(db, [...new Set(rows.map(({ walletId }) => walletId))]);
      const topUps = rows.map((row) => {
        const wallet = wallets.get(row.walletId);
        if (!wallet) throw new Error('The wallet of a top-up is gone.');
        return toTopUp(row, wallet.accountId, wallet.kind);
      });
      return succeed(makePage('pending-top-ups', start.value, topUps, ({ topUpId }) => topUpId));
    },
    find: current,
    async note(topUpId, providerReference) {
      checkText('providerReference', providerReference, 255);
      await notePayment(db, topUpId, { reference: providerReference });
      return current(topUpId);
    },
    credit,
    async close(topUpId, state) {
      await closeTopUp(db, topUpId, state);
      return current(topUpId);
    },
    async reverse({ topUpId, kind, amount, reference }) {
      checkText('reference', reference, 60);
      return move(topUpId, { type: 'reverse', kind, amount, reference });
    },
    conclude: (topUpId, reference, outcome) => move(topUpId, { type: 'conclude', reference, outcome }),
  };
}

type Movement = Bare<CreditOperation> | Bare<ReverseOperation> | Bare<ConcludeOperation>;
/** An operation without the ids of its rows. */
type Bare<T> = Omit<T, 'walletId' | 'topUpId'>;

function toTopUp(row: FoundTopUp, accountId: string, kind: WalletKind): TopUp {
  return present({
    ...pick(row, 'walletId', 'amount', 'state', 'provider', 'providerReference'),
    topUpId: row.id,
    accountId,
    kind,
    paymentUrl: row.state === 'pending' ? row.paymentUrl : undefined,
    createdAt: dateOf(row.createdAtUs),
    paidAt: row.paidAtUs === undefined ? undefined : dateOf(row.paidAtUs),
  });
}
