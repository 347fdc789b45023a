import type { Finding } from '../../gen/intelligence/workflow/v1/risk_pb.ts';
import type { Severity } from '../checks/checks.ts';
import { findingsOf } from '../families/findings.ts';
import { graver, type Spotted } from '../families/spotted.ts';
import type { Plain } from '../family.ts';
import type { RiskMessages } from '../packs/risk-messages.ts';
import type { FindingAdvice } from './answer.ts';
import { faultIn, type Subject } from './judge-text.ts';
import type { Outcome } from './outcome.ts';
import { locate } from './verify.ts';

/** What a model found in one text and the text confirms. */
export interface Found {
  spotted: Spotted[];
  outcome: Outcome;
}

/**
 * Checks a model's findings against the text: each quote must appear there, and must add something, that is, be graver than
 * what is known about the same words. Invalid reasons and suggestions are replaced by the category's own.
 */
export function spotIn(
  text: string,
  advices: readonly FindingAdvice[],
  known: readonly Plain<Finding>[],
  messages: RiskMessages,
  subject: Subject | undefined,
): Found {
  const spotted: Spotted[] = [];
  const outcome: Outcome = { kept: [], dropped: [] };
  for (const advice of advices) {
    const { category, severity, quote } = advice;
    const named = { kind: 'finding' as const, name: messages.categories[category].name };
    const place = locate(text, quote);
    if (!place) {
      outcome.dropped.push({ ...named, reason: 'quote' });
      continue;
    }
    const one: Spotted = { entry: entryOf(advice, messages, subject), ...place, source: 'model' };
    if (isKnown(findingsOf(text, [one])[0], [...known, ...findingsOf(text, byStart(spotted))])) {
      outcome.dropped.push({ ...named, reason: 'known' });
      continue;
    }
    spotted.push(one);
    outcome.kept.push({ ...named, name: `${named.name}, ${severity}` });
  }
  return { spotted: byStart(spotted), outcome };
}

function byStart(spotted: readonly Spotted[]): Spotted[] {
  return [...spotted].sort((a, b) => a.start - b.start);
}

/** Whether the same words, or some of them, are already reported at least as severely. */
function isKnown(finding: Plain<Finding> | undefined, known: readonly Plain<Finding>[]): boolean {
  return known.some(
    ({ start, end, severity }) =>
      finding !== undefined &&
      finding.start < end &&
      start < finding.end &&
      !graver(finding.severity as Severity, severity as Severity),
  );
}

function entryOf(
  { category, severity, reason, suggestion }: FindingAdvice,
  messages: RiskMessages,
  subject: Subject | undefined,
): Spotted['entry'] {
  const own = messages.categories[category];
  // A finding is never good news, whatever the reply says without it.
  const verdict = { side: 'bad', level: '', rating: '' } as const;
  const kept = (kind: 'reason' | 'suggestion', words: string, rules: string) => {
    const against = subject && { ...subject, verdict, risky: new Set([...subject.risky, category]) };
    return against && !faultIn(words, { kind, text: rules }, against) ? words.trim() : rules;
  };
  return {
    id: `model-${category}`,
    category,
    severity,
    reason: kept('reason', reason, own.reason),
    suggestion: kept('suggestion', suggestion, own.action),
  };
}
