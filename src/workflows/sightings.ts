import type { Severity } from './checks/checks.ts';
import { look } from './families/findings.ts';
import { riskPacks } from './families/risk.ts';
import { hear, signPacks } from './families/risk-assessment.ts';
import type { Domain } from './packs/risk-pack.ts';

/** Something risky in a text; offsets in UTF-16 units. */
export interface Sighting {
  category: string;
  severity: Severity;
  start: number;
  end: number;
}

const allSigns = [...signPacks.values()];

/**
 * What the risk check's rules find in a short text: personal data, signs of the text's language, phrases of the named packs.
 * Where no language that has signs is heard, the signs of all of them are looked for. Sightings may overlap.
 */
export function sightingsIn(text: string, packs: readonly string[]): Sighting[] {
  const heard = hear(text, '').packs;
  const { folded, spotted } = look(text, { phrases: undefined, packs: heard.length > 0 ? heard : allSigns });
  const phrases = packs.flatMap((name) => riskPacks.get(name as Domain)?.index.find(folded) ?? []);
  return [...spotted, ...phrases].map(({ entry, start, end }) => ({
    ...{ category: entry.category, severity: entry.severity },
    ...{ start, end },
  }));
}
