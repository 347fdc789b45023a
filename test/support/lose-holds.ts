import type { MemoryLedger } from './memory-ledger.ts';

/**
 * From now on, every hold has expired by the time it is settled, and either its credit is spent (`expired`) or a retry has its idempotency key
 * (`superseded`). Returns a function that ends this.
 */
export function loseHolds(ledger: MemoryLedger, how: 'expired' | 'superseded'): () => void {
  const { settle } = ledger;
  ledger.settle = async (hold, settlement) => {
    await ledger.expireHolds();
    if (how === 'expired') {
      const { balance } = ledger;
      ledger.balance = 0n;
      const receipt = await settle(hold, settlement);
      ledger.balance = balance;
      return receipt;
    }
    const { idempotency } = hold;
    if (!idempotency) throw new Error('Only a hold with an idempotency key can be superseded.');
    const payer = { accountId: 'acc_1', keyId: 'key_1', keyVersion: 1 };
    const terms = { operation: 'test', priceVersion: 1, ceiling: 1n, minimum: 1n, idempotency };
    const other = await ledger.hold({ ...payer, ...terms });
    if (!other.ok || other.value.kind !== 'held') throw new Error('The key was not free.');
    const receipt = await settle(hold, settlement);
    await ledger.release(other.value.hold, 'test');
    return receipt;
  };
  return () => {
    ledger.settle = settle;
  };
}
