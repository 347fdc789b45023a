import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4FinishReason,
  LanguageModelV4GenerateResult,
  LanguageModelV4Usage,
} from '@ai-sdk/provider';
import { type Dialect, toolCallsMax, type UpstreamFailure, upstreamFailure } from '../providers/index.ts';
import type { Funds } from '../wallet/index.ts';
import { boundUsage, type CountedUsage, canBeWithin, cutMessage, reportOverruns } from './bounded.ts';
import { Citations } from './citations.ts';
import type { ModelDeps } from './deps.ts';
import { inputCountsOf, whole } from './input-counts.ts';
import { attemptCost, type QuotedRoute } from './quote.ts';
import { ReplyState, type StateOwner } from './reply-state.ts';
import { type CountTokens, countInput, type InputMeasure } from './tokens.ts';
import type { ChatReply, ChatRequest, ChatToolCall, FinishReason, Ignored } from './types.ts';
import { withWarnings } from './unsupported.ts';

/** The result of one upstream reply. */
export interface AttemptReply
  extends Pick<ChatReply, 'message' | 'finishReason' | 'reasoningSummary' | 'citations' | 'ignored' | 'guardrail'> {
  usage: CountedUsage;
}

export type AttemptOutcome =
  | { ok: true; reply: AttemptReply; latencyMs: number }
  | { ok: false; failure: UpstreamFailure; latencyMs: number };

export type AttemptDeps = Pick<ModelDeps, 'clock' | 'breaker' | 'overran' | 'watchCall'>;

export interface AttemptTerms {
  route: QuotedRoute;
  model: LanguageModelV4;
  /** Who asks, for the route's circuit. */
  account: string;
  request: ChatRequest;
  measure: InputMeasure;
  count: CountTokens;
  dialect: Dialect;
  options: LanguageModelV4CallOptions;
  /** The parts of the request that the options leave out. */
  ignored: readonly Ignored[];
  /** Who owns the reply's provider states; absent: the reply has none. */
  owner: StateOwner | undefined;
  outputTokensCap: number;
  timeoutMs: number;
  /** The request's hold while it is pending: if it is refused, the call ends. */
  pending: Funds['pending'];
  /** Aborted when the caller leaves; only a streaming call is ended by this. */
  signal: AbortSignal;
}

/** Calls one model once, within its time limit, and records how the route performed. Never throws for an upstream fault. */
export async function callRoute(deps: AttemptDeps, terms: AttemptTerms): Promise<AttemptOutcome> {
  const { route, options } = terms;
  const startedAt = deps.clock.monotonic();
  const call = deps.breaker.begin(route.model.name, terms.account, route.ownKey !== undefined);
  const watch = watchRoute(deps, route);
  const deadline = deadlineAfter(terms.timeoutMs);
  terms.pending?.then(({ ok }) => ok || deadline.abort(), deadline.abort);
  try {
    const result = await (watch?.listen(terms.model) ?? terms.model).doGenerate({
      ...options,
      abortSignal: deadline.signal,
    });
    const latencyMs = deps.clock.monotonic() - startedAt;
    const given = messageOf(result);
    if (isEmpty(given, result.finishReason) || given.toolCalls.length > toolCallsMax) {
      const failure: UpstreamFailure = { outcome: 'invalid_reply' };
      call.failed(failure);
      watch?.ended({ outcome: failure.outcome });
      return { ok: false, failure, latencyMs };
    }
    // Trust the upstream's own count if it is within the cap; tokenizers differ.
    const stated = plausible(result.usage.outputTokens.total);
    const isWithin =
      stated !== undefined && stated <= terms.outputTokensCap && canBeWithin(given, terms.outputTokensCap);
    const cut = isWithin ? undefined : cutMessage(given, terms.outputTokensCap);
    const message = cut ?? given;
    const thoughts = thoughtsIn(result);
    const countTexts = () => terms.count([...textsIn(message), ...thoughts]);
    const usage = boundUsage(await countedUsage(result.usage, message, terms, countTexts), terms);
    reportOverruns({ input: result.usage.inputTokens.total, output: stated }, cut !== undefined, terms, deps.overran);
    call.succeeded({ firstTokenMs: latencyMs, totalMs: latencyMs, outputTokens: usage.outputTokens });
    const finishReason = cut ? 'length' : finishReasonOf(result.finishReason);
    watch?.ended({ outcome: 'ok', usage, cost: attemptCost(route, usage), finishReason });
    const reply = {
      ...notesOf(result, thoughts, terms),
      message: cut ?? stateful(result, given, terms),
      finishReason,
      usage,
    };
    return { ok: true, reply, latencyMs };
  } catch (error) {
    const failure = upstreamFailure(error);
    call.failed(failure);
    watch?.ended({ outcome: failure.outcome });
    return { ok: false, failure, latencyMs: deps.clock.monotonic() - startedAt };
  } finally {
    call.ended();
    deadline.clear();
  }
}

/** Starts watching a call to a route's model, if there is a watcher. */
export function watchRoute({ watchCall }: Pick<AttemptDeps, 'watchCall'>, { model }: QuotedRoute) {
  const { provider, id, upstreamModel } = model;
  return watchCall?.({ operation: 'chat', provider, model: id, upstreamModel });
}

