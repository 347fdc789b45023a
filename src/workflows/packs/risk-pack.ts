import { z } from 'zod';
import type { Severity } from '../checks/checks.ts';
import { indexPhrases, type PhraseIndex } from '../text/phrases.ts';
import { readPack } from './read.ts';
import { type RiskCategory, riskCategories } from './risk-categories.ts';

export const domains = ['general', 'finance', 'health', 'legal', 'marketing', 'hr', 'marketplace'] as const;
export type Domain = (typeof domains)[number];

/** One kind of risk with the phrases that signal it. */
export interface RiskEntry {
  id: string;
  /** From the closed list; for a caller's own phrase, the caller's name for it. */
  category: RiskCategory | (string & {});
  severity: Severity;
  reason: string;
  suggestion: string;
  /** The writer suffers what it names, and does no wrong. */
  isVictim?: true;
  /** The writer looks for what is forbidden: that reads like talk about it, and is none. */
  isSeeker?: true;
  /** The category is only the likeliest of several. */
  isUnclear?: true;
  /** Reason and suggestion are meant for the reader as they are, in the reader's language. */
  isWorded?: true;
}

/** The id of the signs by which a writer tells of something that they suffer. */
export function sufferedId(category: RiskCategory): string {
  return `${category.replaceAll('_', '-')}-suffered`;
}

const suffered: ReadonlySet<string> = new Set(riskCategories.map(sufferedId));

/** Whether a check's id is one of `sufferedId`: a reply has no other trace of who suffers. */
export function isSuffered(id: string): boolean {
  return suffered.has(id);
}

/** The id of what the classifier finds without a clear category. */
export function unclearId(category: RiskCategory): string {
  return `unclear-${category.replaceAll('_', '-')}`;
}

const unclear: ReadonlySet<string> = new Set(riskCategories.map(unclearId));

/** Whether a check's id is one of `unclearId`: a reply has no other trace of what is only likeliest. */
export function isUnclear(id: string): boolean {
  return unclear.has(id);
}

const riskPack = z.strictObject({
  name: z.enum(domains),
  version: z.number().int().min(1),
  description: z.string(),
  entries: z
    .array(
      z.strictObject({
        id: z.string().regex(/^[a-z0-9][a-z0-9-]*$/),
        category: z.enum(riskCategories),
        severity: z.enum(['info', 'low', 'medium', 'high', 'critical']),
        unlessNegated: z.boolean().optional(),
        phrases: z.array(z.string().min(2).max(100)).min(1),
        reason: z.string().min(1),
        suggestion: z.string().min(1),
      }),
    )
    .min(1),
  examples: z.array(z.strictObject({ name: z.string(), text: z.string(), expect: z.record(z.string(), z.unknown()) })),
});

export interface RiskPack {
  domain: Domain;
  version: number;
  label: string;
  index: PhraseIndex<RiskEntry>;
  entries: z.infer<typeof riskPack>['entries'];
  examples: z.infer<typeof riskPack>['examples'];
}

/** The packs of all domains; each includes the general entries. Throws if a pack file is wrong. */
export function readRiskPacks(): ReadonlyMap<Domain, RiskPack> {
  const read = new Map(domains.map((domain) => [domain, readPack(`risk/${domain}.yaml`, riskPack)]));
  const general = read.get('general')?.entries ?? [];
  return new Map(
    [...read].map(([domain, pack]) => {
      const entries = domain === 'general' ? pack.entries : [...general, ...pack.entries];
      const phrases = entries.flatMap((entry) =>
        entry.phrases.map((phrase) => ({ phrase, entry, unlessNegated: entry.unlessNegated ?? false })),
      );
      const label = `risk/${domain}@${pack.version}`;
      return [
        domain,
        {
          domain,
          version: pack.version,
          label,
          index: indexPhrases(phrases),
          entries: pack.entries,
          examples: pack.examples,
        },
      ];
    }),
  );
}
