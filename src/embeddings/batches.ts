import { bytesOf, inputTokensAtMost } from './tokens.ts';

/** The inputs for one upstream call. */
export interface Batch {
  /** The index of its first input. */
  start: number;
  inputs: string[];
  /** No tokenizer produces more. */
  tokensMost: number;
}

/** A call's reply stays below 3 MB, and its numbers are read in a few turns of the event loop. */
const valuesMax = 131_072;
/** OpenAI takes at most 300,000 tokens per call, and no tokenizer produces more tokens than bytes. */
const bytesMax = 300_000;

/** Splits the inputs, in order. `inputsMax`: the most inputs the provider takes per call. */
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
