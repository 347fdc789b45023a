import type { MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { formatUsd, type NanoUsd } from '../base/money.ts';
import { present } from '../base/present.ts';
import { type Catalog, type PricedUsage, type PriceLine, priceLines, type Rates } from '../catalog/index.ts';
import type { ChargeCorrectionSchema, ChargeSchema, PriceLineSchema } from '../gen/intelligence/wallet/v1/wallet_pb.ts';
import type { Charge, Correction } from '../wallet/index.ts';

/** Provides past prices. */
export type PriceBook = Pick<Catalog, 'priceAt'>;

/** A charge with its line items, by the prices in the book it was made with. */
export function chargeMessage(
  charge: Charge,
  accountId: string,
  prices: PriceBook,
): MessageInitShape<typeof ChargeSchema> {
  const { usage } = charge;
  return present({
    chargeId: charge.chargeId,
    state: charge.state,
    operation: charge.operation,
    keyId: charge.keyId,
    heldUsd: formatUsd(charge.hold),
    chargedUsd: usdOf(charge.charged),
    owedUsd: usdOf(charge.owed || undefined),
    reversedUsd: usdOf(charge.reversed || undefined),
    corrections: charge.corrections?.map(correctionMessage),
    createTime: timestampFromDate(charge.createdAt),
    endTime: charge.endedAt && timestampFromDate(charge.endedAt),
    metadata: charge.metadata,
    provider: charge.provider,
    model: charge.model,
    providerKeyId: charge.providerKeyId,
    subject: charge.subject,
    deviceId: charge.deviceId,
    tokenId: charge.tokenId,
    requestId: charge.requestId,
    latencyMs: countOf(charge.outcome.latencyMs),
    modelLatencyMs: countOf(charge.outcome.modelLatencyMs),
    attempts: charge.outcome.attempts,
    finishReason: charge.outcome.finishReason,
    inputTokens: countOf(usage.inputTokens),
    cachedInputTokens: countOf(usage.cachedInputTokens),
    cacheWriteInputTokens: countOf(usage.cacheWriteInputTokens),
    cacheWrite1hInputTokens: countOf(usage.cacheWrite1hInputTokens),
    audioInputTokens: countOf(usage.audioInputTokens),
    outputTokens: countOf(usage.outputTokens),
    reasoningTokens: countOf(usage.reasoningTokens),
    requests: countOf(usage.requests),
    events: countOf(usage.events),
    searchUnits: countOf(usage.searchUnits),
    estimated: usage.estimated,
    priceVersion: BigInt(charge.priceVersion),
    lines: linesOf(charge, accountId, prices).map(lineMessage),
  });
}

function correctionMessage({
  adjustmentId,
  amount,
  time,
}: Correction): MessageInitShape<typeof ChargeCorrectionSchema> {
  return { adjustmentId, amountUsd: formatUsd(amount), time: timestampFromDate(time) };
}

function linesOf(charge: Charge, accountId: string, prices: PriceBook): PriceLine[] {
  const charged = (charge.charged ?? 0n) + charge.owed;
  if (charged === 0n) return [];
  const { operation, provider, model, providerKeyId, usage } = charge;
  const at = { version: charge.priceVersion, time: charge.createdAt };
  const part = (counted: PricedUsage, ...items: string[]): [PricedUsage, Rates][] => {
    const rates = items.map((item) => prices.priceAt(item, accountId, at)).find((price) => price !== undefined);
    // Rates without a price per request charge nothing for requests.
    return rates && isPriced(counted, rates) ? [[counted, { ...rates, perRequest: rates.perRequest ?? 0n }]] : [];
  };
  if (operation === 'pulse') return priceLines(part(usage, 'pulse'), charged);
  if (operation.startsWith('workflow.')) {
    const family = part({ requests: 1 }, `workflow:${operation.slice(9)}`, 'workflow');
    const item = providerKeyId ? `byok:${model?.split('/')[0]}` : `model:${model}`;
    const whole = priceLines([...family, ...part(usage, item)], charged);
    // If a model was asked twice, each request has its price, which the sum does not show.
    return whole.some(({ kind }) => kind === 'limit' || kind === 'other') ? priceLines(family, charged) : whole;
  }
  // Several attempts have a price each, as above.
  if (usage.requests !== 1) return priceLines([], charged);
  return priceLines(part(usage, providerKeyId ? `byok:${provider}` : `model:${provider}/${model}`), charged);
}

/** Whether the book has a rate for everything that was used. */
function isPriced({ inputTokens, outputTokens, events, searchUnits }: PricedUsage, rates: Rates): boolean {
  return (
    (!inputTokens || rates.inputPerMillion !== undefined) &&
    (!outputTokens || rates.outputPerMillion !== undefined) &&
    (!events || rates.perThousandEvents !== undefined) &&
    (!searchUnits || rates.perThousandSearchUnits !== undefined)
  );
}

function lineMessage({ kind, quantity, perMillion, amount }: PriceLine): MessageInitShape<typeof PriceLineSchema> {
  return present({ kind, quantity, perMillionUsd: usdOf(perMillion), amountUsd: formatUsd(amount) });
}

function usdOf(amount: NanoUsd | undefined): string | undefined {
  return amount === undefined ? undefined : formatUsd(amount);
}

function countOf(count: number | undefined): bigint | undefined {
  return count === undefined ? undefined : BigInt(count);
}
