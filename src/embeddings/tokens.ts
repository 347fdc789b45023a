/** Special tokens that a model puts around an input. */
const tokensAround = 8;

export function bytesOf(input: string): number {
  return Buffer.byteLength(input);
}

/** No tokenizer in use produces more tokens than bytes, and a model takes no more than its own limit. */
export function inputTokensAtMost(bytes: number, inputTokensMax: number): number {
  return Math.min(bytes + tokensAround, inputTokensMax);
}

/** A quick guess: four bytes per token. Never charged. */
export function inputTokensAbout(bytes: number): number {
  return Math.ceil(bytes / 4);
}
