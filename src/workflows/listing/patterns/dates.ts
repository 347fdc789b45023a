import { monthNames } from '../../sense/months.ts';
import { after, before, type FactPattern, YEAR } from './pattern.ts';

const months: readonly RegExp[] = monthNames.map((names) => new RegExp(`^(?:${names.join('|')})$`));
const monthWord = `(?:${monthNames.flat().join('|')})(?![a-z])`;
const shortYear = '(?:(?:19|20)?\\d{2})';
/** A day or a month, as the last nine groups of a match: 14. Februar 2027, 1er mars 2027, 14/02/2027, 02.2027, 2027-02-14. */
const date =
  `(?:(\\d{1,2})(?:\\.|st|nd|rd|th|er)?(?: de| of)? )?(${monthWord})\\.?(?: del?)? (${shortYear})\\b` +
  `|(?:(\\d{1,2})[./-])?(\\d{1,2})[./-](${shortYear})\\b(?![./-]\\d)` +
  '|((?:19|20)\\d{2})-(\\d{2})(?:-(\\d{2}))?\\b';

/** The date with which a match ends, in ISO 8601: 2027-05, 2027-02-14. */
function isoDate(match: RegExpExecArray): string | undefined {
  const [dayOfWord, word, yearOfWord, day, digits, year, isoYear, isoMonth, isoDay] = match.slice(-9);
  const named = word === undefined ? undefined : months.findIndex((name) => name.test(word)) + 1;
  const month = named ?? Number(digits ?? isoMonth);
  const on = Number(dayOfWord ?? day ?? isoDay ?? 1);
  const full = Number(yearOfWord ?? year ?? isoYear);
  if (!(month >= 1 && month <= 12) || !(on >= 1 && on <= lastDay(full, month))) return undefined;
  const hasDay = (dayOfWord ?? day ?? isoDay) !== undefined;
  // Two digits are a year of this century, unless nobody can have meant one that far ahead.
  const century = full >= 100 ? 0 : full > 60 ? 1900 : 2000;
  return [full + century, month, ...(hasDay ? [on] : [])].map((part) => String(part).padStart(2, '0')).join('-');
}

/** Of leap years, two digits are enough. */
function lastDay(year: number, month: number): number {
  return new Date(Date.UTC(year < 100 ? 2000 + year : year, month, 0)).getUTCDate();
}

const whole = new RegExp(`^\\D{0,12}?(?:${date})$`);

/** A field that is nothing but a date. */
export function dateOf(plain: string): string | undefined {
  const match = whole.exec(plain.trim());
  return match ? isoDate(match) : undefined;
}

/** A fact that is the date after certain words. */
function dated(
  fact: string,
  kinds: FactPattern['kinds'],
  words: string,
  more: Partial<Pick<FactPattern, 'fields' | 'read'>> = {},
  gap = "[a-z' /:,(-]{0,24}?",
): FactPattern {
  const cue = `(?<![a-z])(?:${words})`;
  return {
    ...{ fact, type: 'date', kinds, read: isoDate, ...more },
    pattern: new RegExp(`${cue}${gap}(?<!\\d[.,/]?)(?:${date})`, 'g'),
    needs: new RegExp(cue),
  };
}