/**
 * The token counts to charge for. If the provider reports none, or omits a count that must exist, we count ourselves and mark
 * the counts as estimated. `countTexts` counts the texts that arrived: those of the message, and of visible reasoning.
 */
export async function countedUsage(
  stated: LanguageModelV4Usage | undefined,
  message: ChatReply['message'],
  terms: Pick<AttemptTerms, 'request' | 'measure' | 'count' | 'route' | 'dialect'>,
  countTexts: () => Promise<number>,
): Promise<CountedUsage> {
  const { request, measure, count, route } = terms;
  // Provider packages turn a missing count into 0, but no conversation and no non-empty text has 0 tokens.
  // A breakdown belongs to its sum: if more is stated to have been cached than there was, neither counts.
  const input = stated && isSound(stated.inputTokens) ? plausible(stated.inputTokens.total) : undefined;
  const output = plausible(stated?.outputTokens.total);
  const outputTokens = output ?? (await countTexts()) + tokensAroundCall * message.toolCalls.length;
  const isEmpty = outputTokens === 0 && stated?.outputTokens.total === 0;
  const usage: CountedUsage = {
    inputTokens: input ?? (await countInput(request, measure, route.model, count)),
    outputTokens,
    estimated: input === undefined || (output === undefined && !isEmpty),
  };
  if (stated && input !== undefined) Object.assign(usage, inputCountsOf(stated, input, terms));
  const reasoning = whole(stated?.outputTokens.reasoning);
  if (reasoning !== undefined) usage.reasoningTokens = Math.min(reasoning, usage.outputTokens);
  return usage;
}

function isSound({ total, cacheRead, cacheWrite }: LanguageModelV4Usage['inputTokens']): boolean {
  return (whole(cacheRead) ?? 0) + (whole(cacheWrite) ?? 0) <= (total ?? 0);
}

/** Maps a provider's finish reason to ours. */
export function finishReasonOf({ unified }: LanguageModelV4FinishReason): FinishReason {
  if (unified === 'length') return 'length';
  if (unified === 'content-filter') return 'content_filter';
  return unified === 'tool-calls' ? 'tool_calls' : 'stop';
}

/** A signal that aborts with a timeout error after `ms`. Cheaper than `AbortSignal.timeout`, and it can be cleared. */
export function deadlineAfter(ms: number): { signal: AbortSignal; clear(): void; abort(): void } {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(new DOMException('The time is up.', 'TimeoutError')), ms);
  return { signal: controller.signal, clear: () => clearTimeout(timer), abort: () => controller.abort() };
}

/** What a reply reports besides its message. */
function notesOf(
  { content, warnings }: LanguageModelV4GenerateResult,
  thoughts: readonly string[],
  { request, ignored }: AttemptTerms,
): Pick<AttemptReply, 'reasoningSummary' | 'citations' | 'ignored'> {
  const citations = new Citations();
  for (const part of content) citations.whole(part);
  return {
    ...(request.reasoning?.summary && thoughts.length > 0 ? { reasoningSummary: thoughts.join('\n\n') } : {}),
    ...(citations.list.length > 0 ? { citations: citations.list } : {}),
    ...noted(withWarnings(ignored, warnings)),
  };
}

/** The reasoning that a provider shows. */
function thoughtsIn({ content }: LanguageModelV4GenerateResult): string[] {
  return content.flatMap((part) => (part.type === 'reasoning' && part.text !== '' ? [part.text] : []));
}

/** The `ignored` field, if anything was left out. */
export function noted(ignored: readonly Ignored[]): { ignored?: readonly Ignored[] } {
  return ignored.length > 0 ? { ignored } : {};
}

function stateful(
  { content }: LanguageModelV4GenerateResult,
  message: ChatReply['message'],
  { dialect, owner }: AttemptTerms,
): ChatReply['message'] {
  if (!owner) return message;
  const state = new ReplyState(dialect);
  for (const part of content) state.whole(part);
  return state.sealed(message, owner);
}

function messageOf(result: LanguageModelV4GenerateResult): ChatReply['message'] {
  let content = '';
  const toolCalls: ChatToolCall[] = [];
  for (const part of result.content) {
    if (part.type === 'text') content += part.text;
    else if (part.type === 'tool-call')
      toolCalls.push({ id: part.toolCallId, name: part.toolName, arguments: part.input });
  }
  return { role: 'assistant', content, toolCalls };
}

// An empty reply is broken, unless the length limit, a filter or the model itself explains it.
function isEmpty(message: ChatReply['message'], { unified, raw }: LanguageModelV4FinishReason): boolean {
  if (message.content !== '' || message.toolCalls.length > 0) return false;
  return unified === 'error' || (unified === 'other' && raw === undefined);
}

/** Tokens a provider may add around a tool call. */
const tokensAroundCall = 8;

function textsIn({ content, toolCalls }: ChatReply['message']): string[] {
  return [content, ...toolCalls.map((call) => call.name + call.arguments)];
}

function plausible(count: number | undefined): number | undefined {
  const known = whole(count);
  return known === 0 ? undefined : known;
}
