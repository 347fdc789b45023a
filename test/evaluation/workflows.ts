import { readFileSync } from 'node:fs';
import type { DescMessage } from '@bufbuild/protobuf';
import { WriteDecisionMemoRequestSchema } from '../../src/gen/intelligence/workflow/v1/decision_pb.ts';
import { CheckProfileRequestSchema } from '../../src/gen/intelligence/workflow/v1/guidance_pb.ts';
import { ScoreListingRequestSchema } from '../../src/gen/intelligence/workflow/v1/readiness_pb.ts';
import { ScoreBusinessReadinessRequestSchema } from '../../src/gen/intelligence/workflow/v1/scoring_pb.ts';
import { decisionFamily } from '../../src/workflows/families/decision.ts';
import { guidanceFamily } from '../../src/workflows/families/guidance.ts';
import { readinessFamily } from '../../src/workflows/families/readiness.ts';
import { scoringFamily } from '../../src/workflows/families/scoring.ts';
import type { Family, FamilyReply } from '../../src/workflows/family.ts';
import { ask, prepare } from '../workflows/ask.ts';

export const sets = ['listings', 'forms', 'scorecards', 'decisions'] as const;
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
      : [
          half === 'open'
            ? `${line.id}: ${problem}`
            : `${line.language} ${problem.startsWith('refused') ? 'refused' : problem.startsWith('ready') ? 'ready' : 'other'}`,
        ];
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
    if (typeof reply === 'string') return reply;
    const { ratingIn, impossible, unused } = expected as unknown as Record<string, string[]>;
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
};

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
