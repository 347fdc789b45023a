import type { JsonObject } from '@bufbuild/protobuf';
import type { Caller } from '../../base/caller.ts';
import type { Failure } from '../../base/failure.ts';
import type { NanoUsd } from '../../base/money.ts';
import type { ModelRequest, Spent } from '../assistant.ts';
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
  spent: Spent;
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
  terms: { budget: NanoUsd; signal: AbortSignal },
  judge: (answer: JsonObject) => Promise<Judged<Output>> | Judged<Output>,
): Promise<Asked<Output>> {
  let spent: Spent = { cost: 0n, usage: undefined };
  const without = (note: string): Asked<Output> => ({ output: undefined, spent, model: '', note });
  if (!ask || !assistant) return without('');
  let { messages } = ask.request;
  let note = '';
  for (let attempt = 0; attempt < attemptsMax; attempt++) {
    const budget = terms.budget - spent.cost;
    if (budget < ask.minimum) return without(note || 'The credit does not pay for a model.');
    const asked = await assistant.run(caller, { ...ask.request, messages }, { budget, signal: terms.signal });
    spent = sumOf(spent, asked.spent);
    if (!asked.result.ok) {
      // The only limits in the way of a call are the caller's own: an upstream's stand for a model that did not answer.
      if (attempt === 0 && asked.result.failure.kind === 'rate_limited')
        return { ...without(''), refused: asked.result.failure };
      log.info({ failure: asked.result.failure.kind }, 'a model did not help');
      return without(note || 'The model did not answer.');
    }
    const { message, model } = asked.result.value;
    const answer = objectOf(message.content);
    const judged: Judged<Output> = answer ? await judge(answer) : { ok: false, problem: 'it is no JSON object' };
    if (judged.ok) return { output: judged.output, spent, model, note: '' };
    note = `The model's answer did not hold: ${judged.problem.slice(0, problemCharactersMax)}.`;
    const again = { role: 'user' as const, content: `${note} Answer again with this put right.` };
    messages = [...messages, { role: 'assistant', content: message.content }, again];
  }
  return without(note);
}

function sumOf(a: Spent, b: Spent): Spent {
  const cost = a.cost + b.cost;
  if (a.usage === undefined || b.usage === undefined) return { cost, usage: a.usage ?? b.usage };
  return {
    cost,
    usage: {
      inputTokens: (a.usage.inputTokens ?? 0) + (b.usage.inputTokens ?? 0),
      outputTokens: (a.usage.outputTokens ?? 0) + (b.usage.outputTokens ?? 0),
      estimated: (a.usage.estimated ?? false) || (b.usage.estimated ?? false),
    },
  };
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
