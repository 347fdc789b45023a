// Measures the risk check by rules alone over the corpus beside this file.
import { readdirSync, readFileSync } from 'node:fs';
import { fromJson } from '@bufbuild/protobuf';
import { atOnce } from '../../src/base/slices.ts';
import { CheckRiskRequestSchema } from '../../src/gen/intelligence/workflow/v1/risk_pb.ts';
import { type RiskReply, type RiskRequest, riskFamily } from '../../src/workflows/families/risk.ts';

export interface Labelled {
  id: string;
  language: string;
  text: string;
  labels: { category: string; severity: string; quote: string }[];
}

/** How often what was found is so (precision), and how much of what is there was found (recall). */
export interface Figures {
  texts: number;
  harmful: number;
  found: number;
  falselyFound: number;
  falselyCritical: number;
  recall: number;
  precision: number;
  /** The share of the found texts with at least one category that is right. */
  rightCategory: number;
}

export interface Measured {
  languages: Record<string, Figures>;
  categories: Record<string, { texts: number; found: number; recall: number; precision: number }>;
}

export type Part = 'dev' | 'held-out';
export const parts: readonly Part[] = ['dev', 'held-out'];
export const tolerance = 0.03;
export const heldTo = ['en', 'de', 'es', 'fr'] as const;

const folder = new URL('./risk/', import.meta.url);

export function readCorpus(part: Part): Labelled[] {
  const files = readdirSync(folder).filter((file) => file.endsWith('.jsonl') && file.includes(`.${part}`));
  return files.sort().flatMap((file) =>
    readFileSync(new URL(file, folder), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Labelled),
  );
}

export function checkRisk(text: string): RiskReply {
  const request = fromJson(CheckRiskRequestSchema, { text, assist: 'off' }) as unknown as RiskRequest;
  const prepared = atOnce(riskFamily.prepare(request, { nowMs: 0 }));
  if (!prepared.ok) throw new Error(JSON.stringify(prepared.failure));
  return atOnce(prepared.value.compute([]));
}

interface Outcome {
  row: Labelled;
  flagged: boolean;
  critical: boolean;
  categories: Set<string>;
}

export function measure(rows: readonly Labelled[], progress: (done: number) => void = () => {}): Measured {
  const outcomes = rows.map((row, index): Outcome => {
    const { riskLevel, findings } = checkRisk(row.text);
    progress(index + 1);
    const counted = findings.filter(({ severity }) => severity !== 'info' && severity !== 'low');
    return {
      row,
      flagged: ['medium', 'high', 'critical'].includes(riskLevel),
      critical: riskLevel === 'critical',
      categories: new Set(counted.map(({ category }) => category)),
    };
  });
  const languages = [...new Set(rows.map(({ language }) => language))].sort();
  const entries = [
    ...languages.map((name) => [name, outcomes.filter(({ row }) => row.language === name)] as const),
    ['all', outcomes] as const,
  ];
  return {
    languages: Object.fromEntries(entries.map(([name, some]) => [name, figuresOf(some)])),
    categories: categoriesOf(outcomes),
  };
}

function figuresOf(outcomes: readonly Outcome[]): Figures {
  const harmful = outcomes.filter(({ row }) => row.labels.length > 0);
  const found = harmful.filter(({ flagged }) => flagged);
  const falsely = outcomes.filter(({ row, flagged }) => row.labels.length === 0 && flagged);
  const right = found.filter(({ row, categories }) => row.labels.some(({ category }) => categories.has(category)));
  return {
    texts: outcomes.length,
    harmful: harmful.length,
    found: found.length,
    falselyFound: falsely.length,
    falselyCritical: falsely.filter(({ critical }) => critical).length,
    recall: share(found.length, harmful.length),
    precision: share(found.length, found.length + falsely.length),
    rightCategory: share(right.length, found.length),
  };
}

function categoriesOf(outcomes: readonly Outcome[]): Measured['categories'] {
  const names = [...new Set(outcomes.flatMap(({ row }) => row.labels.map(({ category }) => category)))].sort();
  return Object.fromEntries(
    names.map((name) => {
      const there = outcomes.filter(({ row }) => row.labels.some(({ category }) => category === name));
      const said = outcomes.filter(({ categories }) => categories.has(name));
      const right = there.filter(({ categories }) => categories.has(name));
      const precision = share(right.length, said.length);
      return [name, { texts: there.length, found: right.length, recall: share(right.length, there.length), precision }];
    }),
  );
}

function share(part: number, whole: number): number {
  return whole === 0 ? 0 : Math.round((part / whole) * 1000) / 1000;
}

/** What fell below the last release by more than the tolerance. */
export function fallen(now: Measured, before: Measured): string[] {
  return heldTo.flatMap((language) =>
    (['recall', 'precision'] as const).flatMap((name) => {
      const is = now.languages[language]?.[name] ?? 0;
      const was = before.languages[language]?.[name] ?? 0;
      return is < was - tolerance ? [`${language}: ${name} fell from ${was} to ${is}`] : [];
    }),
  );
}

export function readBaseline(): Record<Part, Measured> {
  return JSON.parse(readFileSync(new URL('./baseline.json', import.meta.url), 'utf8')) as Record<Part, Measured>;
}
