import { describe, expect, it } from 'vitest';
import { CheckRiskRequestSchema } from '../../src/gen/intelligence/workflow/v1/risk_pb.ts';
import { riskFamily, riskPacks } from '../../src/workflows/families/risk.ts';
import { domains } from '../../src/workflows/packs/risk-pack.ts';
import { ask, prepare, refusedFields } from './ask.ts';

const check = (json: unknown) => ask(riskFamily, CheckRiskRequestSchema, json);
const slice = (text: string, start: number, end: number) => [...text].slice(start, end).join('');

describe('risk packs', () => {
  it('cover seven domains with at least 120 kinds and phrases of risk, each with a reason and a suggestion', () => {
    expect([...riskPacks.keys()]).toEqual([...domains]);
    const entries = [...riskPacks.values()].flatMap((pack) => pack.entries);
    expect(entries.flatMap(({ phrases }) => phrases).length).toBeGreaterThanOrEqual(120);
    for (const pack of riskPacks.values()) expect(pack.entries.length).toBeGreaterThanOrEqual(10);
  });

  for (const pack of riskPacks.values())
    for (const example of pack.examples)
      it(`${pack.domain}: ${example.name}`, () => {
        const { basis, riskLevel, findings } = check({ text: example.text, domain: pack.domain });
        const wanted = example.expect as { riskLevel: string; findings: string[] };
        expect(riskLevel).toBe(wanted.riskLevel);
        expect(basis?.checks.map(({ id }) => id)).toEqual([...new Set(wanted.findings)]);
        expect(findings).toHaveLength(wanted.findings.length);
      });

  it('find every phrase that they list, where it stands', () => {
    for (const pack of riskPacks.values())
      for (const entry of pack.entries)
        for (const phrase of entry.phrases) {
          const said = phrase.replaceAll(' .. ', ' very ').replaceAll('#', '25').replaceAll('*', '');
          const text = `😀 ${said}`;
          const found = check({ text, domain: pack.domain }).findings;
          expect(found.length, `${pack.domain}/${entry.id}: ${phrase}`).toBeGreaterThan(0);
          for (const finding of found) expect(slice(text, finding.start, finding.end)).toBe(finding.phrase);
        }
  });
});

