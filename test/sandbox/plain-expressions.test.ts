import { describe, expect, it } from 'vitest';
import { celVariables, createExpressions } from '../../src/sandbox/cel/expressions.ts';
import { readPlainly } from '../../src/sandbox/cel/plain-expressions.ts';
import { listingPacks } from '../../src/workflows/families/readiness.ts';

const compilePattern = (pattern: string) => new RegExp(pattern, 'u');
const compile = createExpressions(compilePattern);
const plainly = (expression: string) => readPlainly(expression, compilePattern);

const variables = [
  { title: { text: 'Bike', length: 4, capitals: 0.5 }, price: { given: true, amount: 0 }, facts: { year: '2019' } },
  { title: { text: '', length: 0, capitals: 0 }, price: { given: false, amount: -1.5 }, facts: {} },
  {
    title: { text: 'BIKE for sale', length: 15, capitals: 1 },
    price: { given: 'yes', amount: '3' },
    facts: { year: '' },
  },
  { title: 'Bike', price: { given: null, amount: Number.NaN }, facts: { year: null } },
  { price: {}, facts: 'none' },
].map(celVariables);

describe('a plain expression', () => {
  it.each([
    'title.length > 0',
    'title.length >= 15 || title.text == "Bike"',
    'title.capitals < 0.6 && price.given',
    'price.amount <= 0.0',
    'price.amount == 0.0',
    'price.amount != 0.0',
    '!price.given',
    '!(title.text in ["Bike", "item"])',
    'price.amount in [1.0, -1.5]',
    'given(facts, "year")',
    'given(price.given)',
    'price.given || given(facts, "year") || title.text.contains("sale")',
    '!title.text.matches("^b") && title.text.startsWith("B")',
    'title.text.matches("(?:for|to) sale|bike")',
    'false',
    'title.text != price.amount',
  ])('says of %s what the engine says, or leaves it to the engine', (expression) => {
    const [plain, engine] = [plainly(expression), compile(expression)];
    expect(plain).toBeDefined();
    const said = variables.map((one) => plain?.(one));
    expect(said.some((value) => value !== undefined)).toBe(true);
    for (const [index, one] of variables.entries())
      if (said[index] !== undefined) expect(engine(one), String(index)).toEqual({ ok: true, value: said[index] });
  });

  it.each([
    'title.length + 1 > 0',
    'facts.all(one, one != "")',
    'price.given ? true : false',
    'has(price.given)',
    'title.text.matches(facts.year)',
    'price.amount in facts',
    'price["given"]',
    'text(facts, "year") == ""',
  ])('is not what %s is', (expression) => {
    expect(plainly(expression)).toBeUndefined();
  });

  it('throws for what is no expression', () => {
    expect(() => plainly('title.length >')).toThrow();
  });

  it('is what nearly all checks of listings are', () => {
    const all = [...listingPacks.values()].flatMap(({ checks }) =>
      checks.flatMap(({ when, pass }) => (when === undefined ? [pass] : [when, pass])),
    );
    const plain = all.filter((expression) => plainly(expression) !== undefined);
    expect(plain.length).toBeGreaterThan(all.length * 0.9);
  });
});
