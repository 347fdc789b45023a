import countries from 'i18n-iso-countries/index.js';
import de from 'i18n-iso-countries/langs/de.json' with { type: 'json' };
import en from 'i18n-iso-countries/langs/en.json' with { type: 'json' };
import es from 'i18n-iso-countries/langs/es.json' with { type: 'json' };
import fr from 'i18n-iso-countries/langs/fr.json' with { type: 'json' };
import { foldText } from '../../base/text/fold.ts';

// The package's own entry registers the names of 77 languages.
for (const names of [en, de, es, fr]) countries.registerLocale(names);

const languages = ['en', 'de', 'es', 'fr'] as const;

// Names that people use and ISO 3166 does not list.
const others: Readonly<Record<string, string>> = {
  uk: 'GB',
  england: 'GB',
  scotland: 'GB',
  wales: 'GB',
  'northern ireland': 'GB',
  'great britain': 'GB',
  grossbritannien: 'GB',
  'gran bretana': 'GB',
  'grande bretagne': 'GB',
  usa: 'US',
  holland: 'NL',
  holanda: 'NL',
  kosovo: 'XK',
  xk: 'XK',
  tschechien: 'CZ',
  czechia: 'CZ',
};

const codes: ReadonlyMap<string, string> = new Map([
  ...languages.flatMap((language) =>
    Object.entries(countries.getNames(language, { select: 'all' })).flatMap(([code, names]) =>
      [names].flat().map((name) => [foldText(name), code] as const),
    ),
  ),
  ...Object.entries(countries.getAlpha2Codes()).map(([code]) => [code.toLowerCase(), code] as const),
  ...Object.entries(countries.getAlpha3Codes()).map(([three, two]) => [three.toLowerCase(), two] as const),
  ...Object.entries(others),
]);

/**
 * The ISO 3166 code of a country: from its two- or three-letter code or its name in English, German, Spanish or French.
 * Undefined for anything else.
 */
export function countryCodeOf(text: unknown): string | undefined {
  if (typeof text !== 'string' || text.length > 100) return undefined;
  return codes.get(foldText(text).replace(/^the /, ''));
}
