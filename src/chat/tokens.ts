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

/** Counts a short text at once: a piece of a stream. */
export function countTokensNow(text: string): number {
  return text.length <= pieceLength ? countO200k(text, plainText) : Math.ceil(Buffer.byteLength(text) / 3);
}

/** Counts the tokens of a text. Pieces bound the time of one step, as merging a long unbroken run is quadratic. */
export async function countTokens(text: string): Promise<number> {
  let tokens = 0;
  for (let start = 0, step = 1; start < text.length; step++) {
    if (step % 8 === 0) await new Promise(setImmediate);
    const end = pieceEnd(text, start);
    tokens += countO200k(text.slice(start, end), plainText);
    start = end;
  }
  return tokens;
}

// A token may begin with a blank but hardly ever holds one, so a cut in front of a blank changes nothing.
function pieceEnd(text: string, start: number): number {
  const end = start + pieceLength;
  if (end >= text.length) return text.length;
  const blank = text.lastIndexOf(' ', end);
  return blank > start ? blank : end;
}

const pieceLength = 4_096;
// Text that looks like a special token is text.
const plainText = { disallowedSpecial: new Set<string>() };

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
