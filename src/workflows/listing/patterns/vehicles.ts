import { amountOf, numeral } from '../plain-text.ts';
import { vehicleName } from './makes.ts';
import { mileagePatterns } from './mileage.ts';
import {
  after,
  before,
  beforeInSentence,
  COUNT,
  type FactPattern,
  type FactReader,
  numberWithin,
  oneOf,
  YEAR,
} from './pattern.ts';

const doorCount = '\\b(two|three|four|five|zwei|drei|vier|funf|dos|tres|cuatro|cinco|deux|trois|quatre|cinq)';

const gears = oneOf({
  automatic: /auto|dsg|dct|edc|cvt|eat|bva|tronic|powershift/,
  manual: /manu|bvm|schalt|mecani|speed|gang|vitesses|velocidades|marchas/,
});

const gearbox: FactReader = Object.assign(
  (match: RegExpExecArray, text: string) => {
    const next = after(text, match, 18);
    // Other things are automatic, too, and other things are manuals; and an automatic has gears.
    if (match[0].startsWith('manual') && isBook(text, match)) return undefined;
    if (
      /(?:klima|climati[sz]a[a-z]*|aire [a-z]*|clim\.?|air ?con[a-z]*|licht[a-z]*|heckklappe|luces|faros|park|pilot[eo]|winches|molinetes?)[ -]?$/.test(
        before(text, match, 18),
      )
    )
      return undefined;
    if (/^[a-z]* ?(?:head|light|wiper|climate|air|tail|park|boot|door|licht|klima|luces|phares)/.test(next))
      return undefined;
    return /speed|gang|vitesses|velocidades|marchas/.test(match[0]) &&
      /^[ -]*(?:(?:stufen|gang)[ -]?)?(?:auto|dsg|dct|edc|cvt|tiptronic|s.?tronic)/.test(next)
      ? 'automatic'
      : gears(match, text);
  },
  { type: 'choice' as const, choices: ['automatic', 'manual'], choose: gears.choose },
);

