import type { FactPattern, FactReader } from './patterns/pattern.ts';
import { amountOf, numeral } from './plain-text.ts';

// Facts whose values are dates or names from a list, which a pattern of numbers and units cannot read.

const makesAsWritten =
  'Abarth|Alfa Romeo|Alpine|Aston Martin|Audi|Bentley|BMW|BYD|Cadillac|Chevrolet|Chrysler|Citroën|Cupra|Dacia|Daewoo|Daihatsu|Dodge|DS|Ducati|Ferrari|Fiat|Ford|Genesis|GMC|Harley-Davidson|Honda|Hyundai|Infiniti|Isuzu|Iveco|Jaguar|Jeep|Kawasaki|Kia|KTM|Lada|Lamborghini|Lancia|Land Rover|Lexus|Lincoln|Lotus|MAN|Maserati|Mazda|Mercedes-Benz|MG|Mini|Mitsubishi|Nissan|Opel|Peugeot|Piaggio|Polestar|Porsche|Ram|Renault|Rolls-Royce|Saab|Scania|Seat|Škoda|Smart|SsangYong|Subaru|Suzuki|Tesla|Toyota|Triumph|Vauxhall|Vespa|Volkswagen|Volvo|Yamaha';
const brandsAsWritten =
  'Acer|AEG|Amazon|AMD|Anker|Apple|Asus|Balay|Bang & Olufsen|Beko|Bosch|Bose|Braun|Brother|Canon|Casio|Dell|De’Longhi|DJI|Dyson|Electrolux|Epson|Fairphone|Fitbit|Fujifilm|Garmin|Gigabyte|Google|Gorenje|GoPro|Grundig|Haier|Hisense|HP|Indesit|Huawei|JBL|Jura|Kärcher|KitchenAid|Krups|Leica|Lenovo|LG|Liebherr|Logitech|Makita|Marshall|Medion|Microsoft|Miele|Motorola|Moulinex|MSI|Neff|Nikon|Nintendo|Nokia|Nothing|Oculus|OnePlus|Oppo|Panasonic|Philips|Razer|Realme|Roborock|Rowenta|Samsung|Seagate|Sennheiser|Siemens|Smeg|Sonos|Sony|Steam|TCL|Toshiba|Vorwerk|Western Digital|Whirlpool|Xiaomi|Yamaha|Zanussi';

/** Names by the form in which they are found in a text without capitals and accents. */
function names(asWritten: string, others: Readonly<Record<string, string>>): ReadonlyMap<string, string> {
  const bare = (name: string) => name.normalize('NFD').replace(/\p{M}/gu, '').replace('’', "'").toLowerCase();
  return new Map([...asWritten.split('|').map((name) => [bare(name), name] as const), ...Object.entries(others)]);
}

// Products and abbreviations that identify a maker.
const makes = names(makesAsWritten, {
  vw: 'Volkswagen',
  mercedes: 'Mercedes-Benz',
  benz: 'Mercedes-Benz',
  alfa: 'Alfa Romeo',
  'range rover': 'Land Rover',
  chevy: 'Chevrolet',
  'harley davidson': 'Harley-Davidson',
  'rolls royce': 'Rolls-Royce',
});
const brands = names(brandsAsWritten, {
  iphone: 'Apple',
  ipad: 'Apple',
  macbook: 'Apple',
  imac: 'Apple',
  airpods: 'Apple',
  'apple watch': 'Apple',
  galaxy: 'Samsung',
  pixel: 'Google',
  playstation: 'Sony',
  ps4: 'Sony',
  ps5: 'Sony',
  xbox: 'Microsoft',
  surface: 'Microsoft',
  thinkpad: 'Lenovo',
  ideapad: 'Lenovo',
  kindle: 'Amazon',
  redmi: 'Xiaomi',
  thermomix: 'Vorwerk',
  delonghi: 'De’Longhi',
  quietcomfort: 'Bose',
});

/** Names that are also words: they count only at the beginning of the text or of a line. */
const words = new Set([
  'mini',
  'smart',
  'man',
  'ram',
  'ds',
  'seat',
  'steam',
  'nothing',
  'surface',
  'galaxy',
  'pixel',
  'triumph',
  'mg',
  'alpine',
  'genesis',
  'lotus',
  'ford',
]);

