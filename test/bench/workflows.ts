// CPU time of each family, using only rules, on a typical input: `npm run bench:workflows`. The aim is 1.5 ms each.
import { type DescMessage, fromJson, type JsonValue } from '@bufbuild/protobuf';
import { atOnce } from '../../src/base/slices.ts';
import { WriteDecisionMemoRequestSchema } from '../../src/gen/intelligence/workflow/v1/decision_pb.ts';
import { DraftDocumentRequestSchema } from '../../src/gen/intelligence/workflow/v1/draft_pb.ts';
import { CheckProfileRequestSchema } from '../../src/gen/intelligence/workflow/v1/guidance_pb.ts';
import { ScoreListingRequestSchema } from '../../src/gen/intelligence/workflow/v1/readiness_pb.ts';
import { CheckRiskRequestSchema } from '../../src/gen/intelligence/workflow/v1/risk_pb.ts';
import { ScoreBusinessReadinessRequestSchema } from '../../src/gen/intelligence/workflow/v1/scoring_pb.ts';
import { decisionFamily } from '../../src/workflows/families/decision.ts';
import { draftFamily } from '../../src/workflows/families/draft.ts';
import { guidanceFamily, profilePacks } from '../../src/workflows/families/guidance.ts';
import { readinessFamily } from '../../src/workflows/families/readiness.ts';
import { riskFamily } from '../../src/workflows/families/risk.ts';
import { scorecards, scoringFamily } from '../../src/workflows/families/scoring.ts';
import type { Family, FamilyReply } from '../../src/workflows/family.ts';

const sentences = [
  'The saloon was bought new in 2017 and was serviced every year by the same garage.',
  'Its interior is clean, nobody smoked in it, and the paint has two small scratches on the left.',
  'Winter tyres, two keys and all invoices come with it; the inspection is valid until May.',
  'Viewing is possible on weekdays after five or on Saturday mornings by arrangement.',
];
const text = (characters: number, number: number) => {
  let made = '';
  for (let at = 0; made.length < characters; at++)
    made += `${sentences[at % sentences.length]?.replace('.', ` (${number}).`)} `;
  return made.slice(0, characters);
};
/** As many different inputs are looked at in turn, so that none is remembered from the time before. */
const inputs = 50;

function cpuMicroseconds<Request, Reply extends FamilyReply>(
  family: Family<Request, Reply>,
  schema: DescMessage,
  json: (input: number) => unknown,
): number {
  const messages = Array.from({ length: inputs }, (_, input) => fromJson(schema, json(input) as JsonValue));
  const run = (round: number) => {
    const message = messages[round % inputs] as unknown as Request;
    const prepared = atOnce(family.prepare(message, { nowMs: Date.now() }));
    if (!prepared.ok) throw new Error(JSON.stringify(prepared.failure));
    return atOnce(prepared.value.compute([]));
  };
  for (let warm = 0; warm < 500; warm++) run(warm);
  const rounds = 1000;
  const start = process.cpuUsage();
  for (let round = 0; round < rounds; round++) run(round);
  const { user, system } = process.cpuUsage(start);
  return (user + system) / rounds;
}

const listing = (input: number) => ({
  title: 'Toyota Corolla 1.8 Hybrid, first owner, full service book',
  description: text(2048, input),
  category: 'Cars',
  price: 14900,
  currency: 'EUR',
  location: 'Linz',
  images: [1, 2, 3, 4, 5, 6].map((at) => ({ url: `https://img.example/${at}.jpg`, width: 1600 })),
  attributes: {
    make: 'Toyota',
    model: 'Corolla',
    year: 2019,
    mileage: 83000,
    fuel: 'hybrid',
    transmission: 'automatic',
  },
});
const [scorecard] = [...scorecards.values()];
const indicators = (scorecard?.dimensions ?? []).flatMap(({ indicators }) => indicators);

const cases: [string, number][] = [
  [
    'readiness: 2 KB listing, vehicles',
    cpuMicroseconds(readinessFamily, ScoreListingRequestSchema, (input) => ({ listing: listing(input) })),
  ],
  [
    'risk: 4 KB text, finance',
    cpuMicroseconds(riskFamily, CheckRiskRequestSchema, (input) => ({ text: text(4096, input), domain: 'finance' })),
  ],
  [
    'risk: 4 KB text, marketing',
    cpuMicroseconds(riskFamily, CheckRiskRequestSchema, (input) => ({ text: text(4096, input), domain: 'marketing' })),
  ],
  [
    'guidance: company form, half filled',
    cpuMicroseconds(guidanceFamily, CheckProfileRequestSchema, (input) => ({
      template: 'company',
      values: {
        ...Object.fromEntries(
          (profilePacks.get('company')?.fields ?? [])
            .slice(0, 8)
            .map(({ name, example }) => [name, example || 'Example']),
        ),
        legalName: `Example ${input} Ltd`,
      },
    })),
  ],
  [
    'draft: letter of ten facts',
    cpuMicroseconds(draftFamily, DraftDocumentRequestSchema, (input) => ({
      purpose: `your order ${input} will arrive later than promised`,
      audience: 'Ms Kovac',
      facts: Array.from({ length: 10 }, (_, at) => ({
        ...{ name: `fact ${at}`, source: 'shop' },
        value: sentences[at % 4]?.replace('.', ` (${input}).`),
      })),
      mustAvoid: ['delay', 'sorry'],
    })),
  ],
  [
    'decision: 6 options, 8 criteria',
    cpuMicroseconds(decisionFamily, WriteDecisionMemoRequestSchema, (input) => ({
      question: `Which supplier for order ${input}?`,
      options: Array.from({ length: 6 }, (_, at) => ({
        name: `Supplier ${at}`,
        attributes: Object.fromEntries(
          Array.from({ length: 8 }, (_, inner) => [`c${inner}`, (at * 7 + inner * 13 + input) % 29]),
        ),
      })),
      criteria: Array.from({ length: 8 }, (_, at) => ({ name: `c${at}`, weight: at + 1 })),
      constraints: [{ attribute: 'c0', operator: '<', value: 28 }],
    })),
  ],
  [
    'scoring: all 30 indicators',
    cpuMicroseconds(scoringFamily, ScoreBusinessReadinessRequestSchema, (input) => ({
      metrics: Object.fromEntries(
        indicators.filter(({ curve }) => curve.length > 0).map(({ name }) => [name, 7 + input / 10]),
      ),
      answers: Object.fromEntries(
        indicators
          .filter(({ curve }) => curve.length === 0)
          .map(({ name, choices }) => [name, Object.keys(choices)[1] ?? '']),
      ),
    })),
  ],
];

for (const [name, microseconds] of cases) console.log(`${microseconds.toFixed(0).padStart(6)} us  ${name}`);