function isBook(text: string, match: RegExpExecArray): boolean {
  return (
    /(?:owner'?s?|user|service|workshop|instruction|repair|libro|con|the) $/.test(before(text, match, 14)) ||
    /^(?:es)? (?:de (?:uso|usuario|instrucciones|taller)|book|and (?:key|service)|included|y (?:dos|dobles) llaves)/.test(
      after(text, match, 24),
    )
  );
}

/** Words before a year that make it something other than the thing's own: an inspection, a guarantee. */
export const otherYear =
  /until|\bbis\b|hasta|jusqu|\btill\b|valid|\btuv|\bhu\b|\bmot\b|\bnct\b|\bitv\b|\bct\b|controle|rebuilt|conversion|convert|renov|fitted|since|\bneue?\b|\bnew\b(?! (?:beetle|mini|holland))|plates|neumatic|pneus?\b|reifen|t[yi]res?\b|\bdot\b|batt?er[iy]|bremsen|brakes|frenos|freins|cadena|\bchaine|\bkette|\bchain|service|warranty|garant|gemacht|replaced|done|changed|cambiad|reemplaz|remplac|embrayage|clutch|kupplung|embrague|steuerkette|wasserpumpe|distribuc|distribution|inspektion|revision|lackier|painted|pintad|repeint|zahnriemen|belt|courroie|correa|available|frei ab/;

const boughtThen =
  /^ ?(?:gebraucht )?(?:gekauft|gemacht|gewechselt|erneuert|ersetzt|bought|comprad[oa]|achete)|^(?:er)? ?(?:(?:sommer|winter|ganzjahres|allwetter)?reifen|(?:winter |summer )?t[yi]res)/;

const vehicleWord =
  '(?:moto|motorrad|motorbike|motorcycle|scooter|roller|coche|auto|wagen|car|van|furgoneta|voiture|camionnette|camper|caravan|wohnwagen|wohnmobil|caravana|autocaravana|remolque|anhanger|remorque|trailer|boat|boot|barco|bateau)(?![a-z])';
/** A vehicle's name with its year right behind it: "MT-07 de 2020", "Golf 7 Variant von 2017", "Ford Transit from 2016". */
const nameAndYear = new RegExp(
  `(?:${vehicleName}|(?<![a-z])${vehicleWord})((?: [a-z0-9.+-]{1,14}){0,4}?),? (?:(?:de|del?|du|von|vom|aus|from|of)(?: (?:l')?(?:ano|jahr|annee|dem jahr|the year))?|ano) ?(?:\\d{1,2}[./-])?${YEAR}$`,
);

/** Whether a year stands beside the vehicle's own name, whatever else is said before it. */
function isOfName(text: string, match: RegExpExecArray): boolean {
  const [, between] = nameAndYear.exec(`${before(text, match, 64)}${match[0]}`.split('\n').at(-1) ?? '') ?? [];
  if (between !== undefined) return !otherYear.test(between);
  const clause =
    before(text, match, 26)
      .split(/[.;,:!\n]/)
      .at(-1) ?? '';
  return startsWithName.test(after(text, match, 24)) && !otherYear.test(clause);
}

const startsWithName = new RegExp(`^ (?:${vehicleName})`);

const ordinals =
  'first|erste[rn]?|primera?|premiere?|second|zweite[rn]?|segund[oa]|deuxieme|seconde|third|dritte[rn]?|tercera?|troisieme';
const ordinalNames: readonly RegExp[] = [
  /^(?:first|erst|primer|premier)/,
  /^(?:second|zweit|segund|deuxieme)/,
  /^(?:third|dritt|tercer|troisieme)/,
];

/** Facts read about a vehicle. */
export const vehiclePatterns: readonly FactPattern[] = [
  ...mileagePatterns,
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
      'anneemodele',
      'modelljahr',
      'yearofregistration',
      'yearofmanufacture',
      'miseencirculation',
      'datedemiseencirculation',
      'primeramatriculacion',
      'fechadematriculacion',
      'matriculacion',
    ],
    pattern: new RegExp(
      `(?<![a-z])(?:ez|erstzulassung|baujahr|bj\\.?|first registered|registered|reg\\.?|ano|del ano|matriculad[oa]|mise en circulation|annee|de|du|von|vom|of|model|modelljahr|built|since|from|in|plate)?[ :]{0,2}(?:en|in|im|le|the)?\\s?(?:\\d{1,2}[./-])?(?<![\\d.,])${YEAR}(?!\\d| ?(?:km|miles|mi|€|euro|eur|cc|ccm|kg|w\\b|mah)|[.,]\\d)|(?:^|(?:ez|erstzulassung|zugelassen|baujahr|registered|matriculad[oa]|matriculacion|circulation)[a-z :]{1,6})(?:\\d{1,2}\\.){1,2}${YEAR}(?!\\d)`,
      'g',
    ),
    read: (match, text) =>
      (otherYear.test(before(text, match, 26).split('\n').at(-1) ?? '') || boughtThen.test(after(text, match, 12))) &&
      !/registered|\bez|\bbj|erstzulassung|matriculad|circulation|baujahr/.test(match[0]) &&
      !isOfName(text, match)
        ? undefined
        : (match[1] ?? match[2]),
  },
  {
    // So old a year needs a word for it: prices and numbers of models are like it.
    fact: 'year',
    type: 'number',
    kinds: ['vehicles'],
    needs: /1(?:8\d|9[0-2])\d/,
    pattern:
      /(?<![a-z])(?:ez|erstzulassung|baujahr|bj\.?|first registered|registered|built(?: in)?|year|ano|matriculad[oa](?: en)?|annee|mise en circulation|modell?(?:jahr|e)?|anno)[ :]{1,3}(1(?:8\d|9[0-2])\d)(?!\d|[.,]\d| ?(?:km|miles|€|eur|cc|kg))/g,
    read: (match) => match[1],
  },
  {
    // Two digits after a word for the year: "EZ 3/11", "Bj. 98", "Bj 04/2011" has four.
    fact: 'year',
    type: 'number',
    kinds: ['vehicles'],
    unlessSaid: true,
    needs: /(?<![a-z])(?:ez|erstzulassung|bj|baujahr|mec|mise en circulation|matric)/,
    pattern:
      /(?<![a-z])(?:ez|erstzulassung|bj|baujahr|mec|mise en circulation|matric(?:ulad[oa]|ulacion)?)[.: ]{0,3}(?:(?:en|le|in) )?(?:(?:0?[1-9]|1[0-2])[./-])?'?(\d\d)(?![\d./-]\d|\d| ?(?:km|tkm|tsd|€|eur|ps|kw)\b)/g,
    read: (match) => String(Number(match[1]) + (Number(match[1]) > 60 ? 1900 : 2000)),
  },
  {
    // British number plates tell the half-year: 19 is from March 2019, 69 from September of that year.
    fact: 'year',
    type: 'number',
    kinds: ['vehicles'],
    needs: /plate|\breg\b/,
    pattern: /(?<![\d.,/])([0-7]\d) (?:plate|reg)\b(?! ?no)/g,
    read: (match) => {
      const half = Number(match[1]);
      const year = 2000 + (half > 50 ? half - 50 : half);
      return half === 50 || year < 2001 ? undefined : String(year);
    },
  },
  {
    fact: 'fuel',
    denied: {},
    kinds: ['vehicles'],
    fields: [
      'fuel',
      'fueltype',
      'kraftstoff',
      'kraftstoffart',
      'treibstoff',
      'antrieb',
      'combustible',
      'carburant',
      'energie',
      'motorisation',
    ],
    pattern:
      /plug.?in|phev|hybrid[eo]?|hibrid[oa]|diesel|gasoil|gazole|\b(?:b|blue)?(?:tdi|cdi|hdi|dci|crdi|tdci|jtd|multijet|cdti)\b|petrol|gasoline|benzin(?:er)?|gasolina|\bnafta\b|\bbencina\b|essence|super benzin|(?<!\b(?:und|tuv|hu) )\bgas\b(?!-| (?:struts?|springs?|strut|neu|gepruft|bottles?|locker|hob|heating|fire|certificate))|\bt?f?tsi\b|tfsi|\b(?:pure|eco)tech\b|ecoboost|\b[ts]ce\b(?! (?:[a-z0-9-]+ ){0,2}h[iy]brid)|\bfsi\b|\bi-?vtec\b|\bgasoleo\b|\b(?:m?h)ev\b|\be-?tron\b|(?:voll)?elektro(?!nik)|electri(?:c|co|que)s?(?![a-z])(?! (?:windows?|mirrors?|seats?|sunroof|handbrake|parking|tailgate|boot|hook-?up|sliding|start|roof|memory|heat|front|rear|steering))(?<!(?:windows?|mirrors?|ventanas|elevalunas|retrovisores|vidrios|cristales|espejos|elevavidrios|vitres|sieges|retroviseurs|volets|hayon|asientos|toit) electri(?:c|co|que)s?)|elektrisch(?:e[mnrs]?)?(?![a-z])(?! (?:fenster|aussen|spiegel|sitz|vorder|heck|schiebe|park|verstell|anklapp|beheiz|einstell|hohenverst|klapp|lenk|gurt|an-|kofferraum|tur|dach|verdeck|rollo|trittbrett))|\bev\b|\bkwh\b|autogas|lpg|glp|gpl|\bcng\b|erdgas/g,
    read: oneOf({
      'plug-in hybrid': /plug|phev/,
      hybrid: /h[iy]brid|^m?hev/,
      diesel: /diesel|gasoil|gasoleo|gazole|tdi|cdi|hdi|dci|crdi|tdci|jtd|multijet|cdti/,
      lpg: /autogas|lpg|glp|gpl/,
      cng: /cng|erdgas/,
      electric: /ele[ck]tr|^ev\b|kwh|tron|strom/,
      petrol: /petrol|gas|ben[zc]in|nafta|essence|[tf]si|super|vtec|tech|ecoboost|^[ts]ce/,
    }),
  },
  {
    // Models that run on nothing else, and BMW's letters for the fuel: "320d", "X3 xDrive20d".
    fact: 'fuel',
    kinds: ['vehicles'],
    inTitle: true,
    unlessSaid: true,
    pattern:
      /(?<![a-z0-9])(?:tesla|(?:nissan )?leaf|(?:renault )?zoe|id\. ?[3457]|e-(?:golf|up!?|208|2008|corsa|niro)|ioniq [56]|ev[369]|taycan|bmw i3s?|dacia spring|[ck]-zero|i-miev)(?![a-z0-9])|\bbmw (?:[a-z0-9]+ ){0,2}(?:[1-8]\d\d|[xs]drive ?\d\d)[di](?![a-z0-9])/g,
    read: Object.assign(
      (match: RegExpExecArray) =>
        !match[0].startsWith('bmw') || / i3s?$/.test(match[0])
          ? 'electric'
          : match[0].endsWith('d')
            ? 'diesel'
            : 'petrol',
      { type: 'choice' as const, choices: ['electric', 'diesel', 'petrol'] },
    ),
  },
  {
    fact: 'transmission',
    denied: { automatic: 'manual', manual: 'automatic' },
    kinds: ['vehicles'],
    fields: [
      'transmission',
      'gearbox',
      'getriebe',
      'getriebeart',
      'schaltung',
      'cambio',
      'boite',
      'boitedevitesse',
      'boitedevitesses',
      'tipodecambio',
    ],
    pattern:
      /automati[ckq]u?e?|automatik(?:getriebe)?|(?<=(?:speed|dsg|petrol|diesel|hybrid|t[df]?si|tdi|[cdh]di|\d[.,]\d|litre|\dd|door|[,/(-]) ?)auto\b(?=[ ]?(?:[.,;)/\n-]|$|\d|gear|trans|box|petrol|diesel))|\bauto (?:gear ?)?box|\bdsg\b|\bdct\b|\bedc\b|\bcvt\b|\beat[68]\b|\bbv[am][4-9]?\b|tiptronic|[gs].?tronic|powershift|manual(?!ly)|schaltgetr(?:iebe|\.)|\bautom\.|\b(?:boite|bte|bt|bv)\.? auto\b|\bhandschalt(?:ung|er)|\bschalt(?:er|ung)\b|handgeschaltet|manuelle?|(?:boite|caja) mecani(?:que|ca)|[4-7][ -]?speed|[4-7][ .-]{0,2}gang|[4-7] (?:vitesses|velocidades|marchas)/g,
    read: gearbox,
  },
  {
    fact: 'owners',
    denied: {},
    type: 'number',
    kinds: ['vehicles'],
    needs: /owner|keeper|hand\b|\bhd\b|besitz|\bmain\b|mano\b|duen|propiet|propriet/,
    fields: [
      'owners',
      'numberofowners',
      'halter',
      'anzahlderfahrzeughalter',
      'fahrzeughalter',
      'propietarios',
      'duenos',
      'mains',
    ],
    pattern: new RegExp(
      `(?:${ordinals}) (?:hand\\b|main\\b|mano\\b|owners?\\b|duen[oa]|propietari[oa]|proprietaire|besitzer(?! seit))|(?:un solo|una sola|unic[oa]) (?:duen[oa]|propietari[oa])|erstbesitz|zweitbesitz|ersthand|zweithand|seul proprietaire|sole owner|${COUNT}(?:\\.|ere?|eme|e|o|a|ª|º)? ?(?:lady |prev(?:ious|\\.)? |former |registered |careful )?(?:owners?|keepers?|besitzer|hand\\b|hd\\b|vorbesitzer|proprietaires?|main|duen[oa]s?|propietarios?)`,
      'g',
    ),
    read(match) {
      const word = /^[a-z]+/.exec(match[0])?.[0] ?? '';
      const ordinal = ordinalNames.findIndex((names) => names.test(word));
      if (/^(?:un|erst(?:besitz|hand)|seul|sole)/.test(word)) return '1';
      if (/^zweit(?:besitz|hand)/.test(word)) return '2';
      return ordinal >= 0 ? String(ordinal + 1) : numberWithin(1, 20)(match, '');
    },
  },
  {
    fact: 'engineLitres',
    type: 'number',
    kinds: ['vehicles'],
    fields: ['enginelitres', 'enginesize', 'engine', 'motor', 'motorisierung'],
    pattern:
      /(?<![\d.,])(\d[.,]\d{1,2})(?= ?(?:l\b|litres?\b|liter\b|litros?\b|e?-?t[df]?si|tfsi|[tc]d[ci]i?\b|td\b|tdci|cdti|ctdi|t?dci|(?:blue-?|e-?)?hdi|crdi|jtdm?\b|multijet|mjet|i\b|16v|8v|ecoblue|ecoboost|petrol|diesel|gasolina|essence|dualjet|hemi|mpi|t?gdi|vvt|i-vtec|vtec|skyactiv|hybrid|benzin|puretech|tce\b|sce\b|turbo|thp\b|vti\b|v6|v8|[1-9]\d{1,2} ?(?:ps|hp|bhp|cv|ch)\b))/g,
    // Litres may also be what it needs for a hundred kilometres.
    read: (match, text) =>
      /(?:verbrauch|verbraucht|gasta|consum[eo]|consommation|consomme|uses|mpg)[a-z :.]{0,16}$/.test(
        before(text, match, 28),
      ) ||
      /^ ?(?:l|liter|litres?|litros?)\b\.? ?(?:\/|auf|pro|je|a los|a cada|aux|per|en|im|on)/.test(
        after(text, match, 18),
      )
        ? undefined
        : String(amountOf(match[1] ?? '')),
  },
  {
    fact: 'engineLitres',
    type: 'number',
    kinds: ['vehicles'],
    unlessSaid: true,
    needs: /\dc? ?c(?:c|m)/,
    pattern: /(?<![\d.,])(\d{2}|[1-9][.,]?\d{2,3}) ?(?:ccm?|cm[3³])(?![a-z0-9])/g,
    read: (match) => String(amountOf((match[1] ?? '').replace(/[.,]/, '')) / 1000),
  },
  {
    // In a title the size of the engine stands on its own: "Corsa D 1.2 Bj. 2011".
    fact: 'engineLitres',
    type: 'number',
    kinds: ['vehicles'],
    inTitle: true,
    unlessSaid: true,
    pattern:
      /(?<=[a-z0-9] )([0-6][.,]\d)(?= (?!(?:t|to|m|x|tonnes?|tonnen|meter|metres?|kg|km|kwh|ft|feet|mal)\b)[a-z(]|[,;)]|$)/g,
    read: (match) => (Number(amountOf(match[1] ?? '')) >= 0.6 ? String(amountOf(match[1] ?? '')) : undefined),
  },
  {
    fact: 'powerKw',
    kinds: ['vehicles'],
    fields: ['powerkw', 'leistungkw', 'potenciakw', 'puissancekw', 'kw'],
    mayState: ['leistung', 'power', 'potencia', 'puissance', 'motor', 'engine'],
    pattern: /\b(\d{2,3}) ?kw\b/g,
    read: numberWithin(10, 900),
  },
  {
    fact: 'powerHp',
    kinds: ['vehicles'],
    fields: [
      'powerhp',
      'powerps',
      'hp',
      'bhp',
      'ps',
      'leistungps',
      'potenciacv',
      'cv',
      'caballos',
      'puissancech',
      'chevaux',
      'ch',
    ],
    mayState: ['leistung', 'power', 'potencia', 'puissance', 'motor', 'engine'],
    pattern: /\b(\d{2,3}) ?(?:hp|bhp|ps|cv|ch|din|chevaux|caballos)\b/g,
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
    fact: 'operatingHours',
    type: 'number',
    kinds: ['vehicles'],
    fields: [
      ...['operatinghours', 'enginehours', 'betriebsstunden', 'motorstunden', 'horasdemotor', 'horasmotor'],
      ...['heuresmoteur', 'heuresdemoteur'],
    ],
    needs: /hours|hrs|stunden|horas|heures/,
    pattern: new RegExp(
      `(?<![\\d.,])(${numeral}) ?(?:(?:engine|motor|running|operating) ?(?:hours|hrs)|(?:betriebs|motor|lauf)stunden|horas (?:de )?(?:motor|navegacion|uso|funcionamiento)|heures (?:de )?(?:moteur|navigation|fonctionnement))(?![a-z])|(?:(?:engine|motor|running|operating) ?hours|(?:betriebs|motor)stunden|horas (?:de )?motor|heures (?:de )?moteur)[ :]{1,2}(?:ca\\.? |about )?(${numeral})`,
      'g',
    ),
    read: (match) => String(amountOf(match[1] ?? match[2] ?? '')),
  },
  {
    // A boat's hours are those of the engine that is named before them.
    fact: 'operatingHours',
    type: 'number',
    kinds: ['vehicles'],
    needs: /\b(?:boat|yacht|motorboot|segelboot|bo?ote?\b|barco|velero|lancha|bateau|voilier|semi-rigide|zodiac)/,
    pattern: new RegExp(`(?<![\\d.,])(${numeral}) ?(?:hours|hrs|horas|heures|stunden|std)(?![a-z/])`, 'g'),
    read: (match, text) =>
      /\b(?:engine|outboard|motor|moteur|aussenborder|fueraborda)\b/.test(beforeInSentence(text, match, 64)) &&
      !/(?:every|alle|cada|(?:tous|toutes) les|within|in|after|nach|apres|en|tras) $/.test(before(text, match, 12)) &&
      !/^ ?(?:per|pro|al|par|a day|notice)\b/.test(after(text, match))
        ? String(amountOf(match[1] ?? ''))
        : undefined,
  },
  {
    fact: 'doors',
    kinds: ['vehicles'],
    fields: [
      'doors',
      'numberofdoors',
      'turen',
      'tueren',
      'anzahlturen',
      'puertas',
      'numerodepuertas',
      'portes',
      'nombredeportes',
    ],
    // In words, a number of doors ends what is said of them: "two doors repainted" does not count them all.
    pattern: new RegExp(
      `\\b([2-6])(?:\\/[2-6])?[ -]?(?:doors?|dr\\b|turer|turig(?:e[rs]?)?|turen|trg\\b|puertas|ptas\\b|portes|ptes\\b|p(?= ?(?:[.,;)\\n]|$)))(?![a-z])|(?<!\\b(?:on|an|auf|en|sur|the|both|other|las|les|die|den|beiden) )${doorCount}[ -]?(?:door\\b(?! (?:handle|panel|lock|mirror|seal|card))|turig(?:e[rs]?)?\\b|turer\\b|(?:doors|turen|puertas|portes)(?= ?(?:[,.;)]|$|\\n|(?:and|und|y|et|with|mit|con|avec) ?\\d)))`,
      'g',
    ),
    read: numberWithin(2, 6),
  },
  {
    fact: 'seats',
    kinds: ['vehicles'],
    fields: ['seats', 'numberofseats', 'sitze', 'sitzplatze', 'plazas', 'asientos', 'places', 'nombredeplaces'],
    pattern:
      /(?<![\d.,a-z])(\d{1,2}|two|three|five|seven|nine)[ -]?(?:seats?(?! covers)|seater|sitzer|sitze(?! neu)|sitzplatze|plazas|asientos|places)(?![a-z])/g,
    needs: /seat|sitz|plazas|asientos|places/,
    read: numberWithin(1, 60),
  },
  {
    fact: 'accidentFree',
    denied: { true: 'false', false: 'true' },
    type: 'boolean',
    kinds: ['vehicles'],
    fields: ['accidentfree', 'unfallfrei', 'sinaccidentes', 'nonaccidente'],
    pattern:
      /accident.?free|no accidents|unfallfrei|sin accidentes|sin golpes|\bkeine?n? unfall(?:e|en)?\b|\baucun accident|\bningun accidente|jamais accident|non accident|unfallwagen|unfallschaden|\bcat(?:egory)? [sncd]\b|write.?off|accidentad[oa]|siniestrad[oa]|vehicule accidente|voiture accidentee?|(?:never|nunca|jamas|nie|niemals|jamais) (?:been |had |ha |eu )?(?:tenido |sufrido )?(?:in )?(?:an |un |einen |ningun |d.)?(?:accident|unfall|golpe|crash)/g,
    read: (match) =>
      String(/free|frei|^no |^sin |^kein|^aucun|^ningun|jamais|^non|^never|^nunca|^jamas|^nie|^jamais/.test(match[0])),
  },
];
