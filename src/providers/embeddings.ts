import { createGoogle } from '@ai-sdk/google';
import { createOpenAI } from '@ai-sdk/openai';
import { OpenAICompatibleEmbeddingModel } from '@ai-sdk/openai-compatible';
import { type EmbeddingModelV4, InvalidResponseDataError } from '@ai-sdk/provider';
import { settingsOf } from './common.ts';
import type { ProviderKind, ProviderSettings } from './settings.ts';
import type { UpstreamFetch } from './upstream-fetch.ts';

/** A model that makes vectors, at its provider. */
export interface EmbeddingUpstream {
  /** The most inputs of one call. */
  inputsMax: number;
  /** One vector for each input, in their order, and the tokens that the provider states. Rejects as the provider packages do. */
  embed(call: EmbeddingCall): Promise<{ vectors: readonly (readonly number[])[]; tokens: number | undefined }>;
}

export interface EmbeddingCall {
  inputs: string[];
  /** Absent: as many numbers as the model makes by itself. */
  dimensions?: number | undefined;
  signal: AbortSignal;
}

type Connect = (settings: ProviderSettings, upstream: UpstreamFetch) => (model: string) => EmbeddingModelV4;

/** Kinds of providers that have models that make vectors. */
const kinds: Partial<Record<ProviderKind, Connect>> = {
  openai: (settings, { fetch }) => createOpenAI({ ...settingsOf(settings), fetch }).embeddingModel,
  google: (settings, { fetch }) => createGoogle({ ...settingsOf(settings), fetch }).embeddingModel,
  'openai-compatible': (settings, { fetch }) => {
    const { baseUrl = '', apiKey, headers } = settings;
    const url = `${baseUrl.replace(/\/$/, '')}/embeddings`;
    const named = { ...(apiKey ? { authorization: `Bearer ${apiKey}` } : {}), ...headers };
    return (model) =>
      new OpenAICompatibleEmbeddingModel(model, {
        provider: `${settings.id}.embedding`,
        url: () => url,
        headers: () => named,
        fetch,
      });
  },
};

/** The provider's models that make vectors, by its own names for them; undefined for a kind that has none. */
export function connectEmbeddings(
  settings: ProviderSettings,
  upstream: UpstreamFetch,
): ((model: string) => EmbeddingUpstream) | undefined {
  const connect = kinds[settings.kind]?.(settings, upstream);
  return connect && ((model) => upstreamOf(connect(model)));
}

function upstreamOf(model: EmbeddingModelV4): EmbeddingUpstream {
  const { maxEmbeddingsPerCall } = model;
  return {
    inputsMax: typeof maxEmbeddingsPerCall === 'number' ? maxEmbeddingsPerCall : 2_048,
    async embed({ inputs, dimensions, signal }) {
      const { embeddings, usage, response } = await model.doEmbed({
        values: inputs,
        abortSignal: signal,
        ...(dimensions === undefined ? {} : { dimensions }),
      });
      return { vectors: inOrder(embeddings, response?.body), tokens: usage?.tokens };
    },
  };
}

/** OpenAI's API numbers its vectors, and a server may send them in any order; the packages leave them as they come. */
function inOrder(vectors: readonly number[][], body: unknown): readonly (readonly number[])[] {
  const data = (body as { data?: { index?: unknown }[] } | undefined)?.data;
  if (!Array.isArray(data) || data.every(({ index }, place) => index === undefined || index === place)) return vectors;
  const sorted: number[][] = [];
  for (const [place, { index }] of data.entries()) {
    const vector = vectors[place];
    if (!Number.isInteger(index) || (index as number) < 0 || (index as number) >= data.length || !vector)
      throw misnumbered();
    sorted[index as number] = vector;
  }
  if (Object.keys(sorted).length !== data.length) throw misnumbered();
  return sorted;
}

function misnumbered(): InvalidResponseDataError {
  return new InvalidResponseDataError({ data: undefined, message: 'The vectors are numbered wrongly.' });
}
