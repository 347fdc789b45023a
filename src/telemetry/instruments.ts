import type { Attributes, Meter } from '@opentelemetry/api';
import { nameMax } from './gen-ai.ts';
import type { Heard } from './heard.ts';
import type { CallEnd } from './watch-call.ts';

/** The conventions' instruments for model calls. */
export interface ModelInstruments {
  /** Counts and times one call. `target` is the call's attributes; times are from `performance.now()`. */
  record(target: Attributes, heard: Heard, end: CallEnd, times: { startedAt: number; endedAt: number }): void;
}

// The conventions' bucket boundaries.
const tokenBuckets = [
  1, 4, 16, 64, 256, 1_024, 4_096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304, 16_777_216, 67_108_864,
];
const durationBuckets = [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92];
const firstTokenBuckets = [0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];
const perTokenBuckets = [0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.75, 1, 2.5];

/** Upstreams name the models that answered; any names beyond this many are combined as `_OTHER`. */
const responseModelsMax = 200;

export function createModelInstruments(meter: Meter): ModelInstruments {
  const histogram = (name: string, description: string, unit: string, explicitBucketBoundaries: number[]) =>
    meter.createHistogram(name, { description, unit, advice: { explicitBucketBoundaries } });
  const tokens = histogram(
    'gen_ai.client.token.usage',
    'Number of input and output tokens used.',
    '{token}',
    tokenBuckets,
  );
  const duration = histogram('gen_ai.client.operation.duration', 'GenAI operation duration.', 's', durationBuckets);
  const firstChunk = histogram(
    'gen_ai.client.operation.time_to_first_chunk',
    'Time until the first content of a streamed reply.',
    's',
    firstTokenBuckets,
  );
  const firstToken = histogram(
    'gen_ai.server.time_to_first_token',
    'Time to the first token of a streamed reply, as this service sees it.',
    's',
    firstTokenBuckets,
  );
  const perToken = histogram(
    'gen_ai.server.time_per_output_token',
    'Time per output token after the first one of a streamed reply, as this service sees it.',
    's',
    perTokenBuckets,
  );
  const responseModels = new Set<string>();

  function boundedName(responseModel: string): string {
    const name = responseModel.slice(0, nameMax);
    if (responseModels.has(name)) return name;
    if (responseModels.size >= responseModelsMax) return '_OTHER';
    responseModels.add(name);
    return name;
  }

  return {
    record(target, heard, { outcome, usage }, { startedAt, endedAt }) {
      const about = heard.responseModel
        ? { ...target, 'gen_ai.response.model': boundedName(heard.responseModel) }
        : target;
      duration.record((endedAt - startedAt) / 1_000, outcome === 'ok' ? about : { ...about, 'error.type': outcome });
      if (usage?.inputTokens !== undefined)
        tokens.record(usage.inputTokens, { ...about, 'gen_ai.token.type': 'input' });
      if (usage?.outputTokens !== undefined)
        tokens.record(usage.outputTokens, { ...about, 'gen_ai.token.type': 'output' });
      if (outcome !== 'ok' || !heard.streams || heard.firstAt === undefined) return;
      const first = (heard.firstAt - startedAt) / 1_000;
      firstChunk.record(first, about);
      firstToken.record(first, about);
      const more = (usage?.outputTokens ?? 0) - 1;
      if (more > 0) perToken.record((endedAt - heard.firstAt) / 1_000 / more, about);
    },
  };
}
