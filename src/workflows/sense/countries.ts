import countries from 'i18n-iso-countries/index.js';
import de from 'i18n-iso-countries/langs/de.json' with { type: 'json' };
import en from 'i18n-iso-countries/langs/en.json' with { type: 'json' };
import es from 'i18n-iso-countries/langs/es.json' with { type: 'json' };
import fr from 'i18n-iso-countries/langs/fr.json' with { type: 'json' };
import { foldText } from '../../base/text/fold.ts';

// The package's own entry registers the names of 77 languages.
for (const names of [en, de, es, fr]) countries.registerLocale(names);

const languages = ['en', 'de', 'es', 'fr'] as const;

// Names that people use and ISO 3166 does not list, folded and without dots.
const others: Readonly<Record<string, string>> = {
  GB: 'uk|england|scotland|wales|northern ireland|great britain|grossbritannien|gran bretana|grande bretagne|inglaterra|escocia|gales|irlanda del norte|angleterre|ecosse|pays de galles|irlande du nord|schottland|nordirland',
  US: 'usa|america|amerika|etats unis|estados unidos de america|eeuu|ee uu|eua|us of america',
  NL: 'holland|holanda|hollande|niederlanden',
  DE: 'brd|bundesrepublik deutschland|federal republic of germany|alemania federal',
  AT: 'oesterreich|republik osterreich',
  CZ: 'tschechien|czechia|chequia|tchequie',
  KR: 'korea|corea|coree|corea del sur|sudkorea|coree du sud',
  CD: 'dr congo|rd congo|rdc|dr kongo|congo kinshasa',
  AE: 'uae|vae|eau|emiratos arabes|emirats|emirates|emirate',
  BY: 'weissrussland|bielorusia',
  TZ: 'tanzanie',
  SY: 'syria|siria|syrien|syrie',
  MD: 'moldova',
  MK: 'macedonia|mazedonien|macedoine',
  MM: 'burma|birma|birmania|birmanie',
  MO: 'macau',
  MX: 'mejico',
  SA: 'arabia saudi',
  VA: 'vaticano|vatikan|vatican',
  VN: 'viet nam',
  XK: 'kosovo|xk',
};

// Signs of vehicles, which are written on letters, too: "A-8010 Graz".
const signs: Readonly<Record<string, string>> = {
  ...{ a: 'AT', b: 'BE', d: 'DE', e: 'ES', f: 'FR', fl: 'LI', h: 'HU', i: 'IT', l: 'LU', n: 'NO', p: 'PT', s: 'SE' },
};

const codes: ReadonlyMap<string, string> = new Map([
  ...languages.flatMap((language) =>
    Object.entries(countries.getNames(language, { select: 'all' })).flatMap(([code, names]) =>
      [names].flat().map((name) => [foldText(name), code] as const),
    ),
  ),
  ...Object.entries(countries.getAlpha2Codes()).map(([code]) => [code.toLowerCase(), code] as const),
  ...Object.entries(countries.getAlpha3Codes()).map(([three, two]) => [three.toLowerCase(), two] as const),
  ...Object.entries(others).flatMap(([code, names]) => names.split('|').map((name) => [name, code] as const)),
  ...Object.entries(signs),
]);

const article = /^(?:the|die|der|den|el|los|la|le|les) |^l'/;

/**
 * The ISO 3166 code of a country: from its two- or three-letter code or its name in English, German, Spanish or French.
 * Undefined for anything else.
 */
export function countryCodeOf(text: unknown): string | undefined {
  if (typeof text !== 'string' || text.length > 100) return undefined;
  const folded = foldText(text);
  return codes.get(folded) ?? codes.get(folded.replaceAll('.', '').replace(article, '').trim());
}
