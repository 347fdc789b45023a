import { foldText } from '../../base/text/fold.ts';
import { draftLanguages } from '../packs/draft-language.ts';
import { monthNames } from '../sense/months.ts';

const looksAtMax = 80;

// 12.03., 3/12/2026, 2026-12-03, 10:30, and a year on its own.
const inDigits = /\b\d{1,4}[./-]\d{1,2}(?:\b|\.)|\b\d{1,2}(?::|h)\d{0,2}\b|^(?:19|20)\d{2}$|\b\d{1,2}(?:st|nd|rd|th)\b/;

// What people write instead of a date, folded: "as soon as possible", "Ende des Monats", "lunes", "après Pâques".
const inWords =
  /\b(?:(?:immediate|sofort|inmediat|immediat|umgehend|unverzuglich|schnellst|fruhest|nachst|kommend|proxim|prochain|possib|posible|moglich|heute|morgen|gestern|vorgestern|ubermorgen|quart|trimest|season|herbst|fruhling|sommer|winter|primavera|verano|otono|invierno|printemps|automne|weihnacht|christmas|navidad|ostern|easter|pascua|paques|monat|woche|jahr|semana|semaine|annee|week|month|year|werktag|holiday|ferien|vacacion|vacances|arbeitstag|tage|working day|business day)\w*|today|tomorrow|yesterday|now|asap|next|days?|end|ende|mitte|anfang|ultimo|fin|finales|mediados|principios|mes|mois|dia|dias|ano|jour|jours|jetzt|tag|hoy|manana|ayer|anteayer|demain|hier|avant ?hier|hiver|ete|noel|q[1-4]|kw)\b/;

/**
 * Months and weekdays in the languages of drafts, in full and abbreviated: "december", "dez", "lunes". "Set" is more often the
 * English word than September.
 */
const calendar: ReadonlySet<string> = new Set([
  ...monthNames.flat().filter((name) => name !== 'set'),
  ...draftLanguages.flatMap((language) => weekdaysOf(language, ['long', 'short'])),
]);

function weekdaysOf(language: string, lengths: readonly ('long' | 'short')[]): string[] {
  return lengths.flatMap((weekday) => {
    const format = new Intl.DateTimeFormat(language, { weekday, timeZone: 'UTC' });
    return Array.from({ length: 7 }, (_, day) =>
      foldText(format.format(Date.UTC(2026, 0, day + 1))).replaceAll('.', ''),
    );
  });
}

/** Whether a text could state a day or a time. "Lindenweg 4" does not, whatever it is called. */
export function saysWhen(text: string): boolean {
  const looked = text.trim().slice(0, looksAtMax);
  const folded = foldText(looked);
  if (inDigits.test(looked) || inWords.test(folded)) return true;
  return (folded.match(/\p{L}+/gu) ?? []).some((word) => calendar.has(word));
}

/** Whether a text states a day without a time: "Beginn: 11. Januar". */
export function saysDay(text: string): boolean {
  const folded = foldText(text.trim().slice(0, looksAtMax));
  const hasTime = /\d ?(?:uhr|h\b|am\b|pm\b|:\d\d)|\d[.:]\d\d\b/.test(folded);
  return !hasTime && (folded.match(/\p{L}+/gu) ?? []).some((word) => calendar.has(word));
}

const months = monthNames
  .flat()
  .filter((name) => name !== 'set')
  .join('|');
const weekdays = draftLanguages.flatMap((language) => weekdaysOf(language, ['long'])).join('|');
// Friday; 4 May; 1er mars; 7 de mayo; the 15th; May 4. With digits, "7-10 days" is no day, and 07/10 is one.
const severalWeekdays = new RegExp(`\\b(?:${weekdays})s?\\b.*\\b(?:${weekdays})s?\\b.*\\d`);

/** Whether a text states hours of several days of the week, "Monday to Friday, 9 to 5", which is no time of one day. */
export function saysWeekdays(text: string): boolean {
  return severalWeekdays.test(foldText(text.trim().slice(0, looksAtMax)));
}

const beginsWithDay = new RegExp(
  `^(?:(?:${weekdays})\\b|(?:the )?\\d{1,2}(?:st|nd|rd|th|er|o)?\\.? ?(?:(?:de|of) )?(?:${months})\\b|(?:${months})\\.? \\d|the \\d{1,2}(?:st|nd|rd|th)\\b)`,
);
const beginsWithDigits = /^(?:\d{1,4}([./-])\d{1,2}(?:\1\d{0,4})(?!\d)|\d{1,2}\/\d{1,2}(?![\d ]*\p{L}))/u;

/** Whether a text begins with a day, so that "on" and "by" may stand before it: not "in 7 days", "tomorrow" or "by Friday". */
export function isDay(text: string): boolean {
  const looked = text.trim().slice(0, looksAtMax);
  return beginsWithDigits.test(looked) || beginsWithDay.test(foldText(looked));
}
