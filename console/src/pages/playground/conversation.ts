import type { ApiFailure, RpcReply } from '../../api.ts';
import { sumUsd } from '../../money.ts';
import { typedUsd, usdOf } from '../../typed-usd.ts';
import type { ChatPiece, ChatRequest } from './ask.ts';

export type Model = NonNullable<RpcReply<'ChatService.ListModels'>['models']>[number];

/** Settings shared by both columns. Texts are kept as typed; empty ones are left to the service. */
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

/** What the user said, and what each column replied. */
export interface Turn extends Said {
  id: string;
  replies: Readonly<Record<string, Reply>>;
}

export interface Reply {
  /** Identifies this attempt: a message that is sent again gets another. */
  id: string;
  state: 'waiting' | 'streaming' | 'lost' | 'stopping' | 'done' | 'stopped' | 'failed';
  text: string;
  reasoning: string;
  /** By the page's own clock. */
  firstMs?: number;
  totalMs?: number;
  chargeId?: string;
  /** The charge, once known. */
  costUsd?: string;
  end?: NonNullable<ChatPiece['end']>;
  failure?: ApiFailure;
  /** Whether the reply was given to, and charged in, another column: this one has only copied it. */
  copied?: boolean;
  /** Earlier attempts at the same message that broke off and left text or a charge. */
  earlier?: readonly Reply[];
}

export interface Column {
  id: string;
  /** `auto:<mode>`, or `<provider>/<model>`. */
  choice: string;
}

/** How the service chooses a model. */
export const modes = ['economy', 'balanced', 'quality', 'fast'] as const;

export function beginReply(): Reply {
  return { id: crypto.randomUUID(), state: 'waiting', text: '', reasoning: '' };
}

/** The same message asked again. An attempt that left nothing is forgotten. */
export function beginAgain({ earlier = [], ...failed }: Reply): Reply {
  const left = failed.text !== '' || failed.chargeId !== undefined;
  return { ...beginReply(), earlier: left ? [...earlier, failed] : earlier };
}

/** The state of a reply with a lost connection while it continues. */
export function goingOn({ failure: _, totalMs: __, ...reply }: Reply): Reply {
  return { ...reply, state: 'waiting' };
}

export function isRunning({ state }: Reply): boolean {
  return state === 'waiting' || state === 'streaming' || state === 'lost' || state === 'stopping';
}

/** A reply with one more piece of its stream. `ms`: time since the request. */
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

/** Whether the maximum price is not an amount, or is ambiguous: nothing is sent with such a limit. */
export function isMaxCostWrong({ maxCostUsd }: Settings): boolean {
  return maxCostUsd.trim() !== '' && !((typedUsd(maxCostUsd) ?? 0n) > 0n);
}

/**
 * The request for a column's next reply, as the API documents it. It leaves out messages that got no reply, except the one being asked: after a
 * refusal, the next message does not pay for both.
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

/** A model as stored in a column. Several providers may have a model with the same id. */
export function choiceOf({ provider = '', id = '' }: Model): string {
  return `${provider}/${id}`;
}

/** Whether a column's choice is on offer. */
export function isOffered(choice: string, models: readonly Model[]): boolean {
  return modes.some((mode) => choice === `auto:${mode}`) || modelOf(choice, models) !== undefined;
}

/** The model that an address asks for. A model may be given by its id alone if one provider has it. */
export function askedChoice(asked: string, models: readonly Model[]): string {
  const [named, ...others] = models.filter(({ id }) => id === asked);
  return isOffered(asked, models) || !named || others.length > 0 ? asked : choiceOf(named);
}

/** A model by its names, even if it is no longer listed: the service then says so, and no other model answers instead. */
function namesIn(choice: string, model: Model | undefined): { provider?: string; model: string } {
  if (model) return { provider: model.provider ?? '', model: model.id ?? '' };
  const slash = choice.indexOf('/');
  return slash < 0 ? { model: choice } : { provider: choice.slice(0, slash), model: choice.slice(slash + 1) };
}

/** Whether a column's model can see images; where the service chooses, it finds a model that can. */
export function takesImages(choice: string, models: readonly Model[]): boolean {
  const all = choice.startsWith('auto:') ? models : [modelOf(choice, models)];
  return all.some((model) => model?.capabilities?.includes('images'));
}

/** The cost of the conversation, as far as it is known. */
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
