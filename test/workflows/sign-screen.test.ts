import { describe, expect, it } from 'vitest';
import { atOnce } from '../../src/base/slices.ts';
import { tokensOf } from '../../src/workflows/text/signs/index.ts';
import { readHits } from '../../src/workflows/text/signs/match.ts';
import { createCompiler } from '../../src/workflows/text/signs/patterns.ts';
import { createScreen } from '../../src/workflows/text/signs/screen.ts';

/** Which of these patterns a text is searched for, and from how many different words. */
function screened(patterns: readonly string[], text: string) {
  const compiler = createCompiler();
  compiler.defineClass('pay', ['pay', 'wire', 'send money']);
  const rules = patterns.map((pattern) => compiler.compile(pattern));
  const words = atOnce(readHits(tokensOf(text), compiler.lexicon));
  const { rules: wanted, starts } = createScreen(rules, compiler.sequences, compiler.atomsEnd())(words);
  return { wanted: wanted.map((rule) => patterns[rule]), starts: starts.size };
}

describe('the rules that a text is searched for', () => {
  it('are those whose words all occur in it, wherever', () => {
    const all = ['gift card & code', 'gift card & bank', 'card gift', 'card .. number', '@pay && code', 'code'];
    const { wanted } = screened(all, 'Send money now. The code of the gift card.');
    expect(wanted).toEqual(['gift card & code', 'card gift', '@pay && code', 'code']);
  });

  it('do not need optional words, nor those that must be absent', () => {
    const all = ['buy ?the card', 'card ! shop', 'card !! code', 'shop ! card'];
    expect(screened(all, 'Buy card codes: code').wanted).toEqual(['buy ?the card', 'card ! shop', 'card !! code']);
  });

  it('need one of the alternatives of a word, a beginning, an end or a number', () => {
    const all = ['bank|post account', 'transf* #', '*konto', 'bank|post office'];
    expect(screened(all, 'Post: transfer 20 to my account, Girokonto').wanted).toEqual(all.slice(0, 3));
  });

  it('are none in a text of other words, which is then not searched at all', () => {
    expect(screened(['gift card & code', 'card number'], 'A number of codes')).toEqual({ wanted: [], starts: 0 });
  });

  it('leave the words of all other rules out of the search', () => {
    const { starts } = screened(
      ['gift card', 'bank & account', 'number & code'],
      'The bank has the gift, card, number',
    );
    expect(starts).toBe(1);
  });
});
