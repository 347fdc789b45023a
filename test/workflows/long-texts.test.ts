import { type DescMessage, fromJson } from '@bufbuild/protobuf';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { unwrap } from '../../src/base/failure.ts';
import { atOnce, type Sliced, type Slices, unitsOfATurn } from '../../src/base/slices.ts';
import { ScoreListingRequestSchema } from '../../src/gen/intelligence/workflow/v1/readiness_pb.ts';
import { CheckRiskRequestSchema } from '../../src/gen/intelligence/workflow/v1/risk_pb.ts';
import { readinessFamily } from '../../src/workflows/families/readiness.ts';
import { riskFamily } from '../../src/workflows/families/risk.ts';
import type { Family, FamilyReply } from '../../src/workflows/family.ts';
import { detect } from '../../src/workflows/text/detect.ts';
import { indexSigns, tokensOf } from '../../src/workflows/text/signs/index.ts';

const parts = [
  'never pay by western union, ',
  'Bj. 2017, 84.000 km, 1.200 € ',
  'p4y m3 n0w. ',
  'http://a.example/d ',
  'not 1 ',
  'du bist 1 ',
  'a "guaranteed profit" a@b.example ',
  '买',
];
const longest = (part: string) => part.repeat(Math.ceil(100_000 / part.length)).slice(0, 100_000);

function* judged<Request, Reply extends FamilyReply>(
  family: Family<Request, Reply>,
  schema: DescMessage,
  json: object,
): Slices<Reply> {
  const message = fromJson(schema, json as never) as unknown as Request;
  const prepared = unwrap(yield* slicesOf(family.prepare(message, { nowMs: 0 })));
  return yield* slicesOf(prepared.compute([]));
}

function* slicesOf<Outcome>(computation: Sliced<Outcome>): Slices<Outcome> {
  const isSliced = typeof computation === 'object' && computation !== null && 'next' in computation;
  return isSliced ? yield* computation as Slices<Outcome> : (computation as Outcome);
}

const risk = (text: string, more: object = {}) => judged(riskFamily, CheckRiskRequestSchema, { text, ...more });
const listing = (description: string, policy = '') =>
  judged(readinessFamily, ScoreListingRequestSchema, { listing: { title: 'A bicycle', description }, policy });

/** How much each slice does. */
function unitsOf(computation: Slices<unknown>): number[] {
  return [...computation];
}

const sumOf = (units: readonly number[]) => units.reduce((sum, each) => sum + each, 0);

describe('a long text is judged in turns', () => {
  test.each(parts)('of %j', (part) => {
    const text = longest(part);
    const units = [risk(text, { domain: 'general' }), listing(text), listing(text, 'vehicles')].flatMap(unitsOf);
    // No slice is over two turns' work: 10 ms of processor time.
    expect(units.filter((each) => each > 2 * unitsOfATurn + 50)).toEqual([]);
    expect(sumOf(units)).toBeGreaterThan(15 * unitsOfATurn);
  });

  test('also when a model found more in it', () => {
    const description = longest('Bj. 2017, 84.000 km, never pay by western union, ');
    const message = fromJson(ScoreListingRequestSchema, { listing: { title: 'A car', description } });
    const prepared = unwrap(atOnce(readinessFamily.prepare(message as never, { nowMs: 0 })));
    const again = slicesOf(prepared.reconsider?.([], { spotted: [], facts: [] }));
    const units = unitsOf(again);
    expect(units.filter((each) => each > 2 * unitsOfATurn + 50)).toEqual([]);
    expect(sumOf(units)).toBeGreaterThan(2 * unitsOfATurn);
  });

  test('signs among reports and quotations take as much as the text is long', () => {
    const words = Array.from(
      { length: 60 },
      (_, at) => `x${String.fromCharCode(97 + (at % 26), 97 + Math.floor(at / 26))}q`,
    );
    const index = indexSigns({
      classes: { not: ['not'], warning: ['beware'], report: ['court'], about: ['myth'] },
      signs: words.map((word) => ({
        ...{ patterns: [word], harmlessInQuestions: false, countsInQuotes: false, countsInWarnings: true },
        ...{ mayRestOnReports: false, framedInItsSentence: true, negatedInLists: false, mayFollowConditions: false },
      })),
    });
    const unitsFor = (count: number) => {
      const sentences = Array.from({ length: count }, (_, at) => `${words[at % 60]} comes. The court. "so it" is.`);
      return sumOf(unitsOf(index.readInSlices(tokensOf(sentences.join(' ')))));
    };
    expect(unitsFor(800) / unitsFor(400)).toBeCloseTo(2, 1);
  });

  test('phrases of the request count, too', () => {
    const phrases = Array.from({ length: 200 }, (_, at) => `${at} `.repeat(60).slice(0, 190));
    const few = unitsOf(risk('a text', { allowPhrases: phrases.slice(0, 1) }));
    const many = unitsOf(risk('a text', { allowPhrases: phrases }));
    expect(many.length - few.length).toBeGreaterThanOrEqual(199);
    expect(sumOf(many)).toBeGreaterThan(5 * unitsOfATurn);
  });

  test('a short one in one', () => {
    const text = parts.join('');
    for (const computation of [risk(text), listing(text)])
      expect(sumOf(unitsOf(computation))).toBeLessThan(unitsOfATurn);
  });
});

test('what is judged in between changes no judgement', { timeout: 120_000 }, () => {
  const texts = fc
    .array(fc.tuple(fc.constantFrom(...parts), fc.integer({ min: 1, max: 30 })), { minLength: 1, maxLength: 6 })
    .map((chosen) => chosen.map(([part, times]) => part.repeat(times)).join('\n'));
  fc.assert(
    fc.property(fc.array(texts, { minLength: 2, maxLength: 4 }), (all) => {
      const begin = () => all.map((text, at) => (at % 2 === 0 ? risk(text) : listing(text)) as Slices<unknown>);
      const running = begin();
      const replies: unknown[] = [];
      while (Object.keys(replies).length < running.length)
        for (const [at, computation] of running.entries()) {
          const { done, value } = computation.next();
          if (done && !(at in replies)) replies[at] = value;
        }
      expect(replies).toEqual(begin().map((computation) => atOnce(computation)));
    }),
    { numRuns: 20 },
  );
});

test('personal data is found wherever the parts of a long text end', () => {
  const found = 'ask ann@shop.example or +49 170 1234567, pay DE89 3704 0044 0532 0130 00 at www.shop.example/a-path ';
  const alone = detect(found);
  expect(alone.map(({ kind }) => kind)).toEqual(['email', 'phone', 'iban', 'link']);
  for (let before = 18_900; before < 20_100; before += 7)
    for (const filler of [' ', 'word. ']) {
      const lead = filler.repeat(Math.ceil(before / filler.length)).slice(-before);
      const shifted = alone.map(({ kind, start, end }) => ({ kind, start: start + before, end: end + before }));
      expect(detect(`${lead}${found}${' '.repeat(25_000)}`)).toEqual(shifted);
    }
});

describe('what strangers send is read in time in proportion to it', () => {
  const cpuMsOf = (work: () => unknown) => {
    const start = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(start);
    return (user + system) / 1_000;
  };

  // It took twenty seconds when all of a name was searched from each of its brackets.
  test('of a name of a field that is all brackets', () => {
    const attributes = { [`${'('.repeat(150_000)}\n`]: 'a' };
    const request = { listing: { title: 'A bicycle', description: 'Blue, with lights.', attributes } };
    expect(cpuMsOf(() => unitsOf(judged(readinessFamily, ScoreListingRequestSchema, request)))).toBeLessThan(2_000);
  });
});
