import type { Customer } from '../wallet/support.ts';

/** The result of one measurement. */
export interface Figure {
  server: string;
  what: string;
  wallets: number;
  callers: number;
  pairsPerSecond: number;
  p50Ms: number;
  p99Ms: number;
}

/** One hold and one settlement. */
export type Pair = (customer: Customer) => Promise<void>;

export interface Load {
  customers: Customer[];
  callers: number;
  pair: (caller: number) => Pair;
  ms: number;
}

/** Runs pairs with this many callers for the set time; returns how long each took, in milliseconds. */
export async function runPairs({ customers, callers, pair, ms }: Load): Promise<number[]> {
  const end = performance.now() + ms;
  const took: number[] = [];
  await Promise.all(
    Array.from({ length: callers }, async (_, caller) => {
      const once = pair(caller);
      for (let index = caller; performance.now() < end; index += callers) {
        const customer = customers[index % customers.length];
        if (!customer) return;
        const began = performance.now();
        await once(customer);
        took.push(performance.now() - began);
      }
    }),
  );
  return took;
}

/** The value below which this share of the numbers lies. */
export function quantile(numbers: readonly number[], share: number): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length * share)] ?? Number.NaN;
}

/** Measures and prints, as a table or as a line of JSON per figure and ratio. */
export function createFigures({ ms, json }: { ms: number; json: boolean }) {
  const write = (text: string) => process.stdout.write(`${text}\n`);

  function print(figure: Figure): Figure {
    const { server, what, wallets, callers, pairsPerSecond, p50Ms, p99Ms } = figure;
    if (json) write(JSON.stringify(figure));
    else
      write(
        `${server.padEnd(14)} ${what.padEnd(26)} ${String(wallets).padStart(8)} ${String(callers).padStart(8)} ${pairsPerSecond.toFixed(0).padStart(9)} ${p50Ms.toFixed(2).padStart(9)} ${p99Ms.toFixed(2).padStart(9)}`,
      );
    return figure;
  }

  return {
    print,
    head(text: string): void {
      if (json) return;
      const columns = ['wallets', 'callers'].map((name) => name.padStart(8));
      const times = ['pairs/s', 'p50 ms', 'p99 ms'].map((name) => name.padStart(9));
      write(text);
      write([`${'server'.padEnd(14)} ${'what'.padEnd(26)}`, ...columns, ...times].join(' '));
    },
    async measure(labels: Pick<Figure, 'server' | 'what'>, load: Omit<Load, 'ms'>): Promise<Figure> {
      const took = await runPairs({ ...load, ms });
      const { customers, callers } = load;
      return print({
        ...labels,
        wallets: customers.length,
        callers,
        pairsPerSecond: took.length / (ms / 1_000),
        p50Ms: quantile(took, 0.5),
        p99Ms: quantile(took, 0.99),
      });
    },
    /** How figures of one run compare; the goal, if any, is what the project promises. */
    ratio(
      { server, wallets, callers }: Figure,
      { name, value, goal }: { name: string; value: number; goal?: string },
    ): void {
      if (json) write(JSON.stringify({ server, ratio: name, wallets, callers, value, ...(goal && { goal }) }));
      else write(`${''.padEnd(14)} ${value.toFixed(2)} ${name}${goal ? ` (goal: ${goal})` : ''}`);
    },
  };
}

export type Figures = ReturnType<typeof createFigures>;
