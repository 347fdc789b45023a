import { foldText } from '../../base/text/fold.ts';
import { spaced } from '../../base/text/spaced.ts';
import type { RatingGate, ScorecardDimension } from '../../gen/intelligence/workflow/v1/scoring_pb.ts';
import type { Plain } from '../family.ts';
import { readCommonGates } from '../packs/scorecard-pack.ts';

const commonGates = readCommonGates();

/**
 * The gates of a scorecard that states none of its own: by the names of its indicators or by what they and their labels say, so that a
 * sanctions list closes the gate whatever its field is called. Numbers are gates by name alone: "years since it was registered" is none.
 */
export function commonGatesOf(dimensions: readonly Plain<ScorecardDimension>[]): Plain<RatingGate>[] {
  return dimensions
    .flatMap(({ indicators }) => indicators)
    .flatMap(({ name, label, choices }) => {
      const words = Object.keys(choices).length === 0 ? '' : foldText(`${spaced(name)} ${label}`);
      const gate = commonGates.find((one) => one.indicators.includes(name) || (words !== '' && one.words.test(words)));
      return gate === undefined ? [] : [{ indicator: name, below: gate.below, rating: gate.rating }];
    });
}
