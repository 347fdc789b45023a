import { inTurns, type Slices, unitsOfATurn } from '../../base/slices.ts';
import type { Folded } from '../../base/text/fold.ts';
import { createPace } from '../../base/turn.ts';
import type { OwnRiskPack } from '../../gen/intelligence/workflow/v1/own_pack_pb.ts';
import type { Severity } from '../checks/checks.ts';
import type { Plain } from '../family.ts';
import type { RiskEntry } from '../packs/risk-pack.ts';
import { indexPhrasesInSlices, type PhraseIndex, type PhraseMatch, searchStepsMax } from '../text/phrases.ts';

/** Means "no pack" where packs are listed. */
export const noPack = 'none';

/** Which of an account's packs are wanted. */
export interface WantedPacks {
  /** By id, whether enabled or not. Empty: the enabled ones of this domain. */
  packs: readonly string[];
  /** Empty: any domain. */
  domain: string;
}

/** What a pack found or allows; offsets in UTF-16 units. */
export type OwnMatch<Entry> = PhraseMatch<Entry & { pack: string }>;

/** A phrase that is harmless for the account. */
export interface Allowance {
  allowsCritical: boolean;
}

/** One request's search in the packs that it wants. All texts of a request share its limits. */
export interface OwnSearch {
  /** `isWhole`: the search covered the whole text. */
  look(text: Folded): Slices<{ found: OwnMatch<RiskEntry>[]; allowed: OwnMatch<Allowance>[]; isWhole: boolean }>;
  /** Whether one more finding may be allowed: a reply lists each, so there is a limit; findings beyond it count. */
  mayAllow(): boolean;
}

/** The packs that apply to a request. */
export interface OwnRules {
  /** As stated in replies: `own/brand-rules@3`. */
  labels: readonly string[];
  /** Starts the search of one request. */
  search(bounds?: { steps: number }): OwnSearch;
}

/** An account's packs, compiled. */
export interface AccountPacks {
  /** The wanted packs, and the ids of those that do not exist. */
  select(wanted: WantedPacks): { rules: OwnRules; missing: string[] };
  /** Approximate memory use. */
  bytes: number;
}

type Owned<Entry> = Entry & { pack: string; packId: string };

const matchesMax = 10_000;
/** How many places, and findings at them, a reply lists. */
const allowedMax = 200;
// Measured, and rounded up; a pack's texts are kept as well.
const bytesOfNode = 70;
const bytesOfPhrase = 250;
const bytesAtLeast = 500;

/** Makes an account's packs searchable, all in one pass over a text. Yields in between, as they may be large. */
export async function compilePacks(packs: readonly Plain<OwnRiskPack>[]): Promise<AccountPacks> {
  const pace = createPace(unitsOfATurn);
  const byId = new Map(packs.map((pack) => [pack.packId, pack]));
  const entries = await inTurns(indexPhrasesInSlices(packs.flatMap(entriesOf)), pace);
  const allow = await inTurns(indexPhrasesInSlices(packs.flatMap(allowancesOf)), pace);
  const texts = packs.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  return {
    bytes:
      bytesAtLeast +
      (entries.nodes + allow.nodes) * bytesOfNode +
      (entries.size + allow.size) * bytesOfPhrase +
      texts * 2,
    select({ packs: named, domain }) {
      const wanted =
        named.length > 0
          ? packs.filter(({ packId }) => named.includes(packId))
          : packs.filter((pack) => pack.enabled !== false && (domain === '' || ['', domain].includes(pack.domain)));
      return {
        missing: named.filter((packId) => !byId.has(packId)),
        rules: rulesOf(wanted, entries, allow),
      };
    },
  };
}

/** A pack's name in replies. */
export function labelOf({ packId, version }: Pick<OwnRiskPack, 'packId' | 'version'>): string {
  return `own/${packId}@${version}`;
}

function rulesOf(
  wanted: readonly Plain<OwnRiskPack>[],
  entries: PhraseIndex<Owned<RiskEntry>>,
  allow: PhraseIndex<Owned<Allowance>>,
): OwnRules {
  const ids = new Set(wanted.map(({ packId }) => packId));
  const isWanted = ({ entry }: PhraseMatch<{ packId: string }>) => ids.has(entry.packId);
  return {
    labels: wanted.map(labelOf),
    search({ steps } = { steps: searchStepsMax }) {
      const ofEntries = { max: matchesMax, steps };
      const ofAllowances = { max: matchesMax, steps };
      let allowedLeft = allowedMax;
      let findingsLeft = allowedMax;
      return {
        mayAllow: () => findingsLeft-- > 0,
        *look(text) {
          if (ids.size === 0) return { found: [], allowed: [], isWhole: true };
          const found = yield* entries.search(text, ofEntries);
          ofEntries.max -= found.matches.length;
          // If the search for allowed phrases ends early, that only leaves more findings.
          const harmless = yield* allow.search(text, ofAllowances);
          const allowed = harmless.matches.filter(isWanted).slice(0, allowedLeft);
          allowedLeft -= allowed.length;
          return { found: found.matches.filter(isWanted), allowed, isWhole: found.isWhole };
        },
      };
    },
  };
}

function entriesOf(pack: Plain<OwnRiskPack>) {
  return pack.entries.flatMap(({ id, phrases, category, severity, reason, suggestion, unlessNegated }) => {
    const entry: Owned<RiskEntry> = {
      ...{ id: `own/${pack.packId}/${id}`, category, severity: (severity || 'medium') as Severity },
      reason: reason || 'The phrase is in a risk pack of your own.',
      suggestion: suggestion || 'Write it in other words.',
      ...{ pack: labelOf(pack), packId: pack.packId },
    };
    return phrases.map((phrase) => ({ phrase, entry, unlessNegated }));
  });
}

function allowancesOf(pack: Plain<OwnRiskPack>) {
  return pack.allow.map(({ phrase, allowsCritical }) => ({
    phrase,
    entry: { allowsCritical, pack: labelOf(pack), packId: pack.packId },
  }));
}
