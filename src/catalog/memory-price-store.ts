import type { PriceStore, PriceVersion } from './price-book.ts';

/** An in-memory price book, for tests and simulations. */
export function memoryPriceStore(now: () => number = Date.now): PriceStore {
  const kept: PriceVersion[] = [];
  return {
    read: async () => ({ versions: [...kept], now: now() }),
    add: async (versions) => {
      if (kept.some(({ version }) => version === versions[0]?.version)) return false;
      kept.push(...versions);
      return true;
    },
  };
}
