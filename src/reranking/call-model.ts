import { FailureError } from '../base/failure.ts';
import { type CallOutcome, type Ranked, type RerankUpstream, upstreamFailure } from '../providers/index.ts';
import type { RerankingDeps } from './deps.ts';

export interface Ranking {
  /** Each document once, the most relevant first. */
  results: Ranked[];
  /** What the provider reports for each. */
  tokens: number | undefined;
  searchUnits: number | undefined;
}

export interface CallTerms {
  upstream: RerankUpstream;
  /** The route's name, for its circuit. */
  route: string;
  /** Whether it is called with the account's own key. */
  ownKey: boolean;
  owner: string;
  query: string;
  documents: readonly string[];
  inputTokensMax: number;
  signal: AbortSignal;
}

/**
 * Calls a model once. A reply is valid only if it names each document exactly once, with a numeric score. Throws this node's own
 * refusals, such as `overloaded`: they are no failure of the model, so its circuit stays closed.
 */
export async function callModel(
  { breaker, clock }: Pick<RerankingDeps, 'breaker' | 'clock'>,
  { upstream, route, ownKey, ...asked }: CallTerms,
): Promise<CallOutcome<Ranking>> {
  const startedAt = clock.monotonic();
  const call = breaker.begin(route, asked.owner, ownKey);
  try {
    const { ranking, tokens, searchUnits } = await upstream.rerank(asked);
    if (!isWhole(ranking, asked.documents.length)) {
      call.failed({ outcome: 'invalid_reply' });
      return { ok: false, failure: { outcome: 'invalid_reply' } };
    }
    const totalMs = clock.monotonic() - startedAt;
    call.succeeded({ firstTokenMs: totalMs, totalMs, outputTokens: 0 });
    const results = ranking.toSorted((a, b) => b.score - a.score || a.index - b.index);
    return { ok: true, answer: { results, tokens, searchUnits } };
  } catch (error) {
    if (error instanceof FailureError) throw error;
    const failure = upstreamFailure(error);
    call.failed(failure);
    return { ok: false, failure };
  } finally {
    call.ended();
  }
}

function isWhole(ranking: readonly Ranked[], documents: number): boolean {
  const places = new Set(ranking.map(({ index }) => index));
  return (
    ranking.length === documents &&
    places.size === documents &&
    ranking.every(
      ({ index, score }) => Number.isInteger(index) && index >= 0 && index < documents && Number.isFinite(score),
    )
  );
}
