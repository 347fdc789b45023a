import { fail, type Result, succeed } from '../base/failure.ts';
import { isId, newId } from '../base/ids.ts';
import { makePage, readPageRequest } from '../base/page.ts';
import type { Database } from '../db/index.ts';
import { checkAmount, checkText } from './check.ts';
import type { RunningLedger } from './create-ledger.ts';
import { createTopUps, type TopUpSettings } from './create-top-ups.ts';
import { entriesOf } from './entry.ts';
import { listName } from './list-name.ts';
import { deleteMetadata, findLabelled, findMetadata } from './metadata-store.ts';
import { type ChargeTable, dateOf, type WalletTable } from './tables.ts';
import type { PaymentProvider } from './top-ups.ts';
import type { Charge, Wallet, Wallets } from './wallets.ts';
import {
  addWallet,
  findAdjustment,
  findCharge,
  findChargeIdByKey,
  findWallet,
  listCharges,
  listPostings,
} from './wallets-store.ts';

export interface WalletsDependencies {
  db: Database;
  /** Every movement goes through its groups. */
  ledger: RunningLedger;
  /** Who takes payments. */
  payments: PaymentProvider;
  settings?: TopUpSettings;
}

const eraseBatchMax = 500;
/** So that a call ends. */
const eraseBatchesMax = 20;

export function createWallets({ db, ledger, payments, settings = {} }: WalletsDependencies): Wallets {
  const { committer } = ledger;

  async function chargesOf(walletId: string, rows: readonly ChargeTable[]): Promise<Charge[]> {
    const chargeIds = rows.map(({ id }) => id);
    const metadata = await findMetadata(db, walletId, chargeIds);
    return rows.map((row) => toCharge(row, metadata.get(row.id)));
  }

  async function chargeOf(row: ChargeTable): Promise<Charge> {
    const metadata = await findMetadata(db, row.wallet_id, [row.id]);
    return toCharge(row, metadata.get(row.id));
  }

  return {
    async create(accountId, kind) {
      checkText('accountId', accountId, 40);
      const found = await findWallet(db, accountId, kind);
      if (found) return toWallet(found);
      await addWallet(db, { id: newId('wal'), accountId, kind });
      const added = await findWallet(db, accountId, kind);
      if (!added) throw new Error('A wallet that was just added is gone.');
      return toWallet(added);
    },
    async get(accountId, kind) {
      const found = await findWallet(db, accountId, kind);
      return found ? succeed(toWallet(found)) : notFound('wallet');
    },
    async listEntries(accountId, kind, page) {
      const start = readPageRequest(`entries:${kind}`, page);
      if (!start.ok) return start;
      const wallet = await findWallet(db, accountId, kind);
      if (!wallet) return notFound('wallet');
      const { after, size } = start.value;
      const before = after !== undefined && /^[0-9]{1,18}$/.test(after) ? BigInt(after) : undefined;
      const rows = await listPostings(db, { walletId: wallet.id, before, limit: size + 1 });
      const { items, nextPageToken } = makePage(`entries:${kind}`, start.value, rows, ({ seq }) => seq.toString());
      return succeed({ items: await entriesOf(db, wallet.id, items), nextPageToken });
    },
    async getCharge(accountId, chargeId) {
      const wallet = await findWallet(db, accountId, 'api');
      const row = wallet && isId('chg', chargeId) ? await findCharge(db, wallet.id, chargeId) : undefined;
      return row ? succeed(await chargeOf(row)) : notFound('charge');
    },
    async listCharges(accountId, { metadata, ...page }) {
      const list = listName('charges', metadata);
      const start = readPageRequest(list, page);
      if (!start.ok) return start;
      const wallet = await findWallet(db, accountId, 'api');
      if (!wallet) return notFound('wallet');
      const { after, size } = start.value;
      const rows = await listCharges(db, { walletId: wallet.id, metadata, before: after, limit: size + 1 });
      const { items, nextPageToken } = makePage(list, start.value, rows, ({ id }) => id);
      return succeed({ items: await chargesOf(wallet.id, items), nextPageToken });
    },
    async eraseMetadata(accountId, label) {
      const wallet = await findWallet(db, accountId, 'api');
      if (!wallet) return notFound('wallet');
      let erased = 0;
      for (let batch = 0; batch < eraseBatchesMax; batch++) {
        const chargeIds = await findLabelled(db, { walletId: wallet.id, metadata: label, limit: eraseBatchMax });
        await deleteMetadata(db, wallet.id, chargeIds);
        erased += chargeIds.length;
        if (chargeIds.length < eraseBatchMax) break;
      }
      return succeed(erased);
    },
    async findCharge(accountId, scope, key) {
      const wallet = await findWallet(db, accountId, 'api');
      const chargeId = wallet && (await findChargeIdByKey(db, scope, key));
      const row = chargeId === undefined ? undefined : await findCharge(db, wallet?.id ?? '', chargeId);
      return row && chargeOf(row);
    },
    topUps: createTopUps({ db, ledger, payments, settings }),
    async adjust(request) {
      const { accountId, kind, amount, reason, actor, idempotencyKey, reversesChargeId } = request;
      checkText('reason', reason, 500);
      checkText('actor', actor, 200);
      checkText('idempotencyKey', idempotencyKey, 255);
      checkAmount('amount', amount < 0n ? -amount : amount);
      if (reversesChargeId !== undefined && amount < 0n)
        throw new RangeError('A reversal gives back, so it is positive.');
      const wallet = await findWallet(db, accountId, kind);
      if (!wallet) return notFound('wallet');
      const adjusted = await committer.submit({
        type: 'adjust',
        walletId: wallet.id,
        adjustmentId: newId('adj'),
        amount,
        reason,
        actor,
        idempotencyKey,
        chargeId: reversesChargeId,
      });
      if (!adjusted.ok) return adjusted;
      if (wallet.owed > 0n) await committer.submit({ type: 'repay', walletId: wallet.id });
      const row = await findAdjustment(db, adjusted.value.adjustmentId);
      if (!row) throw new Error('An adjustment that was just made is gone.');
      return succeed({
        adjustmentId: row.id,
        amount: row.amount,
        balance: adjusted.value.balance,
        reason: row.reason,
        actor: row.actor,
        ...(row.charge_id !== null && { reversesChargeId: row.charge_id }),
        time: dateOf(row.created_at_us),
      });
    },
  };
}

