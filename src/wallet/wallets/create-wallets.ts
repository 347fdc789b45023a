import { fail, resultOf, succeed } from '../../base/failure.ts';
import { isId, newId } from '../../base/ids.ts';
import { makePage, readPageRequest } from '../../base/page.ts';
import { pick, present } from '../../base/present.ts';
import { createSharedTurns } from '../../base/shared-turns.ts';
import type { Database } from '../../db/index.ts';
import type { RunningLedger } from '../ledger/create-ledger.ts';
import { findOne } from '../rows-store.ts';
import { listEntries } from '../statements/list-entries.ts';
import { listName } from '../statements/list-name.ts';
import { deleteMetadata, findLabelled, findMetadata } from '../statements/metadata-store.ts';
import {
  adjustmentTable,
  chargeTable,
  dateOf,
  type FoundAdjustment,
  type FoundCharge,
  type FoundWallet,
  idempotencyTable,
  usageCounts,
} from '../tables.ts';
import { createTopUps, type TopUpSettings } from '../top-ups/create-top-ups.ts';
import type { PaymentProvider } from '../top-ups/top-ups.ts';
import { checkAmount, checkText } from '../validate.ts';
import { describeFilter } from './charge-filter.ts';
import { findCharges } from './charges-store.ts';
import type { Adjustment, Charge, Wallet, Wallets } from './wallets.ts';
import {
  addWallet,
  findSpentOfKeys,
  findWallet,
  findWallets,
  findWalletsOf,
  limitCapOfKey,
  listAdjustments,
  listCorrections,
  requireWallet,
} from './wallets-store.ts';

export interface WalletsDependencies {
  db: Database;
  /** Every movement goes through its groups. */
  ledger: RunningLedger;
  /** Who takes payments. */
  payments: PaymentProvider;
  settings?: TopUpSettings;
}

/** Concurrent searches for charges: one page may scan many. */
const looks = { all: 2, each: 1, waitingMax: 32 };
const correctionsMax = 100;
const eraseBatchMax = 500;
/** Bounds the length of a call. */
const eraseBatchesMax = 20;

