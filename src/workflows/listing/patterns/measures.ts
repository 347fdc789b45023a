import { amountOf } from '../plain-text.ts';
import { before, type FactPattern, type FactReader, oneOf } from './pattern.ts';

const number = '(\\d{1,3}(?:[.,]\\d{1,2})?)';
const unit = ' ?(cm|mm|m\\b)?';

interface Side {
  fact: string;
  /** Names before the number, and words after it. */
  named: string;
  after: string;
  fields: readonly string[];
}

const sides: readonly Side[] = [
  {
    fact: 'heightCm',
    named: 'h|hohe|hoehe|height|alto|altura|hauteur',
    after: 'hoch|high|tall|de alto|de altura|de haut(?:eur)?',
    fields: ['heightcm', 'height', 'hohe', 'hoehe', 'alto', 'altura', 'hauteur'],
  },
  {
    fact: 'widthCm',
    named: 'b|w|breite|width|ancho|anchura|largeur|an\\.',
    after: 'breit|wide|de ancho|de large(?:ur)?',
    fields: ['widthcm', 'width', 'breite', 'ancho', 'anchura', 'largeur'],
  },
  {
    fact: 'depthCm',
    named: 't|d|p|tiefe|depth|fondo|profundidad|profondeur|prof\\.',
    after: 'tief|deep|de fondo|de profundidad|de profondeur',
    fields: ['depthcm', 'depth', 'tiefe', 'fondo', 'profundidad', 'profondeur'],
  },
  {
    fact: 'lengthCm',
    named: 'l|lange|laenge|length|largo|longitud|longueur',
    after: 'lang|long|de largo|de long(?:ueur)?',
    fields: ['lengthcm', 'length', 'lange', 'laenge', 'largo', 'longitud', 'longueur'],
  },
];

/** A length in centimetres. Three sides in a row state the unit once, at their end. */
const sideOf =
  (fact: string): FactReader =>
  (match, text) => {
    const [, first, firstUnit, last, lastUnit] = match;
    const value = amountOf(first ?? last ?? '');
    const at = match.index + match[0].length;
    const said =
      firstUnit ??
      lastUnit ??
      /^[^.;\n]{0,40}?\d ?(cm|mm|m\b)/.exec(text.slice(at, at + 48))?.[1] ??
      (last === undefined ? undefined : unitBefore(text, match.index, value));
    if (said === undefined) return undefined;
    // In French, "L" beside a depth is the width.
    if (/^l\b/.test(match[0]) && fact === 'lengthCm' && isFrench(text, match)) return undefined;
    return String(Math.round(value * (said === 'm' ? 100 : said === 'mm' ? 0.1 : 1) * 100) / 100);
  };

/** The unit of the side before: "200 cm breit, 236 hoch". Of a thing in a room, a number on its own is of centimetres. */
function unitBefore(text: string, at: number, value: number): string | undefined {
  const said = /\d ?(cm|mm|m)(?![a-z])[^.;\n]{0,40}$/.exec(text.slice(Math.max(0, at - 48), at))?.[1];
  return said ?? (value >= 20 && value <= 400 ? 'cm' : undefined);
}

function isFrench(text: string, match: RegExpExecArray): boolean {
  return /\bp[ .:]{0,2}\d/.test(text.slice(Math.max(0, match.index - 30), match.index + 40));
}

const sidePatterns: readonly FactPattern[] = sides.map(({ fact, named, after, fields }) => ({
  ...{ fact, type: 'number', kinds: ['furniture', 'electronics'], fields, read: sideOf(fact) },
  pattern: new RegExp(
    `(?<![a-z0-9-])(?:${named})[ .:=]{0,3}${number}${unit}(?![a-z0-9])|(?<![\\d.,])${number} ?(?:(cm|mm|m) )?(?:${after})(?![a-z])`,
    'g',
  ),
}));