function oneOfNames(known: ReadonlyMap<string, string>): Pick<FactPattern, 'pattern' | 'read'> {
  const inText = [...known.keys()]
    .sort((one, other) => other.length - one.length)
    .map((name) => name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/[ -]/g, '[ -]?'))
    .join('|');
  return {
    pattern: new RegExp(`(?<![a-z0-9])(?:${inText})(?![a-z])`, 'g'),
    read(match, text) {
      const found = match[0];
      if (words.has(found) && !/(?:^|\n|\d |: ?)$/.test(text.slice(Math.max(0, match.index - 4), match.index)))
        return undefined;
      return known.get(found) ?? known.get(found.replace(' ', '-')) ?? known.get(found.replace('-', ' '));
    },
  };
}

const colours: readonly (readonly [string, RegExp])[] = [
  ['black', /black|schwarz|negr|noir/],
  ['white', /white|weiss|weiß|blanc/],
  ['silver', /silver|silber|plata|plateado|argent/],
  ['grey', /gr[ae]y|grau|gris|anthra|antraz|antrac/],
  ['red', /\bred|\brot|roj[oa]|rouge/],
  ['blue', /blue|blau|azul|bleu/],
  ['green', /green|grun|verde|\bvert/],
  ['yellow', /yellow|gelb|amarill|jaune/],
  ['orange', /orange|naranja/],
  ['brown', /brown|braun|marron|brun/],
  ['beige', /beige|creme?\b|crema/],
  ['gold', /gold|dorad|\bdore/],
  ['purple', /purple|violett|lila|morad|violet/],
  ['pink', /pink|rosa|\brose/],
];
const colourWords =
  '(?:dark |light |pearl |phantom |metallic |dunkel|hell|perl)?(?:black|white|silver|gr[ae]y|red|blue|green|yellow|brown|beige|purple|pink|schwarz(?:e[nrs]?)?|wei(?:ss|ß)(?:e[nrs]?)?|silber(?:n|grau)?|grau(?:e[nrs]?)?|rot(?:e[nrs]?)?|blau(?:e[nrs]?)?|grun(?:e[nrs]?)?|gelb(?:e[nrs]?)?|braun(?:e[nrs]?)?|negr[oa]s?|blanc[oa]s?|plateado|gris(?:es)?|roj[oa]s?|azul(?:es)?|verdes?|amarill[oa]s?|marron(?:es)?|noire?s?|blanche?s?|rouges?|bleue?s?|vert[es]?s?|jaunes?|anthrazit|antracita|anthracite)';
/** Refers to something other than the thing offered. */
const otherThing =
  /interior|leather|seats|innen|leder|sitze|cuero|asientos|tapizado|cuir|sieges|cover|case|hulle|funda|strap|armband|curtain/;

const months: readonly RegExp[] = [
  /^(?:jan|ene)/,
  /^(?:feb|fev)/,
  /^(?:mar(?!ch?e)|marz|maer|mrz)/,
  /^(?:apr|abr|avr)/,
  /^(?:may|mai)/,
  /^(?:jun|juin)/,
  /^(?:jul|juil)/,
  /^(?:aug|ago|aou)/,
  /^(?:sep|set)/,
  /^(?:oct|okt)/,
  /^nov/,
  /^(?:dec|dez|dic)/,
];
const monthWord =
  '(?:jan|ene|feb|fev|mar|mrz|apr|abr|avr|may|mai|jun|juin|jul|juil|aug|ago|aou|sep|set|oct|okt|nov|dec|dez|dic)[a-z]*';
const date = `(?:(\\d{1,2})[.]?(?: de)? )?(${monthWord})\\.?(?: de)? ((?:20)?\\d{2})\\b|(?:(\\d{1,2})[./])?(\\d{1,2})[./]((?:20)?\\d{2})\\b`;

