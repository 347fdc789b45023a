import type { FieldViolation } from '../../base/failure.ts';
import { foldText } from '../../base/text/fold.ts';
import { isWordUnit } from '../../base/text/words.ts';
import { ownTurn } from '../../base/turn.ts';
import type { OwnRiskPack } from '../../gen/intelligence/workflow/v1/own_pack_pb.ts';
import type { Plain } from '../family.ts';
import { find, indexPhrases } from '../text/phrases.ts';
import { noPack } from './rules.ts';

const letterMin = 2;
const violationsMax = 20;
/** Checking a phrase takes about 0.1 ms, and a pack may have tens of thousands. */
const phrasesPerTurn = 100;

/** Everything that keeps a pack from doing what its author intends: at most 20 problems, by path. */
export async function problemsOf(pack: Plain<OwnRiskPack>): Promise<FieldViolation[]> {
  const problems: FieldViolation[] = [];
  const tell = (field: string, description: string) => problems.push({ field: `pack.${field}`, description });
  if (pack.packId === '') tell('packId', 'is required: a name of a-z, 0-9 and "-" by which requests name the pack');
  if (pack.packId === noPack) tell('packId', `"${noPack}" stands for no pack where packs are named; choose another id`);
  if (pack.entries.length + pack.allow.length === 0)
    tell('entries', 'are empty, and so is the allow-list: give at least one phrase');
  let checked = 0;
  const letOthersPass = () => (++checked % phrasesPerTurn === 0 ? ownTurn() : undefined);
  const ids = new Map<string, number>();
  const findings = new Map<string, string>();
  for (const [index, { id, phrases }] of pack.entries.entries()) {
    const before = ids.get(id);
    if (before !== undefined) tell(`entries[${index}].id`, `is that of entries[${before}], too`);
    else ids.set(id, index);
    for (const [at, phrase] of phrases.entries()) {
      await letOthersPass();
      checkPhrase(phrase, `entries[${index}].phrases[${at}]`, findings, tell);
    }
  }
  const allowed = new Map<string, string>();
  for (const [index, { phrase }] of pack.allow.entries()) {
    await letOthersPass();
    checkPhrase(phrase, `allow[${index}].phrase`, allowed, tell);
  }
  return problems.slice(0, violationsMax);
}

/** The total for all phrases of a pack. */
export function phraseCharactersOf({ entries, allow }: Plain<OwnRiskPack>): number {
  const phrases = [...entries.flatMap((entry) => entry.phrases), ...allow.map(({ phrase }) => phrase)];
  return phrases.reduce((sum, phrase) => sum + phrase.length, 0);
}

function checkPhrase(
  phrase: string,
  field: string,
  known: Map<string, string>,
  tell: (field: string, description: string) => void,
): void {
  const folded = foldText(phrase);
  const before = known.get(folded);
  if (before !== undefined) {
    tell(field, `is the same phrase as ${before}`);
    return;
  }
  known.set(folded, field);
  if (lettersOf(folded) < letterMin) tell(field, `has fewer than ${letterMin} letters or digits to go by`);
  else if (!canBeFound(phrase))
    tell(field, 'can never be found: "*" ends a word, and "#" is the whole of a number, with its decimals');
}

function canBeFound(phrase: string): boolean {
  return find(indexPhrases([{ phrase, entry: 0 }]), exampleOf(phrase)).length > 0;
}

function lettersOf(folded: string): number {
  return [...folded].filter(
    (letter) => isWordUnit(letter.charCodeAt(0)) || letter.codePointAt(0) !== letter.charCodeAt(0),
  ).length;
}

/** Words that match a phrase, so that it can be tested. */
function exampleOf(phrase: string): string {
  return phrase
    .split(/\s+\.\.\s+/)
    .join(' ')
    .replaceAll('*', '')
    .replaceAll('#', '7');
}
