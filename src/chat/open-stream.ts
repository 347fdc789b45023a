import type { LanguageModelV4, LanguageModelV4StreamPart } from '@ai-sdk/provider';
import { type UpstreamFailure, upstreamFailure } from '../providers/index.ts';
import type { AttemptDeps, AttemptTerms } from './attempt.ts';
import type { CallMeasure } from './health.ts';

/** An upstream that has begun to answer: its first pieces, and where the rest comes from. */
export interface OpenStream {
  /** Up to and including the first content. */
  first: LanguageModelV4StreamPart[];
  /** The next piece; undefined at the end. Rejects when the upstream fails or is stopped. */
  next(): Promise<LanguageModelV4StreamPart | undefined>;
  /** Ends the upstream's work at once. */
  stop(): void;
  /** Tells the route's health how it went; the first call counts. */
  succeeded(outputTokens: number): void;
  failed(failure: UpstreamFailure): void;
  latencyMs(): number;
}

export type StreamOutcome =
  | { ok: true; stream: OpenStream }
  | {
      ok: false;
      failure: UpstreamFailure;
      latencyMs: number;
      /** Whether the upstream had taken the request before we ended it: then its input is paid for. */
      accepted: boolean;
    };

/**
 * Calls one model and waits for its first content, so that another can still be tried. The time is for that alone; later
 * the pauses between pieces are bounded by the connection. Aborting `signal` stops the upstream, before and after.
 */
export async function openStream(deps: AttemptDeps, terms: AttemptTerms, signal: AbortSignal): Promise<StreamOutcome> {
  const startedAt = deps.clock.monotonic();
  const elapsed = () => deps.clock.monotonic() - startedAt;
  const health = deps.health.begin(terms.route.model.name);
  const controller = new AbortController();
  const leave = () => controller.abort();
  signal.addEventListener('abort', leave, { once: true });
  const timer = setTimeout(
    () => controller.abort(new DOMException('The first token did not come in time.', 'TimeoutError')),
    terms.timeoutMs,
  );
  let accepted = false;
  try {
    if (signal.aborted) controller.abort();
    const reader = await startReading(terms, terms.model, controller.signal);
    accepted = true;
    const first = await firstContent(reader);
    clearTimeout(timer);
    const firstTokenMs = elapsed();
    return {
      ok: true,
      stream: {
        first,
        next: async () => {
          const { done, value } = await reader.read();
          return done ? undefined : value;
        },
        stop() {
          signal.removeEventListener('abort', leave);
          controller.abort();
          health.ended();
        },
        succeeded(outputTokens) {
          signal.removeEventListener('abort', leave);
          const measure: CallMeasure = { firstTokenMs, totalMs: elapsed(), outputTokens };
          health.succeeded(measure);
        },
        failed(failure) {
          signal.removeEventListener('abort', leave);
          health.failed(failure);
        },
        latencyMs: elapsed,
      },
    };
  } catch (error) {
    clearTimeout(timer);
    signal.removeEventListener('abort', leave);
    controller.abort();
    const failure: UpstreamFailure = signal.aborted ? { outcome: 'cancelled' } : failureIn(error);
    health.failed(failure);
    return { ok: false, failure, latencyMs: elapsed(), accepted };
  }
}

/** Something an upstream said inside its stream. */
export class StreamedError extends Error {
  readonly failure: UpstreamFailure;

  constructor(error: unknown) {
    super('the upstream reported an error in its stream');
    this.failure = upstreamFailure(error);
  }
}

export function failureIn(error: unknown): UpstreamFailure {
  return error instanceof StreamedError ? error.failure : upstreamFailure(error);
}

type Reader = ReadableStreamDefaultReader<LanguageModelV4StreamPart>;

async function startReading(terms: AttemptTerms, model: LanguageModelV4, abortSignal: AbortSignal): Promise<Reader> {
  const options = { ...terms.options, maxOutputTokens: terms.outputTokensCap, abortSignal };
  const { stream } = await model.doStream(options);
  return stream.getReader();
}

async function firstContent(reader: Reader): Promise<LanguageModelV4StreamPart[]> {
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
