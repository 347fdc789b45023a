import type { FamilyReply } from '../family.ts';
import type { MessageLanguage } from '../packs/risk-messages.ts';
import type { WordedText } from './answer.ts';
import { accusationsIn, faultIn, type Subject, type Wordable } from './judge-text.ts';
import type { Options } from './options.ts';
import type { Outcome } from './outcome.ts';
import type { Verdict } from './verdict.ts';
import { sourceOf, textsIn } from './verify.ts';

/** The valid texts by id, and what became of each text. */
export interface Worded {
  words: ReadonlyMap<string, string>;
  outcome: Outcome;
}

/** What a model's texts for this reply are checked against. */
export function subjectOf(
  request: object,
  reply: FamilyReply,
  reader: MessageLanguage,
  verdict: Verdict,
  { risky = [], options }: { risky?: readonly string[]; options?: Options } = {},
): Subject {
  const { basis: _, ...shown } = reply;
  const input = textsIn(request);
  const all = [...input, ...textsIn(shown)];
  return {
    ...{ reader, verdict, options },
    input: sourceOf(...input),
    source: sourceOf(...all),
    accused: accusationsIn(all.join('\n')),
    risky: new Set(risky),
  };
}

/**
 * Checks a model's texts against the rules' own. A text is dropped if its rule now says something else because evidence
 * changed the reply. If the reader's language is unknown, all are dropped.
 */
export function wordTexts(
  answered: readonly WordedText[],
  before: readonly Wordable[],
  after: readonly Wordable[],
  subject: Subject | undefined,
): Worded {
  const words = new Map<string, string>();
  const outcome: Outcome = { kept: [], dropped: [] };
  const asked = new Map(before.map((one) => [one.id, one]));
  const now = new Map(after.map((one) => [one.id, one.text]));
  for (const { id, text } of answered) {
    const rules = asked.get(id);
    if (!rules) {
      outcome.dropped.push({ kind: 'other', name: '', reason: 'unknown' });
      continue;
    }
    const { kind, name } = rules;
    // A verbatim repetition is neither kept nor dropped.
    if (text.trim() === rules.text.trim() || words.has(id)) continue;
    const isMoved = now.get(id) !== rules.text;
    const fault = isMoved
      ? { reason: 'moved' as const }
      : subject
        ? faultIn(text, rules, subject)
        : { reason: 'language' as const };
    if (fault) outcome.dropped.push({ kind, name, ...fault });
    else {
      outcome.kept.push({ kind, name });
      words.set(id, text.trim());
    }
  }
  return { words, outcome };
}

/** The summary and the next best action of any reply. */
export function mainTexts({ summary, nextBestAction }: FamilyReply): Wordable[] {
  return [
    { id: 'summary', kind: 'summary', name: '', text: summary },
    { id: 'action', kind: 'action', name: '', text: nextBestAction },
  ];
}

// Of those, a person may be in danger.
const weighed: ReadonlySet<string> = new Set(['self_harm', 'minors', 'threat']);

/** The texts of a reply with findings. If a person may be in danger, the carefully chosen next action stays. */
export function textsWithFindings(reply: FamilyReply & { findings: readonly Found[] }): Wordable[] {
  const isGrave = reply.findings.some(({ category, severity }) => weighed.has(category) && severity !== 'info');
  return [...mainTexts(reply).filter(({ kind }) => !isGrave || kind !== 'action'), ...findingTexts(reply.findings)];
}

export function withMain<Reply extends FamilyReply>(reply: Reply, words: ReadonlyMap<string, string>): Reply {
  const { summary, nextBestAction } = reply;
  return {
    ...reply,
    summary: words.get('summary') ?? summary,
    nextBestAction: words.get('action') ?? nextBestAction,
  };
}

interface Found extends FoundText {
  severity: string;
}

const wordedMax = 20;

interface FoundText {
  reason: string;
  suggestion: string;
  phrase: string;
  category: string;
  start: number;
  messageIndex?: number | undefined;
}

/** The reasons and suggestions of the first findings. */
function findingTexts(findings: readonly FoundText[]): Wordable[] {
  return findings.slice(0, wordedMax).flatMap((one) => [
    { id: `${findingId(one)}.reason`, kind: 'reason' as const, name: one.phrase, text: one.reason },
    { id: `${findingId(one)}.suggestion`, kind: 'suggestion' as const, name: one.phrase, text: one.suggestion },
  ]);
}

export function withFindingTexts<One extends FoundText>(
  findings: readonly One[],
  words: ReadonlyMap<string, string>,
): One[] {
  return findings.map((one) => ({
    ...one,
    reason: words.get(`${findingId(one)}.reason`) ?? one.reason,
    suggestion: words.get(`${findingId(one)}.suggestion`) ?? one.suggestion,
  }));
}

/** Identified by position, which does not change if other findings are added. */
function findingId({ category, start, messageIndex = 0 }: FoundText): string {
  return `finding-${messageIndex}-${start}-${category}`;
}