// In France, people often state when the inspection took place: it is valid for two years (Code de la route, R323-22).
const inspectedOn = /^(?:controle technique|ct)\b[a-z' /:,-]*\b(?:du|le|en) /;

function inspectionEnd(match: RegExpExecArray): string | undefined {
  const date = isoDate(match);
  const isPast = inspectedOn.test(match[0]) && !/jusqu|valable|valide/.test(match[0]);
  return date !== undefined && isPast ? `${Number(date.slice(0, 4)) + 2}${date.slice(4)}` : date;
}

/** Words that make a date one by which something must have been done. */
const isEnd =
  /(?:\bbis|bewerb[a-z]*|schluss|frist|closing|deadline|before|until|hasta|plazo|jusqu.{0,4}|avant|cloture)[a-z' :]{0,16}$/;

function isNoBeginning(match: RegExpExecArray, text: string): boolean {
  return (
    isEnd.test(before(text, match, 28)) ||
    /\b(?:bis|until|till|hasta|jusqu|appl(?:y|ication)|bewerb|bewirb|closing|deadline|frist|postul|candidat|solicit|inscri|plazo|cloture)/.test(
      match[0],
    )
  );
}

/** "01.04." is a day and no month of 2004. */
const dayAndMonth = /(?<!\d[./]?)\d{1,2}[./](?:0[1-9]|1[0-2])$/;

/** "7.30" is a time of day: nobody writes July of 2030 like this, and a shift begins at a full quarter of an hour. */
const quarterHour = /(?<![\d./-])(?:\d|1\d|2[0-3])\.(?:00|15|30|45)$/;
const asTime = /^\.? ?(?:uhr|h\b|hrs|a\.?m\b|p\.?m\b|(?:to|bis|until|till|a|-) ?\d{1,2}[.:h])/;

const fromThen = (match: RegExpExecArray, text: string) =>
  isNoBeginning(match, text) ||
  dayAndMonth.test(match[0]) ||
  quarterHour.test(match[0]) ||
  (/\d\.\d\d$/.test(match[0]) && asTime.test(after(text, match)))
    ? undefined
    : isoDate(match);

const longMonth = `(?:${monthNames
  .flat()
  .filter((name) => name.length > 3 || name === 'may' || name === 'mai')
  .join('|')})(?![a-z])`;
/** A day that has no year: 1.4., 01.04, 1st April, 1 de abril. */
const dayOfYear =
  `(\\d{1,2})(?:\\.|st|nd|rd|th|er)?(?: de| of)? ?(${longMonth})(?!\\.?,?(?: del?)? ?\\d{2})` +
  '|(?:(\\d{1,2})\\.(\\d{1,2})\\.|(\\d\\d)\\.(\\d\\d))(?! ?\\d|[.,]\\d| ?(?:m2|m²|qm|sqm|€|eur|uhr|h\\b|zimmer|zi\\b))';
const daySlashed = '(\\d{1,2})\\/(\\d{1,2})(?= ?(?:[.,;)!\\n]|$))';

/** A day or a month without a year, with two hyphens instead: --04-01, --04. */
const readYearless = (match: RegExpExecArray, text: string): string | undefined => {
  if (isNoBeginning(match, text)) return undefined;
  const [first, second] = match.slice(1).filter((part) => part !== undefined);
  const named = months.findIndex((name) => name.test(second ?? first ?? '')) + 1;
  const month = named > 0 ? named : Number(second);
  const day = second === undefined ? undefined : Number(first);
  if (!(month >= 1 && month <= 12) || (day !== undefined && !(day >= 1 && day <= lastDay(2000, month))))
    return undefined;
  return `-${[month, ...(day === undefined ? [] : [day])].map((part) => `-${String(part).padStart(2, '0')}`).join('')}`;
};

const justPastMs = 60 * 86_400_000;

/** The next day, or month, that a date without a year can be, or one that is just past; others stay as they are. */
export function nextDate(date: string, today: string): string {
  if (!date.startsWith('--')) return date;
  const since = new Date(Date.parse(today) - justPastMs).toISOString();
  const year = Number(since.slice(0, 4));
  const rest = date.slice(1);
  return `${rest >= since.slice(4, 4 + rest.length) ? year : year + 1}${rest}`;
}

/** A fact that is a day to come after certain words, without its year. */
function toCome(fact: string, kinds: FactPattern['kinds'], words: string, day: string, gap: string): FactPattern {
  const cue = `(?<![a-z])(?:${words})`;
  return {
    ...{ fact, type: 'date', kinds, read: readYearless, needs: new RegExp(cue) },
    pattern: new RegExp(`${cue}${gap}(?<!\\d[.,/]?)(?:${day})`, 'g'),
  };
}

/** Words for when a home is free, and for when work begins. */
const free =
  'frei|verfugbar|bezugsfrei|beziehbar|bezug|einzug|avail(?:able|\\.)|move.?in|vacant|dispo(?:nible)?|libre|entrada';
const beginning =
  'eintritt|eintrittsdatum|arbeitsbeginn|beginn|ausbildungsbeginn|start|starting|starts|start date|startdatum|incorporacion|inicio|comienzo|empieza|prise de poste|prise de fonctions?|debut|embauche|demarrage|commencing';
const from = 'ab|from|desde|a partir d[eu]l?|des(?: le)?|zum';
const fromGap = ' (?:dem |sofort |the |el |le |anfang |mitte |ende )?';
const freeGap = "[a-z' :,(-]{0,24}?";
/** "Desde enero" may be since January. */
const fromMonth = `(?<!desde )(${longMonth})(?!\\.?,?(?: del?)? ?\\d{2})`;
const fromDay = `${dayOfYear}|${daySlashed}|${fromMonth}`;

/** Facts that are dates. */
export const datePatterns: readonly FactPattern[] = [
  dated('inspectionUntil', ['vehicles'], 'tuv|hu|hauptuntersuchung|pickerl|mot|nct|itv|controle technique|ct', {
    fields: [
      ...['inspectionuntil', 'tuv', 'tuev', 'hu', 'tuvbis', 'hubis', 'tuvhu', 'hutuv', 'huau', 'hauptuntersuchung'],
      ...['mot', 'motuntil', 'motexpiry', 'nct', 'itv', 'itvhasta', 'controletechnique', 'ct'],
    ],
    read: inspectionEnd,
  }),
  dated(
    'firstRegistration',
    ['vehicles'],
    'ez|erstzulassung|erstmals zugelassen|zugelassen|first registered|registered|registration|reg\\.?|matriculad[oa]|matriculacion|mise en circulation|mise en circ\\.?|mec|immatricul(?:ee?|ation)',
    {
      fields: [
        ...['firstregistration', 'erstzulassung', 'ez', 'matriculacion', 'fechadematriculacion', 'regdate'],
        ...['primeramatriculacion', 'miseencirculation', 'datedemiseencirculation', 'mec', 'registrationdate'],
      ],
    },
  ),
  dated('availableFrom', ['property'], free, {
    fields: [
      ...['availablefrom', 'available', 'freiab', 'verfugbarab', 'bezugsfreiab', 'einzugab', 'disponibledesde'],
      ...['disponible', 'disponibilidad', 'disponibilite', 'disponiblele', 'librele'],
    ],
    read: fromThen,
  }),
  dated('availableFrom', ['property'], from, { read: fromThen }, fromGap),
  dated('startDate', ['jobs'], beginning, {
    fields: [
      ...['startdate', 'start', 'beginn', 'eintritt', 'eintrittsdatum', 'startdatum', 'ausbildungsbeginn'],
      ...['incorporacion', 'fechadeinicio', 'inicio', 'debut', 'datededebut', 'prisedeposte'],
    ],
    read: fromThen,
  }),
  dated('startDate', ['jobs'], from, { read: fromThen }, fromGap),
  toCome('availableFrom', ['property'], free, dayOfYear, freeGap),
  toCome('availableFrom', ['property'], from, fromDay, fromGap),
  toCome('startDate', ['jobs'], beginning, dayOfYear, freeGap),
  toCome('startDate', ['jobs'], from, fromDay, fromGap),
  dated(
    'applyBy',
    ['jobs'],
    'bewerbungsschluss|bewerbungsfrist|bewerbung(?:en)? bis|bewirb dich bis|bewerben sie sich bis|closing date|apply by|apply before|applications? (?:close|by|due)|deadline|plazo|solicitudes hasta|inscripcion(?:es)? hasta|candidaturas? hasta|date limite|cloture|candidatures? (?:jusqu|avant)|postulez avant',
    { fields: ['applyby', 'deadline', 'closingdate', 'bewerbungsschluss', 'bewerbungsfrist', 'plazo', 'datelimite'] },
  ),
  dated(
    'warrantyUntil',
    ['electronics', 'vehicles'],
    'garantie|gewahrleistung|garantia|warranty|guarantee|applecare\\+?',
    {
      fields: ['warrantyuntil', 'warranty', 'garantiebis', 'garantie', 'garantia', 'garantiahasta'],
      // A guarantee may also be told by its beginning.
      read: (match) => (/bis|until|till|\bto\b|hasta|jusqu|through|valid/.test(match[0]) ? isoDate(match) : undefined),
    },
  ),
  dated(
    'purchased',
    ['electronics'],
    'bought|purchased|gekauft|kaufdatum|angeschafft|neu gekauft|comprad[oa]|adquirid[oa]|achetee?|rechnung (?:vom|von)|invoice from|factura de|facture d[ue]',
    { fields: ['purchased', 'purchasedate', 'kaufdatum', 'fechadecompra', 'datedachat'] },
    '[a-z ,(:]{0,24}?',
  ),
  {
    fact: 'purchased',
    type: 'date',
    kinds: ['electronics'],
    pattern: new RegExp(
      `(?:bought|purchased|gekauft|kaufdatum|angeschafft|comprad[oa]|achetee?)[a-z ]{0,24}(?<!\\d[.,/]?)${YEAR}|${YEAR} (?:neu )?(?:gekauft|angeschafft)`,
      'g',
    ),
    read: (match, text) => (/^ ?(?:€|eur|£|km)/.test(after(text, match, 5)) ? undefined : (match[1] ?? match[2])),
  },
];
