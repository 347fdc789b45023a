import type { JsonObject } from '@bufbuild/protobuf';
import type { Caller } from '../../base/caller.ts';
import type { Failure } from '../../base/failure.ts';
import type { NanoUsd } from '../../base/money.ts';
import type { AskingTerms, ModelRequest } from '../assistant.ts';
import type { AssistDeps } from './deps.ts';

/** A request for a model with what it may cost. */
export interface QuotedAsk {
  request: ModelRequest;
  /** Twice the most that one answer costs: it may have to be repaired once. */
  ceiling: NanoUsd;
  minimum: NanoUsd;
}

/** What came of asking. `output` is undefined when nothing held; `note` says why. */
export interface Asked<Output> {
  output: Output | undefined;
  /** The model whose answer held; empty when none did. */
  model: string;
  note: string;
  /** The caller's limits did not let any model be asked now; the whole request is to be sent again. */
  refused?: Failure;
}

export type Judged<Output> = { ok: true; output: Output } | { ok: false; problem: string };

const attemptsMax = 2;
const problemCharactersMax = 1500;

/** Asks a model, lets `judge` say whether the answer holds, and asks once more with what was wrong. */
export async function askAndJudge<Output>(
  { assistant, log }: AssistDeps,
  ask: QuotedAsk | undefined,
  caller: Caller,
  terms: AskingTerms,
  judge: (answer: JsonObject) => Promise<Judged<Output>> | Judged<Output>,
): Promise<Asked<Output>> {
  const without = (note: string): Asked<Output> => ({ output: undefined, model: '', note });
  if (!ask || !assistant) return without('');
  let { messages } = ask.request;
  let note = '';
  for (let attempt = 0; attempt < attemptsMax; attempt++) {
    if (terms.budget.left < ask.minimum) return without(note || 'The credit does not pay for a model.');
    const asked = await assistant.run(caller, { ...ask.request, messages }, terms);
    if (!asked.ok) {
      // The only limits in the way of a call are the caller's own: an upstream's stand for a model that did not answer.
      if (attempt === 0 && asked.failure.kind === 'rate_limited') return { ...without(''), refused: asked.failure };
      log.info({ failure: asked.failure.kind }, 'a model did not help');
      return without(note || 'The model did not answer.');
    }
    const { message, model } = asked.value;
    const answer = objectOf(message.content);
    const judged: Judged<Output> = answer ? await judge(answer) : { ok: false, problem: 'it is no JSON object' };
    if (judged.ok) return { output: judged.output, model, note: '' };
    note = `The model's answer did not hold: ${judged.problem.slice(0, problemCharactersMax)}.`;
    const again = { role: 'user' as const, content: `${note} Answer again with this put right.` };
    messages = [...messages, { role: 'assistant', content: message.content }, again];
  }
  return without(note);
}

// Some models put their JSON into a code block although they were asked for JSON alone.
const fence = /^\s*```(?:json)?\s*([\s\S]*?)\s*```\s*$/;

function objectOf(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(fence.exec(text)?.[1] ?? text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : undefined;
  } catch {
    return undefined;
  }
}
