import { createHash } from 'node:crypto';
import type { Guardrail, Guardrails } from '../../base/guardrails.ts';
import type { NanoUsd } from '../../base/money.ts';
import type { ChatEvent, ChatReply, ChatRequest, Citation, FinishReason, GuardrailOutcome } from '../types.ts';
import { createJudge, type FindRisks, type Judge, outputWindow } from './judge.ts';

/** The parts of a reply that are judged and may be changed. */
export type JudgedReply = Pick<ChatReply, 'message' | 'finishReason' | 'reasoningSummary' | 'citations' | 'guardrail'>;

/** The guardrails of one request, on its way to a model and back. */
export interface Guard {
  /** What judging costs. */
  readonly fee: NanoUsd;
  /** Whether the request itself was judged; a repeat of an answered request is not. */
  readonly inputJudged: boolean;
  /** Identifies what is looked for, so that a cached reply says what it was judged by. */
  readonly digest: string;
  /** What replies are judged by; undefined if they are not judged. */
  readonly outputDigest: string | undefined;
  /** Returns a whole reply as it may be sent; `isBroken`: it is what arrived before the stream ended early. */
  reply<Reply extends JudgedReply>(reply: Reply, isBroken?: boolean): Promise<Reply>;
  /** Returns a cached reply as it may be sent: unchanged if it was judged by the same guardrails. */
  kept(reply: ChatReply): Promise<ChatReply>;
  /** The filter for a stream; undefined if everything may be sent as it arrives. */
  stream(): GuardedStream | undefined;
}

/** Holds back the parts of a stream that may still belong to a match. */
export interface GuardedStream {
  /** Takes an event; returns those that may be sent now. */
  push(event: ChatEvent): Promise<ChatEvent[]>;
  /** Takes the end of the upstream, and why it ended. */
  end(reason: FinishReason): Promise<ChatEvent[]>;
  /** Whether something was found that withholds the rest. */
  readonly refused: boolean;
}

/** Identifies guardrails, including the versions of the account's own packs that they use. */
export function digestOf(guardrails: Guardrails, versions: readonly string[] = []): string {
  const named = versions.length > 0 ? { ...guardrails, versions } : guardrails;
  return createHash('sha256').update(JSON.stringify(named)).digest('base64url');
}

export function createGuard(terms: {
  /** For replies. */
  find: FindRisks;
  versions?: readonly string[];
  guardrails: Guardrails;
  fee: NanoUsd;
  request: ChatRequest;
  inputJudged: boolean;
  input?: GuardrailOutcome;
}): Guard {
  const { find, guardrails, fee, inputJudged, input, request } = terms;
  const { output } = guardrails;
  const isJson = request.responseFormat?.kind === 'json';
  const digest = digestOf(guardrails, terms.versions);
  const reported = (outcome?: GuardrailOutcome) => ({
    digest,
    ...(input ? { input } : {}),
    ...(outcome ? { output: outcome } : {}),
  });

  const isCut = (reason: FinishReason) => isCutBy(reason, request.stop);

  async function reply<Reply extends JudgedReply>(answer: Reply, isBroken = false): Promise<Reply> {
    if (!output) return { ...answer, guardrail: reported() };
    const judge = createJudge(find, output, outputWindow);
    const hidden = await hiddenIn(answer, judge, isJson, isBroken || isCut(answer.finishReason));
    const guardrail = reported(judge.outcome());
    if (!judge.found || output.action === 'flag') return { ...answer, guardrail };
    return { ...answer, ...(output.action === 'mask' ? hidden : withheld), guardrail };
  }

  return {
    ...{ fee, inputJudged, digest, reply },
    outputDigest: output && digest,
    kept: async (given) => (given.guardrail?.digest === digest ? given : reply(given)),
    stream: () => (output && output.action !== 'flag' ? guardedStream(find, output, isJson, isCut) : undefined),
  };
}

/** What may follow a number, or the name in an address, so that a stop sequence which begins with it cuts these in two. */
const restOfNumber = /^[^\p{L}\p{N}]{0,6}\p{N}|^[\p{L}\p{N}._%+-]*[@.]\p{L}/u;

