import { z } from 'zod';
import { readPack } from './read.ts';
import { type RiskCategory, riskCategories } from './risk-categories.ts';

/** The languages of risk replies. */
export const messageLanguages = ['en', 'de', 'es', 'fr'] as const;
export type MessageLanguage = (typeof messageLanguages)[number];

const text = z.string().min(1);
const category = z.strictObject({ name: text, reason: text, action: text });

// Every category must be present: startup fails and names a missing one.
const messagePack = z.strictObject({
  language: z.enum(messageLanguages),
  version: z.number().int().min(1),
  unknown: z.strictObject({ action: text, summary: text }),
  short: z.strictObject({ action: text, summary: text }),
  cut: z.strictObject({ action: text, summary: text }),
  low: z.strictObject({ action: text, summary: text }),
  found: z.strictObject({ summary: text }),
  missing: z.strictObject({ summary: text, message: text, action: text }),
  levels: z.strictObject({ low: text, medium: text, high: text, critical: text }),
  resembles: z.strictObject({ reason: text }),
  unclear: z.strictObject({ reason: text, action: text, summary: text }),
  talk: z.strictObject({ reason: text }),
  victim: z.strictObject({ reason: text, action: text }),
  categories: z.record(z.enum(riskCategories), category),
});

export interface RiskMessages {
  language: MessageLanguage;
  unknown: { action: string; summary: string };
  /** For a text in which a short pack found nothing. */
  short: { action: string; summary: string };
  /** For a text that was only partly examined. */
  cut: { action: string; summary: string };
  low: { action: string; summary: string };
  found: { summary: string };
  /** `{fact}` and `{facts}` are required facts as the caller names them. */
  missing: { summary: string; message: string; action: string };
  levels: Readonly<Record<'low' | 'medium' | 'high' | 'critical', string>>;
  /** What the classifier found, and what it takes for talk about a matter; `{category}` is the category's name. */
  resembles: { reason: string };
  /** For what the classifier found if the category is only the likeliest of several. */
  unclear: { reason: string; action: string; summary: string };
  talk: { reason: string };
  /** For somebody who tells of violence that they suffer. */
  victim: { reason: string; action: string };
  categories: Readonly<Record<RiskCategory, { name: string; reason: string; action: string }>>;
}

/** The messages of each language. Throws if one is missing. */
export function readRiskMessages(): ReadonlyMap<MessageLanguage, RiskMessages> {
  return new Map(
    messageLanguages.map((language) => [language, readPack(`risk/messages/${language}.yaml`, messagePack)]),
  );
}

export function isMessageLanguage(language: string): language is MessageLanguage {
  return (messageLanguages as readonly string[]).includes(language);
}
