import type { Caller } from '../../base/caller.ts';
import { fail, invalid, type Result, succeed } from '../../base/failure.ts';
import type { NanoUsd } from '../../base/money.ts';
import { payerOf, replyScope } from '../../wallet/index.ts';
import type { ChatMessage, ChatRequest, GuardrailOutcome } from '../types.ts';
import { createGuard, type Guard } from './guard.ts';
import { createJudge, type FindRisks, inputWindow, type Judge } from './judge.ts';

/** What guardrails need. */
export interface GuardrailDeps {
  find: FindRisks;
  /** What an account pays for a request that is looked at; 0: nothing. */
  fee(accountId: string): NanoUsd;
  /** Whether a request with this key was answered and charged before. */
  wasCharged(accountId: string, scope: string, key: string): Promise<boolean>;
}

/** More text than this is not looked at, and so not sent to a model: 2 to 3 s of processor time. */
export const judgedUnitsMax = 500_000;

/**
 * Looks at a request of a key with guardrails before anything is held for it: the request as the model may see it, with the
 * guard of its reply. Fails with `guardrail` where it is refused, and with `invalid_argument` where it is too long to be looked
 * at. A repeat of a request that was charged is not looked at again: its reply is there.
 */
export async function guardInput(
  { find, fee, wasCharged }: GuardrailDeps,
  caller: Caller,
  request: ChatRequest,
  idempotencyKey: string | undefined,
): Promise<Result<{ request: ChatRequest; guard?: Guard }>> {
  const guardrails = caller.key?.guardrails;
  const payer = payerOf(caller, 'chat');
  if (!guardrails || !payer.ok) return succeed({ request });
  const { accountId } = payer.value;
  const terms = { find, guardrails, request, fee: fee(accountId) };
  const isRepeat =
    idempotencyKey !== undefined && (await wasCharged(accountId, replyScope(payer.value), idempotencyKey));
  if (isRepeat) return succeed({ request, guard: createGuard({ ...terms, inputJudged: false }) });
  const { input } = guardrails;
  if (!input) return succeed({ request, guard: createGuard({ ...terms, inputJudged: true }) });
  if (unitsOf(request) > judgedUnitsMax)
    return fail(invalid('messages', `hold more than the ${judgedUnitsMax} characters that a guardrail looks at`));
  const judge = createJudge(find, input, inputWindow);
  const hidden = await hiddenIn(request, judge);
  const outcome: GuardrailOutcome = judge.outcome();
  if (input.action === 'refuse' && judge.found)
    return fail({ kind: 'guardrail', categories: [...new Set(outcome.findings.map(({ category }) => category))] });
  return succeed({
    request: input.action === 'mask' && judge.found ? hidden : request,
    guard: createGuard({ ...terms, inputJudged: true, input: outcome }),
  });
}

async function hiddenIn(request: ChatRequest, judge: Judge): Promise<ChatRequest> {
  const messages: ChatMessage[] = [];
  for (const message of request.messages) messages.push(await hiddenInMessage(message, judge));
  return { ...request, messages };
}

async function hiddenInMessage(message: ChatMessage, judge: Judge): Promise<ChatMessage> {
  const { content, parts, toolCalls } = message;
  const hidden = { ...message };
  if (content) hidden.content = await judge.text(content);
  if (parts) {
    const left = [];
    for (const part of parts) left.push(part.kind === 'text' ? { ...part, text: await judge.text(part.text) } : part);
    hidden.parts = left;
  }
  if (toolCalls) {
    const left = [];
    for (const call of toolCalls) left.push({ ...call, arguments: await judge.json(call.arguments) });
    hidden.toolCalls = left;
  }
  return hidden;
}

function unitsOf({ messages }: ChatRequest): number {
  let units = 0;
  for (const { content, parts, toolCalls } of messages) {
    units += content?.length ?? 0;
    for (const part of parts ?? []) if (part.kind === 'text') units += part.text.length;
    for (const call of toolCalls ?? []) units += call.arguments.length;
  }
  return units;
}
