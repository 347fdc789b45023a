import type { Draft } from '../../gen/intelligence/workflow/v1/draft_pb.ts';
import type { Plain } from '../family.ts';

const placesMax = 10;

/**
 * Why a version can't be approved, with positions in code points: open placeholders, and critical findings. Undefined if
 * nothing stands in the way.
 */
export function whyNotApprovable(draft: Plain<Draft>): string | undefined {
  const open = draft.openPlaceholders.map(({ name, start }) => `[[${name}]] at ${start}`);
  const critical = draft.findings.filter(({ severity }) => severity === 'critical');
  // Many lesser findings can also make a text critical.
  const grave = critical.length > 0 || draft.riskLevel !== 'critical' ? critical : draft.findings;
  const risky = grave.map(({ phrase, category, start, field }) => {
    const place = field === undefined ? `at ${start}` : `in the ${field}`;
    return `"${phrase.slice(0, 60)}" (${category}) ${place}`;
  });
  if (open.length + risky.length === 0) return undefined;
  const reasons = [
    ...(open.length > 0 ? [`placeholders are open: ${placesOf(open)}`] : []),
    ...(risky.length > 0 ? [`it is critical: ${placesOf(risky)}`] : []),
  ];
  // No revision changes what the document is for.
  const remedy = grave.some(({ field }) => field !== undefined)
    ? 'Draft it anew for another reason'
    : 'Correct it with a revision';
  return `Version ${draft.version} cannot be approved: ${reasons.join('; ')}. ${remedy}, or approve it with an override that gives a reason.`;
}

function placesOf(places: readonly string[]): string {
  const rest = places.length - placesMax;
  return places.slice(0, placesMax).join(', ') + (rest > 0 ? `, and ${rest} more` : '');
}
