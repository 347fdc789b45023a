import { describe, expect, test } from 'vitest';
import { calibrate, type JudgedOutcome } from '../../src/outcomes/calibration/calibrate.ts';
import { newcombe, wilson } from '../../src/outcomes/calibration/intervals.ts';
import { areaUnderCurve, fitLogistic } from '../../src/outcomes/calibration/logistic.ts';
import type { JudgedCheck } from '../../src/outcomes/judgement.ts';

describe('intervals', () => {
  // The figures are those of Newcombe's papers of 1998 (table I of each).
  test('Wilson’s of one rate', () => {
    const rounded = ({ low, high }: { low: number; high: number }) => [low.toFixed(4), high.toFixed(4)];
    expect(rounded(wilson(81, 263))).toEqual(['0.2553', '0.3662']);
    expect(rounded(wilson(15, 148))).toEqual(['0.0624', '0.1605']);
    expect(rounded(wilson(0, 20))).toEqual(['0.0000', '0.1611']);
    expect(rounded(wilson(1, 29))).toEqual(['0.0061', '0.1718']);
  });

  test('Newcombe’s of a difference', () => {
    const rounded = ({ low, high }: { low: number; high: number }) => [low.toFixed(4), high.toFixed(4)];
    expect(rounded(newcombe({ hits: 56, n: 70 }, { hits: 48, n: 80 }))).toEqual(['0.0524', '0.3339']);
    expect(rounded(newcombe({ hits: 9, n: 10 }, { hits: 3, n: 10 }))).toEqual(['0.1705', '0.8090']);
    expect(rounded(newcombe({ hits: 10, n: 10 }, { hits: 0, n: 20 }))).toEqual(['0.6791', '1.0000']);
  });
});

describe('a logistic regression', () => {
  test('of one feature has the odds ratio of its table, shrunk a little', async () => {
    // 300 of 400 with the feature are adverse, and 100 of 400 without: log odds 1.0986 and -1.0986.
    const sample = (on: boolean, adverse: boolean, count: number) =>
      Array.from({ length: count }, () => ({ features: on ? [0] : [], adverse }));
    const samples = [
      ...sample(true, true, 300),
      ...sample(true, false, 100),
      ...sample(false, true, 100),
      ...sample(false, false, 300),
    ];
    const [beta = 0, intercept = 0] = await fitLogistic(samples, 1);
    expect(beta).toBeGreaterThan(2.1);
    expect(beta).toBeLessThan(2.1972);
    expect(intercept).toBeCloseTo(-1.0986, 1);
  });

  test('has an end where a feature tells all, and where all is alike', async () => {
    const telling = Array.from({ length: 100 }, (_, index) => ({
      features: index < 50 ? [0] : [],
      adverse: index < 50,
    }));
    for (const value of await fitLogistic(telling, 1)) expect(Number.isFinite(value)).toBe(true);
    const alike = Array.from({ length: 100 }, () => ({ features: [0], adverse: true }));
    for (const value of await fitLogistic(alike, 1)) expect(Number.isFinite(value)).toBe(true);
  });

  test('two at one time never compute in the same turn', async () => {
    const turns: Set<string>[] = [new Set()];
    let over = false;
    const next = () => {
      turns.push(new Set());
      if (!over) setImmediate(next);
    };
    setImmediate(next);
    const counted = (name: string) =>
      Array.from({ length: 3_000 }, (_, index) => ({
        adverse: index % 3 === 0,
        get features() {
          // The first sample of a part is taken before its turn.
          if (index % 1_000 > 0) turns.at(-1)?.add(name);
          return [index % 2];
        },
      }));
    await Promise.all(['one', 'other'].map((name) => fitLogistic(counted(name), 2)));
    over = true;
    const busy = turns.filter((names) => names.size > 0);
    expect(busy.length).toBeGreaterThan(12);
    expect(Math.max(...busy.map((names) => names.size))).toBe(1);
  });

  test('the area under the curve counts pairs, ties by half', () => {
    const scored = (adverse: number[], others: number[]) => [
      ...adverse.map((score) => ({ score, adverse: true })),
      ...others.map((score) => ({ score, adverse: false })),
    ];
    expect(areaUnderCurve(scored([3, 4], [1, 2]))).toBe(1);
    expect(areaUnderCurve(scored([1, 2], [3, 4]))).toBe(0);
    expect(areaUnderCurve(scored([1, 1], [1, 1, 1]))).toBe(0.5);
    expect(areaUnderCurve(scored([1, 3], [1, 2]))).toBe(0.625);
    expect(areaUnderCurve(scored([1], []))).toBeUndefined();
  });
});