export function createWallets({ db, ledger, payments, settings = {} }: WalletsDependencies): Wallets {
  const { committer } = ledger;
  const lookTurn = createSharedTurns(looks);

  async function chargesOf(walletId: string, rows: readonly FoundCharge[]): Promise<Charge[]> {
    const chargeIds = rows.map(({ id }) => id);
    const metadata = await findMetadata(db, walletId, chargeIds);
    return rows.map((row) => toCharge(row, metadata.get(row.id)));
  }

  /** A charge of the account's API wallet. */
  async function chargeOf(accountId: string, id: string): Promise<Charge | undefined> {
    const wallet = await findWallet(db, accountId, 'api');
    const row = wallet && (await findOne(db, chargeTable, { walletId: wallet.id, id }));
    return row && (await chargesOf(row.walletId, [row]))[0];
  }

  async function walletIdsOf(accountId: string): Promise<string[]> {
    const wallets = await Promise.all((['api', 'application'] as const).map((kind) => findWallet(db, accountId, kind)));
    return wallets.flatMap((wallet) => (wallet ? [wallet.id] : []));
  }

  return {
    async create(accountId, kind, within = db) {
      checkText('accountId', accountId, 40);
      const found = await findWallet(within, accountId, kind);
      if (found) return toWallet(found);
      await addWallet(within, { id: newId('wal'), accountId, kind });
      const added = await findWallet(within, accountId, kind);
      if (!added) throw new Error('A wallet that was just added is gone.');
      return toWallet(added);
    },
    async get(accountId, kind) {
      const found = await requireWallet(db, accountId, kind);
      return found.ok ? succeed(toWallet(found.value)) : found;
    },
    async listEntries(accountId, kind, request) {
      const wallet = await requireWallet(db, accountId, kind);
      return wallet.ok ? listEntries(db, wallet.value, request) : wallet;
    },
    async getCharge(accountId, chargeId) {
      const charge = isId('chg', chargeId) ? await chargeOf(accountId, chargeId) : undefined;
      if (!charge) return fail({ kind: 'not_found', resource: 'charge' });
      if (charge.reversed === 0n) return succeed(charge);
      const given = await listCorrections(db, charge.walletId, chargeId, correctionsMax);
      return succeed({ ...charge, corrections: given.map(toAdjustment) });
    },
    async listCharges(accountId, { pageSize, pageToken, ...filter }) {
      const list = listName('charges', ...describeFilter(filter));
      const start = readPageRequest(list, present({ pageSize, pageToken }));
      if (!start.ok) return start;
      const look = async () => {
        const wallet = await requireWallet(db, accountId, 'api');
        if (!wallet.ok) return wallet;
        const { after, size } = start.value;
        const walletId = wallet.value.id;
        const { rows, readTo } = await findCharges(db, { walletId, filter, before: after, limit: size + 1 });
        const charges = await chargesOf(walletId, rows);
        return succeed(makePage(list, start.value, charges, ({ chargeId }) => chargeId, { readTo }));
      };
      return resultOf(() => lookTurn(accountId, look));
    },
    async eraseMetadata(accountId, label) {
      const wallet = await requireWallet(db, accountId, 'api');
      if (!wallet.ok) return wallet;
      const walletId = wallet.value.id;
      let erased = 0;
      for (let batch = 0; batch < eraseBatchesMax; batch++) {
        const chargeIds = await findLabelled(db, { walletId, metadata: label, limit: eraseBatchMax });
        await deleteMetadata(db, walletId, chargeIds);
        erased += chargeIds.length;
        if (chargeIds.length < eraseBatchMax) break;
      }
      return succeed(erased);
    },
    async findCharge(accountId, scope, key) {
      const named = await findOne(db, idempotencyTable, { scope, key });
      return named && chargeOf(accountId, named.chargeId);
    },
    spentOfKeys: (keyIds, within = db) => findSpentOfKeys(within, keyIds),
    limitKey: (keyId, limit, within) => limitCapOfKey(within, keyId, limit),
    async getAll(accountIds) {
      const found = await findWalletsOf(db, accountIds, 'api');
      return new Map(found.map((row) => [row.accountId, toWallet(row)]));
    },
    async listAdjustments({ accountId, ...page }) {
      const list = listName('adjustments', accountId);
      const start = readPageRequest(list, page);
      if (!start.ok) return start;
      const { after, size } = start.value;
      const walletIds = accountId === undefined ? undefined : await walletIdsOf(accountId);
      if (walletIds?.length === 0) return succeed({ items: [], nextPageToken: '' });
      const rows = await listAdjustments(db, { walletIds, before: after, limit: size + 1 });
      const wallets = await findWallets(db, [...new Set(rows.map(({ walletId }) => walletId))]);
      const adjustments = rows.map((row) => {
        const wallet = wallets.get(row.walletId);
        if (!wallet) throw new Error('The wallet of an adjustment is gone.');
        return { ...toAdjustment(row), ...pick(wallet, 'accountId', 'kind') };
      });
      return succeed(makePage(list, start.value, adjustments, ({ adjustmentId }) => adjustmentId));
    },
    topUps: createTopUps({ db, ledger, payments, settings }),
    async adjust(request) {
      const { accountId, kind, amount, reason, actor, idempotencyKey, reversesChargeId, event } = request;
      checkText('reason', reason, 500);
      checkText('actor', actor, 200);
      checkText('idempotencyKey', idempotencyKey, 255);
      checkAmount('amount', amount < 0n ? -amount : amount);
      if (reversesChargeId !== undefined && amount < 0n)
        throw new RangeError('A reversal gives back, so it is positive.');
      const wallet = await requireWallet(db, accountId, kind);
      if (!wallet.ok) return wallet;
      const { id: walletId, owed } = wallet.value;
      const adjustmentId = newId('adj');
      const adjusted = await committer.submit({
        type: 'adjust',
        walletId,
        adjustmentId,
        amount,
        reason,
        actor,
        idempotencyKey,
        chargeId: reversesChargeId,
        event: event && { ...event, target: adjustmentId },
      });
      if (!adjusted.ok) return adjusted;
      if (owed > 0n) await committer.submit({ type: 'repay', walletId });
      const row = await findOne(db, adjustmentTable, { id: adjusted.value.adjustmentId });
      if (!row) throw new Error('An adjustment that was just made is gone.');
      return succeed({ ...toAdjustment(row), balance: adjusted.value.balance });
    },
  };
}

function toWallet({ id: walletId, accountId, kind, posted: balance, held, owed, openDisputes }: FoundWallet): Wallet {
  const disputed = openDisputes > 0n;
  return {
    walletId,
    accountId,
    kind,
    balance,
    held,
    available: balance - held,
    paused: balance === 0n,
    owed,
    disputed,
  };
}

function toAdjustment(row: FoundAdjustment): Omit<Adjustment, 'balance'> {
  return present({
    ...pick(row, 'amount', 'reason', 'actor'),
    adjustmentId: row.id,
    reversesChargeId: row.chargeId,
    time: dateOf(row.createdAtUs),
  });
}

function toCharge(row: FoundCharge, metadata: Record<string, string> = {}): Charge {
  return present({
    ...pick(row, 'walletId', 'state', 'operation', 'keyId', 'tokenId', 'subject', 'deviceId', 'provider', 'model'),
    ...pick(row, 'providerKeyId', 'priceVersion', 'hold', 'owed', 'reversed', 'requestId'),
    chargeId: row.id,
    charged: row.settled,
    usage: pick(row, ...usageCounts, 'estimated'),
    outcome: pick(row, 'latencyMs', 'modelLatencyMs', 'attempts', 'finishReason'),
    metadata,
    createdAt: dateOf(row.createdAtUs),
    endedAt: row.endedAtUs === undefined ? undefined : dateOf(row.endedAtUs),
  });
}