function notFound(resource: string): Result<never> {
  return fail({ kind: 'not_found', resource });
}

function toWallet(row: WalletTable): Wallet {
  return {
    walletId: row.id,
    accountId: row.account_id,
    kind: row.kind,
    balance: row.posted,
    held: row.held,
    available: row.posted - row.held,
    paused: row.posted === 0n,
    owed: row.owed,
  };
}

function toCharge(row: ChargeTable, metadata: Record<string, string> = {}): Charge {
  return {
    chargeId: row.id,
    walletId: row.wallet_id,
    state: row.state,
    operation: row.operation,
    keyId: row.key_id,
    ...(row.token_id !== null && { tokenId: row.token_id }),
    ...(row.subject !== null && { subject: row.subject }),
    ...(row.device_id !== null && { deviceId: row.device_id }),
    ...(row.provider !== null && { provider: row.provider }),
    ...(row.model !== null && { model: row.model }),
    priceVersion: Number(row.price_version),
    hold: row.hold,
    ...(row.settled !== null && { charged: row.settled }),
    usage: {
      ...(row.input_tokens !== null && { inputTokens: Number(row.input_tokens) }),
      ...(row.cached_input_tokens !== null && { cachedInputTokens: Number(row.cached_input_tokens) }),
      ...(row.output_tokens !== null && { outputTokens: Number(row.output_tokens) }),
      ...(row.reasoning_tokens !== null && { reasoningTokens: Number(row.reasoning_tokens) }),
      ...(row.requests !== null && { requests: Number(row.requests) }),
      ...(row.events !== null && { events: Number(row.events) }),
      estimated: row.estimated === 1,
    },
    metadata,
    createdAt: dateOf(row.created_at_us),
    ...(row.ended_at_us !== null && { endedAt: dateOf(row.ended_at_us) }),
  };
}
