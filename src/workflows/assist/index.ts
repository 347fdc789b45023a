import type { Caller } from '../../base/caller.ts';
import type { NanoUsd } from '../../base/money.ts';
import type { ModelRequest, Spent } from '../assistant.ts';
import type { FamilyName, FamilyReply } from '../family.ts';
import type { Assistable, AssistDeps } from './deps.ts';

/** What a model is going to be asked, and what of its answer holds. */
export interface AssistPlan<Reply> {
  request: ModelRequest;
  ceiling: NanoUsd;
  apply(answer: unknown): { reply: Reply; problems: string[] };
}

export function planAssist<Request extends Assistable, Reply extends FamilyReply>(
  _deps: AssistDeps,
  _family: FamilyName,
  _caller: Caller,
  _request: Request,
  _reply: Reply,
): AssistPlan<Reply> | undefined {
  return undefined;
}

export async function assist<Reply extends FamilyReply>(
  _deps: AssistDeps,
  _plan: AssistPlan<Reply> | undefined,
  _caller: Caller,
  byRules: Reply,
  _terms: { budget: NanoUsd; signal: AbortSignal },
): Promise<{ reply: Reply; spent: Spent; model: string }> {
  return { reply: byRules, spent: { cost: 0n, usage: undefined }, model: '' };
}
