import { encodeJudgement, type JudgedCheck, type Judgement } from '../outcomes/index.ts';
import type { FamilyName, FamilyReply } from './family.ts';

/** The parts of a reply that say how a thing was judged, in any family. */
interface JudgingReply extends Pick<FamilyReply, 'basis'> {
  riskScore?: number;
  riskLevel?: string;
  readinessScore?: number;
  completeness?: number;
  ready?: boolean;
  overallScore?: number;
  rating?: string;
}

/** A reply's judgement as stored with its charge: the score, its level, and the checks by id. */
export function judgementText(family: FamilyName, reply: Pick<FamilyReply, 'basis'>): string {
  return encodeJudgement(judgementOf(family, reply));
}

function judgementOf(family: FamilyName, reply: JudgingReply): Judgement {
  const { basis } = reply;
  const checks: JudgedCheck[] = (basis?.checks ?? []).map(({ id, outcome, weight }) => ({
    id,
    outcome: outcome === 'passed' || outcome === 'skipped' ? outcome : 'failed',
    weight,
  }));
  return { family, pack: basis?.packVersion ?? '', ...gradeOf(family, reply, checks), checks };
}

function gradeOf(
  family: FamilyName,
  reply: JudgingReply,
  checks: readonly JudgedCheck[],
): Pick<Judgement, 'score' | 'level'> {
  const readiness = reply.ready ? 'ready' : 'not_ready';
  switch (family) {
    case 'risk':
      return { score: reply.riskScore, level: reply.riskLevel ?? '' };
    case 'readiness':
      return { score: reply.readinessScore, level: readiness };
    case 'guidance':
      return { score: reply.completeness, level: readiness };
    case 'scoring':
      return { score: reply.overallScore, level: reply.rating || 'unrated' };
    case 'custom':
      return { score: shareOf(checks), level: '' };
    default:
      return { score: undefined, level: '' };
  }
}

/** The weight of the checks that passed as a share of all that applied, 0-100. */
function shareOf(checks: readonly JudgedCheck[]): number | undefined {
  const applied = checks.filter(({ outcome }) => outcome !== 'skipped');
  const all = applied.reduce((sum, { weight }) => sum + weight, 0);
  const passed = applied.reduce((sum, { outcome, weight }) => sum + (outcome === 'passed' ? weight : 0), 0);
  return all === 0 ? undefined : Math.round((1_000 * passed) / all) / 10;
}
