import type { z } from 'zod';
import type { ListingReply, ListingRequest } from '../families/readiness.ts';
import { messagesFor } from '../families/risk-words.ts';
import type { Fact } from '../listing/facts.ts';
import type { Kind } from '../listing/patterns/pattern.ts';
import { faultOfFact, proposableFacts, valueOfFact } from '../listing/proposed-facts.ts';
import { riskCategories } from '../packs/risk-categories.ts';
import { type FactAdvice, listingAnswer } from './answer.ts';
import type { Assistance } from './assistance.ts';
import { spotIn } from './evidence.ts';
import type { Wordable } from './judge-text.ts';
import { join, type Outcome } from './outcome.ts';
import type { Verdict } from './verdict.ts';
import { subjectOf, textsWithFindings, withFindingTexts, withMain, wordTexts } from './wording.ts';

/** Better wording for a listing; findings, and facts that appear in its text, which count like the rules' own. */
export const readinessAssistance: Assistance<ListingRequest, ListingReply, z.infer<typeof listingAnswer>> = {
  answer: listingAnswer,
  task: [
    'A seller wants to publish a listing. Word the texts.',
    `Under "findings" name risky phrases of the title or the description that the result does not name yet, each quoted exactly, with a category of: ${riskCategories.join(', ')}.`,
    'Under "facts" name what the title or the description says and the result misses under "missingFacts": the fact by a name of "factNames", its value as the quote has it, and the exact quote, which says what the value is of.',
  ].join(' '),
  material: ({ listing }) => listing,
  reading: ({ listing }) => `${listing?.title ?? ''}\n${listing?.description ?? ''}`,
  seeksEvidence: true,
  texts,
  async judge({ request, reply, reader, reconsider }, answer) {
    const text = `${request.listing?.title ?? ''}\n${request.listing?.description ?? ''}`;
    const messages = messagesFor(request.locale, reader ? [reader] : []);
    const subject = reader && subjectOf(request, reply, reader, verdictOf(reply), { risky: categoriesOf(reply) });
    const found = spotIn(text, answer.findings, reply.findings, messages, subject);
    const read = readIn(text, answer.facts, reply);
    const isMore = found.spotted.length > 0 || read.facts.length > 0;
    const raised = isMore && reconsider ? await reconsider({ spotted: found.spotted, facts: read.facts }) : reply;
    const then = reader && subjectOf(request, raised, reader, verdictOf(raised), { risky: categoriesOf(raised) });
    const { words, outcome } = wordTexts(answer.texts, texts(request, reply), texts(request, raised), then);
    const blockers = raised.blockers.map((one) => ({ ...one, action: words.get(idOf(one.check)) ?? one.action }));
    const findings = withFindingTexts(raised.findings, words);
    const output = { ...withMain(raised, words), blockers, findings };
    return { ok: true, output: { reply: output, outcome: join(found.outcome, read.outcome, outcome) } };
  },
};

function texts(_request: ListingRequest, reply: ListingReply): Wordable[] {
  return [
    ...textsWithFindings(reply),
    ...reply.blockers.slice(0, 20).map(({ check, fact, action }) => ({
      ...{ id: idOf(check), kind: 'blocker' as const },
      ...{ name: fact, text: action },
    })),
  ];
}

function idOf(check: string): string {
  return `blocker:${check}`;
}

function categoriesOf({ findings }: ListingReply): string[] {
  return findings.map(({ category }) => category);
}

function verdictOf({ ready, riskLevel }: ListingReply): Verdict {
  return { side: ready ? 'good' : 'bad', level: riskLevel, rating: '' };
}

/** The facts that the text confirms, in the form in which the rules state theirs. */
function readIn(
  text: string,
  advices: readonly FactAdvice[],
  reply: ListingReply,
): { facts: Fact[]; outcome: Outcome } {
  const facts: Fact[] = [];
  const outcome: Outcome = { kept: [], dropped: [] };
  const known = new Set(reply.facts.map(({ name }) => name));
  const named = new Set(proposableFacts(reply.kind as Kind));
  for (const advice of advices) {
    const item = { kind: 'fact' as const, name: named.has(advice.fact) ? advice.fact : '' };
    const reason = !named.has(advice.fact) ? 'unknown' : known.has(advice.fact) ? 'known' : faultOfFact(text, advice);
    if (reason) outcome.dropped.push({ ...item, reason });
    else {
      known.add(advice.fact);
      facts.push({ name: advice.fact, value: valueOfFact(advice), source: 'text', quote: advice.quote.trim() });
      outcome.kept.push(item);
    }
  }
  return { facts, outcome };
}