describe('a risk check', () => {
  it('counts offsets in code points, across emoji, combining marks and right-to-left text', () => {
    const text = '👩‍👩‍👧‍👦 שלום! This is rísk-frée, 保本高收益。';
    const { findings } = check({ text, domain: 'finance' });
    expect(findings.map(({ phrase }) => phrase)).toEqual(['rísk-frée', '保本高收益']);
    for (const { start, end, phrase } of findings) expect(slice(text, start, end)).toBe(phrase);
  });

  it('is not hidden from by full-width letters, zero-width characters, NUL, odd blanks or hyphens', () => {
    for (const text of [
      'ＲＩＳＫ　ＦＲＥＥ',
      'ri\u200bsk-fr\u0000ee',
      'risk\u00a0\u00a0free',
      'risk–free',
      'RISK\n\tFREE',
      'r\u0301isk free',
    ])
      expect(check({ text, domain: 'finance' }).findings, JSON.stringify(text)).toHaveLength(1);
  });

  it('does not find phrases inside other words', () => {
    expect(check({ text: 'The brisk freelancer guaranteed nothing.', domain: 'finance' }).findings).toEqual([]);
  });

  it('says what facts are missing, the heaviest first, and takes stated and given ones', () => {
    const reply = check({
      text: 'The annual percentage rate is 4%.',
      domain: 'finance',
      requiredFacts: [
        { name: 'lender', weight: 1 },
        { name: 'total cost', weight: 5, action: 'State the total cost of credit.' },
        { name: 'rate', anyOf: ['annual percentage rate', 'APR'] },
        { name: 'duration' },
      ],
      facts: { duration: '24 months' },
    });
    expect(reply.missingFacts).toEqual(['total cost', 'lender']);
    expect(reply.nextBestAction).toBe('State the total cost of credit.');
    expect(reply.riskLevel).toBe('high');
  });

  it.each([
    ['de', 'Im Text fehlt die Angabe: Preis.', 'Ergänzen Sie diese Angabe im Text: Preis.'],
    ['es-MX', 'El texto no indica: Preis.', 'Indique esto en el texto: Preis.'],
    ['fr', "Le texte n'indique pas : Preis.", 'Indiquez ceci dans le texte : Preis.'],
    ['en', 'The text does not state: Preis.', 'State this in the text: Preis.'],
  ])('says in the reader’s language what is missing: %s', (locale, message, action) => {
    const reply = check({ text: 'Bike, blue, 28 inch.', locale, requiredFacts: [{ name: 'Preis' }] });
    expect(reply.basis?.checks).toMatchObject([{ message, action }]);
    expect(reply.nextBestAction).toBe(action);
  });

  it('finds the caller’s own phrases', () => {
    const reply = check({
      text: 'Project Falcon starts on Monday.',
      phrases: [{ phrase: 'project falcon', severity: 'critical', reason: 'Secret.' }],
    });
    expect(reply.findings[0]).toMatchObject({
      phrase: 'Project Falcon',
      severity: 'critical',
      source: 'own',
      reason: 'Secret.',
    });
    expect(reply.riskLevel).toBe('critical');
  });

  it('looks at each message of a conversation with offsets of its own', () => {
    const messages = [
      { role: 'buyer', content: 'Is it there?' },
      { role: 'seller', content: 'Yes. Pay by Western Union.' },
    ];
    const { findings } = check({ messages, domain: 'marketplace' });
    expect(findings).toMatchObject([{ messageIndex: 1, phrase: 'Western Union', start: 12, end: 25 }]);
  });

  it('recognises card numbers and accounts by their check digits, and no other numbers', () => {
    const kinds = (text: string) => check({ text }).findings.map(({ category }) => category);
    expect(kinds('Card 4111 1111 1111 1111.')).toEqual(['personal_data']);
    expect(kinds('Card 4111 1111 1111 1112.')).not.toContain('personal_data');
    expect(kinds('IBAN DE89 3704 0044 0532 0130 00')).toEqual(['personal_data']);
    expect(kinds('Write to ana@example.com or +43 660 1234567.')).toEqual(['personal_data', 'personal_data']);
    expect(kinds('In 2024-05-17 we sold 1,234,567.89 of 12,000,000 units.')).toEqual([]);
  });

  it('weighs repetition less each time', () => {
    const once = check({ text: 'hurry', domain: 'general' }).riskScore;
    const often = check({ text: 'hurry '.repeat(50), domain: 'general' }).riskScore;
    expect(often).toBeGreaterThan(once);
    expect(often).toBeLessThan(25);
  });

  it('refuses nothing at all, and both at once', () => {
    expect(refusedFields(prepare(riskFamily, CheckRiskRequestSchema, {}))).toEqual(['text']);
    expect(
      refusedFields(prepare(riskFamily, CheckRiskRequestSchema, { text: 'a', messages: [{ content: 'b' }] })),
    ).toEqual(['messages']);
  });

  it('takes no more than a few times as long for a hostile text as for prose of the same size', () => {
    const size = 290_000;
    const texts = [
      'a'.repeat(size),
      'a '.repeat(size / 2),
      '1 '.repeat(size / 2),
      'risk free '.repeat(size / 10),
      '保本'.repeat(size / 2),
      'x@'.repeat(size / 2),
      'guaranteed '.repeat(size / 11),
      '+1 ('.repeat(size / 4),
      '\u0000'.repeat(size),
      '👩‍👩‍👧‍👦'.repeat(size / 12),
      'ﷺ'.repeat(size),
      'a\u0301'.repeat(size / 2),
      '12'.repeat(size / 2),
      'www.'.repeat(size / 4),
    ];
    const phrases = Array.from({ length: 500 }, (_, index) => ({
      phrase: `${'a '.repeat(49 - (index % 40))}${index}`,
    }));
    // The least of several runs: another program can make a run slower, and none faster.
    const least = (text: string) =>
      Math.min(
        ...[1, 2].map(() => {
          const start = process.cpuUsage();
          check({ text, domain: 'finance', phrases });
          const { user, system } = process.cpuUsage(start);
          return user + system;
        }),
      );
    const prose = least('The saloon was bought new in 2017 and was serviced every year. '.repeat(size / 63));
    for (const text of texts) expect(least(text) / prose, JSON.stringify(text.slice(0, 12))).toBeLessThan(5);
  });
});