/** Whether a reply may have ended in the middle of a word or a number. */
function isCutBy(reason: FinishReason, stop: readonly string[] = []): boolean {
  if (reason === 'stop') return stop.some((sequence) => restOfNumber.test(sequence));
  return reason !== 'tool_calls';
}

const withheld = {
  message: { role: 'assistant', content: '', toolCalls: [] },
  finishReason: 'content_filter',
  reasoningSummary: undefined,
  citations: undefined,
} satisfies Partial<JudgedReply>;

async function hiddenIn(
  answer: JudgedReply,
  judge: Judge,
  isJson: boolean,
  isCut: boolean,
): Promise<Partial<JudgedReply>> {
  const { message, reasoningSummary, citations } = answer;
  const content = isJson ? await judge.json(message.content, isCut) : await judge.text(message.content, isCut);
  const toolCalls = [];
  for (const call of message.toolCalls) toolCalls.push({ ...call, arguments: await judge.json(call.arguments, isCut) });
  const isMoved = content !== message.content;
  const cited: Citation[] = [];
  for (const citation of citations ?? []) cited.push(await hiddenInCitation(citation, judge, isMoved));
  return {
    message: { ...message, content, toolCalls },
    ...(reasoningSummary !== undefined ? { reasoningSummary: await judge.text(reasoningSummary, isCut) } : {}),
    ...(citations ? { citations: cited } : {}),
  };
}

/** Once a reply's text has changed, the positions of its citations are no longer known. */
async function hiddenInCitation(citation: Citation, judge: Judge, isMoved: boolean): Promise<Citation> {
  const { title, citedText, startIndex, endIndex, ...rest } = citation;
  return {
    ...rest,
    ...(title !== undefined ? { title: await judge.text(title) } : {}),
    ...(citedText !== undefined ? { citedText: await judge.text(citedText) } : {}),
    ...(isMoved ? {} : { startIndex, endIndex }),
  };
}

/** Text and reasoning are sent as soon as they are judged; tool calls, and JSON replies, once they are complete. */
function guardedStream(
  find: FindRisks,
  guardrail: Guardrail,
  isJson: boolean,
  isCutBy: (reason: FinishReason) => boolean,
): GuardedStream {
  const judge = createJudge(find, guardrail, outputWindow);
  const text = judge.scanner();
  const thoughts = judge.scanner();
  const calls: Extract<ChatEvent, { kind: 'delta'; content?: undefined }>['toolCall'][] = [];
  let json = '';
  const isRefused = () => guardrail.action === 'refuse' && judge.found;
  const released = (events: readonly ChatEvent[]) => (isRefused() ? [] : [...events]);

  return {
    get refused() {
      return isRefused();
    },
    async push(event) {
      if (event.kind === 'reasoning') return released(thoughtOf(await thoughts.push(event.summary)));
      if (event.kind !== 'delta') return [event];
      if (event.toolCall) {
        const known = calls[event.toolCall.index];
        calls[event.toolCall.index] = known
          ? { ...known, ...event.toolCall, arguments: known.arguments + event.toolCall.arguments }
          : event.toolCall;
        return [];
      }
      if (!isJson) return released(textOf(await text.push(event.content)));
      json += event.content;
      return [];
    },
    async end(reason) {
      const isCut = isCutBy(reason);
      const events = [
        ...thoughtOf(await thoughts.end(isCut)),
        ...textOf(isJson ? await judge.json(json, isCut) : await text.end(isCut)),
      ];
      for (const call of calls)
        events.push({ kind: 'delta', toolCall: { ...call, arguments: await judge.json(call.arguments, isCut) } });
      return released(events);
    },
  };
}

function textOf(content: string): ChatEvent[] {
  return content === '' ? [] : [{ kind: 'delta', content }];
}

function thoughtOf(summary: string): ChatEvent[] {
  return summary === '' ? [] : [{ kind: 'reasoning', summary }];
}