/** Numbers from 0 to 1, the same in each run. */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296;
    return state / 4_294_967_296;
  };
}

/**
 * Listings of which `photos` foretells what becomes of them and `title` nothing, though `title` weighs nine times as much;
 * `year` is skipped for half of them.
 */
function listings(count: number, pack = 'listing/generic@3'): JudgedOutcome[] {
  const random = randomOf(7);
  return Array.from({ length: count }, (_, index) => {
    const [photos, title, year] = [random() < 0.5, random() < 0.5, random() < 0.5];
    const check = (id: string, passed: boolean, weight: number): JudgedCheck => ({
      id,
      outcome: passed ? 'passed' : 'failed',
      weight,
    });
    const checks = [check('photos', photos, 1), check('title', title, 9), check('always', true, 5)];
    if (year) checks.push({ id: 'year', outcome: 'skipped', weight: 4 });
    else checks.push(check('year', random() < 0.5, 4));
    const score = ((photos ? 1 : 0) + (title ? 9 : 0)) * 10;
    return {
      chargeId: `chg_${index}`,
      judgement: { family: 'readiness', pack, score, level: score >= 70 ? 'ready' : 'not_ready', checks },
      adverse: random() < (photos ? 0.1 : 0.6),
    };
  });
}

describe('a calibration', () => {
  test('has figures that can be counted again', async () => {
    const outcomes = listings(1_000);
    const [report, ...others] = await calibrate(outcomes);
    if (!report) throw new Error('no report');
    expect(others).toEqual([]);
    expect(report).toMatchObject({ family: 'readiness', pack: 'listing/generic@3', outcomes: 1_000, notEnough: '' });
    const adverse = outcomes.filter((one) => one.adverse).length;
    expect(report.adverse).toBe(adverse);
    expect(report.rate).toEqual(wilson(adverse, 1_000));
    expect(report.scores.map(({ from, to }) => [from, to])).toEqual([
      [0, 10],
      [10, 20],
      [90, 100],
    ]);
    expect(report.scores.reduce((sum, band) => sum + band.outcomes, 0)).toBe(1_000);
    expect(report.levels.map(({ level }) => level)).toEqual(['not_ready', 'ready']);
    const [photos] = report.checks;
    expect(photos).toMatchObject({ check: 'photos', foretells: true });
    const failed = outcomes.filter(({ judgement }) => judgement.checks[0]?.outcome === 'failed');
    expect(photos?.whenFailed).toMatchObject({
      outcomes: failed.length,
      adverse: failed.filter((one) => one.adverse).length,
    });
    expect(photos?.difference.value).toBeGreaterThan(0.4);
    expect(report.checks.map(({ check }) => check)).not.toContain('always');
    const year = report.checks.find(({ check }) => check === 'year');
    const applied = outcomes.filter(({ judgement }) => judgement.checks[3]?.outcome !== 'skipped');
    expect((year?.whenFailed.outcomes ?? 0) + (year?.otherwise.outcomes ?? 0)).toBe(applied.length);
  });

  test('proposes weights that would have done better on what they have not seen, and weigh as much in all', async () => {
    const [report] = await calibrate(listings(1_000));
    const reweighing = report?.reweighing;
    if (!reweighing) throw new Error('no weights');
    expect(reweighing.proposedAuc).toBeGreaterThan(reweighing.presentAuc + 0.1);
    const weights = Object.fromEntries(reweighing.weights.map(({ check, proposed }) => [check, proposed]));
    expect(weights.photos).toBeGreaterThan(10);
    expect(weights.title).toBeLessThan(3);
    expect(reweighing.weights.reduce((sum, { proposed }) => sum + proposed, 0)).toBeCloseTo(14, 1);
    expect(reweighing.weights.map(({ check, present }) => [check, present]).sort()).toEqual([
      ['photos', 1],
      ['title', 9],
      ['year', 4],
    ]);
  });

  test('proposes nothing from chance: where nothing foretells, new weights do no better', async () => {
    const random = randomOf(11);
    const outcomes = listings(1_000).map((one) => ({ ...one, adverse: random() < 0.4 }));
    const [report] = await calibrate(outcomes);
    expect(report?.reweighing?.proposedAuc).toBeLessThan(0.56);
    expect(report?.reweighing?.proposedAuc).toBeGreaterThan(0.44);
  });

  test('measures proposed weights on what they have not seen: chance among many checks is not praised', async () => {
    const random = randomOf(3);
    const outcomes = Array.from({ length: 240 }, (_, index): JudgedOutcome => {
      const checks = Array.from({ length: 36 }, (_, at): JudgedCheck => {
        return { id: `check-${at}`, outcome: random() < 0.5 ? 'passed' : 'failed', weight: 1 };
      });
      const judgement = { family: 'readiness', pack: 'p@1', score: 50, level: 'ready', checks };
      return { chargeId: `chg_${index}`, judgement, adverse: random() < 0.4 };
    });
    const [report] = await calibrate(outcomes);
    expect(report?.reweighing?.weights).toHaveLength(36);
    expect(report?.reweighing?.proposedAuc).toBeLessThan(0.6);
  });

  test('says how much is missing rather than figures', async () => {
    const [few] = await calibrate(listings(49));
    expect(few).toMatchObject({ notEnough: 'not enough data: 49 of 50 outcomes', rate: undefined, outcomes: 49 });
    expect([few?.scores, few?.levels, few?.checks, few?.reweighing]).toEqual([[], [], [], undefined]);
    const [some] = await calibrate(listings(199));
    expect(some?.notEnough).toBe('');
    expect(some?.reweighing).toBeUndefined();
    for (const band of some?.scores ?? []) expect(band.rate === undefined).toBe(band.outcomes < 10);
    expect((await calibrate(listings(200)))[0]?.reweighing).toBeDefined();
  });

  test('keeps versions apart, leaves out what is neither, and takes what the risk check does not name for absent', async () => {
    const [old, young] = [listings(60, 'listing/generic@2'), listings(80)];
    const neutral = young.map((one, index) => ({ ...one, adverse: index < 10 ? undefined : one.adverse }));
    const reports = await calibrate([...old, ...neutral]);
    expect(reports.map(({ pack, outcomes, neutral: n }) => [pack, outcomes, n])).toEqual([
      ['listing/generic@3', 70, 10],
      ['listing/generic@2', 60, 0],
    ]);
    const risk = Array.from({ length: 100 }, (_, index): JudgedOutcome => {
      const found = index % 2 === 0;
      const checks: JudgedCheck[] = found ? [{ id: 'wire', outcome: 'failed', weight: 1 }] : [];
      const judgement = {
        family: 'risk',
        pack: 'p@1',
        score: found ? 75 : 0,
        level: found ? 'critical' : 'low',
        checks,
      };
      return { chargeId: `chg_${index}`, judgement, adverse: found };
    });
    const [signs] = await calibrate(risk);
    expect(signs?.checks).toMatchObject([
      { check: 'wire', whenFailed: { outcomes: 50, adverse: 50 }, otherwise: { outcomes: 50, adverse: 0 } },
    ]);
    expect(signs?.reweighing).toBeUndefined();
  });
});
