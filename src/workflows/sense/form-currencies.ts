/** A currency as forms name it: its code, its signs and what it is called, folded, and the countries that pay in it. What amounts are compared in is in families/money-units.ts. */
interface Currency {
  code: string;
  signs: readonly string[];
  countries: readonly string[];
}

const currency = (code: string, signs: string, countries: string): Currency => ({
  code,
  signs: [code.toLowerCase(), ...signs.split(' ')],
  countries: countries.split(' '),
});

const currencies: readonly Currency[] = [
  currency('EUR', '€ euro euros', 'AT BE CY DE EE ES FI FR GR HR IE IT LT LU LV MC MT NL PT SI SK SM VA XK ME AD'),
  currency('CHF', 'fr fr. sfr franken francs', 'CH LI'),
  currency('GBP', '£ pounds', 'GB'),
  currency('USD', '$ us$ dollars', 'US EC PA PR SV'),
  currency('CAD', '$ ca$ can$ dollars', 'CA'),
  currency('AUD', '$ a$ au$ dollars', 'AU'),
  currency('NZD', '$ nz$ dollars', 'NZ'),
  currency('MXN', '$ mx$ pesos m.n.', 'MX'),
  currency('ARS', '$ ar$ pesos', 'AR'),
  currency('CLP', '$ clp$ pesos', 'CL'),
  currency('COP', '$ pesos', 'CO'),
  currency('UYU', '$ $u pesos', 'UY'),
  currency('PEN', 's/ s/. soles', 'PE'),
];

const ofLanguages: Readonly<Record<string, readonly string[]>> = {
  de: ['EUR', 'CHF'],
  en: ['GBP', 'USD', 'EUR'],
  es: ['EUR', 'USD'],
  fr: ['EUR', 'CHF'],
};

const written = /^([^\d\s.,+-][^\d\s+-]{0,6})? ?([+-]?\d[\d.,' ]*?) ?([^\d\s.,'+-][^\d\s+-]{0,6})?$/;

/** The amount in a text and the sign beside it, folded; undefined if there is no sign, or one on both sides. */
export function moneyIn(folded: string): { amount: string; sign: string } | undefined {
  const [, before, amount = '', after] = written.exec(folded) ?? [];
  if (amount === '' || (before === undefined) === (after === undefined)) return undefined;
  return { amount, sign: before ?? after ?? '' };
}

/** Whether a sign is that of the currency in which a field asks for an amount: the one it names, or else that of the form's country. */
export function isOwnCurrency(sign: string, words: string, country: string | undefined, language: string): boolean {
  const known = currencies.filter(({ signs }) => signs.includes(sign));
  if (known.length === 0) return false;
  const asked = currencies.filter(({ signs }) => signs.some((one) => words.split(/[\s()[\],:/]+/).includes(one)));
  if (asked.length > 0) return known.some((one) => asked.includes(one));
  const atHome = country === undefined ? [] : currencies.filter(({ countries }) => countries.includes(country));
  if (atHome.length > 0) return known.some((one) => atHome.includes(one));
  return country === undefined && known.some(({ code }) => ofLanguages[language]?.includes(code));
}
