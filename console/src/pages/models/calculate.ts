import type { ModelJson, ModelPriceJson } from '../../../gen/intelligence/chat/v1/chat_pb';
import { divideRoundingUp, type NanoUsd, readUsd } from '../../money.ts';

/** A request for the calculator; whole numbers, with cached tokens included in the input. */
export interface Usage {
  input: bigint;
  cached: bigint;
  output: bigint;
  requests: bigint;
}

/** The cost of a number of identical requests: each is rounded up to a nano-USD on its own, as in the ledger. Undefined: no price is known. */
export function costOf(price: ModelPriceJson, { input, cached, output, requests }: Usage): NanoUsd | undefined {
  const tier = price.tiers?.findLast(({ aboveInputTokens }) => input > BigInt(aboveInputTokens ?? 0));
  const rates = tier ?? price;
  const inputRate = readUsd(rates.inputPerMillionUsd);
  const outputRate = readUsd(rates.outputPerMillionUsd);
  const cachedRate = rates.cachedInputPerMillionUsd === undefined ? inputRate : readUsd(rates.cachedInputPerMillionUsd);
  const perRequest = readUsd(price.perRequestUsd ?? '0');
  if (inputRate === undefined || outputRate === undefined || cachedRate === undefined || perRequest === undefined)
    return undefined;
  const millionths = (input - cached) * inputRate + cached * cachedRate + output * outputRate;
  return (divideRoundingUp(millionths, 1_000_000n) + perRequest) * requests;
}

/** Whether a model can take such a request at all. */
export function fits({ contextTokens = 0, maxOutputTokens = 0 }: ModelJson, { input, output }: Usage): boolean {
  return input + output <= BigInt(contextTokens) && output <= BigInt(maxOutputTokens);
}

/** Thousands separated by one consistent mark, in any language: `1,000`, `1.000`, `1 000`, `1'000`. */
const grouped = /^[1-9]\d{0,2}([\s,.'’_])\d{3}(?:\1\d{3})*$/;

/** Parses a typed whole number; undefined if it is not one, such as `1.5` or `1,50`, or exceeds the maximum. */
export function readCount(text: string, most: bigint): bigint | undefined {
  const typed = text.trim();
  const digits = grouped.test(typed) ? typed.replace(/\D/g, '') : typed;
  if (!/^\d{1,12}$/.test(digits)) return undefined;
  const count = BigInt(digits);
  return count <= most ? count : undefined;
}
