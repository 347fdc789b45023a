import { readFileSync } from 'node:fs';
import type { DescMessage } from '@bufbuild/protobuf';
import { WriteDecisionMemoRequestSchema } from '../../src/gen/intelligence/workflow/v1/decision_pb.ts';
import { DraftDocumentRequestSchema } from '../../src/gen/intelligence/workflow/v1/draft_pb.ts';
import { CheckProfileRequestSchema } from '../../src/gen/intelligence/workflow/v1/guidance_pb.ts';
import { ScoreListingRequestSchema } from '../../src/gen/intelligence/workflow/v1/readiness_pb.ts';
import { ScoreBusinessReadinessRequestSchema } from '../../src/gen/intelligence/workflow/v1/scoring_pb.ts';
import { decisionFamily } from '../../src/workflows/families/decision.ts';
import { draftFamily } from '../../src/workflows/families/draft.ts';
import { guidanceFamily } from '../../src/workflows/families/guidance.ts';
import { readinessFamily } from '../../src/workflows/families/readiness.ts';
import { scoringFamily } from '../../src/workflows/families/scoring.ts';
import type { Family, FamilyReply } from '../../src/workflows/family.ts';
import { ask, prepare } from '../workflows/ask.ts';

export const sets = ['listings', 'forms', 'scorecards', 'decisions', 'drafts'] as const;
export const halves = ['open', 'held-out'] as const;
export type EvaluationSet = (typeof sets)[number];
export type Half = (typeof halves)[number];

export interface Figures {
  set: EvaluationSet;
  half: Half;
  right: number;
  all: number;
  /** The ids of what was wrong, with why; only of the open half, since nobody reads the other. */
  wrong: string[];
  /** Of facts that the labels name: how many were found with the value, of how many. Listings only. */
  facts?: { found: number; all: number };
}

interface Line {
  id: string;
  language: string;
  request: Record<string, unknown>;
  // What the labels say; its form is told in README.md.
  expected: Record<string, never> & { ready?: boolean };
}

