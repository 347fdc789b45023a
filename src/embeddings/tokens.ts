/** Marks that a model puts around an input. */
const tokensAround = 8;

export function bytesOf(input: string): number {
  return Buffer.byteLength(input);
}

/** No tokenizer in use gives more tokens than there are bytes, and a model takes no more than its own bound. */
export function inputTokensAtMost(bytes: number, inputTokensMax: number): number {
  return Math.min(bytes + tokensAround, inputTokensMax);
}

/** A quick guess: four bytes a token. Never charged. */
export function inputTokensAbout(bytes: number): number {
  return Math.ceil(bytes / 4);
}
