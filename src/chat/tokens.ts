import type { InputKinds, Model } from '../catalog/index.ts';
import { countPiece, piecesOf, type Sandbox } from '../sandbox/index.ts';
import { cachePointsOf } from './cache-points.ts';
import type { ChatMessage, ChatRequest } from './types.ts';

/** What is known about a request's input without counting its tokens. */
export interface InputMeasure {
  /** UTF-8 bytes of all text, including tools, schemas and provider states. */
  bytes: number;
  messages: number;
  tools: number;
  images: number;
  documents: number;
  /** Bytes of documents and audio included in the request itself. */
  fileBytes: number;
  audios: number;
  /** How much of `fileBytes` is audio. */
  audioBytes: number;
  /** Cache points whose prefix is to be kept for an hour. */
  hourLongPoints: number;
}

/** The model properties that an input's upper bound depends on. */
type Bounding = Pick<Model, 'imageTokens' | 'contextTokens'>;

/** Tokens a chat template may put around one message. */
const tokensPerMessage = 8;
/** Tokens a provider may put around the whole request. */
const tokensPerRequest = 16;
/** Providers explain tool use to the model in a text of their own: Anthropic's is 346 tokens, the longest known. */
const tokensForTools = 512;
/** For comparing and estimating: a token of a document or recording is seldom fewer than this many bytes of its file. */
const bytesPerFileToken = 16;

/** Measures a request; takes a microsecond per message. */
export function measureInput(request: ChatRequest): InputMeasure {
  const measure: InputMeasure = {
    bytes: 0,
    messages: request.messages.length,
    tools: 0,
    images: 0,
    ...{ documents: 0, fileBytes: 0, audios: 0, audioBytes: 0, hourLongPoints: 0 },
  };
  for (const message of request.messages) {
    for (const text of textsOf(message)) measure.bytes += Buffer.byteLength(text);
    for (const part of message.parts ?? []) {
      if (part.kind === 'image') measure.images++;
      if (part.kind === 'document') measure.documents++;
      if (part.kind === 'audio') {
        measure.audios++;
        measure.audioBytes += part.data.length;
      }
      if ((part.kind === 'document' || part.kind === 'audio') && 'data' in part) measure.fileBytes += part.data.length;
    }
    measure.bytes += statesOf(message);
  }
  for (const [{ ttl }] of cachePointsOf(request)) if (ttl === '1h') measure.hourLongPoints++;
  for (const text of definitionsOf(request)) measure.bytes += Buffer.byteLength(text);
  measure.tools = request.tools?.length ?? 0;
  return measure;
}

/** Which kinds of input a request can have besides text, cached or not. */
export function inputKindsOf({ audios, hourLongPoints }: InputMeasure): InputKinds {
  return { audio: audios > 0, cacheWrite1h: hourLongPoints > 0 };
}

/**
 * An upper bound that is never exceeded, because no tokenizer in use produces more tokens than the text has bytes. Generous,
 * but free: a hold is soon returned, and counting a long text is slow. The size of a document or recording cannot be told from
 * its bytes; only that it is no more than the model takes.
 */
export function inputTokensAtMost(measure: InputMeasure, model: Bounding): number {
  const counted = measure.bytes + aroundText(measure) + measure.images * model.imageTokens;
  return hasFiles(measure) ? Math.max(counted, model.contextTokens) : counted;
}

/** Whether there is a document or recording, whose tokens only the provider can count. */
export function hasFiles({ documents, audios }: InputMeasure): boolean {
  return documents + audios > 0;
}

/** A quick guess for comparing routes: four bytes per token. Never charged. */
export function inputTokensAbout(measure: InputMeasure, imageTokens = 0): number {
  return Math.ceil(measure.bytes / 4) + 4 * measure.messages + measure.images * imageTokens + fileTokensAbout(measure);
}

/** How much of that is audio. */
export function audioTokensAbout({ audioBytes }: InputMeasure): number {
  return Math.ceil(audioBytes / bytesPerFileToken);
}

/** How much of that is documents and recordings. */
export function fileTokensAbout({ fileBytes }: InputMeasure): number {
  return Math.ceil(fileBytes / bytesPerFileToken);
}

/**
 * Roughly how many tokens of a model's window are left for the reply. A guess at a document or recording takes up at most half
 * of it: a scanned page, or a second of sound, has hundreds of times as many bytes as words have.
 */