// In France, people often state when the inspection took place: it is valid for two years (Code de la route, R323-22).
const inspectedOn = /^(?:controle technique|ct)\b[a-z' /:,-]*\bdu /;

function inspectionEnd(match: RegExpExecArray): string | undefined {
  const date = isoDate(match);
  return date !== undefined && inspectedOn.test(match[0]) ? `${Number(date.slice(0, 4)) + 2}${date.slice(4)}` : date;
}

/** The last six groups of a match that ends with `date`, in ISO 8601: 2027-05, 2027-02-14. */
function isoDate(match: RegExpExecArray): string | undefined {
  const [dayOfWord, word, yearOfWord, day, digits, year] = match.slice(-6);
  const month = word === undefined ? Number(digits) : months.findIndex((name) => name.test(word)) + 1;
  const full = Number(yearOfWord ?? year);
  if (!(month >= 1 && month <= 12)) return undefined;
  const on = dayOfWord ?? day;
  const parts = [full < 100 ? 2000 + full : full, month, ...(on === undefined ? [] : [Number(on)])];
  return parts.map((part) => String(part).padStart(2, '0')).join('-');
}

const symbols: readonly (readonly [string, RegExp])[] = [
  ['EUR', /€|eur/],
  ['GBP', /£|gbp|quid|pound/],
  ['USD', /\$|usd|dollar/],
  ['CHF', /chf|sfr|franken/],
];

function firstOf(
  known: readonly (readonly [string, RegExp])[],
): FactReader & Required<Pick<FactReader, 'type' | 'choices'>> {
  const read = (match: RegExpExecArray) => known.find(([, pattern]) => pattern.test(match[0]))?.[0];
  return Object.assign(read, { type: 'choice' as const, choices: known.map(([name]) => name) });
}

const colourOf = firstOf(colours);

export const namedFacts: readonly FactPattern[] = [
  {
    fact: 'make',
    kinds: ['vehicles'],
    fields: ['make', 'brand', 'marke', 'hersteller', 'marca', 'marque'],
    ...oneOfNames(makes),
  },
  {
    fact: 'brand',
    kinds: ['electronics'],
    fields: ['brand', 'make', 'marke', 'hersteller', 'marca', 'marque', 'manufacturer'],
    ...oneOfNames(brands),
  },
  {
    fact: 'colour',
    kinds: ['vehicles', 'electronics', 'furniture', 'fashion'],
    fields: ['colour', 'color', 'farbe', 'couleur', 'aussenfarbe'],
    pattern: new RegExp(`(?<![a-z])${colourWords}(?![a-z])`, 'g'),
    read: Object.assign(
      (match: RegExpExecArray, text: string) => {
        const next =
          text.slice(match.index + match[0].length, match.index + match[0].length + 14).split(/[.;,]/)[0] ?? '';
        const before =
          text
            .slice(Math.max(0, match.index - 14), match.index)
            .split(/[.;,]/)
            .at(-1) ?? '';
        return otherThing.test(next) || otherThing.test(before) ? undefined : colourOf(match, text);
      },
      { type: colourOf.type, choices: colourOf.choices },
    ),
  },
  {
    fact: 'currency',
    kinds: [],
    fields: ['currency', 'wahrung', 'waehrung', 'moneda', 'devise'],
    pattern: new RegExp(
      `(?:[€£$]|\\b(?:eur|chf|usd|gbp)) ?(?:${numeral})|(?<![\\d.,])(?:${numeral}) ?k? ?(?:€|£|\\$|euros?\\b|eur\\b|gbp\\b|usd\\b|chf\\b|quid\\b|pounds\\b|dollars\\b)`,
      'g',
    ),
    read: firstOf(symbols),
  },
  {
    fact: 'inspectionUntil',
    type: 'date',
    kinds: ['vehicles'],
    fields: ['inspectionuntil', 'tuv', 'tuev', 'hu', 'mot', 'nct', 'itv', 'controletechnique'],
    pattern: new RegExp(
      `\\b(?:tuv|hu|hauptuntersuchung|pickerl|mot|nct|itv|controle technique|\\bct)\\b[a-z' /:,-]{0,24}?(?:${date})`,
      'g',
    ),
    read: inspectionEnd,
  },
  {
    fact: 'firstRegistration',
    type: 'date',
    kinds: ['vehicles'],
    fields: ['firstregistration', 'erstzulassung', 'ez', 'matriculacion'],
    pattern: new RegExp(
      `\\b(?:ez|erstzulassung|first registered|registered|registration|reg\\.?|matriculad[oa]|matriculacion|mise en circulation|immatriculee?)\\b[a-z /:,(-]{0,20}?(?:${date})`,
      'g',
    ),
    read: isoDate,
  },
  {
    fact: 'bathrooms',
    type: 'number',
    kinds: ['property'],
    fields: ['bathrooms', 'baths', 'bader', 'badezimmer', 'banos', 'sallesdebains'],
    pattern:
      /\b(\d|one|two|three|ein|eine|zwei|drei|un|dos|tres|une|deux|trois)[ -]?(?:full )?(?:ba(?:th(?:room)?s?)?|bader|bad(?:ezimmer)?|banos?|salles? d[e'] ?(?:bains?|eau))\b/g,
    read: (match) => {
      const said = match[1] ?? '';
      const named = [/^(?:one|ein|eine|un|une)$/, /^(?:two|zwei|dos|deux)$/, /^(?:three|drei|tres|trois)$/].findIndex(
        (word) => word.test(said),
      );
      return named >= 0 ? String(named + 1) : said;
    },
  },
  {
    fact: 'rentPerMonth',
    type: 'number',
    kinds: ['property'],
    fields: ['rent', 'rentpermonth', 'kaltmiete', 'miete', 'alquiler', 'loyer'],
    pattern: new RegExp(
      `(?:[€£$]|\\b(?:eur|chf|usd|gbp)) ?((?:${numeral})) ?(?:pcm\\b|p/m|/ ?mo(?:nth)?\\b|(?:per|a) (?:calendar )?month|cold\\b|kalt)|((?:${numeral})) ?(?:€|eur(?:os?)?\\b|chf\\b) ?(?:/ ?(?:mes|monat|mois|month)|kalt|kaltmiete|(?:im|pro|al|par|a|per|le) (?:monat|mes|mois|month)|mensuales|mensuels?|mtl|monatlich|\\+ ?bills|hors charges|hc\\b|cc\\b|charges comprises)|(?:kaltmiete|miete|alquiler|loyer|rent)[ :]{1,3}(?:von |de |is )?((?:${numeral})) ?(?:€|eur|chf|£)`,
      'g',
    ),
    read: (match) => String(amountOf(match[1] ?? match[2] ?? match[3] ?? '')),
  },
  {
    fact: 'salaryPeriod',
    kinds: ['jobs'],
    fields: ['salaryperiod', 'payperiod'],
    pattern:
      /(?:(?<![\d.,])\d[\d.,]{0,9} ?(?:€|£|\$|eur(?:os?)?|chf|usd|gbp|k)?|€|£|\$|eur(?:os?)?|chf|usd|gbp|k|brutto|bruto|brut|gross)[ -]{0,2}(?:(?:brutto|bruto|bruts?|gross|plus)[ -]{0,2})?(?:\/ ?(?:h|hr|hour|std\.?|hora|heure|day|tag|dia|jour|week|woche|month|monat|mes|mois|year|jahr|ano|an)\b|ph\b|p\.?a\.?\b|per annum|(?:per|an?|pro|im|die|por|al|a la|par|de l'|the) ?(?:hour|stunde|hora|heure|day|tag|dia|jour|week|woche|semana|semaine|month|monat|mes|mois|year|annum|jahr|ano|an)\b|stundenlohn|jahresgehalt|monatlich|jahrlich|anuales|mensuales|annuels?|mensuels?|jahresbrutto)/g,
    read: firstOf([
      ['hour', /\/ ?h|ph\b|hour|stunde|std|hora|heure/],
      ['week', /week|woche|semana|semaine/],
      ['month', /month|monat|\bmes|mensual|mois|mensuel/],
      ['year', /year|annum|jahr|jahrlich|\bano|\ban\b|anual|annuel|p\.?a/],
      ['day', /day|\btag|\bdia|jour/],
    ]),
  },
];
