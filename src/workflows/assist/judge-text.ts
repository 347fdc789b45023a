import { atOnce } from '../../base/slices.ts';
import { foldText } from '../../base/text/fold.ts';
import { sentencesOf } from '../../base/text/words.ts';
import { look } from '../families/findings.ts';
import { riskPacks } from '../families/risk.ts';
import { signPacks } from '../families/risk-assessment.ts';
import { graver } from '../families/spotted.ts';
import type { DropReason, ItemKind } from '../packs/assist-pack.ts';
import type { MessageLanguage } from '../packs/risk-messages.ts';
import { type Token, tokensOf } from '../text/signs/index.ts';
import { inventedNames } from './names.ts';
import { mixedNumber, namesOption, type Options, standsBy } from './options.ts';
import { isIn } from './reader.ts';
import { contradicts, read, says, type Verdict } from './verdict.ts';
import { inventedAddresses, inventedNumbers, numbersIn, type Source, sourceOf } from './verify.ts';
import { allWords, type Words, wordsIn } from './words.ts';

/** A text of the rules that a model may reword. */
export interface Wordable {
  /** The name by which the model refers to it; others are rejected. */
  id: string;
  kind: ItemKind;
  /** What it is about, if there are several of a kind. */
  name: string;
  /** The rules' own wording. */
  text: string;
}

/** What a model's texts are checked against. */
export interface Subject {
  reader: MessageLanguage;
  verdict: Verdict;
  /** The request. */
  input: Source;
  /** The request and everything that the rules say. */
  source: Source;
  /** Kinds of accusations that the request or the rules already make. */
  accused: ReadonlySet<string>;
  /** Risk categories that the reply already names: words about them are not a risk of their own. */
  risky: ReadonlySet<string>;
  options?: Options | undefined;
}

export interface Fault {
  reason: DropReason;
}

/** The kinds of accusations in a text, in any of the languages. */
export function accusationsIn(text: string): Set<string> {
  const { tokens } = tokensOf(text);
  const kinds = allWords.flatMap(({ accusations }) =>
    Object.entries(accusations).flatMap(([kind, list]) => (list.find(tokens).length > 0 ? [kind] : [])),
  );
  return new Set(kinds);
}

/** Why a model's rewording of a rule's text is rejected; undefined if it is kept. Pure. */
export function faultIn(text: string, rules: Pick<Wordable, 'kind' | 'text'>, subject: Subject): Fault | undefined {
  if (text.trim() === '') return { reason: 'empty' };
  const words = wordsIn(subject.reader);
  return (
    languageFault([text], subject.reader) ??
    claimFault(text, rules.text, subject, words) ??
    // A single sentence in another language could hide what only this language's words are searched for.
    languageFault(
      sentencesOf(text).map(({ start, end }) => text.slice(start, end)),
      subject.reader,
    ) ??
    optionFault(text, rules, subject, words) ??
    verdictFault(text, rules.kind, subject, words) ??
    riskFault(text, rules.text, subject)
  );
}

function languageFault(parts: readonly string[], reader: MessageLanguage): Fault | undefined {
  return parts.every((part) => isIn(reader, part)) ? undefined : { reason: 'language' };
}

/** Access data, addresses, numbers, names and accusations that are neither given nor in the rules' own words. */
function claimFault(text: string, rulesText: string, subject: Subject, words: Words): Fault | undefined {
  const { tokens } = tokensOf(text);
  if (asksForAccess(tokens, words)) return { reason: 'credentials' };
  const [link] = inventedAddresses(text, subject.source);
  if (link !== undefined) return { reason: 'link' };
  const own = sourceOf(rulesText);
  const number = inventedNumbers(text, subject.input).find((one) => !own.numbers.has(one)) ?? inventedScore(text, own);
  if (number !== undefined) return { reason: 'number' };
  if (inventedNames(text, subject.source, words).some((name) => !own.folded.includes(foldText(name))))
    return { reason: 'name' };
  const accused = [...accusationsIn(text)].filter((kind) => !subject.accused.has(kind));
  if (accused.length === 0) return undefined;
  const rules = accusationsIn(rulesText);
  return accused.every((kind) => rules.has(kind)) ? undefined : { reason: 'accusation' };
}

// In every language, requests for access data may use English words.
function asksForAccess(tokens: readonly Token[], words: Words): boolean {
  return [words, wordsIn('en')].some(({ lists }) => lists.credentials.find(tokens).length > 0);
}

/** "90 of 100": only the rules may state a score, even if the request contains the same number. */
function inventedScore(text: string, own: Source): string | undefined {
  const scores = text.matchAll(/(\d+(?:[.,]\d+)?) ?(?:of|out of|von|de|sur|\/) ?(?:10|100)(?!\d)/gi);
  return [...scores].flatMap(({ 1: score = '' }) => numbersIn(score)).find((score) => !own.numbers.has(score));
}

/** Words that would themselves be a risk, such as where to pay. */
function riskFault(text: string, rulesText: string, { reader, risky }: Subject): Fault | undefined {
  const found = categoriesIn(text, reader).filter((category) => !risky.has(category));
  if (found.length === 0) return undefined;
  const own = new Set(categoriesIn(rulesText, reader));
  return found.some((category) => !own.has(category)) ? { reason: 'risky' } : undefined;
}

function categoriesIn(text: string, reader: MessageLanguage): string[] {
  const pack = signPacks.get(reader);
  const { spotted } = atOnce(look(text, { phrases: riskPacks.get('general')?.index, packs: pack ? [pack] : [] }));
  return spotted.filter(({ entry }) => graver(entry.severity, 'low')).map(({ entry }) => entry.category);
}

function optionFault(
  text: string,
  { kind, text: rulesText }: Pick<Wordable, 'kind' | 'text'>,
  { options }: Subject,
  words: Words,
): Fault | undefined {
  if (!options) return undefined;
  const { recommended } = options;
  const mustName = recommended !== '' && (kind === 'summary' || kind === 'rationale');
  if ((mustName && !namesOption(text, recommended)) || !standsBy(text, options, words)) return { reason: 'option' };
  const mixed = mixedNumber(text, options, words, sourceOf(rulesText).numbers);
  return mixed === undefined ? undefined : { reason: 'number' };
}

function verdictFault(text: string, kind: ItemKind, { verdict }: Subject, words: Words): Fault | undefined {
  const isSummary = kind === 'summary' || kind === 'rationale';
  const reading = read(text, words);
  if (contradicts(reading, verdict, isSummary)) return { reason: 'verdict' };
  return kind === 'summary' && !says(reading, verdict) ? { reason: 'silent' } : undefined;
}
