import type { ApiFailure, RpcReply } from '../../api.ts';
import { sumUsd } from '../../money.ts';
import type { ChatPiece, ChatRequest } from './ask.ts';

export type Model = NonNullable<RpcReply<'ChatService.ListModels'>['models']>[number];

/** What is the same for both columns. Texts as they were typed; empty is left to the service. */
export interface Settings {
  system: string;
  maxOutputTokens: string;
  temperature: string;
  effort: string;
  maxCostUsd: string;
}

export const noSettings: Settings = { system: '', maxOutputTokens: '', temperature: '', effort: '', maxCostUsd: '' };

export interface Picture {
  name: string;
  mediaType: string;
  /** Base64. */
  data: string;
}

/** What the person said, and what each column replied. */
export interface Turn {
  id: string;
  text: string;
  pictures: readonly Picture[];
  replies: Readonly<Record<string, Reply>>;
}

export interface Reply {
  state: 'waiting' | 'streaming' | 'lost' | 'stopping' | 'done' | 'stopped' | 'failed';
  text: string;
  reasoning: string;
  /** By the page's own clock. */
  firstMs?: number;
  totalMs?: number;
  chargeId?: string;
  /** What was charged, once that is known. */
  costUsd?: string;
  end?: NonNullable<ChatPiece['end']>;
  failure?: ApiFailure;
  /** Whether another column was given and charged it: this one has only read it. */
  copied?: boolean;
}

export interface Column {
  id: string;
  /** `auto:<mode>`, or `<provider>/<model>`. */
  choice: string;
}

export const begun: Reply = { state: 'waiting', text: '', reasoning: '' };

export function isRunning({ state }: Reply): boolean {
  return state === 'waiting' || state === 'streaming' || state === 'lost' || state === 'stopping';
}

/** A reply with one more piece of its stream. `ms`: since it was asked for. */
export function withPiece(reply: Reply, piece: ChatPiece, ms: number): Reply {
  const { content = '', reasoningSummary = '', end } = piece;
  const state = reply.state === 'stopping' ? 'stopping' : 'streaming';
  const grown: Reply = {
    ...reply,
    state,
    text: reply.text + content,
    reasoning: reply.reasoning + reasoningSummary,
    ...(reply.firstMs === undefined && content + reasoningSummary !== '' && { firstMs: ms }),
  };
  if (!end) return grown;
  return {
    ...grown,
    state: 'done',
    end,
    totalMs: ms,
    ...(end.id !== undefined && { chargeId: end.id }),
    ...(end.usage?.costUsd !== undefined && { costUsd: end.usage.costUsd }),
  };
}

/** The request of the next reply of a column, as the API documents it. */
export function requestOf(
  { id, choice }: Column,
  turns: readonly Pick<Turn, 'text' | 'pictures' | 'replies'>[],
  settings: Settings,
  models: readonly Model[],
): ChatRequest {
  const { system, maxOutputTokens, temperature, effort, maxCostUsd } = settings;
  const model = modelOf(choice, models);
  const mode = choice.startsWith('auto:') ? choice.slice(5) : undefined;
  const routing = { ...(mode !== undefined && { mode }), ...(maxCostUsd !== '' && { maxCostUsd }) };
  const summary = effort !== '' || model?.capabilities?.includes('reasoning') === true;
  return {
    ...(model ? { provider: model.provider ?? '', model: model.id ?? '' } : { provider: 'auto' }),
    ...(Object.keys(routing).length > 0 && { routing }),
    messages: [
      ...(system.trim() === '' ? [] : [{ role: 'system', content: system }]),
      ...turns.flatMap((turn) => messagesOf(turn, turn.replies[id])),
    ],
    ...(maxOutputTokens !== '' && { maxOutputTokens: Number(maxOutputTokens) }),
    ...(temperature !== '' && { temperature: Number(temperature) }),
    ...(summary && { reasoning: { ...(effort !== '' && { effort }), summary: true } }),
  };
}

type Messages = NonNullable<ChatRequest['messages']>;

function messagesOf({ text, pictures }: Pick<Turn, 'text' | 'pictures'>, reply: Reply | undefined): Messages {
  const images = pictures.map(({ mediaType, data }) => ({ image: { mediaType, data } }));
  const parts = [...(text === '' ? [] : [{ text }]), ...images];
  const said = images.length > 0 ? { role: 'user', parts } : { role: 'user', content: text };
  if (!reply || isRunning(reply) || reply.text === '') return [said];
  const { providerState } = reply.end ?? {};
  return [said, { role: 'assistant', content: reply.text, ...(providerState && { providerState }) }];
}

export function modelOf(choice: string, models: readonly Model[]): Model | undefined {
  return models.find(({ provider, id }) => `${provider}/${id}` === choice || id === choice);
}

/** Whether what a column asks may see images; the service finds a model that does where it chooses. */
export function takesImages(choice: string, models: readonly Model[]): boolean {
  const all = choice.startsWith('auto:') ? models : [modelOf(choice, models)];
  return all.some((model) => model?.capabilities?.includes('images'));
}

/** What the conversation has cost, as far as it is known. */
export function costOf(turns: readonly Turn[]): bigint {
  return (
    sumUsd(
      turns.flatMap(({ replies }) =>
        Object.values(replies).flatMap(({ costUsd, copied }) => (copied ? [] : (costUsd ?? []))),
      ),
    ) ?? 0n
  );
}
