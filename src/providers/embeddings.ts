import { createGoogle } from '@ai-sdk/google';
import { createOpenAI } from '@ai-sdk/openai';
import { OpenAICompatibleEmbeddingModel } from '@ai-sdk/openai-compatible';
import { type EmbeddingModelV4, InvalidResponseDataError } from '@ai-sdk/provider';
import { settingsOf } from './common.ts';
import { liftVectors } from './reply-vectors.ts';
import type { ProviderKind, ProviderSettings } from './settings.ts';
import type { UpstreamFetch } from './upstream-fetch.ts';

/** An embedding model at its provider. */
export interface EmbeddingUpstream {
  /** The most inputs per call. */
  inputsMax: number;
  /** One vector per input, in the same order, and the token count that the provider reports. Rejects as the provider packages do. */
  embed(call: EmbeddingCall): Promise<{ vectors: readonly Float32Array[]; tokens: number | undefined }>;
}

export interface EmbeddingCall {
  inputs: string[];
  /** Absent: the model's own default. */
  dimensions?: number | undefined;
  signal: AbortSignal;
}

type Connect = (settings: ProviderSettings, fetch: UpstreamFetch['fetch']) => (model: string) => EmbeddingModelV4;

/** Kinds of providers that have embedding models. */
const kinds: Partial<Record<ProviderKind, Connect>> = {
  openai: (settings, fetch) => createOpenAI({ ...settingsOf(settings), fetch }).embeddingModel,
  google: (settings, fetch) => createGoogle({ ...settingsOf(settings), fetch }).embeddingModel,
  'openai-compatible': (settings, fetch) => {
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

/** The provider's embedding models, by its own names for them; undefined for a kind that has none. */
export function connectEmbeddings(
  settings: ProviderSettings,
  upstream: UpstreamFetch,
): ((model: string) => EmbeddingUpstream) | undefined {
  const connect = kinds[settings.kind];
  return connect && ((model) => upstreamOf((fetch) => connect(settings, fetch)(model), upstream));
}

/** Each call has a model of its own, whose `fetch` keeps the vectors of that call's reply. */
function upstreamOf(
  modelWith: (fetch: UpstreamFetch['fetch']) => EmbeddingModelV4,
  upstream: UpstreamFetch,
): EmbeddingUpstream {
  const { maxEmbeddingsPerCall } = modelWith(upstream.fetch);
  return {
    inputsMax: typeof maxEmbeddingsPerCall === 'number' ? maxEmbeddingsPerCall : 2_048,
    async embed({ inputs, dimensions, signal }) {
      let lifted: readonly Float32Array[] = [];
      let tokens: number | undefined;
      const fetch = upstream.fetchWith(async ({ status, body }) => {
        if (status !== 200) return body;
        const { text, vectors } = await liftVectors(body);
        lifted = vectors;
        const read = withoutUsage(text);
        tokens = read.tokens;
        return read.text;
      });
      const { embeddings, response } = await modelWith(fetch).doEmbed({
        values: inputs,
        abortSignal: signal,
        ...(dimensions === undefined ? {} : { dimensions }),
      });
      const vectors = embeddings.map(([position]) => lifted[position ?? -1] ?? new Float32Array());
      return { vectors: inOrder(vectors, response?.body), tokens };
    },
  };
}

/**
 * Takes the token count out of a reply. The packages refuse a whole reply whose count they cannot read, but it is a reply
 * without a count: its vectors have been made. Voyage's API states only the total.
 */
function withoutUsage(text: Buffer): { text: Buffer; tokens: number | undefined } {
  let reply: unknown;
  try {
    reply = JSON.parse(text.toString());
  } catch {
    return { text, tokens: undefined };
  }
  const { usage, ...rest } = (reply ?? {}) as { usage?: { prompt_tokens?: unknown; total_tokens?: unknown } | null };
  if (usage === undefined) return { text, tokens: undefined };
  const stated = [usage?.prompt_tokens, usage?.total_tokens].find((count) => typeof count === 'number');
  return { text: Buffer.from(JSON.stringify(rest)), tokens: stated as number | undefined };
}

/** OpenAI's API numbers its vectors, and a server may send them in any order; the packages do not sort them. */
function inOrder(vectors: readonly Float32Array[], body: unknown): readonly Float32Array[] {
  const data = (body as { data?: { index?: unknown }[] } | undefined)?.data;
  if (!Array.isArray(data) || data.every(({ index }, place) => index === undefined || index === place)) return vectors;
  const sorted: Float32Array[] = [];
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
