import { amountOf, countOf, numeral, smallWords } from './plain-text.ts';

export type Kind = 'vehicles' | 'property' | 'electronics' | 'jobs' | 'services' | 'furniture' | 'fashion' | 'generic';

/** The languages in which the patterns below read prose. */
export const factLanguages = ['en', 'de', 'es', 'fr'] as const;

export type FactType = 'number' | 'text' | 'choice' | 'boolean' | 'date';

/** Reads a fact's value from a match; what it may be is told where the reader knows it. */
export interface FactReader {
  (match: RegExpExecArray, text: string): string | undefined;
  type?: FactType;
  choices?: readonly string[];
}

/** How a fact is read from a text in lower case and without accents: the first of `read` that is not undefined counts. */
export interface FactPattern {
  fact: string;
  /** That of `read` when absent; a text when neither tells. */
  type?: FactType;
  /** Of what kinds of things it is a fact; empty: of all. */
  kinds: readonly Kind[];
  pattern: RegExp;
  read: FactReader;
  /** Names of attributes that give it, in lower case and letters only. */
  fields?: readonly string[];
}

const N = `(${numeral})`;
const COUNT = `(\\d{1,3}(?:[.,]\\d)?|${smallWords})`;
const thousands = 'k ?(?:€|eur|chf|£|\\$)?|t ?€|teur|tchf|tsd\\.?(?: ?(?:€|eur|euro))?|mil(?: euros)?|thousand|mille';
const YEAR = '((?:19[3-9]|20[0-9])\\d)';

/** The words before a match, in which something else may be said of its number. */
function before(text: string, match: RegExpExecArray, units = 24): string {
  return text.slice(Math.max(0, match.index - units), match.index);
}

function after(text: string, match: RegExpExecArray, units = 20): string {
  return text.slice(match.index + match[0].length, match.index + match[0].length + units);
}

function numberWithin(least: number, most: number): FactReader {
  const read = (match: RegExpExecArray): string | undefined => {
    const value = countOf(match[1] ?? match[2] ?? '');
    return value >= least && value <= most ? String(value) : undefined;
  };
  return Object.assign(read, { type: 'number' as const });
}

function oneOf(words: Readonly<Record<string, RegExp>>): FactReader {
  const read = (match: RegExpExecArray): string | undefined =>
    Object.entries(words).find(([, known]) => known.test(match[0]))?.[0];
  return Object.assign(read, { type: 'choice' as const, choices: Object.keys(words) });
}

/** What a "not" stands before is not so. */
function unlessNegated(words: Readonly<Record<string, RegExp>>): FactReader {
  const known = oneOf(words);
  const read = (match: RegExpExecArray, text: string): string | undefined =>
    /\b(?:not|no|nicht|kein|keine[nrs]?|ohne|no es|sin|pas(?: de)?|sans|without)(?: (?:any|a|single|quite|exactly|really|ganz|como|exactement|ni un|un|une|aucune?))? $/.test(
      before(text, match, 22),
    )
      ? undefined
      : known(match, text);
  return Object.assign(read, { type: 'choice' as const, choices: Object.keys(words) });
}

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

const purchased = /bought|purchased|gekauft|kauf|comprad|achete|receipt|rechnung|factura|facture/;
/** Words before a year that make it another one than that of the thing: an inspection, a guarantee. */
export const otherYear =
  /until|bis|hasta|jusqu|till|valid|tuv|hu |mot|nct|itv|\bct|controle|rebuilt|conversion|convert|renov|fitted|since|\bneue?\b|new|plates|neumatic|pneus?\b|reifen|t[yi]res?\b|\bdot\b|batt?er[iy]|bremsen|brakes|frenos|freins|cadena|\bchaine|\bkette|\bchain|service|warranty|garant|zahnriemen|belt|courroie|correa|available|frei ab/;

const boughtThen =
  /^ ?(?:gebraucht )?(?:gekauft|bought|comprad[oa]|achete)|^(?:er)? ?(?:(?:sommer|winter|ganzjahres|allwetter)?reifen|(?:winter |summer )?t[yi]res)/;
/** What else of a house has a floor. */
const besideFlat =
  /(?:store|storage|laundry|parking|garage|cellar|keller|waschkuche|abstellraum|trastero|garaje|lavanderia|cave|buanderie)[a-z ]{0,16}$/;

