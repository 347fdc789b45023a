import { countTokens as countO200k } from 'gpt-tokenizer/encoding/o200k_base';
import type { ChatMessage, ChatRequest } from './types.ts';

/** What is known of a request's input without counting its tokens. */
export interface InputMeasure {
  /** UTF-8 bytes of all text, tools and schemas included. */
  bytes: number;
  messages: number;
  tools: number;
  images: number;
}

/** Tokens that a chat template may put around one message. */
const tokensPerMessage = 8;
/** Tokens that a provider may put around the whole. */
const tokensPerRequest = 16;
/** Providers explain the use of tools to the model in a text of their own: Anthropic's is 346 tokens, the longest known. */
const tokensForTools = 512;

/** Measures a request; costs a microsecond a message. */
export function measureInput(request: ChatRequest): InputMeasure {
  const measure: InputMeasure = { bytes: 0, messages: request.messages.length, tools: 0, images: 0 };
  for (const message of request.messages) {
    for (const text of textsOf(message)) measure.bytes += Buffer.byteLength(text);
    for (const part of message.parts ?? []) if (part.kind === 'image') measure.images++;
  }
  for (const text of definitionsOf(request)) measure.bytes += Buffer.byteLength(text);
  measure.tools = request.tools?.length ?? 0;
  return measure;
}

/**
 * No tokenizer in use gives more tokens than the text has bytes, so this many are never exceeded. Generous, and free:
 * a hold is returned in a moment, and counting a long text is slow.
 */
export function inputTokensAtMost(measure: InputMeasure, imageTokens: number): number {
  return measure.bytes + aroundText(measure) + measure.images * imageTokens;
}

/** A quick guess for comparing routes: four bytes a token. Never charged. */
export function inputTokensAbout(measure: InputMeasure, imageTokens = 0): number {
  return Math.ceil(measure.bytes / 4) + 4 * measure.messages + measure.images * imageTokens;
}

/**
 * Counts a request's input with OpenAI's o200k vocabulary (27 us a kilobyte), yielding to other work in between. Exact
 * for current OpenAI models up to their template; near for others.
 */
export async function countInput(request: ChatRequest, measure: InputMeasure, imageTokens: number): Promise<number> {
  let tokens = 4 * measure.messages + (measure.tools > 0 ? tokensForTools : 0) + measure.images * imageTokens;
  for (const message of request.messages) for (const text of textsOf(message)) tokens += await countTokens(text);
  for (const text of definitionsOf(request)) tokens += await countTokens(text);
  return tokens;
}

/** Counts the tokens of a text. Pieces bound the time of one step, as merging a long unbroken run is quadratic. */
export async function countTokens(text: string): Promise<number> {
  let tokens = 0;
  for (let start = 0; start < text.length; start += pieceLength) {
    if (start > 0 && (start / pieceLength) % 8 === 0) await new Promise(setImmediate);
    tokens += countO200k(text.slice(start, start + pieceLength), { disallowedSpecial: new Set() });
  }
  return tokens;
}

const pieceLength = 4_096;

function aroundText(measure: InputMeasure): number {
  return tokensPerRequest + measure.messages * tokensPerMessage + (measure.tools > 0 ? tokensForTools : 0);
}

function* textsOf(message: ChatMessage): Generator<string> {
  if (message.content) yield message.content;
  for (const part of message.parts ?? []) if (part.kind === 'text') yield part.text;
  for (const call of message.toolCalls ?? []) {
    yield call.name;
    yield call.arguments;
  }
}

function* definitionsOf(request: ChatRequest): Generator<string> {
  for (const tool of request.tools ?? []) yield JSON.stringify(tool);
  if (request.responseFormat?.schema) yield JSON.stringify(request.responseFormat.schema);
}
