import { amountOf, countOf, numeral, smallWords } from '../plain-text.ts';
import { after, before, COUNT, type FactPattern, type FactReader, numberWithin, oneOf, YEAR } from './pattern.ts';

/** Words before a number of kilometres or miles that make it something else: a range, an interval, a guarantee. */
export const notMileage =
  /range|reichweite|autonom|within|umkreis|radius|radio|per |por |pro |jede|cada|every|alle|kit|belt|serviced at|service at|bei $|at $|a los|faite? a|vidange|revision|inspektion|warranty|garantie|rayon|l\/|around/;

const mileage = (unit: 'km' | 'miles', words: string): FactPattern => ({
  fact: unit === 'km' ? 'mileageKm' : 'mileageMiles',
  type: 'number',
  kinds: ['vehicles'],
  pattern: new RegExp(
    `(?<![\\d.,])(-?(?:${numeral})\\s?(?:k|tsd\\.?|mil|thousand)?|(?:[a-z]+[- ])?(?:${smallWords}) thousand)\\s?(?:${words})(?![a-z/²2³])`,
    'g',
  ),
  needs: new RegExp(`(?:${words})(?![a-z/²2³])`),
  read(match, text) {
    const said = match[1] ?? '';
    const value = /^[a-z]/.test(said)
      ? countOf(said.replace(' thousand', '').replace(/^(only|just|with) /, '')) * 1000
      : amountOf(said.replace('thousand', 'k').replace('mil', 'k')) * (/\btkm$|\dtkm$/.test(match[0]) ? 1000 : 1);
    if (said.startsWith('-') || notMileage.test(before(text, match)) || value < 50) return undefined;
    return String(value);
  },
});

const gears = oneOf({ automatic: /auto|dsg|cvt|tiptronic/, manual: /manu|schalt|mecanique|speed|gang/ });

const gearbox: FactReader = Object.assign(
  (match: RegExpExecArray, text: string) => {
    const next = after(text, match, 18);
    // Other things are automatic, too; and an automatic has gears.
    if (
      /(?:klima|climati[sz]a[a-z]*|aire [a-z]*|clim\.?|air ?con[a-z]*|licht[a-z]*|heckklappe|luces|faros|park)[ -]?$/.test(
        before(text, match, 18),
      )
    )
      return undefined;
    if (/^[a-z]* ?(?:head|light|wiper|climate|air|tail|park|boot|door|licht|klima|luces|phares)/.test(next))
      return undefined;
    return /speed|gang/.test(match[0]) &&
      /^[ -]*(?:(?:stufen|gang)[ -]?)?(?:auto|dsg|cvt|tiptronic|s.?tronic)/.test(next)
      ? 'automatic'
      : gears(match, text);
  },
  { type: 'choice' as const, choices: ['automatic', 'manual'] },
);

/** Words before a year that make it something other than the thing's own: an inspection, a guarantee. */
export const otherYear =
  /until|bis|hasta|jusqu|till|valid|tuv|hu |mot|nct|itv|\bct|controle|rebuilt|conversion|convert|renov|fitted|since|\bneue?\b|new|plates|neumatic|pneus?\b|reifen|t[yi]res?\b|\bdot\b|batt?er[iy]|bremsen|brakes|frenos|freins|cadena|\bchaine|\bkette|\bchain|service|warranty|garant|zahnriemen|belt|courroie|correa|available|frei ab/;

const boughtThen =
  /^ ?(?:gebraucht )?(?:gekauft|bought|comprad[oa]|achete)|^(?:er)? ?(?:(?:sommer|winter|ganzjahres|allwetter)?reifen|(?:winter |summer )?t[yi]res)/;