export const factPatterns: readonly FactPattern[] = [
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
      (otherYear.test(before(text, match, 26)) || boughtThen.test(after(text, match, 12))) &&
      !/registered|\bez|erstzulassung|matriculad|circulation|baujahr/.test(match[0])
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
      /automati[ckq]u?e?|automatik(?:getriebe)?|\bauto\b(?! ?teile)|\bdsg\b|\bcvt\b|tiptronic|manual|schaltgetriebe|handschaltung|manuelle?|boite mecanique|6 speed|6.?gang/g,
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
    read: (match) => (/studio|estudio/.test(match[0]) ? '1' : numberWithin(1, 60)(match, '')),
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
      /(?:epc(?: rating)?|ber|energy (?:class|rating)|energieeffizienzklasse|energieklasse|effizienzklasse|dpe|certificado energetico|clase energetica|classe energetique)[ :]{1,2}([a-h][1-3+]?)(?![a-z])/g,
    read: (match) => match[1]?.toUpperCase(),
  },
  {
    fact: 'offer',
    kinds: ['property'],
    fields: ['offer', 'offertype', 'transaction'],
    pattern:
      /for sale|to let|for rent|\brent\b|pcm|per month|\/mo\b|a month|zu vermieten|vermiet|miete|kaltmiete|zu verkaufen|verkauf|kaufpreis|alquil|se vende|en venta|venta|a louer|\b(?:en|a la|courte|bail de) location\b|location (?:meublee|vide)|loyer|a vendre|vente|asking|freehold|guide price|per week|holiday/g,
    read: oneOf({
      'holiday let': /holiday|per week/,
      rent: /let|rent|pcm|month|mo\b|miet|alquil|louer|location|loyer/,
      sale: /sale|verkauf|kauf|vend|venta|vente|asking|freehold|guide/,
    }),
  },
  {
    fact: 'model',
    kinds: ['electronics'],
    fields: ['model', 'modell', 'modelo', 'modele'],
    // A word of letters and digits that is no measure, or a name that is a model by itself.
    pattern:
      /\b(?:iphone|ipad|macbook|imac|airpods|galaxy|pixel|playstation|ps[345]|xbox|switch|kindle|thinkpad|ideapad|surface|xps|gopro|hero|echo|fairphone|redmi|moto|eos|lumix|alpha|rtx|ryzen|oled|mini|quietcomfort|serie|series|thermomix|roomba)\b(?: [a-z0-9]+){0,2}|\b(?:xiaomi|oneplus|realme|oppo|nokia|huawei|nothing phone)(?: [a-z]+)? \(?\d{1,3}[a-z]{0,2}\)?(?! ?(?:gb|go|tb|zoll|inch|pulgadas|pouces|hz|w\b|mp|mah|eur|€|monat|month|mes|mois))(?: (?:pro|ultra|lite|plus|max|t))*|\b(?!\d+(?:gb|tb|go|to|cm|mm|m|hz|w|kw|kg|g|zoll|inch|mp|mah|k|in|x|st|nd|rd|th|er|l|v|h|p|ah|wh|kwh|eur|pulgadas|pouces|gen|a|o|e|d|er|eme|jahre)\b)(?=[a-z-]*\d)[a-z]*\d+[a-z0-9-]*[a-z][a-z0-9-]*\b|\b[a-z]{1,6}-?\d{1,5}[a-z0-9-]*\b/g,
    read: (match) =>
      /^(?:usb|hdmi|mp3|mp4|ip\d\d|4k|[a-d]\d?|grade|bt|wifi|fhd|uhd|hd\d*|in\d*|um|ab|vor|seit|fur|de|en|a)\W?\d*$/.test(
        match[0],
      )
        ? undefined
        : match[0],
  },
  {
    fact: 'storageGb',
    type: 'number',
    kinds: ['electronics'],
    fields: ['storage', 'speicher', 'almacenamiento', 'stockage', 'storagegb'],
    pattern:
      /\b(\d{2,4}) ?(?:gb|go|gig)\b(?! ?(?:of |de )?(?:ram|ddr|\/|arbeitsspeicher|memor|memoire vive))|\/(\d{2,4}) ?gb|\b([1-8]) ?(?:tb|to)\b|\b(?:iphone|ipad|galaxy|pixel)[a-z0-9 ]{1,18} (64|128|256|512)\b/g,
    read: (match) => (match[3] ? String(Number(match[3]) * 1000) : (match[1] ?? match[2] ?? match[4])),
  },
  {
    fact: 'ramGb',
    type: 'number',
    kinds: ['electronics'],
    fields: ['ram', 'memory', 'arbeitsspeicher', 'ramgb'],
    pattern:
      /\b(\d{1,3}) ?(?:gb|go|gigas?)(?: de| of)? ?(?:ram|memoria ram|memory|memoire vive|ddr\d?|arbeitsspeicher|\/)|\b(\d{1,2}) ?gb(?= ?, ?\d{3} ?gb)/g,
    read: (match) => match[1] ?? match[2],
  },
  {
    fact: 'screenInch',
    type: 'number',
    kinds: ['electronics'],
    fields: ['screensize', 'screen', 'zoll', 'pulgadas', 'pouces'],
    pattern: /\b(?<![.,\d])(\d{1,2}(?:[.,]\d{1,2})?) ?(?:inch|in\b(?! [a-z])|zoll|pulgadas|pouces|"|'')/g,
    read: (match) => String(amountOf(match[1] ?? '')),
  },
  {
    fact: 'batteryHealthPercent',
    type: 'number',
    kinds: ['electronics', 'vehicles'],
    pattern: /batter(?:y|ie|ia)[a-z ]{0,24}(\d{2,3}) ?%/g,
    read: (match) => match[1],
  },
  {
    fact: 'hoursPerWeek',
    type: 'number',
    kinds: ['jobs'],
    fields: ['hours', 'hoursperweek', 'wochenstunden', 'horas', 'heures'],
    pattern: /\b(\d{1,2}(?:[.,]\d)?) ?-?(?:h|hrs?|hours?|std\.?|stunden|horas|heures)(?![a-z0-9])(?! ?(?:a|per) day)/g,
    read: (match, text) =>
      Number(amountOf(match[1] ?? '')) >= 5 &&
      !/£|€|\$|\d[ -]$/.test(before(text, match, 3)) &&
      !/(?:shifts?|schicht(?:en)?|dienste?n?|turnos?|postes?|jornadas?) (?:of|zu|von|mit|de) $/.test(
        before(text, match, 20),
      )
        ? String(amountOf(match[1] ?? ''))
        : undefined,
  },
  {
    fact: 'workload',
    kinds: ['jobs'],
    fields: ['workload', 'employmenttype', 'worktime', 'arbeitszeit', 'jornada'],
    pattern:
      /full.?time|vollzeit|jornada completa|tiempo completo|temps plein|temps complet|part.?time|teilzeit|media jornada|jornada parcial|tiempo parcial|temps partiel|minijob|\d+ ?% ?pensum/g,
    read: oneOf({ 'full-time': /full|voll|complet|plein/, 'part-time': /part|teil|media|mini|pensum/ }),
  },
  {
    fact: 'contract',
    kinds: ['jobs'],
    fields: ['contract', 'contracttype', 'jobtype', 'vertrag', 'vertragsart', 'contrato', 'contrat'],
    pattern:
      /permanent|\bperm\b|unbefristet|festanstellung|indefinid[oa]|contrato fijo|\bcdi\b|fixed.?term|temporary|\btemp\b|befristet|temporal|\bcdd\b|\d.?year contract|intern(?:ship)?\b|praktikum|practicas|\bstage\b|alternance|ausbildung|apprentice|freelance|freiberuf|autonomo|interim|zeitarbeit|werkstudent|aushilfe|seasonal|saison|temporada/g,
    read: oneOf({
      permanent: /perm|unbefristet|fest|indefinid|fijo|cdi/,
      internship: /intern|praktik|practicas|\bstage/,
      'fixed-term': /fixed|befristet|cdd|year contract|temporada/,
      apprenticeship: /ausbildung|apprent|alternance/,
      freelance: /free|freib|autonomo/,
      temporary: /temp|interim|zeitarbeit|aushilfe|season|saison|werkstudent/,
    }),
  },
  {
    fact: 'employer',
    kinds: ['jobs'],
    fields: [
      'employer',
      'company',
      'arbeitgeber',
      'firma',
      'unternehmen',
      'empresa',
      'entreprise',
      'employeur',
      'companyname',
      'organisation',
      'organization',
    ],
    pattern:
      /(?:(?:[a-z0-9][a-z0-9&.'-]* ){1,4}(?=gmbh|ltd|inc\b|llc|ag\b|kg\b|s\.?l\.?u?\b|s\.a\.|sarl|sas\b))?\b(?:gmbh|ltd|inc\b|llc|ag\b|kg\b|s\.?l\.?u?\b|s\.a\.|sarl|sas\b)|(?:(?:hotel|restaurant[e]?|cafe|backerei|metzgerei|klinik|praxis|kanzlei|autohaus|boulangerie|brasserie|garage|clinique|cabinet|panaderia|clinica|taller|hospital|bakery|clinic|pub|inn|school|schule) [a-z0-9&.'-]+(?: [a-z0-9&.'-]+)? (?=sucht|recrute|recherche|busca|is hiring|is looking))/g,
    read: (match) =>
      match[0]
        .replace(
          /^(?:(?:wir|die|der|das|bei|at|the|for|fur|in|chez|la|le|el|empresa|firma|und|and|our|team|we|are|unser|unserem|unsere|nuestro|notre|equipo|equipe|unternehmen) )+/,
          '',
        )
        .trim(),
  },
  {
    // What names nobody, after those that do.
    fact: 'employer',
    kinds: ['jobs'],
    pattern:
      /with [a-z]+ at the [a-z ]+|\bfamil(?:y|ie)\b|famille|familia|our (?:team|clinic|shop|restaurant|company)|we (?:are|run)|unser(?:e|em|er|en)? [a-z]+|nuestr[oa] [a-z]+|notre [a-z]+/g,
    read: (match) => match[0].trim(),
  },
  {
    fact: 'experienceYears',
    kinds: ['jobs', 'services'],
    pattern: new RegExp(
      `${COUNT}\\+? (?:yrs|years?|jahren?|anos|ans)(?: of| de| d'| in the)? ?(?:experience|erfahrung|experiencia|trade|teaching|berufserfahrung)`,
      'g',
    ),
    read: numberWithin(1, 80),
  },
  {
    fact: 'remote',
    kinds: ['jobs', 'services'],
    fields: ['remote'],
    pattern:
      /hybrid|remote|home.?office|homeoffice|teletrabajo|teletravail|\bonline\b|en ligne|por videollamada|a distance|a distancia|bundesweit|deutschlandweit|worldwide/g,
    read: Object.assign(
      (match: RegExpExecArray, text: string) => {
        const near = before(text, match, 24);
        if (
          /\b(?:no|not|kein|keine|ohne|sin|pas de|sans|apply|bewerb[a-z]*|postul[a-z]*|solicitud) (?:[a-z]+ ){0,2}$/.test(
            near,
          )
        )
          return undefined;
        return /hybrid/.test(match[0]) ||
          /(?:one|two|three|four|ein|eine[mn]?|zwei|drei|dos|tres|un|deux|trois|\d) (?:day|tag|dia|jour)/.test(
            `${near}${after(text, match, 24)}`,
          )
          ? 'hybrid'
          : 'true';
      },
      { type: 'choice' as const, choices: ['hybrid', 'true'] },
    ),
  },
  {
    fact: 'quoted',
    type: 'boolean',
    kinds: ['services'],
    pattern:
      /\bquotes?\b|estimate|on request|angebot|auf anfrage|kostenvoranschlag|festpreis|presupuesto|sin compromiso|a consultar|devis|sur demande/g,
    read: () => 'true',
  },
  {
    fact: 'condition',
    kinds: ['electronics', 'furniture', 'fashion', 'generic'],
    fields: ['condition', 'zustand', 'estado', 'etat', 'grade'],
    pattern:
      /like new|as new(?! [a-z])|neuwertig|wie neu|como nuev[oa]|comme neuf|comme neuve|brand new|(?:^|[.,;:!-] ?)new(?= sealed|[.,;!]|$| in box| with tags| and unused)|new sealed|unopened|\bsealed\b|nagelneu|originalverpackt|\bovp\b(?= ungeoffnet)|unbenutzt|ungetragen|sin estrenar|a estrenar|precintad[oa]|neu(?:f|ve)? (?:et )?(?:jamais|sous blister|avec etiquette)|jamais (?:porte|servi|utilise)e?|neu(?=[.,;!]|$)|very good|sehr gut(?:er|em|en)?|muy buen(?:o|a|as)?|tres bon(?:ne)?|excellent|exzellent|excelente|hervorragend|perfecto estado|parfait etat|top.?zustand|good (?:used )?condition|good working|\bcondition:? good|buen estado|buenas condiciones|bon etat|bonne etat|gut(?:er|em|en)? (?:gebrauchter )?zustand|gut erhalten|gepflegt|well kept|used\b|gebraucht|usad[oa]|segunda mano|occasion|d'occasion|worn\b|getragen|refurbished|generaluberholt|reacondicionad|reconditionne|(?:not|no longer|n't) work(?:s|ing)?\b|(?:works?|runs?) (?:fine|well|great|perfectly|like new)|fully working|einwandfrei|lauft (?:gut|super|problemlos|tadellos)|va (?:muy )?bien|marche (?:tres )?bien|marche parfaitement|tourne bien|funktioniert (?:leider |gar |uberhaupt )?nicht|funktioniert|\b(?:no|ya no) (?:funciona|enciende)|funciona|ne fonctionne (?:pas|plus)|fonctionne|for parts|broken|defekt|averiad|para piezas|en panne|pour pieces|scratch|kratzer|schramme|\bdelle|\bbeule|gebrauchsspuren|aranazo|\bgolpes?\b|rozadura|abolladura|rayure|eraflure|\bbosses?\b|\bdents?\b|\bscuffs?\b|\bchipped\b|restored|restauriert|restaurad|\b(?:[5-9]|10) ?\/ ?10\b|grade [abc]\b|condition \d|never used|nie benutzt|sin usar|mint\b|no marks|never crashed|damaged|stains?\b|flecken|zustand/g,
    read: unlessNegated({
      'like new': /like new|as new|neuwertig|wie neu|como nuev|comme neu|mint|no marks/,
      'for parts':
        /parts|not work|longer work|n't work|nicht|no (?:funciona|enciende)|fonctionne p|broken|defekt|averiad|piezas|panne|pieces|damaged/,
      new: /new|sealed|unopened|nagelneu|verpackt|unbenutzt|ungetragen|estrenar|precintad|jamais|never used|nie benutzt|sin usar|^neu|ovp/,
      'very good':
        /very good|sehr gut|muy buen|tres bon|excel|exzel|hervor|perfecto estado|parfait|top|(?:8|9|10) ?\/ ?10|never crashed/,
      good: /good|buen|bon|gut|gepflegt|well kept|grade [ab]/,
      working: /work|runs|funktion|einwandfrei|lauft|funciona|va |marche|tourne|fonctionne/,
      refurbished: /refurb|general|reacond|recond|rest/,
      used: /./,
    }),
  },
  {
    fact: 'dimensions',
    kinds: ['furniture', 'generic'],
    fields: [
      'dimensions',
      'size',
      'masse',
      'medidas',
      'width',
      'height',
      'length',
      'breite',
      'ancho',
      'largeur',
      'widthcm',
      'lengthcm',
      'heightcm',
    ],
    pattern:
      /\b\d{2,3}(?:[.,]\d)? ?(?:cm)? ?(?:x|×|by|mal|por|sur|auf) ?\d{2,3}|\b\d{2,3}(?:[.,]\d)? ?(?:cm|mm|centimet|zentimeter)|\b\d[.,]\d{1,2} ?(?:m|metros?|metres?|meter)\b|\b\d ?(?:ft|feet)\b|\d"/g,
    read: (match) => match[0],
  },
  {
    fact: 'size',
    kinds: ['fashion'],
    fields: ['size', 'grosse', 'groesse', 'talla', 'taille', 'pointure'],
    pattern:
      /(?:size|gr(?:osse|oße|\.)?|talla|t\.|taille|pointure|numero|uk|eu|us|konfektionsgrosse|schuhgrosse)[ :]{0,2}(\d{1,3}(?:[.,]5)?(?:[/-]\d{1,3})?|x{0,3}[sml]|one size|unica|unique)(?![a-z0-9])|\b(x{1,3}[sl])\b|\bw\d\d ?\/? ?l\d\d|\b(\d{2,3})\/(\d{2,3}) ?cm|\b\d{1,2} ?- ?\d{1,2} (?:years|jahre|anos|ans|months|monate|meses|mois)/g,
    read: (match) => (match[1] ?? match[0]).toUpperCase(),
  },
  {
    fact: 'purchased',
    type: 'number',
    kinds: ['electronics'],
    pattern: new RegExp(`(?:bought|purchased|gekauft|kaufdatum|comprad[oa]|achete[e]?)[a-z ]{0,24}${YEAR}`, 'g'),
    read: (match) => (purchased.test(match[0]) ? match[1] : undefined),
  },
  {
    fact: 'salaryMin',
    type: 'number',
    kinds: ['jobs'],
    // A range of thousands without a currency: 55k to 68k, 55-68 TEUR, 38 a 45k.
    pattern: new RegExp(
      `(?<![\\d.,a-z])((?:${numeral}) ?(?:${thousands})?) ?(?:-|–|bis|to|and|a|hasta|y|und|et) ?((?:${numeral}) ?(?:${thousands}))(?![a-z0-9])`,
      'g',
    ),
    read: (match, text) => {
      const [least, most] = [thousandsOf(match[1] ?? ''), thousandsOf(match[2] ?? '')];
      const isRange = least <= most && least * 4 >= most && most >= 10_000 && most <= 1_000_000;
      return isRange && !isExtra(text, match) ? String(least) : undefined;
    },
  },
  {
    fact: 'salaryMin',
    type: 'number',
    kinds: ['jobs'],
    fields: ['salary', 'salaryfrom', 'salarymin', 'gehalt', 'lohn', 'salario', 'salaire', 'pay'],
    pattern: new RegExp(
      `(?:[€£$]|eur|chf|usd|gbp) ?((?:${numeral})k?)|(?:((?:${numeral})k?) ?(?:€ ?|eur )?(?:-|bis|to|a|et|y|und) ?)?((?:${numeral})k?) ?(?:€|euros?|eur\\b|chf|£|brutto)`,
      'g',
    ),
    read: (match, text) => {
      const [, after, from, to] = match;
      if (isExtra(text, match)) return undefined;
      if (from !== undefined && to !== undefined) return String(lowerOf(from, to));
      const value = amountOf(after ?? to ?? '');
      return String(
        value < 1000 && /\d ?- ?\d{2}k/.test(match.input.slice(match.index, match.index + 12)) ? value * 1000 : value,
      );
    },
  },
  {
    fact: 'price',
    type: 'number',
    kinds: [],
    pattern: new RegExp(
      `(?:[€£$]|\\b(?:eur|chf|usd|gbp)) ?((?:${numeral})k?)(?!\\d)|(?<![\\d.,])((?:${numeral})k?) ?(?:€|euros?\\b|eur\\b|£|quid|\\$|chf\\b|vb\\b)|(?<![\\d.,])((?:${numeral})) (?:per hour|an hour|online|por hora|die stunde|pro stunde|de l'heure)`,
      'g',
    ),
    read: (match, text) =>
      otherPrice.test(before(text, match, 26)) ? undefined : String(amountOf(match[1] ?? match[2] ?? match[3] ?? '')),
  },
];

/** An amount of a range of thousands, the unit of which stands at its end only or at both. */
function thousandsOf(text: string): number {
  const value = amountOf(text.replace(/[^\d.,' ]/g, '').trim());
  return value < 1000 ? value * 1000 : value;
}

/** What is paid besides the wage: once, for a weekend, for the journey. */
function isExtra(text: string, match: RegExpExecArray): boolean {
  return (
    /(?:bonus|pramie|praemie|zulage|zuschlag|plus|prime|prima|complemento|allowance|ticket)[a-z ]{0,12}$/.test(
      before(text, match, 22),
    ) ||
    /^ ?(?:joining|sign(?:ing)?[ -]on|welcome|referral|antritts|start)?[ -]?(?:bonus|pramie|zulage|zuschlag|prime\b|allowance)/.test(
      after(text, match, 26),
    )
  );
}

/** The lower end of a range such as 3.000 - 3.500 or 40-45k; its upper end where the first number is none of the range. */
function lowerOf(from: string, to: string): number {
  const most = amountOf(to);
  const least = amountOf(from) * (/k$/.test(to) && !/k$/.test(from) ? 1000 : 1);
  return least <= most && least * 4 >= most ? least : most;
}

/** Words before an amount that is not what is asked for. */
const otherPrice =
  /(?:neupreis|\bnp|listenpreis|kaution|gekostet|bezahlt|\buvp|prix neuf|paye[es]*|achete[es]* |caution|depot de garantie|precio nuevo|\bcosto|pague|fianza|deposit|cost (?:me|new)|paid|\brrp|new price|was|statt|instead of|originally|anfahrt(?:spauschale)?|call.?out|travel|fahrtkosten|deplacement|desplazamiento|versand|shipping|postage|delivery|envio|livraison)[a-z :(]{0,12}$/;

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
