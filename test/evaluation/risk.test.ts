import { describe, expect, it } from 'vitest';
import { riskCategories } from '../../src/workflows/packs/risk-categories.ts';
import { fallen, measure, readBaseline, readCorpus } from './measure.ts';

describe('the evaluation of the risk check', () => {
  const heldOut = readCorpus('held-out');

  it('has at least 1,200 texts in ten languages, half of them harmless, with labels of the closed list', () => {
    const all = [...readCorpus('dev'), ...heldOut];
    expect(all.length).toBeGreaterThanOrEqual(1200);
    expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
    expect(new Set(all.map(({ language }) => language)).size).toBe(10);
    const harmless = all.filter(({ labels }) => labels.length === 0).length / all.length;
    expect(harmless).toBeGreaterThan(0.45);
    for (const { id, text, labels } of all)
      for (const { category, quote } of labels) {
        expect(riskCategories, id).toContain(category);
        expect(text.includes(quote), id).toBe(true);
      }
  });

  it('does not fall on the held-out third', () => {
    expect(fallen(measure(heldOut), readBaseline()['held-out'])).toEqual([]);
  });

  // The short packs' texts are mostly by the packs' own author, so these limits guard against loss and tell no quality.
  it.each(['ar', 'ka', 'pt', 'ru', 'tr', 'zh'])('keeps what the short packs find (%s)', (language) => {
    const figures = measure(heldOut.filter((row) => row.language === language)).languages[language];
    expect(figures?.falselyCritical).toBe(0);
    expect(figures?.precision).toBeGreaterThanOrEqual(0.9);
    expect(figures?.recall).toBeGreaterThanOrEqual(0.85);
  });

  it('tells when it falls', () => {
    const before = readBaseline()['held-out'];
    const en = before.languages.en;
    if (!en) throw new Error('no figures of English');
    const worse = { ...before, languages: { ...before.languages, en: { ...en, recall: en.recall - 0.05 } } };
    expect(fallen(worse, before)).toHaveLength(1);
  });
});
