import type { RpcReply } from '../../api.ts';

type All = RpcReply<'WorkflowService.CheckRisk'> &
  RpcReply<'WorkflowService.ScoreListing'> &
  RpcReply<'WorkflowService.CheckProfile'> &
  RpcReply<'WorkflowService.DraftDocument'> &
  RpcReply<'WorkflowService.WriteDecisionMemo'> &
  RpcReply<'WorkflowService.ScoreBusinessReadiness'> &
  RpcReply<'WorkflowService.RunWorkflow'>;

/** The reply of any workflow: each family has some of the fields. */
export type Reply = Partial<Omit<All, 'riskLevel'>> & { riskLevel?: string };

export type Finding = NonNullable<Reply['findings']>[number];
export type CheckOutcome = NonNullable<NonNullable<Reply['basis']>['checks']>[number];
export type Draft = NonNullable<Reply['draft']>;

/** A piece of a text, marked or not. */
export interface Piece {
  text: string;
  finding?: Finding;
}

/** A text split where findings begin and end; offsets are code points. Findings that overlap an earlier one appear only in the list. */
export function piecesOf(text: string, findings: readonly Finding[]): Piece[] {
  const points = [...text];
  const pieces: Piece[] = [];
  let at = 0;
  const inOrder = [...findings].sort((one, other) => (one.start ?? 0) - (other.start ?? 0));
  for (const finding of inOrder) {
    const { start = 0, end = 0 } = finding;
    if (start < at || end <= start || end > points.length) continue;
    if (start > at) pieces.push({ text: points.slice(at, start).join('') });
    pieces.push({ text: points.slice(start, end).join(''), finding });
    at = end;
  }
  if (at < points.length) pieces.push({ text: points.slice(at).join('') });
  return pieces;
}

/** Whether a check cost points. */
export function isLost({ outcome }: CheckOutcome): boolean {
  return outcome === 'failed' || outcome === 'error';
}

/** The checks, those that lost the most weight first, those that did not apply last. */
export function byWeightLost(checks: readonly CheckOutcome[]): CheckOutcome[] {
  const rank = (check: CheckOutcome): number => {
    if (isLost(check)) return 0;
    return check.outcome === 'passed' ? 1 : 2;
  };
  const weight = (check: CheckOutcome): number => Number(check.weight ?? 0);
  return [...checks].sort((one, other) => rank(one) - rank(other) || weight(other) - weight(one));
}

interface Texts {
  text?: string;
  messages?: readonly { content?: string }[];
  listing?: { title?: string; description?: string };
}

/** The request's texts that contain findings, each with its own. */
export function markedTexts(request: unknown, findings: readonly Finding[]): { text: string; findings: Finding[] }[] {
  const { text, messages, listing } = (request ?? {}) as Texts;
  if (listing) return [{ text: `${listing.title ?? ''}\n${listing.description ?? ''}`, findings: [...findings] }];
  if (text !== undefined && text !== '') return [{ text, findings: [...findings] }];
  return (messages ?? []).map(({ content = '' }, index) => ({
    text: content,
    findings: findings.filter(({ messageIndex }) => messageIndex === index),
  }));
}

/** The service's own words in a reply, as opposed to the caller's. */
export function wordsOf(reply: Reply): (string | undefined)[] {
  const { summary, nextBestAction, recommendation, basis, caps, blockers = [], fields = [], findings = [] } = reply;
  return [
    ...[summary, nextBestAction, recommendation?.rationale, basis?.note],
    ...[...(reply.missingFacts ?? []), ...(reply.risks ?? []), ...(reply.assumptions ?? [])],
    ...blockers.flatMap(({ message, action }) => [message, action]),
    ...fields.flatMap(({ message, suggestion }) => [message, suggestion]),
    ...findings.flatMap(({ reason, suggestion }) => [reason, suggestion]),
    ...(caps ?? []).map(({ message }) => message),
    ...(basis?.checks ?? []).flatMap(({ message, action }) => [message, action]),
    ...(reply.dimensions ?? []).flatMap(({ drivers = [] }) => drivers.map(({ message }) => message)),
  ];
}
