import type { ItemKind } from '../packs/assist-pack.ts';
import type { Fault } from './judge-text.ts';

/** Something of an answer: what it is, and which one. */
export interface Item {
  kind: ItemKind;
  name: string;
}

/** What became of an answer: what was kept of it, and what was dropped for which reason. */
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
