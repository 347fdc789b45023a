import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readTraining, trainClassifier } from '../../scripts/train-risk.ts';
import { atOnce } from '../../src/base/slices.ts';
import { CheckRiskRequestSchema } from '../../src/gen/intelligence/workflow/v1/risk_pb.ts';
import type { Severity } from '../../src/workflows/checks/checks.ts';
import { resembling, withTalk } from '../../src/workflows/families/passages.ts';
import { riskFamily } from '../../src/workflows/families/risk.ts';
import { classifiers } from '../../src/workflows/families/risk-assessment.ts';
import { withModelFindings } from '../../src/workflows/families/risk-evidence.ts';
import { worded } from '../../src/workflows/families/risk-words.ts';
import type { Spotted } from '../../src/workflows/families/spotted.ts';
import { readPack } from '../../src/workflows/packs/read.ts';
import { type RiskCategory, riskCategories } from '../../src/workflows/packs/risk-categories.ts';
import { classifierFile, classifierLanguages, type RiskClassifier } from '../../src/workflows/packs/risk-classifier.ts';
import { type RiskMessages, readRiskMessages } from '../../src/workflows/packs/risk-messages.ts';
import { unclearId } from '../../src/workflows/packs/risk-pack.ts';
import { classify, lengthBonus, passagesOf, scoresOf } from '../../src/workflows/text/classifier/index.ts';
import { tokensOf } from '../../src/workflows/text/signs/index.ts';
import { ask } from './ask.ts';

const english = classifiers.get('en') as RiskClassifier;
const check = (text: string, request: object = {}) => ask(riskFamily, CheckRiskRequestSchema, { text, ...request });
const words = fc.array(fc.constantFrom('the', 'parcel', 'pay', 'card', 'garden', 'now', 'gold', '12', 'we', 'send'), {
  minLength: 1,
  maxLength: 90,
});
const texts = fc.array(words, { minLength: 1, maxLength: 12 }).map((all) => all.map((one) => one.join(' ')).join('. '));

describe('the passages of a text', () => {
  it('hold all its words once, in order, at most 60 each', () => {
    fc.assert(
      fc.property(texts, (text) => {
        const { tokens } = tokensOf(text);
        const spans = passagesOf(tokens);
        expect(spans.flatMap(({ from, to }) => tokens.slice(from, to))).toEqual(tokens);
        for (const { from, to } of spans) expect(to - from).toBeLessThanOrEqual(60);
      }),
      { numRuns: 300 },
    );
  });

  it('break a sentence only if it is too long itself', () => {
    fc.assert(
      fc.property(texts, (text) => {
        const { tokens } = tokensOf(text);
        const length = (sentence: number) => tokens.filter((one) => one.sentence === sentence).length;
        for (const { to } of passagesOf(tokens))
          if (to < tokens.length && tokens[to]?.sentence === tokens[to - 1]?.sentence)
            expect(length(tokens[to]?.sentence as number)).toBeGreaterThan(60);
      }),
      { numRuns: 100 },
    );
  });
});

