import type {
  FormPack,
  DraftKind as ListedDraftKind,
  ListingPack,
  ListPacksResponse,
  PackCheck,
  PackFact,
  RiskPack,
  ScorecardPack,
} from '../gen/intelligence/workflow/v1/pack_pb.ts';
import type { CheckRule } from './checks/checks.ts';
import { profilePacks } from './families/guidance.ts';
import { listingPacks } from './families/readiness.ts';
import { riskPacks } from './families/risk.ts';
import { signPacks } from './families/risk-assessment.ts';
import { scorecards } from './families/scoring.ts';
import type { Plain } from './family.ts';
import { factLanguages } from './listing/fact-patterns.ts';
import { listingFacts } from './listing/facts.ts';
import type { Kind } from './listing/patterns/pattern.ts';
import { draftKinds, draftKindsVersion, draftWords } from './packs/draft-kinds.ts';

export type PackList = Plain<ListPacksResponse>;

/** What the families know, derived from the packs that they run: those of one family, or all if none is given. */
export function listPacks(family: string): PackList {
  const only = <T>(name: string, list: () => T[]): T[] => (family === '' || family === name ? list() : []);
  return {
    listings: only('readiness', listings),
    forms: only('guidance', forms),
    scorecards: only('scoring', scoringPacks),
    risks: only('risk', risks),
    draftKinds: only('draft', kinds),
  };
}

function listings(): Plain<ListingPack>[] {
  return [...listingPacks.values()].map(({ name, version, description, checks }) => ({
    ...{ id: name, version, description },
    languages: [...factLanguages],
    facts: factsOf(name as Kind, checks),
    checks: checks.map(checkOf),
  }));
}

/** What is read for a kind of thing, plus the attributes that its checks refer to. */
function factsOf(kind: Kind, checks: readonly CheckRule[]): Plain<PackFact>[] {
  const facts = new Map<string, Plain<PackFact>>();
  for (const { fact, kinds, type, read, fields = [] } of listingFacts) {
    if (kinds.length > 0 && !kinds.includes(kind)) continue;
    const known = facts.get(fact);
    facts.set(fact, {
      name: fact,
      type: type ?? read.type ?? known?.type ?? 'text',
      unit: unitOf(fact),
      need: needOf(fact, checks),
      attributes: [...new Set([...(known?.attributes ?? []), ...fields])],
      choices: [...new Set([...(known?.choices ?? []), ...(read.choices ?? [])])],
    });
  }
  for (const name of new Set(checks.flatMap((check) => namesIn(check, 'attributes'))))
    if (!facts.has(name))
      facts.set(name, { name, type: 'text', unit: '', need: needOf(name, checks), attributes: [name], choices: [] });
  return [...facts.values()];
}

function needOf(fact: string, checks: readonly CheckRule[]): string {
  const about = checks.filter((check) => asks(check).includes(fact));
  if (about.some(({ severity, missing }) => severity === 'critical' && missing === true)) return 'required';
  return about.length > 0 ? 'important' : '';
}

// A fact's name ends with its unit.
const units: readonly (readonly [RegExp, string])[] = [
  [/Km$/, 'km'],
  [/Miles$/, 'mi'],
  [/Litres$/, 'l'],
  [/Kwh$/, 'kWh'],
  [/Kw$/, 'kW'],
  [/Hp$/, 'hp'],
  [/Sqft$/, 'sq ft'],
  [/Sqm$/, 'm²'],
  [/Gb$/, 'GB'],
  [/Inch$/, 'in'],
  [/Cm$/, 'cm'],
  [/Kg$/, 'kg'],
  [/Hz$/, 'Hz'],
  [/Months$/, 'months'],
  [/Days$/, 'days'],
  [/PerHour$/, '1/hour'],
  [/PerMonth$/, '1/month'],
  [/Hours$/, 'hours'],
  [/Percent$/, '%'],
  [/PerWeek$/, '1/week'],
  [/Years$/, 'years'],
];

function unitOf(fact: string): string {
  return units.find(([end]) => end.test(fact))?.[1] ?? '';
}

function checkOf(check: CheckRule): Plain<PackCheck> {
  const { id, fact, severity, weight } = check;
  return { id, fact, severity, weight, facts: asks(check) };
}

function asks(check: CheckRule): string[] {
  return [...new Set([...namesIn(check, 'facts'), ...namesIn(check, 'attributes'), ...namesIn(check, 'values')])];
}

/** The names that a check's expressions look up in a map, as in `given(facts, "year")`. */
function namesIn({ when = '', pass }: CheckRule, map: 'facts' | 'attributes' | 'values'): string[] {
  const found = `${when}\n${pass}`.matchAll(/(?:given|number|text)\((\w+), "([^"]+)"\)/g);
  return [...found].filter(([, of]) => of === map).map(([, , name]) => name as string);
}

function forms(): Plain<FormPack>[] {
  return [...profilePacks].map(([id, { version, description, fields, rules }]) => ({
    ...{ id, version, description, fields },
    checks: rules.map(checkOf),
  }));
}

function scoringPacks(): Plain<ScorecardPack>[] {
  return [...scorecards].map(([id, { version, description, dimensions, gates }]) => ({
    ...{ id, version, description, dimensions },
    gates: [...gates],
  }));
}

function risks(): Plain<RiskPack>[] {
  const phrases = [...riskPacks.values()].map(({ domain, version, entries }) => ({
    ...{ id: `risk/${domain}`, version, domain },
    languages: ['en'],
    categories: [...new Set(entries.map(({ category }) => category))].sort(),
  }));
  const signs = [...signPacks.values()].map((pack) => ({
    ...{ id: `risk/signs/${pack.language}`, version: pack.version, domain: '' },
    languages: [pack.language],
    categories: [...new Set(pack.signs.map(({ category }) => category))].sort(),
  }));
  return [...phrases, ...signs];
}

function kinds(): Plain<ListedDraftKind>[] {
  return [...draftKinds.values()].map(({ id, template, fields }) => ({
    ...{ id, template, version: draftKindsVersion },
    languages: [...draftWords.keys()],
    fields: [...fields.values()].map(({ name, type, required, unless }) => {
      const names = [...draftWords].map(([language, words]) => [language, words.names[name] ?? []] as const);
      return {
        ...{ name, type, required, unless: [...unless] },
        labels: Object.fromEntries(names.map(([language, [label = name]]) => [language, label])),
        aliases: [...new Set(names.flatMap(([, [, ...others]]) => others))],
      };
    }),
  }));
}
