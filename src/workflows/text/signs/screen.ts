import type { Read } from './match.ts';
import type { Part, Sequence, Step } from './patterns.ts';

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
  const needs = sequences.map(({ steps }) => steps.filter(({ optional }, at) => at === 0 || !optional));
  const uses = new Uint32Array(atoms);
  for (const steps of needs)
    for (const atom of new Set(steps.flatMap((step) => step.atoms))) uses[atom] = (uses[atom] as number) + 1;
  const usesOf = ({ atoms }: Step) => atoms.reduce((sum, atom) => sum + (uses[atom] as number), 0);
  const rarest = needs.map((steps) => steps.reduce((least, step) => (usesOf(step) < usesOf(least) ? step : least)));
  const lookedAtBy: number[][] = Array.from({ length: atoms }, () => []);
  for (const [id, step] of rarest.entries())
    for (const atom of new Set(step.atoms)) (lookedAtBy[atom] as number[]).push(id);
  const others = needs.map((steps, id) => steps.filter((step) => step !== rarest[id]).map((step) => step.atoms));
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
  const occursOneOf = (step: readonly number[]) => {
    for (const atom of step) if (present[atom] === 1) return true;
    return false;
  };
  const occurAll = (steps: readonly (readonly number[])[]) => {
    for (const step of steps) if (!occursOneOf(step)) return false;
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
    for (const atom of distinct)
      for (const id of lookedAtBy[atom] as number[]) {
        if (isPossible[id] === 1 || !occurAll(others[id] as number[][])) continue;
        isPossible[id] = 1;
        possible.push(id);
        for (const rule of rulesOf[id] as number[]) {
          met[rule] = (met[rule] as number) + 1;
          if (met[rule] === needed[rule]) wanted.push(rule);
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
