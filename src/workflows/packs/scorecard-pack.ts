import { z } from 'zod';
import type { RatingGate, ScorecardDimension } from '../../gen/intelligence/workflow/v1/scoring_pb.ts';
import type { Plain } from '../family.ts';
import { readPack } from './read.ts';
import { messageLanguages } from './risk-messages.ts';

export const scorecardNames = ['business-readiness'] as const;

const score = z.number().min(0).max(100);

const indicator = z
  .strictObject({
    name: z.string(),
    label: z.string(),
    weight: z.number().positive(),
    curve: z
      .array(z.tuple([z.number(), score]))
      .min(2)
      .optional(),
    choices: z.record(z.string(), score).optional(),
    action: z.string(),
    /** What to do after one of the answers, if that differs. */
    actions: z.record(z.string(), z.string()).default({}),
    min: z.number().optional(),
    max: z.number().optional(),
  })
  .refine(
    ({ choices = {}, actions }) => Object.keys(actions).every((one) => Object.hasOwn(choices, one)),
    'has an action for no answer',
  )
  .refine(({ curve, choices }) => (curve === undefined) !== (choices === undefined), 'needs either a curve or choices');

const rating = z.enum(['B', 'C', 'D', 'E']);
const below = score.optional();

const scorecardPack = z.strictObject({
  name: z.string(),
  version: z.number().int().min(1),
  description: z.string(),
  gates: z.array(z.strictObject({ indicator: z.string(), below, rating })).default([]),
  dimensions: z.array(
    z.strictObject({
      name: z.string(),
      label: z.string(),
      weight: z.number().positive(),
      indicators: z.array(indicator).min(1),
    }),
  ),
  examples: z.array(
    z.strictObject({
      name: z.string(),
      input: z.record(z.string(), z.unknown()),
      expect: z.record(z.string(), z.unknown()),
    }),
  ),
});

export interface ReadScorecard {
  version: number;
  description: string;
  label: string;
  dimensions: Plain<ScorecardDimension>[];
  gates: readonly Plain<RatingGate>[];
  /** By indicator and answer. */
  actions: ReadonlyMap<string, Readonly<Record<string, string>>>;
  examples: z.infer<typeof scorecardPack>['examples'];
}

/** The shipped scorecards by name. Throws if a pack file is wrong. */
export function readScorecards(): ReadonlyMap<string, ReadScorecard> {
  return new Map(
    scorecardNames.map((name) => {
      const pack = readPack(`scorecard/${name}.yaml`, scorecardPack);
      const dimensions = pack.dimensions.map((dimension) => ({
        ...dimension,
        indicators: dimension.indicators.map(({ curve = [], choices = {}, actions: _, ...rest }) => ({
          ...rest,
          curve: curve.map(([value, points]) => ({ value, score: points })),
          choices,
        })),
      }));
      return [
        name,
        {
          version: pack.version,
          description: pack.description,
          label: `scorecard/${name}@${pack.version}`,
          dimensions,
          gates: pack.gates,
          actions: new Map(
            pack.dimensions.flatMap(({ indicators }) =>
              indicators.map(({ name, actions }) => [name, actions] as const),
            ),
          ),
          examples: pack.examples,
        },
      ];
    }),
  );
}

const commonGate = z.strictObject({
  indicators: z.array(z.string()),
  words: z.string().transform((source) => new RegExp(source, 'u')),
  below,
  rating,
});

/** A gate of scorecards without their own: for indicators by name, or by what their name and label say. */
export type CommonGate = z.infer<typeof commonGate>;

/** The common gates; the first that fits an indicator counts. */
export function readCommonGates(): readonly CommonGate[] {
  return readPack('scorecard/gates.yaml', z.array(commonGate));
}

/** Groups of words that mean the same as an answer. */
export function readAnswerWords(): readonly (readonly string[])[] {
  return readPack('scorecard/answers.yaml', z.array(z.array(z.string().min(1)).min(2)));
}

const choiceWords = z.record(
  z.string(),
  z.record(
    z.string(),
    z.record(z.string(), z.partialRecord(z.enum(messageLanguages), z.array(z.string().min(1)).min(1))),
  ),
);

/** What the choices of shipped scorecards are called: by scorecard, indicator, choice and language; the first is what people see. */
export type ChoiceWords = z.infer<typeof choiceWords>;

export function readChoiceWords(): ChoiceWords {
  return readPack('scorecard/choices.yaml', choiceWords);
}
