// Generates src/gen/languages.bin: what the package `eld` knows of 60 languages, as lists of numbers. Its own module is an object of 80,000
// objects, which every collection of the heap would visit.
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { avgScore } from '../node_modules/eld/src/avgScore.js';
import { dictionary } from '../node_modules/eld/src/dictionary.js';
import { ngramsData } from '../node_modules/eld/src/ngrams/small.js';
import { separators } from '../node_modules/eld/src/regexPatterns.js';
import { flatFile } from './flat-file.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const codes = Object.values(ngramsData.languages);
const ngrams = Object.entries(ngramsData.ngrams);
const scores = ngrams.flatMap(([, byLanguage]) => Object.entries(byLanguage).map(([, score]) => score));
if (scores.some((score) => !Number.isInteger(score) || score < 0 || score > 0xff))
  throw new Error('eld has a score that is no byte');

writeFileSync(
  join(root, 'src', 'gen', 'languages.bin'),
  flatFile(
    {
      keys: Buffer.from(ngrams.map(([ngram]) => ngram).join(''), 'latin1'),
      keyStarts: startsOf(ngrams.map(([ngram]) => ngram)),
      languages: Uint8Array.from(ngrams.flatMap(([, byLanguage]) => Object.keys(byLanguage).map(Number))),
      scores: Uint8Array.from(scores),
      scoreStarts: startsOf(ngrams.map(([, byLanguage]) => Object.keys(byLanguage))),
      /** The letter that stands for each byte of UTF-8; those of ASCII stand for themselves. */
      letterOfByte: Buffer.from(
        dictionary.map((letter, byte) => (byte < 0x80 ? String.fromCharCode(byte) : letter)).join(''),
        'latin1',
      ),
      /** For each UTF-16 unit, whether it is a letter. */
      isLetter: Uint8Array.from({ length: 0x10000 }, (_, unit) => (isLetter(String.fromCharCode(unit)) ? 1 : 0)),
    },
    { source: 'eld 2.1.0, (c) Nito T.M., Apache-2.0', codes, usualScores: codes.map((code) => avgScore[code]) },
  ),
);

/** Where each of some texts or lists starts when they are joined, and where the last one ends. */
function startsOf(parts) {
  const starts = new Uint32Array(parts.length + 1);
  for (const [index, { length }] of parts.entries()) starts[index + 1] = starts[index] + length;
  return starts;
}

function isLetter(unit) {
  // An apostrophe separates words only in some places.
  return !"'`\u2019".includes(unit) && unit.replace(separators, '') !== '';
}
