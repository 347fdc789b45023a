import { expect, test } from 'vitest';
import { decodeJudgement, encodeJudgement, type JudgedCheck, type Judgement } from '../../src/outcomes/judgement.ts';
import { effectOf, outcomeClasses, outcomes } from '../../src/outcomes/outcome.ts';
import { judgementText } from '../../src/workflows/judgement.ts';

const judgement: Judgement = {
  family: 'readiness',
  pack: 'listing/generic@3',
  score: 62.5,
  level: 'not_ready',
  checks: [
    { id: 'title-length', outcome: 'passed', weight: 2 },
    { id: 'field-first=name', outcome: 'failed', weight: 1 },
    { id: 'price', outcome: 'failed', weight: 0.125 },
    { id: 'year', outcome: 'skipped', weight: 3 },
  ],
};

test('a judgement comes back as it was kept, but for what is no name', () => {
  const named = judgement.checks.filter(({ id }) => id !== 'field-first=name');
  expect(decodeJudgement(encodeJudgement(judgement))).toEqual({ ...judgement, checks: named });
  const bare = { ...judgement, score: undefined, level: '', checks: [] };
  expect(decodeJudgement(encodeJudgement(bare))).toEqual(bare);
  expect(decodeJudgement('what is this')).toBeUndefined();
});

test('equal checks of judgements that are read together are one object', () => {
  const known = new Map<string, JudgedCheck>();
  const texts = [judgement, { ...judgement, score: 7, checks: judgement.checks.toReversed() }].map(encodeJudgement);
  const [one, other] = texts.map((text) => decodeJudgement(text, known));
  expect(one).toEqual(decodeJudgement(texts[0] ?? ''));
  expect(other).toEqual(decodeJudgement(texts[1] ?? ''));
  expect(other?.checks).toHaveLength(3);
  for (const check of other?.checks ?? []) expect(one?.checks.some((each) => each === check)).toBe(true);
  expect(known.size).toBe(3);
});

test('however large a judgement is, it fits into its column, as ASCII', () => {
  const checks = Array.from({ length: 2_000 }, (_, index) => ({
    id: `check-${index}-${'x'.repeat(60)}`,
    outcome: 'failed' as const,
    weight: 1 / 3,
  }));
  const text = encodeJudgement({ ...judgement, pack: 'пакет'.repeat(1_000), level: 'ß', checks });
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(8_192);
  expect(Buffer.byteLength(text)).toBe(text.length);
  expect(decodeJudgement(text)?.checks.length).toBeGreaterThan(80);
});

test('an error is a failure, and each family has its own score and level', () => {
  const check = (id: string, outcome: string, weight = 1) => ({
    id,
    outcome,
    weight,
    fact: '',
    severity: '',
    message: '',
    action: '',
  });
  const basis = { evaluator: 'rules', model: '', packVersion: 'p@1', note: '' };
  const of = (family: Parameters<typeof judgementText>[0], reply: object, checks = [check('a', 'error')]) =>
    decodeJudgement(judgementText(family, { ...reply, basis: { ...basis, checks } }));
  expect(of('risk', { riskScore: 12, riskLevel: 'low' })).toMatchObject({ score: 12, level: 'low' });
  expect(of('risk', {})?.checks).toEqual([{ id: 'a', outcome: 'failed', weight: 1 }]);
  expect(of('readiness', { readinessScore: 80, ready: true })).toMatchObject({ score: 80, level: 'ready' });
  expect(of('guidance', { completeness: 50, ready: false })).toMatchObject({ score: 50, level: 'not_ready' });
  expect(of('scoring', { overallScore: 71, rating: '' })).toMatchObject({ score: 71, level: 'unrated' });
  const checks = [check('a', 'passed', 3), check('b', 'failed'), check('c', 'skipped', 9)];
  expect(of('custom', {}, checks)).toMatchObject({ score: 75, level: '' });
  expect(of('decision', {})).toMatchObject({ score: undefined, level: '' });
});

test('whatever order reports arrive in, the one that came about last stays', () => {
  const at = (occurredMs: number, outcome: 'sold' | 'fraud') => ({ outcome, occurredMs, value: undefined });
  const reports = [at(1, 'sold'), at(2, 'fraud'), at(3, 'sold')] as const;
  for (const order of [
    [0, 1, 2],
    [0, 2, 1],
    [1, 0, 2],
    [1, 2, 0],
    [2, 0, 1],
    [2, 1, 0],
  ]) {
    let known: ReturnType<typeof at> | undefined;
    for (const index of order) {
      const report = reports[index] as ReturnType<typeof at>;
      const effect = effectOf(known, report);
      if (effect === 'recorded' || effect === 'replaced') known = report;
      expect(effectOf(known, known as ReturnType<typeof at>)).toBe('unchanged');
    }
    expect(known).toEqual(reports[2]);
  }
  expect(effectOf(at(5, 'sold'), { ...at(0, 'sold'), occurredMs: undefined })).toBe('unchanged');
  expect(effectOf(at(5, 'sold'), { ...at(0, 'fraud'), occurredMs: undefined })).toBe('replaced');
  expect(effectOf(at(5, 'sold'), { ...at(5, 'sold'), value: 7n })).toBe('replaced');
});

test('every outcome is of a class', () => {
  expect(new Set(Object.values(outcomeClasses))).toEqual(new Set(['favourable', 'adverse', 'neutral']));
  expect(outcomes).toHaveLength(17);
});
