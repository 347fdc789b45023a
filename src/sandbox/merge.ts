import type { ByteTable } from '../base/byte-table.ts';

/**
 * Counts the tokens that bytes become: of all neighbours that together are a token, those of the lowest rank are merged, the first of
 * equals, again and again. The pairs wait in a heap, so that the time grows with the number of bytes and not with its square.
 */
export function createMerger({ indexOf: rankOf }: ByteTable): (bytes: Uint8Array, length: number) => number {
  let room = 0;
  /** By where a part starts: where the next one and the one before start, and the rank of the part together with the next. */
  let next = new Int32Array(0);
  let before = new Int32Array(0);
  let ranks = new Int32Array(0);
  /** Rank and place of each pair in one number, the smallest first; those of parts that have been merged since are passed over. */
  let heap = new Float64Array(0);
  let waiting = 0;
  const pairs = ranksOfPairs(rankOf);

  function makeRoom(length: number): void {
    if (length <= room) return;
    room = Math.max(length, 2 * room, roomAtFirst);
    next = new Int32Array(room);
    before = new Int32Array(room + 1);
    ranks = new Int32Array(room);
    // Each byte begins a pair, and each merge makes two new ones.
    heap = new Float64Array(3 * room);
  }

  /** Notes what the part at `at` and the one after it are together. */
  function note(at: number, rank: number): void {
    ranks[at] = rank;
    if (rank === -1) return;
    const one = rank * places + at;
    let place = waiting++;
    while (place > 0) {
      const above = (place - 1) >> 1;
      if ((heap[above] as number) <= one) break;
      heap[place] = heap[above] as number;
      place = above;
    }
    heap[place] = one;
  }

  /** Removes the first pair. */
  function first(): number {
    const one = heap[0] as number;
    const last = heap[--waiting] as number;
    let place = 0;
    for (let below = 1; below < waiting; below = 2 * place + 1) {
      if (below + 1 < waiting && (heap[below + 1] as number) < (heap[below] as number)) below++;
      if ((heap[below] as number) >= last) break;
      heap[place] = heap[below] as number;
      place = below;
    }
    heap[place] = last;
    return one;
  }

  return (bytes, length) => {
    makeRoom(length);
    waiting = 0;
    for (let at = 0; at < length; at++) {
      next[at] = at + 1;
      before[at + 1] = at;
      if (at + 1 < length) note(at, pairs[((bytes[at] as number) << 8) | (bytes[at + 1] as number)] as number);
    }
    let tokens = length;
    while (waiting > 0) {
      const one = first();
      const rank = Math.floor(one / places);
      const at = one - rank * places;
      if (ranks[at] !== rank) continue;
      const middle = next[at] as number;
      const end = next[middle] as number;
      ranks[middle] = -1;
      next[at] = end;
      before[end] = at;
      tokens--;
      note(at, end < length ? rankOf(bytes, at, next[end] as number) : -1);
      if (at > 0) note(before[at] as number, rankOf(bytes, before[at] as number, end));
    }
    return tokens;
  };
}

/** The rank of each two bytes, by their number: these are looked up most. */
function ranksOfPairs(rankOf: ByteTable['indexOf']): Int32Array {
  const pairs = new Int32Array(0x10000);
  const bytes = new Uint8Array(2);
  for (let pair = 0; pair < pairs.length; pair++) {
    bytes[0] = pair >> 8;
    bytes[1] = pair & 0xff;
    pairs[pair] = rankOf(bytes, 0, 2);
  }
  return pairs;
}

const roomAtFirst = 256;
/** More than a text has bytes. */
const places = 2 ** 30;
