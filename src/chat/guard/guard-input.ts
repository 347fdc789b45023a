import type { Caller } from '../../base/caller.ts';
import { fail, invalid, type Result, succeed } from '../../base/failure.ts';
import type { Guardrails } from '../../base/guardrails.ts';
import type { NanoUsd } from '../../base/money.ts';
import { payerOf, replyScope } from '../../wallet/index.ts';
import type { ChatMessage, ChatRequest, GuardrailOutcome } from '../types.ts';
import { createGuard, digestOf, type Guard } from './guard.ts';
import { createJudge, type FindRisks, inputWindow, type Judge, unitsOfJson, unitsOfText } from './judge.ts';

/** Dependencies of guardrails. */
export interface GuardrailDeps {
  find: FindRisks;
  /** An account's own packs, which search in addition to `find`; `missing` lists the ids that do not exist. */
  ownPacks?(accountId: string, ids: readonly string[]): Promise<OwnFinder>;
  /** What an account pays for a judged request; 0: nothing. */
  fee(accountId: string): NanoUsd;
  /** Whether a request with this key has already been answered and charged. */
  wasCharged(accountId: string, scope: string, key: string): Promise<boolean>;
}

/** What the named versions of an account's own packs find, plus `find`, minus what the packs allow. */
export interface OwnFinder {
  find: FindRisks;
  versions: readonly string[];
  missing: readonly string[];
}

/**
 * Longer text is not judged, and so not sent to a model; judging this much takes 2 to 3 s of CPU time. Each text, and each
 * string in a tool call's arguments, counts as 100 units more than its length, because starting to judge one takes that long.
 */
export const judgedUnitsMax = 500_000;

/**
 * Judges a request of a key with guardrails before anything is held for it, and returns the request as the model may see it,
 * with the guard for its reply. Fails with `guardrail` if it is refused, and with `invalid_argument` if it is too long to
 * judge. A repeat of a charged request is not judged again: its reply already exists.
 */
export async function guardInput(
  deps: GuardrailDeps,
  caller: Caller,
  request: ChatRequest,
  idempotencyKey: string | undefined,
): Promise<Result<{ request: ChatRequest; guard?: Guard }>> {
  const guardrails = caller.key?.guardrails;
  const payer = payerOf(caller, 'chat');
  if (!guardrails || !payer.ok) return succeed({ request });
  const { accountId } = payer.value;
  const { fee, wasCharged } = deps;
  const finders = await findersOf(deps, accountId, guardrails);
  if (!finders.ok) return finders;
  const { versions, ...find } = finders.value;
  const terms = { guardrails, request, versions, find: find.output, fee: fee(accountId) };
  const isRepeat =
    idempotencyKey !== undefined && (await wasCharged(accountId, replyScope(payer.value), idempotencyKey));
  if (isRepeat) return succeed({ request, guard: createGuard({ ...terms, inputJudged: false }) });
  const { input } = guardrails;
  if (!input) return succeed({ request, guard: createGuard({ ...terms, inputJudged: true }) });
  if (unitsOf(request) > judgedUnitsMax)
    return fail(
      invalid(
        'messages',
        `hold more than the ${judgedUnitsMax} characters that a guardrail looks at; each text, and each string in a tool call's arguments, counts 100 more`,
      ),
    );
  const judge = createJudge(find.input, input, inputWindow);
  const hidden = await hiddenIn(request, judge);
  const outcome: GuardrailOutcome = judge.outcome();
  if (input.action === 'refuse' && judge.found)
    return fail({ kind: 'guardrail', categories: [...new Set(outcome.findings.map(({ category }) => category))] });
  return succeed({
    request: input.action === 'mask' && judge.found ? hidden : request,
    guard: createGuard({ ...terms, inputJudged: true, input: outcome }),
  });
}

/** What the replies to a caller are judged by, as in `Guard.outputDigest`. Fails like `guardInput` if a required pack is gone. */
export async function outputDigestOf(deps: GuardrailDeps, caller: Caller): Promise<Result<string | undefined>> {
  const guardrails = caller.key?.guardrails;
  if (!guardrails?.output) return succeed(undefined);
  const finders = await findersOf(deps, caller.accountId ?? '', guardrails);
  return finders.ok ? succeed(digestOf(guardrails, finders.value.versions)) : finders;
}

interface Finders {
  input: FindRisks;
  output: FindRisks;
  versions: string[];
}

/** The finders for each direction. Fails if a required pack is gone: nothing passes unjudged. */
async function findersOf(
  { find, ownPacks }: GuardrailDeps,
  accountId: string,
  guardrails: Guardrails,
): Promise<Result<Finders>> {
  const finders: Finders = { input: find, output: find, versions: [] };
  for (const direction of ['input', 'output'] as const) {
    const ids = guardrails[direction]?.ownPacks ?? [];
    if (ids.length === 0) continue;
    const own = (await ownPacks?.(accountId, ids)) ?? { find, versions: [], missing: ids };
    if (own.missing.length > 0) return fail({ kind: 'precondition_failed', description: goneOf(own.missing) });
    finders[direction] = own.find;
    finders.versions.push(...own.versions);
  }
  return succeed(finders);
}

function goneOf(packs: readonly string[]): string {
  return `A guardrail of this key looks for the account's risk pack ${packs.join(', ')}, which there is not. Make it again, or take it out of the guardrail.`;
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

/** Arguments that are already too long by length alone are not parsed for counting. */
function unitsOfArguments(text: string): number {
  return text.length > judgedUnitsMax ? text.length : unitsOfJson(text);
}

function unitsOf({ messages }: ChatRequest): number {
  let units = 0;
  for (const { content, parts, toolCalls } of messages) {
    if (content) units += unitsOfText(content);
    for (const part of parts ?? []) if (part.kind === 'text') units += unitsOfText(part.text);
    for (const call of toolCalls ?? []) units += unitsOfArguments(call.arguments);
    if (units > judgedUnitsMax) break;
  }
  return units;
}
