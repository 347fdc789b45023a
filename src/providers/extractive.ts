import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4FinishReason,
  LanguageModelV4GenerateResult,
  LanguageModelV4Prompt,
  LanguageModelV4StreamPart,
  LanguageModelV4StreamResult,
  LanguageModelV4Usage,
} from '@ai-sdk/provider';
import { extractiveAnswer } from './extractive-answer.ts';

/**
 * The embedded model, which needs no network: it quotes the conversation and invents nothing. A fresh installation answers with
 * it. It does not reason, call tools or see images.
 *
 * Its tokens are runs of letters or digits, or any other single visible character, so counting needs no vocabulary.
 */
export function createExtractiveModel(modelId: string): LanguageModelV4 {
  return {
    specificationVersion: 'v4',
    provider: 'builtin',
    modelId,
    supportedUrls: {},
    async doGenerate(options): Promise<LanguageModelV4GenerateResult> {
      const { pieces, finishReason, usage } = answer(options);
      return { content: [{ type: 'text', text: pieces.join('') }], finishReason, usage, warnings: [] };
    },
    async doStream(options): Promise<LanguageModelV4StreamResult> {
      const { pieces, finishReason, usage } = answer(options);
      const parts: LanguageModelV4StreamPart[] = [
        { type: 'stream-start', warnings: [] },
        { type: 'text-start', id: '0' },
        ...pieces.map((delta): LanguageModelV4StreamPart => ({ type: 'text-delta', id: '0', delta })),
        { type: 'text-end', id: '0' },
        { type: 'finish', finishReason, usage },
      ];
      return { stream: ReadableStream.from(parts) };
    },
  };
}

interface Answer {
  pieces: string[];
  finishReason: LanguageModelV4FinishReason;
  usage: LanguageModelV4Usage;
}

function answer(options: LanguageModelV4CallOptions): Answer {
  options.abortSignal?.throwIfAborted();
  const texts = textsOf(options.prompt);
  const whole = cutAtStop(extractiveAnswer(texts), options.stopSequences ?? []);
  const all = piecesOf(whole);
  const pieces = all.slice(0, options.maxOutputTokens ?? all.length);
  const inputTokens = texts.reduce((sum, text) => sum + piecesOf(text).length, 0);
  return {
    pieces,
    finishReason: { unified: pieces.length < all.length ? 'length' : 'stop', raw: undefined },
    usage: {
      inputTokens: { total: inputTokens, noCache: inputTokens, cacheRead: 0, cacheWrite: 0 },
      outputTokens: { total: pieces.length, text: pieces.length, reasoning: 0 },
    },
  };
}

// A piece is a word or a symbol, with the blanks that follow it.
function piecesOf(text: string): string[] {
  return text.match(/(?:[\p{L}\p{N}]+|[^\s])\s*/gu) ?? [];
}

function cutAtStop(text: string, stops: readonly string[]): string {
  const ends = stops.map((stop) => text.indexOf(stop)).filter((index) => index >= 0);
  return ends.length > 0 ? text.slice(0, Math.min(...ends)) : text;
}

function textsOf(prompt: LanguageModelV4Prompt): string[] {
  return prompt.map((message) =>
    message.role === 'system'
      ? message.content
      : message.content.map((part) => (part.type === 'text' ? part.text : '')).join(' '),
  );
}
