import { amountOf, numeral } from '../plain-text.ts';
import { after, before, COUNT, type FactPattern, N, numberWithin, oneOf } from './pattern.ts';

/** Other parts of a house that have a floor. */
const besideFlat =
  /(?:store|storage|laundry|parking|garage|cellar|keller|waschkuche|abstellraum|trastero|garaje|lavanderia|cave|buanderie)[a-z ]{0,16}$/;

/** Facts read about a flat, a house or a plot. */
export const propertyPatterns: readonly FactPattern[] = [
  {
    fact: 'areaSqft',
    type: 'number',
    kinds: ['property'],
    pattern: new RegExp(`(?<![\\d.,])${N} ?(?:sq\\.? ?ft|sqft|square f(?:ee|oo)t|ft2|ft²)`, 'g'),
    read: (match, text) => (/£|€|\$|per $/.test(before(text, match, 4)) ? undefined : String(amountOf(match[1] ?? ''))),
  },
  {
    fact: 'areaSqm',
    type: 'number',
    kinds: ['property'],
    fields: [
      'area',
      'areasqm',
      'floorarea',
      'livingarea',
      'squaremeters',
      'squaremetres',
      'sqm',
      'wohnflache',
      'wohnflaeche',
      'flache',
      'superficie',
      'surface',
      'm2',
      'metros',
    ],
    pattern: new RegExp(
      `(?<![\\d.,€£$x])${N} ?(?:m2|m²|qm|sqm|sq\\.? ?m\\b|square met(?:er|re)s?|quadratmeter|metros cuadrados|metres? carres?|mq\\b|m cuadrados)`,
      'g',
    ),
    read: (match, text) => {
      const value = amountOf(match[1] ?? '');
      const words = `${before(text, match, 28)
        .split(/[.;,\n]/)
        .at(-1)}`;
      const next = after(text, match, 28).split(/[.;,\n]/)[0] ?? '';
      const outside =
        /garden|terrace|terras|garten|plot|grundstuck|jardin|parcela|terrain|balkon|balcon|keller|cellar|up to|patio|cave|site|dwelling|kuche|kitchen|cocina|cuisine|\bsalon|living ?room|wohnzimmer|schlafzimmer|sejour|\bchambre\b|bedroom\b|dormitorio\b|\bbad\b|garage|trastero/;
      return outside.test(words) ||
        /^ ?(?:of )?(?:garden|terrace|terras|garten|grundstuck|jardin|de jardin|de parcela|de terrain|de terraza|balkon|terraza|patio|plot)/.test(
          next,
        ) ||
        value < 1
        ? undefined
        : String(value);
    },
  },
  {
    fact: 'plotArea',
    kinds: ['property'],
    pattern: new RegExp(
      `(?<![\\d.,])${N} ?(?:acres?|ha\\b|hectares?|hektar|hectareas?)|(?:plot|grundstuck|parcela|terreno|terrain|site)[a-z :]{0,20}(?:${numeral}) ?(?:m2|m²|qm|sqm)|(?:${numeral}) ?(?:m2|m²|qm|sqm)[a-z ]{1,12}(?:plot|grundstuck|parcela|terreno|terrain)`,
      'g',
    ),
    read: (match) => match[0].trim(),
  },
  {
    fact: 'bedrooms',
    kinds: ['property'],
    fields: ['bedrooms', 'beds', 'schlafzimmer', 'dormitorios', 'chambres'],
    pattern: new RegExp(
      `${COUNT}[ -]?(?:double )?(?:bed(?:s|rooms?|roms?)?|br|schlafzimmer|dormitorios?|chambres?|dorm)(?![a-z])`,
      'g',
    ),
    read: numberWithin(1, 50),
  },
  {
    fact: 'rooms',
    type: 'number',
    kinds: ['property'],
    fields: ['rooms', 'zimmer', 'habitaciones', 'pieces'],
    pattern: new RegExp(
      `${COUNT}[ -]?(?:rooms?|zimmer(?:n)?|zi\\.?|zkb|habitaciones|habitacion|hab\\.?|pieces|estancias)(?:wohnung)?(?![a-z])|\\b[tf]([1-9])\\b|\\bstudio|\\bapartestudio|\\bestudio\\b`,
      'g',
    ),
    read: (match) =>
      // "Double room" says how many people it is for, not how many rooms there are.
      /^(?:double|single)/.test(match[0])
        ? undefined
        : /studio|estudio/.test(match[0])
          ? '1'
          : numberWithin(1, 60)(match, ''),
  },
  {
    fact: 'floor',
    type: 'number',
    kinds: ['property'],
    fields: ['floor', 'etage', 'stockwerk', 'planta'],
    pattern:
      /\b(\d{1,2})(?:st|nd|rd|th|\.|o|a|e|er|eme|ª|º)? ?(?:floor|flor|og\b|stock|obergeschoss|etage|planta|piso)\b|(?:etage|planta|floor) (\d{1,2})\b|(ground|first|second|third|fourth|fifth) floor|erdgeschoss|\beg\b|rez de chaussee|planta baja|(?:primera?|segund[ao]|tercera?|cuart[ao]|quint[ao]) (?:planta|piso)|(?:premier|deuxieme|troisieme|quatrieme|cinquieme) etage|(?:ersten?|zweiten?|dritten?|vierten?|funften?) (?:stock|og|obergeschoss|etage)/g,
    read: (match, text) => (besideFlat.test(before(text, match, 28)) ? undefined : floorOf(match[0])),
  },
  {
    fact: 'energyClass',
    kinds: ['property', 'electronics'],
    fields: ['epc', 'ber', 'energyclass', 'energyrating', 'dpe', 'energieklasse'],
    pattern:
      /(?:epc(?: rating)?|ber|energy (?:class|rating)|energieeffizienzklasse|energieklasse|effizienzklasse|dpe|certificado energetico|\bcee|etiqueta energetica|clase energetica|classe energetique)[ :]{1,2}([a-h][1-3+]?)(?![a-z])/g,
    read: (match) => match[1]?.toUpperCase(),
  },
  {
    fact: 'offer',
    kinds: ['property'],
    fields: ['offer', 'offertype', 'transaction'],
    pattern:
      /for sale|to let|for rent|\brent\b|pcm|per month|\/mo\b|a month|zu vermieten|vermiet|miete|kaltmiete|zu verkaufen|verkauf|kaufpreis|alquil|se vende|\bvendo\b|en venta|venta|a louer|\b(?:en|a la|courte|bail de) location\b|location (?:meublee|vide)|loyer|a vendre|vente|asking|freehold|guide price|per week|holiday/g,
    read: oneOf({
      'holiday let': /holiday|per week/,
      rent: /let|rent|pcm|month|mo\b|miet|alquil|louer|location|loyer/,
      sale: /sale|verkauf|kauf|vend|venta|vente|asking|freehold|guide/,
    }),
  },
];

function floorOf(text: string): string {
  const digits = /\d+/.exec(text)?.[0];
  if (digits) return digits;
  const names: readonly RegExp[] = [
    /ground|erd|\beg|rez|baja/,
    /first|primera?|premier|erste/,
    /second|segund|deuxieme|zweite/,
    /third|tercera?|troisieme|dritte/,
    /fourth|cuart|quatrieme|vierte/,
    /fifth|quint|cinquieme|funfte/,
  ];
  return String(names.findIndex((name) => name.test(text)));
}
