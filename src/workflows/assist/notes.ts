import type { ItemKind } from '../packs/assist-pack.ts';
import type { MessageLanguage } from '../packs/risk-messages.ts';
import type { Asked, Problem } from './ask.ts';
import type { Fault } from './judge-text.ts';
import type { Item, Outcome } from './outcome.ts';
import { wordsIn } from './words.ts';

// A note is for people: it lists the first few of a kind and counts the rest.
const itemsMax = 6;
const nameUnitsMax = 60;
const placesUnitsMax = 300;

/** What became of asking a model, in the reader's language. Quotes nothing that only the model said. */
export function noteOf(
  asked: Omit<Asked<unknown>, 'output'>,
  outcome: Outcome | undefined,
  reader: MessageLanguage,
): string {
  const { notes } = wordsIn(reader).pack;
  const problem = problemText(asked.problem, reader);
  const fill = (text: string) => text.replace('{model}', () => asked.model).replace('{problem}', () => problem);
  switch (asked.outcome) {
    case 'not_asked':
      return '';
    case 'no_credit':
      return notes.noCredit;
    case 'no_answer':
      return notes.noAnswer;
    case 'missed':
      return fill(asked.answers > 1 ? notes.missed : notes.missedOnce);
    case 'held':
      return [fill(asked.answers > 1 ? notes.repaired : notes.asked), ...resultOf(outcome, reader)].join(' ');
  }
}

/** What was wrong with an answer. */
export function problemText({ kind, places }: Problem, reader: MessageLanguage): string {
  return wordsIn(reader).pack.problems[kind].replace('{places}', () => cut(places, placesUnitsMax));
}

/** Says that no model was asked, because its texts cannot be checked in the reader's language. */
export function unspokenNote(): string {
  return wordsIn('en').pack.notes.unspoken;
}

function resultOf(outcome: Outcome | undefined, reader: MessageLanguage): string[] {
  if (!outcome) return [];
  const { notes } = wordsIn(reader).pack;
  const kept = listed(
    outcome.kept.map((item) => nameOf(item, reader)),
    reader,
  );
  const dropped = listed(
    outcome.dropped.map((item) => `${nameOf(item, reader)} (${reasonOf(item, reader)})`),
    reader,
  );
  return [
    kept === '' ? notes.keptNone : notes.kept.replace('{items}', () => kept),
    ...(dropped === '' ? [] : [notes.dropped.replace('{items}', () => dropped)]),
  ];
}

function nameOf({ kind, name }: { kind: ItemKind; name: string }, reader: MessageLanguage): string {
  return wordsIn(reader).pack.items[kind].replace('{name}', () => cut(name, nameUnitsMax));
}

function reasonOf({ reason }: Item & Fault, reader: MessageLanguage): string {
  return wordsIn(reader).pack.reasons[reason];
}

function listed(items: readonly string[], reader: MessageLanguage): string {
  const shown = items.slice(0, itemsMax).join('; ');
  const more = wordsIn(reader).pack.notes.more.replace('{count}', () => String(items.length - itemsMax));
  return items.length > itemsMax ? `${shown}; ${more}` : shown;
}

function cut(text: string, max: number): string {
  const points = [...text];
  return points.length > max ? `${points.slice(0, max - 1).join('')}…` : text;
}
