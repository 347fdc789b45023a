/** Random choices that one seed decides (mulberry32). */
export interface Random {
  /** A whole number from 0 to below `end`. */
  below(end: number): number;
  one<T>(of: readonly T[]): T;
  chance(part: number): boolean;
  bytes(length: number): Buffer;
}

export function seeded(seed: number): Random {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000;
  };
  const below = (end: number) => Math.floor(next() * end);
  return {
    below,
    one: (of) => of[below(of.length)] as never,
    chance: (part) => next() < part,
    bytes: (length) => Buffer.from(Array.from({ length }, () => below(256))),
  };
}
