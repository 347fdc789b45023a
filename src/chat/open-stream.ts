import type { LanguageModelV4StreamPart } from '@ai-sdk/provider';
import { type UpstreamFailure, upstreamFailure } from '../providers/index.ts';
import type { CallEnd } from '../telemetry/index.ts';
import { type AttemptDeps, type AttemptTerms, deadlineAfter, watchRoute } from './attempt.ts';
import { attemptCost } from './quote.ts';
import { hasHiddenTokens } from './stream-meter.ts';
import { countInput } from './tokens.ts';
import type { FailedAttempt } from './try-routes.ts';

/** An upstream that has begun to answer: its first pieces, and the source of the rest. */
export interface OpenStream {
  /** The longest reply it was asked for. */
  outputTokensCap: number;
  /** What it was asked with. */
  terms: Pick<AttemptTerms, 'dialect' | 'owner' | 'ignored'>;
  /** Up to and including the first content. */
  first: LanguageModelV4StreamPart[];
  /** The next piece; undefined at the end. Rejects if the upstream fails or is stopped. */
  next(): Promise<LanguageModelV4StreamPart | undefined>;
  /** Stops the upstream at once. */
  stop(): void;
  /** Reports the outcome to the circuit breaker; only the first call counts. */
  succeeded(outputTokens: number): void;
  failed(failure: UpstreamFailure): void;
  /** Reports the outcome to the watcher of the call; only the first call counts. */
  concluded(end: CallEnd): void;
  latencyMs(): number;
}

/**
 * Calls one model and waits for its first content, so that another can still be tried. The time limit covers only that;
 * afterwards the connection limits the pauses between pieces. The call ends if the hold is refused, or if the caller leaves
 * before the first content; but a reply with hidden tokens continues after the caller has left, because only its end says what
 * it used.
 */
export async function openStream(
  deps: AttemptDeps,
  terms: AttemptTerms,
): Promise<{ ok: true; answer: OpenStream } | FailedAttempt> {
  const { count, measure, pending, request, route } = terms;
  const startedAt = deps.clock.monotonic();
  const elapsed = () => deps.clock.monotonic() - startedAt;
  const call = deps.breaker.begin(route.model.name, terms.account, route.ownKey !== undefined);
  const watch = watchRoute(deps, route);
  const deadline = deadlineAfter(terms.timeoutMs);
  const leaving = hasHiddenTokens(route) ? undefined : terms.signal;
  const stay = () => leaving?.removeEventListener('abort', deadline.abort);
  leaving?.addEventListener('abort', deadline.abort, { once: true });
  pending?.then(({ ok }) => ok || deadline.abort(), deadline.abort);
  let accepted = false;
  try {
    if (leaving?.aborted) deadline.abort();
    const { stream } = await (watch?.listen(terms.model) ?? terms.model).doStream({
      ...terms.options,
      abortSignal: deadline.signal,
    });
    accepted = true;
    const reader = stream.getReader();
    const first = await firstContent(reader);
    const firstTokenMs = elapsed();
    return {
      ok: true,
      answer: {
        outputTokensCap: terms.outputTokensCap,
        terms,
        first,
        async next() {
          const { done, value } = await reader.read();
          return done ? undefined : value;
        },
        stop() {
          deadline.abort();
          stay();
          call.ended();
        },
        succeeded(outputTokens) {
          stay();
          call.succeeded({ firstTokenMs, totalMs: elapsed(), outputTokens });
        },
        failed: call.failed,
        concluded: (end) => watch?.ended(end),
        latencyMs: elapsed,
      },
    };
  } catch (error) {
    deadline.abort();
    stay();
    const failure: UpstreamFailure = leaving?.aborted ? { outcome: 'cancelled' } : failureIn(error);
    call.failed(failure);
    const failed: FailedAttempt = { ok: false, failure, latencyMs: elapsed() };
    if (!accepted || failure.outcome !== 'cancelled') {
      watch?.ended({ outcome: failure.outcome });
      return failed;
    }
    // We ended it after it had accepted the request: the input is paid for.
    const inputTokens = await countInput(request, measure, route.model, count);
    const usage = { inputTokens, outputTokens: 0, estimated: true };
    watch?.ended({ outcome: failure.outcome, usage, cost: attemptCost(route, usage) });
    return { ...failed, usage };
  } finally {
    deadline.clear();
  }
}

/** An error that an upstream reported inside its stream. */
export class StreamedError extends Error {
  readonly failure: UpstreamFailure;

  constructor(error: unknown) {
    super('the upstream reported an error in its stream');
    this.failure = upstreamFailure(error);
  }
}

/** What an upstream's error means, whether it came as a status or inside the stream. */
export function failureIn(error: unknown): UpstreamFailure {
  return error instanceof StreamedError ? error.failure : upstreamFailure(error);
}

async function firstContent(
  reader: ReadableStreamDefaultReader<LanguageModelV4StreamPart>,
): Promise<LanguageModelV4StreamPart[]> {
  const parts: LanguageModelV4StreamPart[] = [];
  for (;;) {
    const { done, value } = await reader.read();
    if (done) throw new StreamedError({ type: 'ended early' });
    if (value.type === 'error') throw new StreamedError(value.error);
    if (value.type === 'finish' && value.finishReason.unified === 'error') throw new StreamedError({});
    parts.push(value);
    if (isContent(value) || value.type === 'finish') return parts;
  }
}

function isContent({ type }: LanguageModelV4StreamPart): boolean {
  return type === 'text-delta' || type === 'tool-input-start' || type === 'tool-call' || type === 'reasoning-delta';
}
