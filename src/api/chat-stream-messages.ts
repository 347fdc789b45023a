import type { MessageInitShape } from '@bufbuild/protobuf';
import type { Caller } from '../base/caller.ts';
import { formatUsd, type NanoUsd } from '../base/money.ts';
import { present } from '../base/present.ts';
import type { PricedModel, TokenRates } from '../catalog/index.ts';
import type { ChatEstimate, ChatEvent, StreamedEvent } from '../chat/index.ts';
import type { ModelSchema } from '../gen/intelligence/chat/v1/chat_pb.ts';
import type {
  EstimateChatResponseSchema,
  StreamChatResponseSchema,
} from '../gen/intelligence/chat/v1/chat_service_pb.ts';
import { replyEnd } from './chat-messages.ts';

/** A piece of a reply, or its end, as a message. */
export function streamMessage(event: StreamedEvent, caller: Caller): StreamMessage {
  return { event: eventMessage(event, caller), ...present({ sequence: event.sequence }) };
}

/** A stream's messages are the same, whichever method sends them. */
type StreamMessage = Pick<MessageInitShape<typeof StreamChatResponseSchema>, 'event' | 'sequence'>;

function eventMessage(event: ChatEvent, caller: Caller): NonNullable<StreamMessage['event']> {
  if (event.kind === 'end') return { case: 'end', value: replyEnd(event.reply, caller) };
  if (event.kind === 'reasoning') return { case: 'reasoningSummary', value: event.summary };
  if (event.kind === 'state') return { case: 'providerState', value: event.providerState };
  if (event.toolCall === undefined) return { case: 'content', value: event.content };
  const { providerState, ...call } = event.toolCall;
  return { case: 'toolCall', value: { ...call, ...present({ providerState }) } };
}

/** An estimate as a message. */
export function estimateMessage(estimate: ChatEstimate): MessageInitShape<typeof EstimateChatResponseSchema> {
  return {
    routes: estimate.routes.map(({ model, outputTokensCap, worst }) => ({
      provider: model.provider,
      model: model.id,
      maxOutputTokens: outputTokensCap,
      ceilingUsd: formatUsd(worst),
    })),
    reason: estimate.reason,
    ceilingUsd: formatUsd(estimate.ceiling),
    minimumUsd: formatUsd(estimate.minimum),
  };
}

/** A model as a message. */
export function modelMessage({ model, price, ownKey }: PricedModel): MessageInitShape<typeof ModelSchema> {
  return {
    id: model.id,
    provider: model.provider,
    quality: model.quality,
    contextTokens: model.contextTokens,
    maxOutputTokens: model.maxOutputTokens,
    capabilities: [...model.capabilities],
    ownKey: ownKey !== undefined,
    price: {
      ...tokenPrices(price),
      perRequestUsd: formatUsd(price.perRequest ?? 0n),
      tiers: (price.tiers ?? []).map((tier) => ({ aboveInputTokens: tier.aboveInputTokens, ...tokenPrices(tier) })),
    },
  };
}

function tokenPrices(rates: TokenRates) {
  return present({
    inputPerMillionUsd: formatUsd(rates.inputPerMillion ?? 0n),
    cachedInputPerMillionUsd: optionalUsd(rates.cachedInputPerMillion),
    cacheWriteInputPerMillionUsd: optionalUsd(rates.cacheWriteInputPerMillion),
    cacheWrite1hInputPerMillionUsd: optionalUsd(rates.cacheWrite1hInputPerMillion),
    audioInputPerMillionUsd: optionalUsd(rates.audioInputPerMillion),
    outputPerMillionUsd: formatUsd(rates.outputPerMillion ?? 0n),
  });
}

function optionalUsd(amount: NanoUsd | undefined): string | undefined {
  return amount === undefined ? undefined : formatUsd(amount);
}
