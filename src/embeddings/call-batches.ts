import { unwrap } from '../base/failure.ts';
import { type EmbeddingUpstream, type UpstreamFailure, upstreamFailure } from '../providers/index.ts';
import { type Batch, batchesOf } from './batches.ts';
import type { EmbeddingsDeps } from './deps.ts';
import { bytesOf, inputTokensAbout } from './tokens.ts';
import type { EmbedUsage } from './types.ts';

export interface BatchTerms {
  upstream: EmbeddingUpstream;
  /** The route's name, for its circuit. */
  route: string;
  /** Whether it is called with the account's own key. */
  ownKey: boolean;
  inputs: readonly string[];
  dimensions: number;
  /** Whether to send `dimensions` to the provider, because they are fewer than the model's default. */
  shortened: boolean;
  inputTokensMax: number;
  owner: string;
  signal: AbortSignal;
}

/** The vectors of all inputs, concatenated. */
export interface Vectors {
  values: Float32Array;
  usage: EmbedUsage;
  overruns: { bound: number; stated: number }[];
}

/** `lostTokens`: roughly what was asked for, and perhaps made, before a call failed. */
export type BatchesOutcome =
  | { ok: true; answer: Vectors }
  | { ok: false; failure: UpstreamFailure; lostTokens: number };

/** Concurrent calls for one request. */
const atOnce = 4;

/**
 * Embeds all inputs in as many calls as needed, a few at a time. The first failure ends the others. A reply is valid only if it
 * has a vector of the right length for each input, and every number in it is finite as a 32-bit float. Throws `rate_limited` if it
 * takes several calls and the account has left too many such unpaid.
 */
export async function callBatches(
  deps: Pick<EmbeddingsDeps, 'breaker' | 'clock' | 'countTokens' | 'unpaid'>,
  terms: BatchTerms,
): Promise<BatchesOutcome> {
  const { inputs, dimensions, upstream } = terms;
  const waiting = batchesOf(inputs, { ...terms, inputsMax: upstream.inputsMax });
  if (waiting.length > 1 && !terms.ownKey) unwrap(deps.unpaid.may(terms.owner));
  const values = new Float32Array(inputs.length * dimensions);
  const usage: EmbedUsage = { inputTokens: 0, estimated: false };
  const overruns: { bound: number; stated: number }[] = [];
  const ending = new AbortController();
  const signal = AbortSignal.any([terms.signal, ending.signal]);
  let failure: UpstreamFailure | undefined;
  let stoppedTokens = 0;

  async function work(): Promise<void> {
    for (let batch = waiting.shift(); batch && !failure; batch = waiting.shift()) {
      const outcome = await callOne(deps, { ...terms, signal }, batch, values);
      if (!outcome.ok) {
        // Stopped because of another, it may have been made all the same.
        if (failure) stoppedTokens += batch.inputs.reduce((sum, input) => sum + inputTokensAbout(bytesOf(input)), 0);
        failure ??= outcome.failure;
        ending.abort();
        return;
      }
      const counted = await tokensOf(deps, terms.owner, batch, outcome.tokens);
      usage.inputTokens += counted.tokens;
      usage.estimated ||= counted.estimated;
      if (counted.stated !== undefined) overruns.push({ bound: batch.tokensMost, stated: counted.stated });
    }
  }
  await Promise.all(Array.from({ length: Math.min(atOnce, waiting.length) }, work));
  if (failure) return { ok: false, failure, lostTokens: usage.inputTokens + stoppedTokens };
  return { ok: true, answer: { values, usage, overruns } };
}

async function callOne(
  { breaker, clock }: Pick<EmbeddingsDeps, 'breaker' | 'clock'>,
  { upstream, route, owner, ownKey, dimensions, shortened, signal }: BatchTerms,
  batch: Batch,
  values: Float32Array,
): Promise<{ ok: true; tokens: number | undefined } | { ok: false; failure: UpstreamFailure }> {
  const startedAt = clock.monotonic();
  const call = breaker.begin(route, owner, ownKey);
  try {
    signal.throwIfAborted();
    const { inputs } = batch;
    const { vectors, tokens } = await upstream.embed({ inputs, signal, ...(shortened ? { dimensions } : {}) });
    if (!fill(values, vectors, batch, dimensions)) {
      const failure: UpstreamFailure = { outcome: 'invalid_reply' };
      call.failed(failure);
      return { ok: false, failure };
    }
    const totalMs = clock.monotonic() - startedAt;
    call.succeeded({ firstTokenMs: totalMs, totalMs, outputTokens: 0 });
    return { ok: true, tokens };
  } catch (error) {
    const failure = upstreamFailure(error);
    call.failed(failure);
    return { ok: false, failure };
  } finally {
    call.ended();
  }
}

/** Writes a batch's vectors to their place; false if they are not what was asked for. */
function fill(
  values: Float32Array,
  vectors: readonly Float32Array[],
  { start, inputs }: Batch,
  dimensions: number,
): boolean {
  if (vectors.length !== inputs.length) return false;
  for (const [index, vector] of vectors.entries()) {
    if (vector.length !== dimensions) return false;
    values.set(vector, (start + index) * dimensions);
  }
  const filled = values.subarray(start * dimensions, (start + inputs.length) * dimensions);
  return filled.every(Number.isFinite);
}

/** The tokens to charge for: the provider's own count, if it is plausible; otherwise ours, marked as estimated. */
async function tokensOf(
  { countTokens }: Pick<EmbeddingsDeps, 'countTokens'>,
  owner: string,
  { inputs, tokensMost }: Batch,
  stated: number | undefined,
): Promise<{ tokens: number; estimated: boolean; stated?: number }> {
  // No input is empty, so none has 0 tokens.
  if (stated !== undefined && Number.isSafeInteger(stated) && stated > 0)
    return stated <= tokensMost
      ? { tokens: stated, estimated: false }
      : { tokens: tokensMost, estimated: true, stated };
  return { tokens: Math.min(Math.max(await countTokens(owner, inputs), 1), tokensMost), estimated: true };
}
