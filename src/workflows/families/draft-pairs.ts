// Facts that say one thing between them: a beginning and an end, what was and what will be.
import type { DraftKind } from '../packs/draft-kinds.ts';
import type { DraftLanguage } from '../packs/draft-language.ts';
import { ideasOfWord, wordsIn } from '../packs/draft-names.ts';
import { inWords } from './draft-labels.ts';
import type { Assigned, Slot } from './draft-slots.ts';
import type { DraftLocale } from './draft-values.ts';
import { isDay } from './says-when.ts';

const fromUntil: Readonly<Record<DraftLanguage, string>> = {
  en: '{from} to {until}',
  de: '{from} bis {until}',
  es: 'de {from} a {until}',
  fr: 'de {from} à {until}',
};
const firstToLast: Readonly<Record<DraftLanguage, string>> = {
  en: '{from} to {until}',
  de: 'vom {from} bis {until}',
  es: 'del {from} al {until}',
  fr: 'du {from} au {until}',
};
const clock = /^\d{1,2}(?::\d\d)(?: (?:AM|PM|Uhr))?$/;

/** Puts the time at which something begins and the one at which it ends together, and the first and the last day. */
export function fromTo({ fields }: DraftKind, { slots }: Assigned, { language }: DraftLocale): void {
  const [first, last] = [slots.get('date'), slots.get('until')];
  // Most kinds with a last day have a sentence of their own for it.
  if (first && last && !fields.has('until') && isDay(first.text) && isDay(last.text)) {
    const text = firstToLast[language].replace('{from}', first.text).replace('{until}', last.text);
    slots.set('date', { ...first, text });
    slots.delete('until');
  }
  const [from, until] = [slots.get('time'), slots.get('endTime')];
  if (!from || !until || !clock.test(from.text) || !clock.test(until.text)) return;
  const text = fromUntil[language].replace('{from}', from.text).replace('{until}', until.text);
  slots.set('time', { ...from, text });
  slots.delete('endTime');
}

const insteadOf: Readonly<Record<DraftLanguage, string>> = {
  en: '{new} instead of {old}',
  de: '{new} statt bisher {old}',
  es: '{new} en lugar de {old}',
  fr: '{new} (jusqu’ici : {old})',
};

/** Puts what was and what will be together, where their names say the same beside that: "old pickup time" and "new pickup time". */
export function pairUp(assigned: Assigned, { language }: DraftLocale): void {
  const before = new Map<string, Slot>();
  for (const slot of assigned.others) if (sideOf(slot) === 'old') before.set(matterOf(slot), slot);
  if (before.size === 0) return;
  const paired = new Set<Slot>();
  const told = assigned.others.map((slot) => {
    const matter = sideOf(slot) === 'new' ? matterOf(slot) : '';
    const old = before.get(matter);
    if (old === undefined || matter === '') return slot;
    paired.add(old);
    const text = insteadOf[language].replace('{new}', () => slot.text).replace('{old}', () => old.text);
    return { ...slot, text, label: inWords(matter, language) };
  });
  assigned.others = told.filter((slot) => !paired.has(slot));
}

function sideOf({ name, isOpen }: Slot): 'old' | 'new' | undefined {
  if (isOpen) return undefined;
  const words = wordsIn(name);
  if (words.some((word) => isOfTime(word, 'new'))) return 'new';
  return words.some((word) => isOfTime(word, 'old')) ? 'old' : undefined;
}

/** The words of a name that do not say whether it is the old or the new one. */
function matterOf({ name }: Slot): string {
  return wordsIn(name)
    .filter((word) => !isOfTime(word, 'old') && !isOfTime(word, 'new'))
    .join('_');
}

function isOfTime(word: string, side: 'old' | 'new'): boolean {
  const ideas = ideasOfWord(word);
  return side === 'new' ? ideas.includes('new') : ideas.includes('old') || ideas.includes('last');
}
