import type { ApiFailure, RpcReply } from '../../api.ts';
import { sumUsd } from '../../money.ts';
import { typedUsd, usdOf } from '../../typed-usd.ts';
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

export interface Said {
  text: string;
  pictures: readonly Picture[];
}

/** What the person said, and what each column replied. */
export interface Turn extends Said {
  id: string;
  replies: Readonly<Record<string, Reply>>;
}

export interface Reply {
  /** Of this try: a message that is sent again has another. */
  id: string;
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
  /** Tries of the same message that broke off, and left words or a charge. */
  earlier?: readonly Reply[];
}

export interface Column {
  id: string;
  /** `auto:<mode>`, or `<provider>/<model>`. */
  choice: string;
}

/** How the service chooses by itself. */
export const modes = ['economy', 'balanced', 'quality', 'fast'] as const;

export function beginReply(): Reply {
  return { id: crypto.randomUUID(), state: 'waiting', text: '', reasoning: '' };
}

/** The same message asked once more. A try that left nothing is forgotten. */
export function beginAgain({ earlier = [], ...failed }: Reply): Reply {
  const left = failed.text !== '' || failed.chargeId !== undefined;
  return { ...beginReply(), earlier: left ? [...earlier, failed] : earlier };
}

/** A reply whose connection was lost, as it is while it goes on. */
export function goingOn({ failure: _, totalMs: __, ...reply }: Reply): Reply {
  return { ...reply, state: 'waiting' };
}

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

/** Whether the highest price is no amount, or could be read as two of them: nothing is sent with such a bound. */
export function isMaxCostWrong({ maxCostUsd }: Settings): boolean {
  return maxCostUsd.trim() !== '' && !((typedUsd(maxCostUsd) ?? 0n) > 0n);
}

/**
 * The request of the next reply of a column, as the API documents it. A message that had no reply is not part of it, but for one that is
 * being asked: who was refused and writes another message does not pay for both.
 */
export function requestOf(
  { id, choice }: Column,
  turns: readonly Pick<Turn, 'text' | 'pictures' | 'replies'>[],
  settings: Settings,
  models: readonly Model[],
): ChatRequest {
  const { system, maxOutputTokens, temperature, effort, maxCostUsd } = settings;
  const model = modelOf(choice, models);
  const mode = choice.startsWith('auto:') ? choice.slice(5) : undefined;
  const routing = {
    ...(mode !== undefined && { mode }),
    ...(maxCostUsd.trim() !== '' && { maxCostUsd: usdOf(maxCostUsd) }),
  };
  const summary = effort !== '' || model?.capabilities?.includes('reasoning') === true;
  return {
    ...(mode === undefined ? namesIn(choice, model) : { provider: 'auto' }),
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

function messagesOf({ text, pictures }: Said, reply: Reply | undefined): Messages {
  const images = pictures.map(({ mediaType, data }) => ({ image: { mediaType, data } }));
  const parts = [...(text === '' ? [] : [{ text }]), ...images];
  const said = images.length > 0 ? { role: 'user', parts } : { role: 'user', content: text };
  if (!reply || isRunning(reply)) return [said];
  if (reply.text === '') return [];
  const { providerState } = reply.end ?? {};
  return [said, { role: 'assistant', content: reply.text, ...(providerState && { providerState }) }];
}

export function modelOf(choice: string, models: readonly Model[]): Model | undefined {
  return models.find((model) => choiceOf(model) === choice);
}

/** A model as a column has it. Several providers may have one of the same id. */
export function choiceOf({ provider = '', id = '' }: Model): string {
  return `${provider}/${id}`;
}

/** Whether a column's choice is one that there is. */
export function isOffered(choice: string, models: readonly Model[]): boolean {
  return modes.some((mode) => choice === `auto:${mode}`) || modelOf(choice, models) !== undefined;
}

/** What an address asks for. It may name a model by its id alone, where one provider has it. */
export function askedChoice(asked: string, models: readonly Model[]): string {
  const [named, ...others] = models.filter(({ id }) => id === asked);
  return isOffered(asked, models) || !named || others.length > 0 ? asked : choiceOf(named);
}

/** A model by its names, also where the list has it no more: the service then says so, and no other answers in its place. */
function namesIn(choice: string, model: Model | undefined): { provider?: string; model: string } {
  if (model) return { provider: model.provider ?? '', model: model.id ?? '' };
  const slash = choice.indexOf('/');
  return slash < 0 ? { model: choice } : { provider: choice.slice(0, slash), model: choice.slice(slash + 1) };
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
        Object.values(replies)
          .flatMap((reply) => [...(reply.earlier ?? []), reply])
          .flatMap(({ costUsd, copied }) => (copied ? [] : (costUsd ?? []))),
      ),
    ) ?? 0n
  );
}
