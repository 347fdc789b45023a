import type { Slices } from '../../../base/slices.ts';
import type { Read } from './match.ts';
import type { Part, Sequence } from './patterns.ts';

/** What of a pack is worth searching for in a text. */
export interface Wanted {
  /** The indexes of the rules that may match, in the pack's order. */
  rules: readonly number[];
  /** The sequences that these rules rest on, by the atoms that they begin with. */
  starts: ReadonlyMap<number, readonly number[]>;
}

/**
 * Finds the few rules of a pack that may match a text: those whose words all occur somewhere in it. Looking each word of a
 * text up once is far cheaper than following a thousand rules from every place.
 */
export function createScreen(rules: readonly (readonly Part[])[], sequences: readonly Sequence[], atoms: number) {
  const startsOf: number[][] = Array.from({ length: atoms }, () => []);
  for (const { id, steps } of sequences)
    for (const atom of new Set(steps[0]?.atoms)) (startsOf[atom] as number[]).push(id);
  const rulesOf: number[][] = sequences.map(() => []);
  const needed = rules.map((parts, rule) => {
    const ids = new Set(parts.filter(({ absent }) => !absent).map(({ sequence }) => sequence));
    for (const id of ids) (rulesOf[id] as number[]).push(rule);
    return ids.size;
  });

  return function* wantedOf({ hits }: Read): Slices<Wanted> {
    const present = new Uint8Array(atoms);
    const possible = new Set<number>();
    const begun: number[] = [];
    for (const found of hits)
      for (const { atom } of found) {
        if (present[atom] === 1) continue;
        present[atom] = 1;
        if ((startsOf[atom] as number[]).length > 0) begun.push(atom);
      }
    yield hits.length;
    const occurs = (atom: number) => present[atom] === 1;
    let taken = 0;
    for (const atom of begun)
      for (const id of startsOf[atom] as number[]) {
        taken++;
        const { steps } = sequences[id] as Sequence;
        if (steps.every(({ atoms, optional }) => optional || atoms.some(occurs))) possible.add(id);
      }
    yield taken;
    const met = new Uint8Array(rules.length);
    const wanted: number[] = [];
    for (const id of possible)
      for (const rule of rulesOf[id] as number[]) {
        met[rule] = (met[rule] as number) + 1;
        if (met[rule] === needed[rule]) wanted.push(rule);
      }
    const starts = new Map<number, number[]>();
    const searched = new Set<number>();
    for (const rule of wanted)
      for (const { sequence } of rules[rule] as Part[]) if (possible.has(sequence)) searched.add(sequence);
    for (const atom of begun) {
      const ids = (startsOf[atom] as number[]).filter((id) => searched.has(id));
      if (ids.length > 0) starts.set(atom, ids);
    }
    return { rules: wanted.sort((a, b) => a - b), starts };
  };
}