/** Facts that are measured: sides, weight, what fits in; and what a thing is made of. */
export const measurePatterns: readonly FactPattern[] = [
  ...sidePatterns,
  {
    fact: 'widthCm',
    type: 'number',
    kinds: ['furniture', 'electronics'],
    pattern: new RegExp(`(?<![a-z0-9])l[ .:]{0,2}${number}${unit}(?= ?x ?p[ .:]{0,2}\\d)`, 'g'),
    read: sideOf('widthCm'),
  },
  {
    fact: 'weightKg',
    type: 'number',
    kinds: ['furniture', 'electronics'],
    fields: ['weight', 'weightkg', 'gewicht', 'peso', 'poids'],
    pattern:
      /(?:weigh(?:s|t|ing)?|gewicht|wiegt|pes[ao]|pese|poids)(?: (?:is|of|about|ca\.?|nur|only|just|de|solo))?[ :]{1,2}(\d{1,3}(?:[.,]\d{1,2})?) ?(kg|g\b)/g,
    read: (match) => String(amountOf(match[1] ?? '') / (match[2] === 'kg' ? 1 : 1000)),
  },
  {
    fact: 'capacityKg',
    type: 'number',
    kinds: ['electronics'],
    fields: ['capacity', 'capacitykg', 'fassungsvermogen', 'capacidad', 'capacite'],
    pattern: /(?<![\d.,])(\d{1,2}(?:[.,]5)?) ?kg(?![a-z])/g,
    needs: /wasch|trockner|wash|dryer|lavadora|secadora|linge/,
    read: (match, text) =>
      /(?:weigh[a-z]*|gewicht|wiegt|peso?a?|poids)[ :a-z]{0,8}$/.test(before(text, match, 16))
        ? undefined
        : String(amountOf(match[1] ?? '')),
  },
  {
    fact: 'material',
    kinds: ['furniture', 'fashion'],
    fields: ['material', 'materiau', 'materiel', 'holz', 'madera'],
    pattern:
      /\boak|\beiche|eichen(?:holz|furnier)|\broble\b|\bchene\b|\bpine\b|\bkiefer(?:n|nholz)?\b|\bpino\b|\bpin (?:massif|brut)|\bteak|\bbeech\b|\bbuche(?:n|nholz)?\b|\bhaya\b|\bhetre\b|\bwalnut\b|\bnussbaum|\bnogal\b|\bnoyer\b|\bmahogany|\bmahagoni|\bcaoba\b|\bacajou\b|(?<!(?:faux|fake|imitation|vegan|pu|synthetic)[ -])\bleather\b|\b(?:echt)?leder\b|\bcuero\b(?! (?:sint|vegan|artif|ecol))|(?<!(?:faux|simili)[ -])\bcuir\b(?! (?:synth|vegan|artif|pu\b))|\bvelvet\b|\bsamt\b|\bterciopelo\b|\bvelours\b|\brattan|\bratan\b|\brotin\b|\b(?:schur)?wolle\b|\bwool\b|\blana\b|\blaine\b|\bcashmere\b|\bkaschmir\b|\bcachemire?\b|\bcotton\b|\bbaumwolle\b|\balgodon\b|\bcoton\b|\blinen\b|\bleinen\b|\blino\b|\blin\b|\bsilk\b|\bseide\b|\bseda\b|\bsoie\b|\bdenim\b|\bsuede\b|\bwildleder\b|\bde ante\b|\bdaim\b|\bpiel\b(?! (?:de melocoton|sint|vegan|artif|ecol))|\bmarble\b|\bmarmor\b|\bmarmol\b|\bmarbre\b/g,
    read: oneOf({
      oak: /oak|eiche|roble|chene/,
      pine: /pin|kiefer/,
      teak: /teak/,
      beech: /beech|buche|haya|hetre/,
      walnut: /walnut|nussbaum|nogal|noyer/,
      mahogany: /mahog|mahag|caoba|acajou/,
      leather: /leather|^(?:echt)?leder|cuero|cuir|piel/,
      velvet: /velvet|samt|terciopelo|velours/,
      rattan: /rat|rotin/,
      suede: /suede|wildleder|ante|daim/,
      cashmere: /ca(?:sh|ch)em|kaschm/,
      cotton: /cotton|baumwolle|algodon|coton/,
      wool: /wol|wool|lana|laine/,
      linen: /^l(?:inen|einen|ino|in)$/,
      silk: /silk|sei|seda|soie/,
      denim: /denim/,
      marble: /mar[bm]/,
    }),
  },
];
