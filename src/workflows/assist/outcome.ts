import type { ItemKind } from '../packs/assist-pack.ts';
import type { Fault } from './judge-text.ts';

/** A part of an answer: its kind, and which one it is. */
export interface Item {
  kind: ItemKind;
  name: string;
}

/** What became of an answer: which parts were kept, and which were dropped and why. */
export interface Outcome {
  kept: Item[];
  dropped: (Item & Fault)[];
}

export function join(...outcomes: readonly Outcome[]): Outcome {
  return {
    kept: outcomes.flatMap(({ kept }) => kept),
    dropped: outcomes.flatMap(({ dropped }) => dropped),
  };
}
