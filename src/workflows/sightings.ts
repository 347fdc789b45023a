import { atOnce } from '../base/slices.ts';
import type { Severity } from './checks/checks.ts';
import { isAllowedAt, look, type Spotted } from './families/findings.ts';
import { riskPacks } from './families/risk.ts';
import { hear, signPacks } from './families/risk-assessment.ts';
import type { OwnRules } from './own-packs/rules.ts';
import type { Domain } from './packs/risk-pack.ts';

/** Something risky in a text; offsets in UTF-16 units. */
export interface Sighting {
  category: string;
  severity: Severity;
  start: number;
  end: number;
  /** A pack of the account's own found it. */
  own?: boolean;
}

/** Of one text of a few thousand characters: some for each of its words, and about 5 ms at most. */
const ownStepsMax = 120_000;
const allSigns = [...signPacks.values()];

/**
 * What the risk check's rules find in a short text: personal data, signs of the text's language, phrases of the named packs.
 * Where no language that has signs is heard, the signs of all of them are looked for. Sightings may overlap.
 *
 * `own`: packs of the account's own besides; what they allow is no sighting. Where their phrases fit so often that the search ends
 * before the text does, all of the text is one.
 */
export function sightingsIn(text: string, packs: readonly string[], own?: OwnRules): Sighting[] {
  const heard = hear(text, '').packs;
  const ownPacks = own?.search({ steps: ownStepsMax });
  const scan = atOnce(look(text, { phrases: undefined, packs: heard.length > 0 ? heard : allSigns, ownPacks }));
  const phrases = packs
    .flatMap((name) => riskPacks.get(name as Domain)?.index.find(scan.folded) ?? [])
    .map((match): Spotted => ({ ...match, source: 'rules' }))
    .filter((one) => !scan.allowed.some((place) => isAllowedAt(one, place)));
  const sightings = [...scan.spotted, ...phrases].map(({ entry, start, end, pack }) => ({
    ...{ category: entry.category, severity: entry.severity },
    ...{ start, end },
    ...(pack !== undefined && { own: true }),
  }));
  const unjudged: Sighting = { category: 'not_assessed', severity: 'critical', start: 0, end: text.length, own: true };
  return scan.isOwnWhole ? sightings : [...sightings, unjudged];
}
