import { bytesOf, inputTokensAtMost } from './tokens.ts';

/** A part of the inputs that one call of an upstream takes. */
export interface Batch {
  /** The place of its first input. */
  start: number;
  inputs: string[];
  /** No tokenizer gives more. */
  tokensMost: number;
}

/** What one call brings back is read in one go, so that it must not be much: 131,072 numbers take about 25 ms. */
const valuesMax = 131_072;
/** OpenAI takes at most 300,000 tokens in a call, and no tokenizer gives more tokens than there are bytes. */
const bytesMax = 300_000;

/** Splits the inputs, in their order. `inputsMax`: what the provider takes in one call. */
export function batchesOf(
  inputs: readonly string[],
  { dimensions, inputsMax, inputTokensMax }: { dimensions: number; inputsMax: number; inputTokensMax: number },
): Batch[] {
  const most = Math.max(1, Math.min(inputsMax, Math.floor(valuesMax / dimensions)));
  const batches: Batch[] = [];
  let current: Batch | undefined;
  let bytes = 0;
  for (const [index, input] of inputs.entries()) {
    const size = bytesOf(input);
    if (!current || current.inputs.length >= most || bytes + size > bytesMax) {
      current = { start: index, inputs: [], tokensMost: 0 };
      batches.push(current);
      bytes = 0;
    }
    current.inputs.push(input);
    current.tokensMost += inputTokensAtMost(size, inputTokensMax);
    bytes += size;
  }
  return batches;
}
