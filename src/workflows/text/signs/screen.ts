import type { Read } from './match.ts';
import type { Part, Sequence } from './patterns.ts';

/** What of a pack is worth searching for in a text. */
export interface Wanted {
  /** The indexes of the rules that may match, in the pack's order. */
  rules: readonly number[];
  /** The sequences that these rules rest on, by the atoms that they begin with. */
  starts: ReadonlyMap<number, ReadonlySet<number>>;
}

/**
 * Finds the few rules of a pack that may match a text: those whose words all occur somewhere in it. Looking each word of a
 * text up once is far cheaper than following a thousand rules from every place.
 */
export function createScreen(rules: readonly (readonly Part[])[], sequences: readonly Sequence[], atoms: number) {
  // A sequence is looked at where its rarest step occurs: "you" begins hundreds of them, and is in nearly every text.
  const uses = new Uint32Array(atoms);
  const needs = sequences.map(({ steps }) => steps.filter(({ optional }, at) => at === 0 || !optional));
  for (const steps of needs)
    for (const atom of new Set(steps.flatMap((step) => step.atoms))) uses[atom] = (uses[atom] as number) + 1;
  const usesOf = (step: readonly number[]) => step.reduce((sum, atom) => sum + (uses[atom] as number), 0);
  const rarestFirst = needs.map((steps) => {
    const all = steps.map((step) => [...new Set(step.atoms)]);
    return all.sort((a, b) => usesOf(a) - usesOf(b));
  });
  const lookedAtBy: number[][] = Array.from({ length: atoms }, () => []);
  for (const [id, [rarest = []]] of rarestFirst.entries())
    for (const atom of rarest) (lookedAtBy[atom] as number[]).push(id);
  const sequencesBy = inARow(lookedAtBy);
  // The steps of all sequences but their rarest ones, and the atoms of all these steps.
  const stepsOf = inARow(rarestFirst.map((steps) => steps.slice(1)));
  const atomsOf = inARow(stepsOf.items);
  const rulesOf: number[][] = sequences.map(() => []);
  const needed = rules.map((parts, rule) => {
    const ids = new Set(parts.filter(({ absent }) => !absent).map(({ sequence }) => sequence));
    for (const id of ids) (rulesOf[id] as number[]).push(rule);
    return ids.size;
  });

  // Marks, reused because texts are screened one at a time; each screening takes back what it marks.
  const present = new Uint8Array(atoms);
  const isPossible = new Uint8Array(sequences.length);
  const met = new Uint8Array(rules.length);
  // Loops without closures: this runs for hundreds of sequences a text.
  const occursOneOf = (step: number) => {
    const end = atomsOf.starts[step + 1] as number;
    for (let at = atomsOf.starts[step] as number; at < end; at++)
      if (present[atomsOf.items[at] as number] === 1) return true;
    return false;
  };
  const occurAll = (id: number) => {
    const end = stepsOf.starts[id + 1] as number;
    for (let step = stepsOf.starts[id] as number; step < end; step++) if (!occursOneOf(step)) return false;
    return true;
  };

  return function wantedOf({ hits }: Read): Wanted {
    const distinct: number[] = [];
    for (const found of hits)
      for (const { atom } of found) {
        if (present[atom] === 1) continue;
        present[atom] = 1;
        distinct.push(atom);
      }
    const possible: number[] = [];
    const wanted: number[] = [];
    for (const atom of distinct) {
      const end = sequencesBy.starts[atom + 1] as number;
      for (let at = sequencesBy.starts[atom] as number; at < end; at++) {
        const id = sequencesBy.items[at] as number;
        if (isPossible[id] === 1 || !occurAll(id)) continue;
        isPossible[id] = 1;
        possible.push(id);
        for (const rule of rulesOf[id] as number[]) {
          met[rule] = (met[rule] as number) + 1;
          if (met[rule] === needed[rule]) wanted.push(rule);
        }
      }
    }
    wanted.sort((a, b) => a - b);
    const starts = new Map<number, Set<number>>();
    for (const rule of wanted)
      for (const { sequence } of rules[rule] as readonly Part[]) {
        if (isPossible[sequence] === 0) continue;
        for (const atom of (sequences[sequence] as Sequence).steps[0]?.atoms ?? [])
          if (present[atom] === 1) starts.set(atom, (starts.get(atom) ?? new Set()).add(sequence));
      }
    for (const atom of distinct) present[atom] = 0;
    for (const id of possible) {
      isPossible[id] = 0;
      for (const rule of rulesOf[id] as number[]) met[rule] = 0;
    }
    return { rules: wanted, starts };
  };
}

/** Lists one after another, and where each begins: a text's screening goes through thousands of them. */
function inARow<Item>(lists: readonly (readonly Item[])[]): { starts: Uint32Array; items: readonly Item[] } {
  const starts = new Uint32Array(lists.length + 1);
  for (const [index, { length }] of lists.entries()) starts[index + 1] = (starts[index] as number) + length;
  const items: Item[] = [];
  for (const list of lists) for (const item of list) items.push(item);
  return { starts, items };
}