/** Facts read about a vehicle. */
export const vehiclePatterns: readonly FactPattern[] = [
  mileage('km', 'kms?|kilometer[ns]?|kilometros|kilometres|kilometers|tkm'),
  mileage('miles', 'miles|mi|mls'),
  {
    fact: 'mileageMiles',
    type: 'number',
    kinds: ['vehicles'],
    pattern: new RegExp(`(?<![\\d.,])((?:${numeral})k?) on the clock`, 'g'),
    read: (match) => String(amountOf(match[1] ?? '')),
  },
  {
    fact: 'mileageKm',
    type: 'number',
    kinds: ['vehicles'],
    fields: [
      'mileage',
      'mileagekm',
      'kilometers',
      'kilometres',
      'km',
      'odometer',
      'laufleistung',
      'kilometerstand',
      'kilometraje',
      'kilometros',
      'kilometrage',
    ],
    pattern: new RegExp(
      `(?:kilometerstand|laufleistung|kilometraje|kilometrage|compteur|odometer|mileage|tacho)\\s?(?::|ist|es de|affiche|of|is|unter)?\\s?(?:ca\\.?|about|unos|environ)?\\s?((?:${numeral})k?)`,
      'g',
    ),
    read: (match) => String(amountOf(match[1] ?? '')),
  },
  {
    fact: 'year',
    type: 'number',
    kinds: ['vehicles'],
    fields: [
      'year',
      'baujahr',
      'modelyear',
      'erstzulassung',
      'ez',
      'firstregistration',
      'regdate',
      'registrationdate',
      'ano',
      'annee',
      'yearofregistration',
      'matriculacion',
    ],
    pattern: new RegExp(
      `(?<![a-z])(?:ez|erstzulassung|baujahr|bj\\.?|first registered|registered|reg\\.?|ano|del ano|matriculad[oa]|mise en circulation|annee|de|du|model|modelljahr|built|since|from|in|plate)?[ :]{0,2}(?:en|in|im|le|the)?\\s?(?:\\d{1,2}[./-])?(?<![\\d.,])${YEAR}(?!\\d| ?(?:km|miles|mi|€|euro|eur|cc|ccm|kg|w\\b|mah)|[.,]\\d)`,
      'g',
    ),
    read: (match, text) =>
      (otherYear.test(before(text, match, 26).split('\n').at(-1) ?? '') || boughtThen.test(after(text, match, 12))) &&
      !/registered|\bez|\bbj|erstzulassung|matriculad|circulation|baujahr/.test(match[0])
        ? undefined
        : match[1],
  },
  {
    fact: 'fuel',
    kinds: ['vehicles'],
    fields: ['fuel', 'fueltype', 'kraftstoff', 'antrieb', 'combustible', 'carburant', 'energie'],
    pattern:
      /plug.?in|phev|hybrid[eo]?|hibrid[oa]|diesel|gasoil|gazole|\b(?:b|blue)?(?:tdi|cdi|hdi|dci|crdi|tdci|jtd|multijet|cdti)\b|petrol|gasoline|benzin(?:er)?|gasolina|essence|\bgas\b|\bt?f?tsi\b|tfsi|elektro|electri[cq]u?e?o?|elektrisch|\bev\b|\bkwh\b|autogas|lpg|glp|gpl|\bcng\b|erdgas/g,
    read: oneOf({
      'plug-in hybrid': /plug|phev/,
      hybrid: /h[iy]brid/,
      diesel: /diesel|gasoil|gazole|tdi|cdi|hdi|dci|crdi|tdci|jtd|multijet|cdti/,
      lpg: /autogas|lpg|glp|gpl/,
      cng: /cng|erdgas/,
      electric: /ele[ck]tr|\bev\b|kwh/,
      petrol: /petrol|gas|benzin|essence|tsi/,
    }),
  },
  {
    fact: 'transmission',
    kinds: ['vehicles'],
    fields: ['transmission', 'gearbox', 'getriebe', 'cambio', 'boite'],
    pattern:
      /automati[ckq]u?e?|automatik(?:getriebe)?|\bauto\b(?! ?teile)|\bdsg\b|\bcvt\b|tiptronic|manual|schaltgetriebe|\bhandschalt(?:ung|er)|\bschalter\b(?=[.,;!]|$)|handgeschaltet|manuelle?|boite mecanique|6 speed|6.?gang/g,
    read: gearbox,
  },
  {
    fact: 'owners',
    kinds: ['vehicles'],
    pattern: new RegExp(
      `${COUNT}\\.? (?:lady |previous |careful )?(?:owners?|keepers?|besitzer|hand\\b|vorbesitzer|proprietaires?|main|duen[oa]s?|propietarios?)`,
      'g',
    ),
    read: numberWithin(1, 20),
  },
  {
    fact: 'engineLitres',
    type: 'number',
    kinds: ['vehicles'],
    pattern:
      /\b(\d[.,]\d)(?= ?(?:l\b|t[df]?si|tdi|dci|hdi|crdi|i\b|ecoblue|ecoboost|petrol|diesel|dualjet|hemi|mpi|gdi|vvt|i-vtec|jtd|hybrid|benzin|puretech|bluehdi))/g,
    read: (match) => String(amountOf(match[1] ?? '')),
  },
  {
    fact: 'powerKw',
    kinds: ['vehicles'],
    fields: ['powerkw', 'leistung'],
    pattern: /\b(\d{2,3}) ?kw\b/g,
    read: numberWithin(10, 900),
  },
  {
    fact: 'powerHp',
    kinds: ['vehicles'],
    fields: ['powerhp', 'hp', 'ps'],
    pattern: /\b(\d{2,3}) ?(?:hp|bhp|ps|cv|ch|chevaux|caballos)\b/g,
    read: numberWithin(10, 1500),
  },
  {
    fact: 'batteryKwh',
    type: 'number',
    kinds: ['vehicles'],
    pattern: /\b(\d{1,3}(?:[.,]\d)?) ?kwh\b/g,
    read: (match) => String(amountOf(match[1] ?? '')),
  },
  {
    fact: 'accidentFree',
    type: 'boolean',
    kinds: ['vehicles'],
    fields: ['accidentfree', 'unfallfrei'],
    pattern:
      /accident.?free|no accidents|unfallfrei|sin accidentes|sin golpes|jamais accident|non accident|unfallwagen|unfallschaden|\bcat(?:egory)? [sncd]\b|write.?off|accidentad[oa]|siniestrad[oa]|vehicule accidente|voiture accidentee?/g,
    read: (match, text) => {
      const isFree = /free|frei|^no |^sin |jamais|^non/.test(match[0]);
      const isDenied =
        /(?:\bnot|\bnicht|\bno|\bkein[en]*|\bpas|\bnever|\bohne|\bsin|\bsans) (?:ganz |fully |totally |un |une )?$/.test(
          before(text, match, 18),
        );
      return String(isFree !== isDenied);
    },
  },
];
