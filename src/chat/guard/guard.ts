import { createHash } from 'node:crypto';
import type { Guardrail, Guardrails } from '../../base/guardrails.ts';
import type { NanoUsd } from '../../base/money.ts';
import type { ChatEvent, ChatReply, ChatRequest, Citation, GuardrailOutcome } from '../types.ts';
import { createJudge, type FindRisks, type Judge, outputWindow } from './judge.ts';

/** What of a reply is looked at, and changed. */
export type JudgedReply = Pick<ChatReply, 'message' | 'finishReason' | 'reasoningSummary' | 'citations' | 'guardrail'>;

/** The guardrails of one request, on its way to a model and back. */
export interface Guard {
  /** What being looked at costs. */
  readonly fee: NanoUsd;
  /** Whether the request itself was looked at; a repeat of one that was answered is not. */
  readonly inputJudged: boolean;
  /** Names what is looked for, so that a kept reply says by what it was judged. */
  readonly digest: string;
  /** A whole reply as it may leave. */
  reply<Reply extends JudgedReply>(reply: Reply): Promise<Reply>;
  /** A kept reply as it may leave: as it is when it was judged by the same guardrails. */
  kept(reply: ChatReply): Promise<ChatReply>;
  /** What of a stream may leave; undefined when all may, as it comes. */
  stream(): GuardedStream | undefined;
}

/** Holds back what of a stream may still be part of what is looked for. */
export interface GuardedStream {
  /** Takes an event; those that may leave now. */
  push(event: ChatEvent): Promise<ChatEvent[]>;
  /** Takes the upstream's end. */
  end(): Promise<ChatEvent[]>;
  /** Something was found that withholds the rest. */
  readonly refused: boolean;
}

/** Names guardrails, with the versions of the packs of the account's own that they look for. */
export function digestOf(guardrails: Guardrails, versions: readonly string[] = []): string {
  const named = versions.length > 0 ? { ...guardrails, versions } : guardrails;
  return createHash('sha256').update(JSON.stringify(named)).digest('base64url');
}

export function createGuard(terms: {
  /** In replies. */
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

  async function reply<Reply extends JudgedReply>(answer: Reply): Promise<Reply> {
    if (!output) return { ...answer, guardrail: reported() };
    const judge = createJudge(find, output, outputWindow);
    const hidden = await hiddenIn(answer, judge, isJson);
    const guardrail = reported(judge.outcome());
    if (!judge.found || output.action === 'flag') return { ...answer, guardrail };
    return { ...answer, ...(output.action === 'mask' ? hidden : withheld), guardrail };
  }

  return {
    ...{ fee, inputJudged, digest, reply },
    kept: async (given) => (given.guardrail?.digest === digest ? given : reply(given)),
    stream: () => (output && output.action !== 'flag' ? guardedStream(find, output, isJson) : undefined),
  };
}

const withheld = {
  message: { role: 'assistant', content: '', toolCalls: [] },
  finishReason: 'content_filter',
  reasoningSummary: undefined,
  citations: undefined,
} satisfies Partial<JudgedReply>;

async function hiddenIn(answer: JudgedReply, judge: Judge, isJson: boolean): Promise<Partial<JudgedReply>> {
  const { message, reasoningSummary, citations } = answer;
  const content = isJson ? await judge.json(message.content) : await judge.text(message.content);
  const toolCalls = [];
  for (const call of message.toolCalls) toolCalls.push({ ...call, arguments: await judge.json(call.arguments) });
  const isMoved = content !== message.content;
  const cited: Citation[] = [];
  for (const citation of citations ?? []) cited.push(await hiddenInCitation(citation, judge, isMoved));
  return {
    message: { ...message, content, toolCalls },
    ...(reasoningSummary !== undefined ? { reasoningSummary: await judge.text(reasoningSummary) } : {}),
    ...(citations ? { citations: cited } : {}),
  };
}

/** Where the text of a reply has changed, the places of its citations are not known any more. */
async function hiddenInCitation(citation: Citation, judge: Judge, isMoved: boolean): Promise<Citation> {
  const { title, citedText, startIndex, endIndex, ...rest } = citation;
  return {
    ...rest,
    ...(title !== undefined ? { title: await judge.text(title) } : {}),
    ...(citedText !== undefined ? { citedText: await judge.text(citedText) } : {}),
    ...(isMoved ? {} : { startIndex, endIndex }),
  };
}

/** Text and thoughts leave as far as they are decided; calls, and a reply in JSON, when they are whole. */
function guardedStream(find: FindRisks, guardrail: Guardrail, isJson: boolean): GuardedStream {
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
    async end() {
      const events = [
        ...thoughtOf(await thoughts.end()),
        ...textOf(isJson ? await judge.json(json) : await text.end()),
      ];
      for (const call of calls)
        events.push({ kind: 'delta', toolCall: { ...call, arguments: await judge.json(call.arguments) } });
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
