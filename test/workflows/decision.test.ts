import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { spokenName } from '../../src/base/text/spoken-name.ts';
import { WriteDecisionMemoRequestSchema } from '../../src/gen/intelligence/workflow/v1/decision_pb.ts';
import { decisionFamily } from '../../src/workflows/families/decision.ts';
import { ask, prepare, refusedFields } from './ask.ts';

const decide = (json: unknown) => ask(decisionFamily, WriteDecisionMemoRequestSchema, json);
const refused = (json: unknown) => refusedFields(prepare(decisionFamily, WriteDecisionMemoRequestSchema, json));
const table = (columns: string[], rows: (string | number | null)[][]) => ({
  columns,
  rows: rows.map((cells) => ({ cells })),
});
const options = (...names: string[]) => names.map((name) => ({ name }));

describe('the arithmetic of a decision memo', () => {
  it('agrees with the textbook example of the weighted sum model (Triantaphyllou 2000): 21.5, 22, 22', () => {
    const reply = decide({
      question: 'Which alternative?',
      options: options('A1', 'A2', 'A3'),
      criteria: [0.2, 0.15, 0.4, 0.25].map((weight, at) => ({ name: `C${at + 1}`, weight, scale: 'points' })),
      table: table(
        ['Option', 'C1', 'C2', 'C3', 'C4'],
        [
          ['A1', 25, 20, 15, 30],
          ['A2', 10, 30, 20, 30],
          ['A3', 30, 10, 30, 10],
        ],
      ),
    });
    expect(reply.ranking.map(({ option, score, rank }) => [option, score, rank])).toEqual([
      ['A2', 22, 1],
      ['A3', 22, 1],
      ['A1', 21.5, 3],
    ]);
    expect(reply.nextBestAction).toBe('Add a criterion that tells the leading options apart.');
    expect(reply.recommendation?.confidence).toBe(0);
  });

  it('agrees with the fighter aircraft of Hwang and Yoon (1981), simple additive weighting: .835, .709, .852, .738', () => {
    const reply = decide({
      question: 'Which aircraft?',
      options: options('A1', 'A2', 'A3', 'A4'),
      criteria: [
        { name: 'speed', weight: 0.2, scale: 'ratio' },
        { name: 'range', weight: 0.1, scale: 'ratio' },
        { name: 'payload', weight: 0.1, scale: 'ratio' },
        { name: 'cost', weight: 0.1, scale: 'ratio', direction: 'lower' },
        { name: 'reliability', weight: 0.2, scale: 'ratio' },
        { name: 'maneuverability', weight: 0.3, scale: 'ratio' },
      ],
      table: table(
        ['aircraft', 'speed', 'range', 'payload', 'cost', 'reliability', 'maneuverability'],
        [
          ['A1', 2.0, 1500, 20000, 5.5, 5, 9],
          ['A2', 2.5, 2700, 18000, 6.5, 3, 5],
          ['A3', 1.8, 2000, 21000, 4.5, 7, 7],
          ['A4', 2.2, 1800, 20000, 5.0, 5, 5],
        ],
      ),
    });
    expect(reply.ranking.map(({ option }) => option)).toEqual(['A3', 'A1', 'A4', 'A2']);
    // The book rounds each ratio to two decimals before it adds them.
    const published: Record<string, number> = { A1: 83.5, A2: 70.9, A3: 85.2, A4: 73.8 };
    for (const { option, score } of reply.ranking)
      expect(Math.abs(score - (published[option] as number))).toBeLessThan(0.2);
  });

  it('ranges, directions, weights and the change of the winner, worked by hand', () => {
    // price: A 100 (cheapest), B 0, C 50. quality: A 0, B 100, C 80. Weights 0.6 and 0.4: A 60, B 40, C 62.
    const reply = decide({
      question: 'Which supplier?',
      options: options('A', 'B', 'C'),
      criteria: [
        { name: 'price', weight: 3, direction: 'lower' },
        { name: 'quality', weight: 2 },
      ],
      table: table(
        ['', 'price', 'quality'],
        [
          ['A', 10, 5],
          ['B', 30, 10],
          ['C', 20, 9],
        ],
      ),
    });
    expect(reply.ranking.map(({ option, score }) => [option, score])).toEqual([
      ['C', 62],
      ['A', 60],
      ['B', 40],
    ]);
    // Level with A where 50 p + 80 (1 - p) = 100 p: p = 80/130. With B where 50 p + 80 (1 - p) = 100 (1 - p): p = 20/70.
    expect(reply.sensitivity).toMatchObject([
      { criterion: 'price', weight: 0.6, changesAt: 0.6154, newWinner: 'A', smallest: true },
      { criterion: 'quality', weight: 0.4, changesAt: 0.3846, newWinner: 'A' },
    ]);
    expect(reply.risks.join(' ')).toContain('A is less than 5 points behind C.');
  });

  it('does not care in which order options come or by what all weights are multiplied', () => {
    const number = fc.integer({ min: 0, max: 100 });
    fc.assert(
      fc.property(
        fc.array(fc.tuple(number, number, number), { minLength: 2, maxLength: 6 }),
        fc.tuple(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 9 })),
        fc.integer({ min: 2, max: 7 }),
        (rows, weights, factor) => {
          const ask = (scale: number, order: (list: object[]) => object[]) =>
            decide({
              question: 'Which one?',
              options: order(rows.map(([a, b, c], at) => ({ name: `o${at}`, attributes: { a, b, c } }))),
              criteria: ['a', 'b', 'c'].map((name, at) => ({ name, weight: (weights[at] as number) * scale })),
            });
          const scores = (reply: ReturnType<typeof decide>) =>
            new Map(reply.ranking.map(({ option, score }) => [option, score]));
          const plain = scores(ask(1, (list) => list));
          const other = scores(ask(factor, (list) => [...list].reverse()));
          for (const [option, score] of plain) {
            expect(Math.abs((other.get(option) ?? -1) - score)).toBeLessThan(0.011);
            expect(score).toBeGreaterThanOrEqual(0);
            expect(score).toBeLessThanOrEqual(100);
          }
        },
      ),
      { numRuns: 200 },
    );
  });

  it('at the weight that it names, the winner and the other are level indeed', () => {
    const number = fc.integer({ min: 0, max: 100 });
    fc.assert(
      fc.property(
        fc.array(fc.tuple(number, number, number), { minLength: 2, maxLength: 5 }),
        fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 3, maxLength: 3 }),
        (rows, weights) => {
          const request = (shares: number[]) => ({
            question: 'Which one?',
            options: rows.map(([a, b, c], at) => ({ name: `o${at}`, attributes: { a, b, c } })),
            criteria: ['a', 'b', 'c'].map((name, at) => ({ name, weight: shares[at], scale: 'points' })),
          });
          const reply = decide(request(weights));
          const winner = reply.ranking[0]?.option;
          const all = weights.reduce((sum, weight) => sum + weight, 0);
          for (const [at, { changesAt, newWinner }] of reply.sensitivity.entries()) {
            if (changesAt === undefined) continue;
            const rest = all - (weights[at] as number);
            const moved = decide(
              request(weights.map((weight, index) => (index === at ? changesAt : (weight / rest) * (1 - changesAt)))),
            );
            const score = (name: string | undefined) =>
              moved.ranking.find(({ option }) => option === name)?.score ?? -1;
            expect(Math.abs(score(winner) - score(newWinner))).toBeLessThan(0.05);
          }
        },
      ),
      { numRuns: 200 },
    );
  });
});

