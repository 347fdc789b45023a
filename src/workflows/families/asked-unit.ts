import { foldText } from '../../base/text/fold.ts';
import type { FormField } from '../../gen/intelligence/workflow/v1/guidance_pb.ts';
import type { Plain } from '../family.ts';
import { wordsOf } from '../sense/field-meaning.ts';
import { type Quantity, readQuantity } from './quantity.ts';

/** "10 à 19", "between 3 and 5", "200-250 €": two numbers, of which only one can be stored. */
export const rangeWritten =
  /^\D{0,12}\d[\d.,]*(?:\s\d{3})* ?(?:[\p{L}²³]{1,8}|\p{Sc}|%)? ?(?:[-–—]|\b(?:to|bis|and|und|y|et|a|hasta)\b|à) ?\p{Sc}? ?\d[\d.,]*(?:\s\d{3})*\D{0,16}$/u;
/** "Height in cm", "Poids (kg)": the unit that a field asks for, beside those that are words of their own. */
const unitAsked = /(?:\b(?:in|en|auf)|[([]) ?([a-z]{1,8}[23]?|[€£$%])(?![a-z])/g;
const unitAlone =
  /\b(?:minutes|minuten|minutos|hours|stunden|horas|heures|days|tage|tagen|dias|jours|weeks|wochen|semanas|semaines|months|monate|monaten|meses|mois|years|jahre|jahren|anos|annees|miles|millas|hectares|hektar|hectareas|tonnes|tonnen|toneladas|kilometres|kilometers|kilometros|litres|litros|litern|metern|kilometern|kilos)\b/g;

/** The unit that a name or label asks for, folded as it is written there. */
export function askedUnitOf({
  name,
  label,
}: Pick<Plain<FormField>, 'name' | 'label'>): (Quantity & { written: string }) | undefined {
  const words = wordsOf(name, label.normalize('NFKC'));
  const found = [...words.matchAll(unitAsked)].map(([, unit = '']) => unit);
  for (const written of [...found, ...(words.match(unitAlone) ?? [])]) {
    const unit = readQuantity(`1 ${written}`);
    if (unit) return { ...unit, written };
  }
  return undefined;
}

/** The unit that a label asks for, as its reader sees it; undefined if it names none, or only as what it is about: "Tonnes". */
export function unitNamedIn(label: string): string | undefined {
  const asked = askedUnitOf({ name: '', label });
  if (asked === undefined) return undefined;
  const [, ...words] = label.match(/[\p{L}\p{N}²³]+|\p{Sc}|%/gu) ?? [];
  return words.find((word) => foldText(word.normalize('NFKC')) === asked.written);
}
