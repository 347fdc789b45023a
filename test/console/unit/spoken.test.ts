import { expect, test } from 'vitest';
import { languageOf } from '../../../console/src/pages/workflows/spoken.ts';

test.each([
  ['en', 'The price is missing. Say within how many days it can be given back.'],
  ['de', 'Der Preis fehlt und ist nicht zu erkennen. Nennen Sie das Jahr der ersten Zulassung.'],
  ['es', 'Falta el precio. Diga en cuántos días se devuelve y por qué medio, con una fecha.'],
  ['fr', 'Le prix manque. Dites dans quel délai le retour est possible, et avec quels frais.'],
  ['', 'IBAN 48213'],
  ['', ''],
])('what is said in "%s" is known by its common words: %s', (language, text) => {
  expect(languageOf([undefined, ...text.split('. ')])).toBe(language);
});