/** Runs one half of one set by rules alone, on the day for which its labels were made. */
export function evaluate(set: EvaluationSet, half: Half): Figures {
  const lines = readFileSync(new URL(`./${set}/${half}.jsonl`, import.meta.url), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
  const facts = { found: 0, all: 0 };
  const wrong = lines.flatMap((line) => {
    const problem = judges[set](line, facts);
    return problem === undefined
      ? []
      : [half === 'open' ? `${line.id}: ${problem}` : `${line.language} ${directionOf(problem)}`];
  });
  const figures = { set, half, right: lines.length - wrong.length, all: lines.length, wrong };
  return set === 'listings' ? { ...figures, facts } : figures;
}

type Judge = (line: Line, facts: { found: number; all: number }) => string | undefined;

const judges: Readonly<Record<EvaluationSet, Judge>> = {
  listings({ request, expected }, facts) {
    const reply = replyTo(readinessFamily, ScoreListingRequestSchema, request);
    if (typeof reply === 'string') return reply;
    const told = new Map(reply.facts.map(({ name, value }) => [name, value]));
    for (const [name, value] of Object.entries(expected.facts as unknown as Record<string, unknown>)) {
      facts.all++;
      if (isAbout(told.get(name), value)) facts.found++;
    }
    if (reply.ready === expected.ready) return undefined;
    const blocks = reply.blockers.map(({ check }) => check).join(', ');
    return `${reply.ready ? 'ready' : 'not ready'} (${reply.kind}, ${reply.readinessScore}: ${blocks}), not for ${JSON.stringify(expected.blocking)}`;
  },
  forms({ request, expected }) {
    const reply = replyTo(guidanceFamily, CheckProfileRequestSchema, request);
    const {
      ok = [],
      missing = [],
      invalid = {},
      unused = [],
      nextFieldIn = [],
      outcome,
    } = expected as Record<string, unknown>;
    if (typeof reply === 'string') return outcome === undefined ? reply : undefined;
    if (reply.ready !== (expected.ready ?? false)) return `ready is ${reply.ready}`;
    const status = new Map(reply.fields.map(({ field, status }) => [field, status]));
    for (const field of ok as string[])
      if (status.get(field) !== 'ok') return `${field} is ${status.get(field)}, not ok`;
    for (const field of missing as string[])
      if (status.get(field) !== 'missing') return `${field} is ${status.get(field)}, not missing`;
    for (const field of Object.keys(invalid as object))
      if (!['invalid', 'weak'].includes(status.get(field) ?? ''))
        return `${field} is ${status.get(field)}, not invalid`;
    const told = reply.unusedFields.map(({ field }) => field.replace(/^values\./, ''));
    for (const name of unused as string[]) if (!told.includes(name)) return `${name} is not told as unused`;
    const next = nextFieldIn as string[];
    return next.length === 0 || next.includes(reply.nextField) ? undefined : `next is ${reply.nextField}`;
  },
  scorecards({ request, expected }) {
    const reply = replyTo(scoringFamily, ScoreBusinessReadinessRequestSchema, request);
    const { ratingIn, impossible, unused, refused } = expected as unknown as Record<string, string[]>;
    if (typeof reply === 'string') return refused?.every((name) => reply.includes(`"${name}"`)) ? undefined : reply;
    if (refused !== undefined) return `${refused.join(', ')} is not refused`;
    if (!ratingIn?.includes(reply.rating)) return `${reply.rating || 'no rating'}, not in ${JSON.stringify(ratingIn)}`;
    const bad = new Set(reply.impossibleValues.map(({ field }) => field.replace(/^\w+\./, '')));
    for (const name of impossible ?? []) if (!bad.has(name)) return `${name} is not told as impossible`;
    const told = new Set(reply.unusedFields.map(({ field }) => field.replace(/^\w+\./, '')));
    for (const name of unused ?? []) if (!told.has(name)) return `${name} is not told as unused`;
    return undefined;
  },
  decisions({ request, expected }) {
    const reply = replyTo(decisionFamily, WriteDecisionMemoRequestSchema, request);
    if (typeof reply === 'string') return reply;
    const { recommendation, alsoAccepted = [] } = expected as unknown as {
      recommendation: string;
      alsoAccepted?: string[];
    };
    const chosen = reply.recommendation?.option || 'none';
    return chosen === recommendation || alsoAccepted.includes(chosen) ? undefined : `${chosen}, not ${recommendation}`;
  },
  drafts({ language, request, expected }) {
    const reply = replyTo(draftFamily, DraftDocumentRequestSchema, request);
    if (typeof reply === 'string') return reply;
    const { kind, mustContain, mustNotContain, placeholders, claimsNotGiven, approvable } = expected as unknown as {
      [list in 'mustContain' | 'mustNotContain' | 'placeholders' | 'claimsNotGiven']: string[];
    } & { kind: string; approvable: boolean };
    const { draft } = reply;
    if (!draft) return 'other: no draft';
    const { body, title, findings, ...made } = draft;
    const text = `${title}\n${body}`.toLowerCase();
    const absent = mustContain.find((words) => !body.includes(words));
    if (absent !== undefined) return `"${absent}" is not in it`;
    const present = [...mustNotContain, ...claimsNotGiven].find((words) => text.includes(words.toLowerCase()));
    if (present !== undefined) return `"${present}" is in it`;
    const open = [...made.placeholders].sort().join(', ');
    if (open !== [...placeholders].sort().join(', ')) return `open are: ${open}`;
    if (approvable !== (open === '' && !findings.some(({ severity }) => severity === 'critical')))
      return `approvable is not ${approvable}`;
    if (made.locale.slice(0, 2) !== language) return `the language is ${made.locale}`;
    return made.kind === kind.replaceAll(' ', '_') ? undefined : `the kind is ${made.kind || 'neutral'}`;
  },
};

/** Which way a reply of the held-out half is wrong, without a word of its text. */
function directionOf(problem: string): string {
  if (problem.endsWith('" is not in it')) return 'something absent';
  if (problem.endsWith('" is in it')) return 'something present';
  return directions.find((one) => problem.startsWith(one)) ?? 'other';
}

const directions = ['refused', 'ready', 'open are', 'approvable', 'the language', 'the kind'];

/** A reply, or why there is none. */
function replyTo<Schema extends DescMessage, Request, Reply extends FamilyReply>(
  family: Family<Request, Reply>,
  schema: Schema,
  request: unknown,
): Reply | string {
  const prepared = prepare(family, schema, request);
  return prepared.ok ? ask(family, schema, request) : `refused: ${JSON.stringify(prepared.failure)}`;
}

/** Numbers within 1 %, other values as texts without regard to case. */
function isAbout(told: string | undefined, wanted: unknown): boolean {
  if (told === undefined) return false;
  if (typeof wanted !== 'number') return told.toLowerCase() === String(wanted).toLowerCase();
  return Math.abs(Number(told) - wanted) <= Math.abs(wanted) * 0.01 + 1e-9;
}

if (import.meta.main)
  for (const set of sets)
    for (const half of halves) {
      const { right, all, wrong, facts } = evaluate(set, half);
      const found = facts === undefined ? '' : `, facts ${facts.found} of ${facts.all}`;
      console.info(`${set.padEnd(10)} ${half.padEnd(8)} ${right} of ${all}${found}`);
      if (half === 'open' && process.argv.includes('--wrong')) for (const line of wrong) console.info(`    ${line}`);
      else if (half === 'held-out')
        console.info(`    wrong by language and direction: ${JSON.stringify(countBy(wrong))}`);
    }

function countBy(values: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const value of values) counts[value] = (counts[value] ?? 0) + 1;
  return counts;
}
