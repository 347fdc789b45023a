import { foldText } from '../../base/text/fold.ts';
import { monthNames } from './months.ts';

/** A calendar day. `iso` sorts chronologically. */
export interface Day {
  year: number;
  iso: string;
}

const weekDay =
  '(?:(?:on |am |el |le )?(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?|(?:montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonnabend|sonntag|mo|di|mi|do|fr|sa|so)|(?:el )?(?:lunes|martes|miercoles|jueves|viernes|sabado|domingo)|(?:le )?(?:lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche))[.,]* ';
const monthWord = `(${monthNames.flat().join('|')})`;
// 7 March 1988, 7. März 1988, 7 de marzo de 1988, 1er mars 1988, 7-Mar-1988; the texts are folded.
// A day of the week before it says nothing more: "lundi 7 décembre 2026".
const dayOfMonth = new RegExp(
  `^(?:${weekDay})?(?:the |den |el |le )?(\\d{1,2})(?:st|nd|rd|th|er|o)?\\.?(?: | ?(?:of|de) |[-/])?${monthWord}[.,]?(?: | ?del? |[-/])?(\\d{4})$`,
);
const monthAndDay = new RegExp(`^(?:${weekDay})?${monthWord}\\.? (\\d{1,2})(?:st|nd|rd|th)?,? (\\d{4})$`);
const namedMax = 40;

/** The numbers of a day whose month has a name, whether or not that day exists. */
function namedDay(text: string): [year: number, month: number, day: number] | undefined {
  if (text.length > namedMax) return undefined;
  const folded = foldText(text);
  const [, day, name, year] = dayOfMonth.exec(folded) ?? [];
  if (day !== undefined) return [Number(year), monthOf(name), Number(day)];
  const [, first, second, last] = monthAndDay.exec(folded) ?? [];
  return first === undefined ? undefined : [Number(last), monthOf(first), Number(second)];
}

/** Two digits of a year, as forms on paper have them: those from 50 on are of the last century. */
function yearOf(digits = ''): number {
  if (digits.length > 2) return Number(digits);
  return Number(digits) + (Number(digits) < 50 ? 2000 : 1900);
}

function monthOf(name = ''): number {
  return monthNames.findIndex((names) => names.includes(name)) + 1;
}

/** Which of the first two numbers of 03/04/2026 is the month. */
export type DayOrder = 'day first' | 'month first';

/** The order in which a locale writes days; undefined where both orders are usual. */
export function dayOrderOf(locale: string): DayOrder | undefined {
  if (/^(?:en[-_](?:US|PH|PR)|es[-_](?:US|PR))\b/i.test(locale)) return 'month first';
  return /^(?:$|en$|en[-_]CA\b)/i.test(locale) ? undefined : 'day first';
}

const withSlashes = /^(\d{1,2})([/-])(\d{1,2})\2(?:\d{4}|\d{2})$/;

/** The order that the days of one form have themselves, as far as one of them has a number above 12; undefined if they differ. */
export function dayOrderIn(texts: readonly string[]): DayOrder | undefined {
  const orders = new Set(
    texts.flatMap((text) => {
      const [, first, , second] = withSlashes.exec(text.trim()) ?? [];
      if (Number(first) > 12) return ['day first' as const];
      return Number(second) > 12 ? ['month first' as const] : [];
    }),
  );
  return orders.size === 1 ? [...orders][0] : undefined;
}

const fromOrTo =
  /^(?:from|since|as of|until|ab(?: dem)?|seit(?: dem)?|am|bis(?: zum)?|desde(?: el)?|a partir del?|hasta el|le|el|à partir du|a partir du|depuis le|dès le|jusqu'au) (?=\d)/i;
const timeBehind = /,? (?:um |at |a las |à )?\d{1,2}(?:[:h]\d{2}(?: ?uhr)?| ?uhr)$/i;

/** A day without the words by which people say that something begins or ends on it, and without a time. */
function dayAlone(text: string): string {
  return text.length > namedMax * 2 ? text : text.replace(fromOrTo, '').replace(timeBehind, '');
}

/**
 * Reads a day: 2024-05-17 (with or without a time), 17.05.2024, 17.05.24, 17-05-2024 or 17/05/2024, which is read in the order
 * that is given, or one with the month's name in English, German, Spanish or French. Undefined for anything that is not a
 * day, such as 30 February.
 */
export function readDay(written: string, order: DayOrder = 'day first'): Day | undefined {
  const text = dayAlone(written);
  const iso = /^(\d{4})-(\d{2})-(\d{2})(?:T[\d:.]{5,15}(?:Z|[+-]\d{2}:\d{2}))?$/.exec(text);
  if (iso) return dayOf(Number(iso[1]), Number(iso[2]), Number(iso[3]));
  const local = /^(\d{1,2})([./-])(\d{1,2})\2(\d{4}|\d{2})$/.exec(text);
  if (!local) {
    const named = namedDay(text);
    return named && dayOf(...named);
  }
  const [first, second, year] = [Number(local[1]), Number(local[3]), yearOf(local[4])];
  const monthFirst = local[2] !== '.' && (second > 12 || (order === 'month first' && first <= 12));
  return monthFirst ? dayOf(year, first, second) : dayOf(year, second, first);
}

/** The day of a moment, in UTC. */
export function dayAt(ms: number): Day {
  const iso = new Date(ms).toISOString().slice(0, 10);
  return { year: Number(iso.slice(0, 4)), iso };
}

/** Whether a text has the form of a day, whether or not that day exists. */
export function looksLikeDay(written: string): boolean {
  const text = dayAlone(written);
  return (
    /^\d{4}-\d{2}-\d{2}(T.*)?$|^\d{1,2}([./-])\d{1,2}\2(?:\d{4}|\d{2})$/.test(text) || namedDay(text) !== undefined
  );
}

function dayOf(year: number, month: number, day: number): Day | undefined {
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  // JavaScript turns 30 February into 2 March; reject that.
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day || year < 1) return undefined;
  return { year, iso: date.toISOString().slice(0, 10) };
}
