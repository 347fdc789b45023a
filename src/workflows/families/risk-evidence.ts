import type { AllowedPlace, Finding } from '../../gen/intelligence/workflow/v1/risk_pb.ts';
import type { Severity } from '../checks/checks.ts';
import { riskLevelOf, riskScoreOf, takenBy } from '../checks/risk-level.ts';
import type { Plain } from '../family.ts';
import { isRiskCategory } from '../packs/risk-categories.ts';
import { isSuffered, isUnclear } from '../packs/risk-pack.ts';
import { type RiskReply, requiredFact } from './risk.ts';
import { type HelpSign, helpFirst, type Level, messagesFor, summaryOf } from './risk-words.ts';
import { graver } from './spotted.ts';

/**
 * Separates a model's findings that the account's own packs allow at their place, by the same conditions as for findings of
 * the rules; the rest count.
 */
export function allowModelFindings(
  allowed: readonly Plain<AllowedPlace>[],
  findings: readonly Plain<Finding>[],
): { allowed: Plain<AllowedPlace>[]; counted: Plain<Finding>[] } {
  const places = allowed.map((place) => ({ ...place, findings: [...place.findings] }));
  const counted = findings.filter((finding) => {
    const { messageIndex, severity } = finding;
    const place = places.find(
      ({ start, end, allowsCritical, ...of }) =>
        of.messageIndex === messageIndex &&
        finding.start >= start &&
        finding.end <= end &&
        (severity !== 'critical' || allowsCritical),
    );
    place?.findings.push(finding);
    return place === undefined;
  });
  return { allowed: places, counted };
}

/**
 * A reply with a model's findings added to the rules' own. Evidence only adds up: the score rises as with findings of the
 * rules, and if the gravest finding is the model's, so is the action, unless somebody needs help. Nothing is lowered.
 */
export function withModelFindings(reply: RiskReply, findings: readonly Plain<Finding>[], locale: string): RiskReply {
  const [gravest] = [...findings].sort(byGravity);
  if (!gravest) return reply;
  const all = [...reply.findings, ...findings];
  const shares = findings.map(({ severity }) => takenBy[severity as Severity] ?? 0);
  const riskScore = riskScoreOf([reply.riskScore / 100, ...shares]);
  const riskLevel: Level = riskLevelOf(riskScore);
  // What could not be judged stays that way if a model's remarks carry no weight.
  if (shares.every((share) => share === 0))
    return { ...reply, findings: all, findingsTotal: reply.findingsTotal + findings.length };
  const messages = messagesFor(locale, reply.assessment?.languages ?? []);
  const leads = !reply.findings.some(({ severity }) => !graver(gravest.severity as Severity, severity as Severity));
  const category = gravest.category;
  const action = isRiskCategory(category) ? messages.categories[category].action : gravest.suggestion;
  const help = helpFirst([...signsOf(reply), ...findings], messages);
  const unclear = unclearIn(reply);
  const clear = all.filter(({ source, category }) => source !== 'classifier' || !unclear.has(category));
  const categories = [...new Set(clear.filter(({ severity }) => severity !== 'info').map((one) => one.category))];
  return {
    ...reply,
    riskScore,
    riskLevel,
    findings: all,
    findingsTotal: reply.findingsTotal + findings.length,
    nextBestAction: help ?? (leads ? action : reply.nextBestAction),
    summary: summaryOf(riskLevel, categories, reply.missingFacts, messages),
  };
}

/** What the rules found, by the reply's checks: unlike its findings, they keep every sign that somebody needs help. */
function signsOf({ basis }: RiskReply): HelpSign[] {
  return (basis?.checks ?? [])
    .filter(({ id }) => id !== requiredFact)
    .map(({ id, fact, severity }) => ({ category: fact, severity, isVictim: isSuffered(id) }));
}

/** The categories that the classifier takes for the likeliest only. */
function unclearIn({ basis }: RiskReply): ReadonlySet<string> {
  return new Set((basis?.checks ?? []).filter(({ id }) => isUnclear(id)).map(({ fact }) => fact));
}

function byGravity(a: Plain<Finding>, b: Plain<Finding>): number {
  return graver(a.severity as Severity, b.severity as Severity) ? -1 : 1;
}
