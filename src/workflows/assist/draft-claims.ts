import { foldText } from '../../base/text/fold.ts';
import type { DraftReply, DraftRequest } from '../families/draft.ts';
import { draftLocaleOf, formatValue } from '../families/draft-values.ts';
import { type ClaimKind, claimKinds, claimWords } from '../packs/draft-claims.ts';
import { type DraftLanguage, draftLanguages } from '../packs/draft-language.ts';
import { languagesOf } from '../text/language.ts';
import { inventedIn, sourceOf } from './verify.ts';

const runMax = 5;

const kindNames: Readonly<Record<ClaimKind, string>> = {
  dates: 'a date',
  numbers: 'a number',
  promises: 'a promise',
  accusations: 'an accusation',
};

/**
 * What a model's text claims beyond the facts and the rules' text: numbers, addresses, dates, names, promises and accusations,
 * and words of the instruction. The purpose does not count as a fact. Empty if everything is given.
 */
export function addedClaims(
  { title, body }: { title: string; body: string },
  request: DraftRequest,
  reply: DraftReply,
): string[] {
  const { language, tag } = draftLocaleOf(reply.draft?.locale ?? '', '');
  const claims = claimWords.get(language);
  if (!claims) throw new Error(`no claims in ${language}`);
  const words = `${title}\n${body}`;
  const facts = request.facts.flatMap(({ name, value }) => [name, value, formatValue(value, tag)]);
  const given = [...facts, ...request.mustInclude, request.audience, request.title, reply.draft?.body ?? ''].join('\n');
  const source = sourceOf(given);
  const folded = foldText(words);
  return [
    ...inventedIn(words, source).map((found) => `"${found}" is not given`),
    ...claimKinds.flatMap((kind) =>
      beginningsIn(folded, claims[kind])
        .filter((found) => !source.folded.includes(found))
        .map((found) => `"${found}" is ${kindNames[kind]} that is not given`),
    ),
    ...namesIn(isTitleCase(title) ? body : words, language)
      .filter((name) => !source.folded.includes(foldText(name)))
      .map((name) => `"${name}" is a name that is not given`),
    ...repeatedOf(request.purpose, folded, source.folded).map((run) => `"${run}" is of the instruction`),
    ...(isIn(body, language) ? [] : [`the text is not in the language ${language}`]),
  ];
}

const heardMin = 100;

/** Whether a text is in a language, as far as it is long enough to tell. */
function isIn(body: string, language: DraftLanguage): boolean {
  if ((body.match(/\p{L}/gu) ?? []).length < heardMin) return true;
  return languagesOf(body, new Set(draftLanguages)).some((heard) => heard.language === language);
}

/** Titles may capitalize every word, so capitals name nobody there. */
function isTitleCase(title: string): boolean {
  return !/(?<!\p{L})\p{Ll}\p{L}{3,}/u.test(title);
}

function beginningsIn(folded: string, pattern: RegExp): string[] {
  return [...new Set([...folded.matchAll(pattern)].map(([found]) => found))];
}

const addressWords =
  /^(?:Mr|Mrs|Ms|Miss|Dr|Prof|Sir|Madam|Madame|Monsieur|Mme|M|Mlle|Sr|Sra|Srta|Don|Doña|Herr|Frau|Dear|Hello|I|Sie|Ihr|Ihre|Ihren|Ihrem|Ihrer|Ihnen|Ihres)$/u;
const capitalized = String.raw`\p{Lu}[\p{L}'’-]+`;
// German capitalizes every noun: two in a row, or one after a form of address or with a legal form, are a name.
const germanName = new RegExp(
  String.raw`(?:Herrn?|Frau|Dr\.|Prof\.|Firma)\s+(${capitalized})|(?<=[\p{Ll},;:]\s)(${capitalized})\s+(${capitalized})|(${capitalized})\s+(?:GmbH|AG|KG|SE|e\. ?V\.)`,
  'gu',
);
// Elsewhere, any capitalized word that does not begin a sentence or a line.
const otherName = new RegExp(
  String.raw`(?<=[\p{L}\p{N},;)"’'][ \t]|[,;][ \t]|\b(?:Mr|Mrs|Ms|Dr|Sr|Sra|Mme)\.?[ \t])${capitalized}`,
  'gu',
);

function namesIn(words: string, language: DraftLanguage): string[] {
  const found =
    language === 'de'
      ? [...words.matchAll(germanName)].flatMap((match) => match.slice(1).filter((name) => name !== undefined))
      : [...words.matchAll(otherName)].map(([name]) => name);
  return [...new Set(found)].filter((name) => !addressWords.test(name));
}

/** A run of five words of the purpose that appears in the text but in nothing that is given: the text talks about its own making. */
function repeatedOf(purpose: string, folded: string, given: string): string[] {
  const words = foldText(purpose)
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');
  const text = ` ${folded.split(/[^\p{L}\p{N}]+/u).join(' ')} `;
  const known = ` ${given.split(/[^\p{L}\p{N}]+/u).join(' ')} `;
  for (let at = 0; at + runMax <= words.length; at++) {
    const run = ` ${words.slice(at, at + runMax).join(' ')} `;
    if (text.includes(run) && !known.includes(run)) return [run.trim()];
  }
  return [];
}