describe('a decision memo', () => {
  const request = {
    question: 'Which office | site?',
    audience: 'The board',
    deadline: '30 June',
    options: [
      { name: 'North', attributes: { rent: 1200, light: 'good', lift: true } },
      { name: 'South', attributes: { rent: 900, light: 'poor', lift: true } },
      { name: 'East', attributes: { rent: 2500, light: 'excellent', lift: true } },
      { name: 'West', attributes: { rent: 1000, light: 'fair' } },
    ],
    criteria: [
      { name: 'rent', weight: 2, direction: 'lower', unit: 'EUR' },
      { name: 'light', weight: 1 },
      { name: 'noise', weight: 1 },
    ],
    constraints: [
      { attribute: 'rent', operator: '<=', value: 2000, reason: 'The budget is 2,000.' },
      { attribute: 'lift', operator: 'present' },
    ],
  };

  it('leaves out what does not meet a constraint, or of which it is not known, and says why', () => {
    expect(decide(request).eliminated).toEqual([
      { option: 'East', constraint: 'rent <= 2000', reason: 'The budget is 2,000.' },
      { option: 'West', constraint: 'lift is present', reason: 'Lift is not known.' },
    ]);
  });

  it('names what is not known and asks for it next', () => {
    const reply = decide(request);
    expect(reply.missingFacts).toEqual(['lift of West', 'noise of South', 'noise of North']);
    expect(reply.nextBestAction).toBe('Find out: lift of West.');
  });

  it('writes Markdown that names and texts cannot break', () => {
    const { markdown } = decide(request);
    expect(markdown).toContain('# Which office \\| site?');
    for (const heading of ['Recommendation', 'Ranking', 'Left out', 'Risks', 'Assumptions', 'Not known', 'Next'])
      expect(markdown).toContain(`\n## ${heading}\n`);
    const hostile = decide({
      ...request,
      options: [{ name: 'a | b\n# c <script>' }, { name: 'd' }],
      constraints: [],
    }).markdown;
    expect(hostile).not.toMatch(/^# c/m);
    expect(hostile).toContain('a \\| b \\# c \\<script\\>');
  });

  it('answers when no option is left', () => {
    const reply = decide({ ...request, constraints: [{ attribute: 'rent', operator: '<', value: 1 }] });
    expect(reply).toMatchObject({
      ranking: [],
      recommendation: { option: '', confidence: 0 },
      nextBestAction: 'Relax a constraint or look for other options.',
    });
  });

  it('refuses data that contradicts itself', () => {
    expect(refused({ ...request, options: options('a', 'A') })).toEqual(['options[1].name']);
    expect(refused({ ...request, table: table(['', 'x'], [['Nowhere', 1]]) })).toEqual(['table.rows[0].cells[0]']);
    expect(refused({ ...request, criteria: [{ name: 'rent', weight: 0 }] })).toEqual(['criteria']);
    expect(refused({ ...request, criteria: [{ name: 'rent', min: 3, max: 3 }] })).toEqual(['criteria[0].max']);
  });

  it.each([-5.5, '-5,5', '-5.5', '−5,5 %', '-1.234,5'])('refuses %s on a scale of ratios', (value) => {
    const margin = {
      question: 'Which shop?',
      options: options('a', 'b', 'c'),
      criteria: [{ name: 'margin', scale: 'ratio' }],
    };
    const rows = (worst: string | number) =>
      table(
        ['', 'margin'],
        [
          ['a', '3,5'],
          ['b', worst],
          ['c', '1,5'],
        ],
      );
    expect(refused({ ...margin, table: rows(value) })).toEqual(['criteria[0].scale']);
    const given = decide({ ...margin, table: rows('0,5') }).ranking.map(({ score }) => score);
    expect(given).toEqual([100, 42.86, 14.29]);
  });

  it('has no score below 0 on a scale of ratios, though a value can be read only once others are left out', () => {
    const reply = decide({
      question: 'Which shop?',
      options: options('a', 'b', 'c'),
      criteria: [{ name: 'margin', scale: 'ratio' }],
      constraints: [{ attribute: 'open', operator: '=', value: true }],
      table: table(
        ['', 'margin', 'open'],
        [
          ['a', '-5 %', 'yes'],
          ['b', '3 %', 'yes'],
          ['c', '2 kg', 'no'],
        ],
      ),
    });
    for (const { score } of reply.ranking) expect(score).toBeGreaterThanOrEqual(0);
    expect(reply.missingFacts).toEqual(['margin of a']);
  });
});

describe('what is recommended', () => {
  const criteria = [
    { name: 'price', weight: 1, direction: 'lower', scale: 'points', max: 100 },
    { name: 'interview', weight: 3, scale: 'points' },
    { name: 'test', weight: 1, scale: 'points' },
  ];
  const between = (a: object, b: object) =>
    decide({
      question: 'Who?',
      criteria,
      options: [
        { name: 'A', attributes: a },
        { name: 'B', attributes: b },
      ],
    });

  it('is nothing where nothing is known', () => {
    const reply = between({}, {});
    expect(reply.recommendation).toMatchObject({ option: '', confidence: 0 });
    expect(reply.nextBestAction).toBe('Find out: interview of A.');
    expect(reply.summary).toBe('Too little is known of the options to recommend one.');
  });

  it('is nothing where what is not known could change it, and the best where it could not', () => {
    expect(between({ price: 10, interview: 90, test: 50 }, { price: 10, test: 90 }).recommendation?.option).toBe('');
    expect(between({ price: 10, interview: 90, test: 50 }, { price: 10, interview: 10 }).recommendation?.option).toBe(
      'A',
    );
  });

  it.each([
    ['en', /^There is nothing to compare/],
    ['de', /^Es gibt nichts zu vergleichen/],
    ['es', /^No hay nada que comparar/],
    ['fr', /^Il n’y a rien à comparer/],
  ])('is nothing where nobody named another option (%s)', (locale, words) => {
    const reply = ask(decisionFamily, WriteDecisionMemoRequestSchema, {
      question: 'Printer?',
      options: [{ name: 'Brother', attributes: { price: 320 } }],
      criteria: [{ name: 'price', direction: 'lower' }],
      locale,
    });
    expect(reply.recommendation).toMatchObject({ option: '', confidence: 0 });
    expect(reply.summary).toMatch(words);
    expect(reply.nextBestAction).not.toContain('Brother');
  });

  it.each(['energyKwh', 'waterLitres', 'noiseDb', 'Wasserverbrauch', 'Lautstärke', 'consumo de agua', 'bruit'])(
    'takes less %s for better where no direction is given',
    (criterion) => {
      const reply = ask(decisionFamily, WriteDecisionMemoRequestSchema, {
        question: 'Washing machine?',
        options: [
          { name: 'A', attributes: { [criterion]: 40 } },
          { name: 'B', attributes: { [criterion]: 60 } },
        ],
        criteria: [{ name: criterion }],
      });
      expect(reply.recommendation?.option).toBe('A');
    },
  );

  it('says truly where the winner is ahead', () => {
    const { recommendation } = between({ price: 10, interview: 80, test: 90 }, { price: 60, interview: 85, test: 30 });
    expect(recommendation?.rationale).toContain('The lead over B is largest in test.');
  });

  it('counts a value that cannot be as not known', () => {
    const reply = between({ price: -10, interview: 90, test: 50 }, { price: 10, interview: 20, test: 20 });
    expect(reply.missingFacts).toEqual(['price of A']);
    expect(reply.assumptions.join()).toContain('The value -10 of price cannot be');
  });

  const byName = (name: string, criterion: object = {}) =>
    ask(decisionFamily, WriteDecisionMemoRequestSchema, {
      question: 'Which one?',
      options: [
        { name: 'A', attributes: { [name]: 30 } },
        { name: 'B', attributes: { [name]: 20 } },
      ],
      criteria: [{ name, ...criterion }],
      locale: 'en',
    });

  it.each([
    ...['price', 'pricePerKg', 'Lieferzeit', 'Versandkosten', 'Monatsmiete', 'coût annuel', 'total cost of ownership'],
    ...['Wartezeit', 'error rate', 'precio total', 'setup fee', 'waiting time', 'Stromverbrauch', 'Risikoscore'],
  ])('is the one with less where the name %s says so, and the reply tells it', (name) => {
    const reply = byName(name);
    expect(reply.recommendation?.option).toBe('B');
    expect(reply.assumptions).toContain(`For ${spokenName(name)}, lower is better.`);
    expect(reply.nextBestAction).toBe('Choose B.');
  });

  it.each(['priceQuality', 'battery', 'cost savings', 'Preisstabilität', 'battery duration', 'customer rating'])(
    'is the one with more where the name %s says so, and the reply tells it',
    (name) => {
      const reply = byName(name);
      expect(reply.recommendation?.option).toBe('A');
      expect(reply.assumptions).toContain(`For ${spokenName(name)}, higher is better.`);
      expect(reply.nextBestAction).toBe('Choose A.');
    },
  );

  it('is not decided where it hangs on a direction that nobody gave', () => {
    const reply = byName('distance');
    expect(reply.assumptions.join()).toContain('For distance, lower is taken as better; neither its name');
    expect(reply.recommendation?.confidence).toBeLessThan(0.4);
    expect(reply.nextBestAction).toBe('Say whether more or less of distance is better; the outcome depends on it.');
    const given = byName('distance', { direction: 'higher' });
    expect(given.assumptions.join()).not.toContain('distance');
    expect(given.recommendation?.confidence).toBe(1);
    expect(given.nextBestAction).toBe('Choose A.');
  });

  it('has no risks of its own where nothing is recommended', () => {
    const reply = ask(decisionFamily, WriteDecisionMemoRequestSchema, {
      question: 'Which one?',
      options: [
        { name: 'A', attributes: { rent: 900, light: 10 } },
        { name: 'B', attributes: { light: 12 } },
      ],
      criteria: [{ name: 'rent' }, { name: 'light' }],
      locale: 'en',
    });
    expect(reply.recommendation?.option).toBe('');
    expect(reply.risks).toEqual(['1 value is not known and counted as 0.']);
  });

  it('asks for the number where a value is given and cannot be read', () => {
    const reply = ask(decisionFamily, WriteDecisionMemoRequestSchema, {
      question: 'Which one?',
      options: [
        { name: 'A', attributes: { rent: 'about 900' } },
        { name: 'B', attributes: { rent: 800 } },
      ],
      criteria: [{ name: 'rent' }],
      locale: 'en',
    });
    expect(reply.nextBestAction).toContain('“about 900” at rent is not a number');
  });
});

it.each([
  ['en', '“899 credits” at price is not a number and counts as not known. Give the number alone, without its unit.'],
  ['de', '„899 credits“ beim Kriterium „price“ ist keine Zahl'],
  ['es', '«899 credits», en el criterio «price», no es un número'],
  ['fr', '« 899 credits », pour le critère « price », n’est pas un nombre'],
])('an amount with its unit is told as it stands, and what to send instead: %s', (locale, told) => {
  const reply = ask(decisionFamily, WriteDecisionMemoRequestSchema, {
    question: 'Which?',
    options: [
      { name: 'North', attributes: { price: '899 credits' } },
      { name: 'South', attributes: { price: 5 } },
    ],
    criteria: [{ name: 'price', direction: 'lower' }],
    locale,
  });
  expect(JSON.stringify(reply.assumptions)).toContain(told);
});

it('a hundred options of which nothing is known make a memo that can be read, and that says so', () => {
  const reply = decide({
    question: 'Which one?',
    options: Array.from({ length: 100 }, (_, at) => ({ name: `${'Ω'.repeat(190)} ${at}` })),
    criteria: Array.from({ length: 50 }, (_, at) => ({ name: `${'Ψ'.repeat(120)} ${at}`, direction: 'higher' })),
    constraints: Array.from({ length: 20 }, (_, at) => ({
      attribute: `${'Φ'.repeat(60)} ${at}`,
      operator: '>=',
      value: 3,
    })),
  });
  expect(reply.missingFacts).toHaveLength(100);
  expect(reply.recommendation?.option).toBe('');
  expect(reply.recommendation?.confidence).toBe(0);
  // What is left over the criteria of each option would be 5,000 lines.
  expect(reply.markdown.split('\n').length).toBeLessThan(500);
});