describe('the classifier', () => {
  const harmful =
    'You need to move your savings to the safe account that we opened for you, tell nobody at the branch, the investigation is secret.';
  const harmless =
    'The committee met on Tuesday evening and thanked the volunteers for the summer fair. The new benches arrived and stand beside the pond. Rain is expected at the weekend, so bring boots and a spare jumper.';

  it('reports the sentence that a passage rests on, at its place, with the category and never above medium', () => {
    const { findings, riskLevel, basis, assessment } = check(harmful);
    const found = findings.filter(({ source }) => source === 'classifier');
    expect(found).toHaveLength(1);
    const [{ phrase, start, end, severity, category }] = found as [(typeof found)[number]];
    expect([...harmful].slice(start, end).join('')).toBe(phrase);
    expect([severity, riskLevel]).toEqual(['medium', 'medium']);
    expect(category).toBe('impersonation');
    expect(basis?.packVersion).toContain(english.label);
    expect(assessment?.packs).toContain(english.label);
  });

  it('names the sentence that adds most to the score, wherever in the passage it is', () => {
    const other = 'Rain is expected at the weekend, so bring boots and a spare jumper.';
    for (const text of [`${harmful} ${other}`, `${other} ${harmful}`]) {
      const [passage] = atOnce(classify(tokensOf(text), { ...english, likelyFrom: -99 }));
      expect(text.slice(passage?.resembles?.start, passage?.resembles?.end)).toBe(harmful.slice(0, -1));
    }
  });

  it('finds it again inside a long text, in which it would drown', () => {
    const long = `${harmless} `.repeat(3) + harmful + ` ${harmless}`.repeat(3);
    const places = (text: string) =>
      atOnce(classify(tokensOf(text), { ...english, likelyFrom: -Math.log(40) })).flatMap(({ resembles }) =>
        resembles ? [text.slice(resembles.start, resembles.end)] : [],
      );
    expect(places(long).some((one) => harmful.startsWith(one.slice(0, 30)))).toBe(true);
  });

  it('must be the surer the more passages a text has', () => {
    const text = `${harmful} ${harmless} ${harmless}`;
    const { length } = passagesOf(tokensOf(text).tokens);
    const flagged = (likelyFrom: number, of: string) =>
      atOnce(classify(tokensOf(of), { ...english, likelyFrom })).filter(({ resembles }) => resembles).length;
    // The highest threshold at which the text is still found, by halving.
    const limitOf = (of: string) => {
      let [low, high] = [-20, 20];
      for (let round = 0; round < 40; round++) {
        const middle = (low + high) / 2;
        if (flagged(middle, of) > 0) low = middle;
        else high = middle;
      }
      return low;
    };
    const first = passagesOf(tokensOf(text).tokens)[0] as { from: number; to: number };
    const { tokens } = tokensOf(text);
    const alone = text.slice(tokens[first.from]?.start, tokens[first.to - 1]?.end);
    expect(length).toBeGreaterThan(1);
    expect(limitOf(alone) - limitOf(text)).toBeCloseTo(Math.log(length), 6);
  });

  it('must be the surer the fewer words a passage has', () => {
    const bonusOf = (to: number) => lengthBonus({ from: 0, to }, 0.3);
    expect(bonusOf(20)).toBe(0);
    expect(bonusOf(10)).toBeCloseTo(-bonusOf(40), 6);
    expect(bonusOf(10)).toBeLessThan(0);
    // At the same score a passage of 20 words is found where one of 10 is not.
    const short = tokensOf('Your parcel waits. Settle the release charge with us right now.');
    const span = { from: 0, to: short.tokens.length };
    const [score] = scoresOf(english.harmful, short.tokens, span) as [number];
    const isFound = (likelyFrom: number) =>
      atOnce(classify(short, { ...english, likelyFrom, lengthWeight: 0.3 }))[0]?.resembles !== undefined;
    expect(isFound(score)).toBe(false);
    expect(isFound(score + lengthBonus(span, 0.3) - 0.001)).toBe(true);
  });

  it('says in the reader’s language that it is no proof', () => {
    const reasons = ['en', 'de', 'es', 'fr'].map((locale) => {
      const found = check(harmful, { locale }).findings.find(({ source }) => source === 'classifier');
      return found?.reason ?? '';
    });
    expect(new Set(reasons).size).toBe(4);
    expect(reasons[0]).toBe('It reads like impersonation; nothing in it is proof.');
    for (const reason of reasons) expect(reason).not.toContain('{');
  });

  const unclear = 'Driver wanted, some crates across town at night, 1000 a run, nobody needs to know.';

  it.each([
    ['en', 'The risk is medium: it reads like harmful texts, of which kind is not clear.'],
    ['de', 'Das Risiko ist mittel: Der Wortlaut ähnelt schädlichen Texten, die Art ist unklar.'],
    ['es', 'El riesgo es medio: se parece a textos dañinos, sin que esté claro de qué tipo.'],
    ['fr', 'Niveau de risque : moyen. Cela ressemble à des textes nuisibles, sans que le genre soit clair.'],
  ])('says of what kind a text is only if that is clear (%s)', (locale, summary) => {
    const { findings, nextBestAction, ...reply } = check(unclear, { locale });
    const [{ reason, suggestion, source, category } = { reason: '', suggestion: '', source: '', category: '' }] =
      findings;
    expect([reply.summary, findings.length, source]).toEqual([summary, 1, 'classifier']);
    expect(nextBestAction).toBe(suggestion);
    const messages = readRiskMessages().get(locale as 'en');
    expect(suggestion).toBe(messages?.unclear.action);
    expect(reason).toContain(messages?.categories[category as RiskCategory].name);
    expect(reply.basis?.checks.map(({ id }) => id)).toEqual([unclearId(category as RiskCategory)]);
  });

  it('names no unclear category beside what a model found', () => {
    const found = { phrase: 'crates', start: 20, end: 26, category: 'weapons', severity: 'high', reason: 'r' };
    const finding = { ...found, suggestion: 's', source: 'model', pack: '' };
    const { summary } = withModelFindings(check(unclear), [finding], 'en');
    expect(summary).toBe('The risk is high: signs of weapons.');
  });

  it('helps first whoever may be in danger, clear or not', () => {
    const { entries, unclearEntries } = english;
    const at = unclearEntries.findIndex(({ category }) => category === 'self_harm');
    const messages = readRiskMessages().get('en') as RiskMessages;
    const passage = { start: 0, end: 9, isTalk: false, resembles: { category: at, isClear: false, start: 0, end: 9 } };
    const [one] = worded(resembling([], [passage], { entries, unclearEntries }), messages);
    expect(one?.entry.suggestion).toBe(messages.categories.self_harm.action);
    expect(one?.entry.reason).toContain('the kind is not clear');
  });

  it('judges no text that is too short, and none in a language it was not trained on', () => {
    expect(atOnce(classify(tokensOf('Settle the charge below now.'), { ...english, likelyFrom: -99 }))).toEqual([
      { start: 0, end: 27, isTalk: false, resembles: undefined },
    ]);
    expect(check('Zapłać opłatę za przesyłkę na stronie poniżej, inaczej wróci do nadawcy.').assessment?.packs).toEqual(
      [],
    );
  });
});

