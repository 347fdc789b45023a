/** Finds a key among many by its bytes. */
export interface ByteTable {
  readonly size: number;
  /** The index of the key that bytes `from` to before `to` are; -1 if they are none. */
  indexOf(bytes: Uint8Array, from: number, to: number): number;
}

/** Slots for each key: with fewer, more keys share a slot. */
const slotsPerKey = 2;

/**
 * A hash table of keys that lie one after another in `keys`, each from its number in `starts` to before the next one. All of it is in three arrays,
 * however many keys there are: a map of as many strings is as many objects, which each collection of the whole heap visits.
 */
export function byteTableOf(keys: Uint8Array, starts: Uint32Array): ByteTable {
  const size = starts.length - 1;
  const slots = new Int32Array(2 ** Math.ceil(Math.log2(Math.max(1, size * slotsPerKey)))).fill(-1);
  const mask = slots.length - 1;
  let longest = 0;
  for (let index = 0; index < size; index++) {
    const start = starts[index] as number;
    const end = starts[index + 1] as number;
    longest = Math.max(longest, end - start);
    let slot = hashOf(keys, start, end) & mask;
    while (slots[slot] !== -1) slot = (slot + 1) & mask;
    slots[slot] = index;
  }

  function indexOf(bytes: Uint8Array, from: number, to: number): number {
    if (to - from > longest) return -1;
    for (let slot = hashOf(bytes, from, to) & mask; ; slot = (slot + 1) & mask) {
      const index = slots[slot] as number;
      if (index === -1 || isKey(index, bytes, from, to)) return index;
    }
  }

  function isKey(index: number, bytes: Uint8Array, from: number, to: number): boolean {
    const start = starts[index] as number;
    if ((starts[index + 1] as number) - start !== to - from) return false;
    for (let at = from; at < to; at++) if (keys[start + at - from] !== bytes[at]) return false;
    return true;
  }

  return { size, indexOf };
}

/** FNV-1a, its high bits folded into the low ones. */
export function hashOf(bytes: Uint8Array, from: number, to: number): number {
  let hash = 0x811c9dc5;
  for (let at = from; at < to; at++) hash = Math.imul(hash ^ (bytes[at] as number), 0x01000193);
  return hash ^ (hash >>> 15);
}
