import { newId } from '../../src/base/ids.ts';
import { decide } from '../../src/wallet/ledger/decide/decide.ts';
import type { Operation, Outcomes } from '../../src/wallet/ledger/operation.ts';
import { createGroupStore, type GroupStore } from '../../src/wallet/ledger/store/group-store.ts';
import { holdOf } from '../wallet/support.ts';
import type { Pair } from './ledger-figures.ts';

const connectionsMax = 32;

/** The same statements, but with a transaction for each step, on a connection for each of at most 32 callers. */
export function stepByStep(url: string, callers: number) {
  const stores = Array.from({ length: Math.min(callers, connectionsMax) }, () => createGroupStore({ url }));
  const lines: Promise<unknown>[] = stores.map(() => Promise.resolve());
  const step = async <T extends Operation>(store: GroupStore, operation: T): Promise<Outcomes[T['type']]> => {
    for (;;) {
      try {
        const open = await store.begin([operation], { nodeId: 'bench', skipLocked: false });
        const outcome = decide(operation, open.state) as Outcomes[T['type']];
        await open.write();
        await open.commit();
        return outcome;
      } catch {
        await store.rollback();
      }
    }
  };
  const walletIds = new Map<string, string>();
  /** Callers that find a wallet locked wait in line for it, as in a database whose transactions wait for locks; ours give up at once. */
  const walletLines = new Map<string, Promise<unknown>>();
  const inLine = <T>(walletId: string, work: () => Promise<T>): Promise<T> => {
    const turn = (walletLines.get(walletId) ?? Promise.resolve()).then(work);
    walletLines.set(walletId, turn);
    return turn;
  };
  const pair =
    (caller: number): Pair =>
    (customer) => {
      const slot = caller % stores.length;
      const store = stores[slot];
      if (!store) throw new Error('No connection.');
      const turn = (lines[slot] ?? Promise.resolve()).then(async () => {
        const walletId = walletIds.get(customer.accountId) ?? '';
        const chargeId = newId('chg');
        const request = holdOf(customer);
        await inLine(walletId, () => step(store, { type: 'hold', walletId, chargeId, request, ttlMs: 60_000 }));
        const usage = { inputTokens: 100, outputTokens: 50 };
        const rest = { provider: undefined, model: undefined, sealedReply: undefined, replyTtlMs: 0, delivered: false };
        const charge = { walletId, chargeId, capOwners: [], idempotency: undefined };
        await inLine(walletId, () => step(store, { type: 'settle', ...charge, cost: 1_000n, usage, ...rest }));
      });
      lines[slot] = turn;
      return turn;
    };
  return { pair, walletIds, close: () => Promise.all(stores.map((store) => store.close())) };
}