describe('what passages change', () => {
  const spotted = (severity: Severity, start: number): Spotted => ({
    entry: { id: 'phishing', category: 'phishing', severity, reason: 'r', suggestion: 's' },
    start,
    end: start + 5,
    source: 'rules',
  });
  const talk = { start: 0, end: 50, isTalk: true, resembles: undefined };
  const scam = { start: 60, end: 120, isTalk: false, resembles: { category: 2, isClear: true, start: 60, end: 90 } };

  it('reports a finding in talk about the matter as low, but not a critical one', () => {
    const severities = (['info', 'low', 'medium', 'high', 'critical'] as const).map(
      (severity) => withTalk([spotted(severity, 10)], [talk, scam])[0]?.entry.severity,
    );
    expect(severities).toEqual(['info', 'low', 'low', 'low', 'critical']);
    expect(withTalk([spotted('high', 70)], [talk, scam])[0]?.entry.severity).toBe('high');
    expect(withTalk([spotted('high', 55)], [talk, scam])[0]?.entry.severity).toBe('high');
  });

  it('lowers nothing of whoever looks for what is forbidden', () => {
    const one = spotted('medium', 10);
    const sought = { ...one, entry: { ...one.entry, isSeeker: true } } as const;
    expect(withTalk([sought], [talk, scam])[0]?.entry.severity).toBe('medium');
  });

  it('adds a finding only where nothing as grave was found', () => {
    const added = (found: Spotted[]) =>
      resembling(found, [talk, scam], english).map(({ start, entry }) => [start, entry.category]);
    expect(added([])).toEqual([[60, riskCategories[2]]]);
    expect(added([spotted('low', 70), spotted('high', 10)])).toHaveLength(1);
    expect(added([spotted('medium', 70)])).toEqual([]);
  });
});

describe('the files of the classifiers', () => {
  it('take no threshold from a development file of a handful of texts', () => {
    const { development } = readTraining('fr');
    const known = new Set(development.map(({ text }) => text));
    for (const [file, counts] of [
      ['fr.dev-c.jsonl', true],
      ['fr.dev-e.jsonl', false],
    ] as const) {
      const rows = readFileSync(new URL(`../evaluation/risk/${file}`, import.meta.url), 'utf8')
        .trim()
        .split('\n');
      expect(rows.every((line) => known.has((JSON.parse(line) as { text: string }).text))).toBe(counts);
    }
  });

  it.each(classifierLanguages)('%s was trained on the corpus that is here', (language) => {
    const { card } = readPack(`risk/classifier/${language}.json`, classifierFile);
    const { corpus, development } = readTraining(language);
    expect(createHash('sha256').update(corpus).digest('hex')).toBe(card.corpus);
    const known = new Set(development.map(({ text }) => text));
    const rows = corpus
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { text: string; labels: { category: string; quote: string }[] });
    expect(rows.filter(({ text }) => known.has(text))).toEqual([]);
    for (const { text, labels } of rows)
      for (const { category, quote } of labels) {
        expect(riskCategories, text).toContain(category);
        expect(text).toContain(quote);
      }
  });

  it('are what training makes of it, to the byte', { timeout: 300_000 }, () => {
    const { corpus, development } = readTraining('es');
    const kept = readPack('risk/classifier/es.json', classifierFile);
    expect(trainClassifier('es', corpus, development, kept.version)).toEqual(kept);
  });
});