export function roomForReply(measure: InputMeasure, { imageTokens, contextTokens }: Bounding): number {
  const files = fileTokensAbout(measure);
  const rest = inputTokensAbout(measure, imageTokens) - files;
  return Math.max(contextTokens - rest - Math.min(files, Math.floor(contextTokens / 2)), 1);
}

/** Counts a request's input with OpenAI's o200k vocabulary. Exact for current OpenAI models except for their template; close for others. */
export async function countInput(
  request: ChatRequest,
  measure: InputMeasure,
  model: Bounding,
  count: CountTokens,
): Promise<number> {
  const texts = [...request.messages.flatMap((message) => [...textsOf(message)]), ...definitionsOf(request)];
  const around = 4 * measure.messages + (measure.tools > 0 ? tokensForTools : 0) + measure.images * model.imageTokens;
  const states = Math.ceil(request.messages.reduce((sum, message) => sum + statesOf(message), 0) / 4);
  return around + states + Math.min(fileTokensAbout(measure), model.contextTokens) + (await count(texts));
}

/** Counts the tokens of several texts together. */
export type CountTokens = (texts: readonly string[]) => Promise<number>;

/** Anything up to this length is counted at once: 0.3 ms at worst, for text without breaks. */
const shortUnits = 256;
/** A stream's pieces arrive at a model's pace, and are counted at once up to this length. */
export const streamedUnits = 1_024;
/** What one job counts: 10 ms of CPU time at worst. */
const jobUnits = 8_192;
/** Counts are for replies that already exist, so they can wait. */
const waitMs = 30_000;
/** Without a child process, this much is counted before other work gets a turn: 0.2 ms at worst. */
const roughUnits = 128;

/** Counts a short text at once, for example a piece of a stream. */
export function countTokensNow(text: string): number {
  return text.length <= streamedUnits ? countPiece(text) : Math.ceil(Buffer.byteLength(text) / 3);
}

/**
 * Counts anything longer in the sandbox, in jobs of the owner. A job that is not done there is counted here in small steps,
 * which gives the same number or slightly less.
 */
export function tokenCounter(sandbox: Pick<Sandbox, 'run'>, owner: string): CountTokens {
  return async (texts) => {
    if (texts.reduce((sum, { length }) => sum + length, 0) <= shortUnits)
      return texts.reduce((sum, text) => sum + countPiece(text), 0);
    let tokens = 0;
    for (const pieces of batches(texts)) {
      const counted = await sandbox.run(owner, 'tokens', { pieces }, { field: 'messages', waitMs });
      tokens += counted.ok ? counted.value.tokens : await countRoughly(pieces);
    }
    return tokens;
  };
}

function* batches(texts: readonly string[]): Generator<string[]> {
  let batch: string[] = [];
  let units = 0;
  for (const text of texts)
    for (const piece of piecesOf(text)) {
      if (units + piece.length > jobUnits) {
        yield batch;
        batch = [];
        units = 0;
      }
      batch.push(piece);
      units += piece.length;
    }
  if (batch.length > 0) yield batch;
}

/** Counts in small steps. A cut that is not between two words may add tokens, so two are subtracted for it. */
async function countRoughly(pieces: readonly string[]): Promise<number> {
  let tokens = 0;
  for (const piece of pieces) {
    let before: string | undefined;
    for (const part of piecesOf(piece, roughUnits)) {
      const isBetweenWords = before === undefined || (/\S$/.test(before) && /^ \S/.test(part));
      tokens += Math.max(countPiece(part) - (isBetweenWords ? 0 : 2), 0);
      before = part;
      await new Promise(setImmediate);
    }
  }
  return tokens;
}

function aroundText(measure: InputMeasure): number {
  return tokensPerRequest + measure.messages * tokensPerMessage + (measure.tools > 0 ? tokensForTools : 0);
}

/** Bytes of the provider state that the message gives back: more than the provider reads, because that is sealed inside. */
function statesOf({ providerState, toolCalls }: ChatMessage): number {
  const ofCalls = toolCalls?.reduce((sum, call) => sum + (call.providerState?.length ?? 0), 0) ?? 0;
  return ofCalls + (providerState?.length ?? 0);
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
