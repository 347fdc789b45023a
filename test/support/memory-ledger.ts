import { randomBytes } from 'node:crypto';
import type { NanoUsd } from '../../src/base/money.ts';
import { createSeal } from '../../src/base/seal.ts';
import type { Ledger, Settlement } from '../../src/wallet/index.ts';
import { createLedgerOver, type LedgerBackend } from '../../src/wallet/ledger/create-ledger.ts';
import { requestOf } from '../../src/wallet/ledger/operation.ts';
import type { WalletRow } from '../../src/wallet/tables.ts';
import { silent } from './database.ts';
import { MemoryTables, memoryBackend } from './memory-tables.ts';

export interface MemoryLedger extends Ledger {
  balance: NanoUsd;
  readonly held: NanoUsd;
  readonly settlements: (Settlement & { charged: NanoUsd })[];
  readonly releases: string[];
  /** Ends the currently open holds as if their time were over. */
  expireHolds(): Promise<void>;
}

/** The ledger over one wallet in memory that every account and credential may use, for tests of its callers. */
export function memoryLedger(balance: NanoUsd): MemoryLedger {
  const tables = new MemoryTables();
  tables.addWallet('wal_1', 'acc_1', balance);
  const seal = createSeal({ current: 1, byVersion: new Map([[1, randomBytes(32)]]) });
  const ledger = createLedgerOver(openTo(tables), { seal, log: silent });
  const settlements: MemoryLedger['settlements'] = [];
  const releases: string[] = [];
  const settled = new Set<string>();
  const wallet = () => tables.wallets.rows.get('wal_1') as WalletRow;
  return {
    get balance() {
      return wallet().posted;
    },
    set balance(amount) {
      wallet().posted = amount;
    },
    get held() {
      return wallet().held;
    },
    settlements,
    releases,
    hold: ledger.hold,
    foresees: ledger.foresees,
    extend: ledger.extend,
    recordProgress: ledger.recordProgress,
    async settle(hold, settlement) {
      const receipt = await ledger.settle(hold, settlement);
      if (receipt.state === 'settled' && !settled.has(hold.chargeId))
        settlements.push({ ...settlement, charged: receipt.charged });
      settled.add(hold.chargeId);
      return receipt;
    },
    async release(hold, reason) {
      await ledger.release(hold, reason);
      releases.push(reason);
    },
    async expireHolds() {
      for (const { chargeId, ...reference } of tables.references.values()) {
        tables.makeOverdue(chargeId);
        await ledger.committer.submit({ type: 'expire', chargeId, ...reference });
      }
    },
    close: ledger.close,
  };
}

function openTo(tables: MemoryTables): LedgerBackend {
  const backend = memoryBackend(tables);
  return {
    ...backend,
    findWallet: async () => 'wal_1',
    groups: {
      ...backend.groups,
      async begin(operations, terms) {
        for (const operation of operations) {
          if (operation.type !== 'hold' && operation.type !== 'charge') continue;
          const { keyId, accountId } = requestOf(operation);
          tables.addCredential(keyId, accountId);
        }
        return backend.groups.begin(operations, terms);
      },
    },
  };
}
