import { atOnce } from '../base/slices.ts';
import type { Severity } from './checks/checks.ts';
import { isAllowedAt, look } from './families/findings.ts';
import { riskPacks } from './families/risk.ts';
import { hear, signPacks } from './families/risk-assessment.ts';
import type { Spotted } from './families/spotted.ts';
import type { OwnRules } from './own-packs/rules.ts';
import type { Domain } from './packs/risk-pack.ts';

/** A risky passage in a text; offsets in UTF-16 units. */
export interface Sighting {
  category: string;
  severity: Severity;
  start: number;
  end: number;
  /** Found by one of the account's own packs. */
  own?: boolean;
}

/** For one text of a few thousand characters: several per word, and about 5 ms at most. */
const ownStepsMax = 120_000;
const allSigns = [...signPacks.values()];

/**
 * What the risk check's rules find in a short text: personal data, signs of the text's language, phrases of the named packs.
 * If no language with signs is detected, the signs of all languages are searched for. Sightings may overlap.
 *
 * `own`: the account's own packs in addition; whatever they allow is not a sighting. If their phrases match so often that the
 * search stops before the end of the text, the whole text becomes one sighting.
 *
 * `isCut`: the text's end was cut off; the beginning of a number or an address there is a sighting, too.
 */
export function sightingsIn(text: string, packs: readonly string[], isCut = false, own?: OwnRules): Sighting[] {
  const heard = hear(text, '').packs;
  const ownPacks = own?.search({ steps: ownStepsMax });
  const signs = heard.length > 0 ? heard : allSigns;
  const scan = atOnce(look(text, { phrases: undefined, packs: signs, ownPacks, hidesAccounts: true, isCut }));
  const phrases = packs
    .flatMap((name) => riskPacks.get(name as Domain)?.index.find(scan.folded) ?? [])
    .map((match): Spotted => ({ ...match, source: 'rules' }))
    .filter((one) => !scan.allowed.some((place) => isAllowedAt(one, place)));
  // Whoever looks for personal data alone is not told of the threat that it is a part of.
  const outweighed = scan.personal.filter((one) => !scan.spotted.includes(one));
  const sightings = [...scan.spotted, ...outweighed, ...phrases].map(({ entry, start, end, pack }) => ({
    ...{ category: entry.category, severity: entry.severity },
    ...{ start, end },
    ...(pack !== undefined && { own: true }),
  }));
  const unjudged: Sighting = { category: 'not_assessed', severity: 'critical', start: 0, end: text.length, own: true };
  return scan.isOwnWhole ? sightings : [...sightings, unjudged];
}
