import type { Caller } from '../../base/caller.ts';
import { type Failure, type Result, succeed } from '../../base/failure.ts';
import { minOf, type NanoUsd } from '../../base/money.ts';
import type { AskingTerms, Assistant, ModelRequest } from '../assistant.ts';
import type { AssistDeps } from './deps.ts';

/** A request for a model, with what it may cost. */
export interface QuotedAsk {
  request: ModelRequest;
  /** The most that an answer and its one repair may cost together, within the caller's `maxCost`. */
  ceiling: NanoUsd;
  /** The minimum budget for asking a model at all. */
  minimum: NanoUsd;
}

/** The result of asking. */
export interface Asked<Output> {
  /**
   * `held`: there is a valid answer. `missed`: no answer was valid, not even the repaired one. `no_credit`: the credit does
   * not cover a model. `no_answer`: no model answered. `not_asked`: there was nothing to ask, or no model.
   */
  outcome: 'held' | 'missed' | 'no_credit' | 'no_answer' | 'not_asked';
  output?: Output;
  /** The model that answered last; empty if none did. */
  model: string;
  /** How many answers came: 2 if the first one was sent back. */
  answers: number;
  /** What was wrong with the last invalid answer. */
  problem: Problem;
  /** The caller's limits let no model be asked now; the whole request must be sent again. */
  refused?: Failure;
  /** Why no model answered. */
  failure?: Failure;
}

/** What is wrong with an answer, in a form fit for a reply: it contains nothing that only the model said. */
export interface Problem {
  kind: 'empty' | 'cut' | 'json' | 'schema' | 'content';
  /** Where the answer violates the schema. */
  places: string;
}

/** A valid answer, or what is wrong with it: in words for the model, and in a form fit for a reply. */
export type Judged<Output> = { ok: true; output: Output } | { ok: false; words: string; problem: Problem };

const attemptsMax = 2;
// How much of an answer, and of what was wrong with it, is sent back to the model, in UTF-8 bytes; the hold covers that much.
const echoBytesMax = 8_000;
const problemBytesMax = 2_000;

/** Quotes a question together with its one repair. Fails like `Assistant.quote` if no model can do it now. */
export async function quoteAsk(
  assistant: Assistant,
  caller: Caller,
  request: ModelRequest,
): Promise<Result<QuotedAsk>> {
  const first = await assistant.quote(caller, request);
  if (!first.ok) return first;
  const longest = repairOf(request, 'x'.repeat(echoBytesMax), 'x'.repeat(problemBytesMax));
  const repair = await assistant.quote(caller, longest);
  const both = first.value.ceiling + (repair.ok ? repair.value.ceiling : 0n);
  const { maxCost } = request.routing ?? {};
  const ceiling = maxCost === undefined ? both : minOf(both, maxCost);
  return succeed({ request, ceiling, minimum: first.value.minimum });
}

/**
 * Asks a model and lets `judge` decide whether the answer is valid. An invalid answer is sent back once with what is wrong,
 * unless the caller has left by then.
 */
export async function askAndJudge<Output>(
  { assistant, log }: AssistDeps,
  ask: QuotedAsk | undefined,
  caller: Caller,
  { budget, signal }: AskingTerms,
  judge: (answer: string) => Promise<Judged<Output>> | Judged<Output>,
): Promise<Asked<Output>> {
  const asked: Asked<Output> = {
    outcome: 'not_asked',
    model: '',
    answers: 0,
    problem: { kind: 'content', places: '' },
  };
  if (!ask || !assistant) return asked;
  let { request } = ask;
  for (let attempt = 0; attempt < attemptsMax; attempt++) {
    const isRepair = attempt > 0;
    if (isRepair && signal.aborted) break;
    if (budget.left < ask.minimum) return { ...asked, outcome: isRepair ? 'missed' : 'no_credit' };
    const answered = await assistant.run(caller, request, { budget, signal });
    if (!answered.ok) {
      // Only the caller's own limits can stand in the way of a call: an upstream's limit means that the model did not answer.
      if (!isRepair && answered.failure.kind === 'rate_limited') return { ...asked, refused: answered.failure };
      log.info({ failure: answered.failure.kind, isRepair }, 'a model did not help');
      return isRepair ? { ...asked, outcome: 'missed' } : { ...asked, outcome: 'no_answer', failure: answered.failure };
    }
    const { message, model, finishReason } = answered.value;
    asked.model = model;
    const judged = await judgeWhole(message.content, finishReason, judge);
    asked.answers++;
    if (judged.ok) return { ...asked, outcome: 'held', output: judged.output };
    asked.problem = judged.problem;
    const words = cutToBytes(judged.words, problemBytesMax);
    const next = repairOf(ask.request, cutToBytes(message.content, echoBytesMax), words);
    const within = affordable(next, budget.spent.cost);
    if (!within) break;
    request = within;
  }
  return { ...asked, outcome: 'missed' };
}

function judgeWhole<Output>(
  content: string,
  finishReason: string,
  judge: (answer: string) => Promise<Judged<Output>> | Judged<Output>,
): Promise<Judged<Output>> | Judged<Output> {
  if (content.trim() === '') return missed('empty', 'the answer is empty');
  if (finishReason === 'length' || finishReason === 'credit')
    return missed('cut', 'the answer was cut off: answer with fewer and shorter texts');
  return judge(content);
}

/** An invalid answer. */
export function missed(
  kind: Problem['kind'],
  words: string,
  places = '',
): { ok: false; words: string; problem: Problem } {
  return { ok: false, words, problem: { kind, places } };
}

/** The same question, with the answer and what is wrong with it. */
function repairOf(request: ModelRequest, answer: string, words: string): ModelRequest {
  const messages = [
    ...request.messages,
    { role: 'assistant' as const, content: answer.trim() === '' ? '(nothing)' : answer },
    {
      role: 'user' as const,
      content: `This answer does not hold: ${words}. Answer again with all of it, with this put right.`,
    },
  ];
  return { ...request, messages };
}

/** The request with what is left of the caller's `maxCost`; undefined if nothing is left. */
function affordable(request: ModelRequest, spent: NanoUsd): ModelRequest | undefined {
  const { routing } = request;
  if (routing?.maxCost === undefined) return request;
  return spent < routing.maxCost
    ? { ...request, routing: { ...routing, maxCost: routing.maxCost - spent } }
    : undefined;
}

/** The longest prefix of a text that fits into `max` bytes of UTF-8. */
function cutToBytes(text: string, max: number): string {
  const bytes = Buffer.from(text.slice(0, max));
  if (bytes.length <= max) return bytes.toString('utf8');
  let end = max;
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
  return bytes.subarray(0, end).toString('utf8');
}
