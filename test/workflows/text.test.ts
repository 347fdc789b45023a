import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { codePointOffsets, fold, foldText, originOf } from '../../src/base/text/fold.ts';
import { countWords } from '../../src/base/text/words.ts';
import { inventedIn, locate, sourceOf } from '../../src/workflows/assist/verify.ts';
import { find, indexPhrases } from '../../src/workflows/text/phrases.ts';

const anyText = fc.string({ unit: 'binary', maxLength: 60 });
const settings = { numRuns: 500 };

describe('folding', () => {
  it('never fails, never grows beyond four units a code point, and knows where each unit came from', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const folded = fold(text);
        expect(folded.length).toBeLessThanOrEqual(text.length * 4);
        for (let at = 1; at < folded.length; at++)
          expect(folded.origins[at]).toBeGreaterThanOrEqual(folded.origins[at - 1] as number);
        if (folded.length > 0) {
          const { start, end } = originOf(folded, 0, folded.length);
          expect(start).toBeLessThan(end);
          expect(end).toBeLessThanOrEqual(text.length);
        }
      }),
      settings,
    );
  });

  it('folds what is folded to itself', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const once = foldText(text);
        expect(foldText(once)).toBe(once);
      }),
      settings,
    );
  });

  it('reads a word through all that nobody sees, and in all forms of its letters', () => {
    const unseen = [
      ...['\u200b', '\u200d', '\u2060', '\ufeff', '\u00ad', '\u202e', '\u034f', '\u0001'],
      ...['\u115f', '\u3164', '\uffa0', '\u17b4', '\u180b', '\ufe0f', '\u{e0101}', '\u{e0041}'],
      ...['\u0336', '\u1ab0', '\u1dc4', '\u20dd', '\u20e3', '\ufe2f'],
    ];
    for (const one of unseen) expect(foldText([...'risk free'].join(one)), JSON.stringify(one)).toBe('risk free');
    const from = (first: number) => (letter: string) => String.fromCodePoint(first + letter.charCodeAt(0) - 0x61);
    for (const first of [0xff41, 0x1d41a, 0x1d68a, 0x24d0, 0x24b6, 0x1f130, 0x1f150, 0x1f170])
      expect(foldText('risk\u2800free'.replace(/[a-z]/g, from(first))), first.toString(16)).toBe('risk free');
  });

  it('folds ASCII at once as it does letter by letter', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary-ascii', maxLength: 60 }), (text) => {
        const { units, length } = fold(text);
        expect(foldText(text)).toBe(String.fromCharCode(...units.subarray(0, length)).trim());
      }),
      settings,
    );
  });

  it('counts code points as a spread string does', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', maxLength: 30 }),
        fc.string({ unit: 'grapheme', maxLength: 30 }),
        (before, after) => {
          const text = before + after;
          expect(codePointOffsets(text, [before.length, text.length])).toEqual([[...before].length, [...text].length]);
        },
      ),
      settings,
    );
  });
});

describe('phrases', () => {
  it('are found wherever they are planted, at their place', () => {
    const index = indexPhrases([{ phrase: 'sure gain*', entry: 'x' }]);
    fc.assert(
      fc.property(
        anyText,
        anyText,
        fc.constantFrom('sure gain', 'SURE  GAINS', 'su\u200bre-gaining', 'ｓｕｒｅ ｇａｉｎ', 'súre gâin'),
        (before, after, planted) => {
          const text = `${before}\n. ${planted} .\n${after}`;
          const matches = find(index, text).map(({ start, end }) => text.slice(start, end));
          expect(matches).toContain(planted);
        },
      ),
      settings,
    );
  });

  it('join parts over up to four words, never over the end of a sentence', () => {
    const index = indexPhrases([{ phrase: 'guarantee* .. profit*', entry: 'x' }]);
    const found = (text: string) => find(index, text).map(({ start, end }) => text.slice(start, end));
    expect(found('We guarantee you a very good profit today.')).toEqual(['guarantee you a very good profit']);
    expect(found('We guarantee one two three four five profit.')).toEqual([]);
    expect(found('We guarantee nothing. Profits vary.')).toEqual([]);
  });

  it('take numbers, and the contrary when it is said', () => {
    const index = indexPhrases([
      { phrase: '# % a day', entry: 'x' },
      { phrase: 'risk free', entry: 'y', unlessNegated: true },
    ]);
    const found = (text: string) => find(index, text).map(({ start, end }) => text.slice(start, end));
    expect(found('Earn 1,250.50 % a day')).toEqual(['1,250.50 % a day']);
    expect(found('It is not risk free. It isn’t risk free. Nothing is without cost: risk-free!')).toEqual([
      'risk-free',
    ]);
  });

  it('respect words in scripts that put no blanks between them', () => {
    const index = indexPhrases([
      { phrase: '零风险', entry: 'x' },
      { phrase: 'ไม่มีความเสี่ยง', entry: 'y' },
    ]);
    expect(find(index, '这是零风险的产品')).toHaveLength(1);
    expect(find(index, 'การลงทุนนี้ไม่มีความเสี่ยงเลย')).toHaveLength(1);
  });

  it('are counted by words in every script', () => {
    expect(countWords("It's a well-known fact.")).toBe(4);
    expect(countWords('这是一个测试')).toBeGreaterThanOrEqual(3);
    expect(countWords('สวัสดีครับ')).toBeGreaterThanOrEqual(1);
    expect(countWords('👩‍👩‍👧‍👦 !!')).toBe(0);
  });
});

describe('what a model may say', () => {
  const source = sourceOf('Price 1,250.00 EUR until 3 May, write to ana@example.com', '{"score":41.3}');

  it('holds when numbers and addresses come from the source, however they are written', () => {
    expect(inventedIn('1250 EUR until 03 May; the score is 41,30. Ask ANA@example.com.', source)).toEqual([]);
    expect(inventedIn('1251 EUR; ask bob@example.com or https://x.example/a', source)).toEqual([
      '1251',
      'bob@example.com',
      'https://x.example/a',
    ]);
  });

  it('is located as risk phrases are', () => {
    expect(locate('We are Rísk-Free now', 'risk free')).toEqual({ start: 7, end: 16 });
    expect(locate('brisk freeway', 'risk free')).toBeUndefined();
  });
});
