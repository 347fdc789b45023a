import { Readable } from 'node:stream';
import { create } from '@bufbuild/protobuf';
import { ownTurn } from '../../base/turn.ts';
import {
  type EmbedRequest,
  EmbedRequestSchema,
  type EmbedResponse,
} from '../../gen/intelligence/embedding/v1/embedding_service_pb.ts';
import { embeddingMembers, MemberCheck, refuse } from './parameters.ts';

/** A request in OpenAI's format converted to ours, plus what only affects the reply's format. */
export interface EmbeddingsRequest {
  /** Whether vectors are printed as base64. */
  asBase64: boolean;
  /** Ignored parameters. */
  ignored: string[];
  message: EmbedRequest;
}

/** Reads the body of `POST /v1/embeddings`. Inputs are texts; token lists are refused, as tokens belong to one model's vocabulary. */
export function readEmbeddingsRequest(body: unknown): EmbeddingsRequest {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) refuse('body', 'must be an object');
  const request = body as Readonly<Record<string, unknown>>;
  const members = new MemberCheck();
  members.check(request, embeddingMembers);
  const encoding = request.encoding_format ?? 'float';
  if (encoding !== 'float' && encoding !== 'base64') refuse('encoding_format', 'must be float or base64');
  const { user } = request;
  const model = request.model ?? 'auto';
  if (typeof model !== 'string') refuse('model', 'must be a text');
  if (user != null && typeof user !== 'string') refuse('user', 'must be a text');
  return {
    asBase64: encoding === 'base64',
    ignored: members.ignored,
    message: create(EmbedRequestSchema, {
      model,
      inputs: inputsOf(request.input),
      encoding: 'base64',
      ...dimensionsOf(request),
      ...(user == null ? {} : { user: user as string }),
    }),
  };
}

/** `output_dimension` is Voyage's name for it. */
function dimensionsOf({ dimensions, output_dimension: other }: Readonly<Record<string, unknown>>): {
  dimensions?: number;
} {
  if (dimensions != null && other != null)
    refuse('output_dimension', 'is another word for dimensions: send one of them');
  const count = dimensions ?? other;
  if (count == null) return {};
  const name = dimensions == null ? 'output_dimension' : 'dimensions';
  return isCount(count) ? { dimensions: count } : refuse(name, 'must be a whole number from 1 to 65536');
}

function inputsOf(input: unknown): string[] {
  if (typeof input === 'string') return [input];
  if (!Array.isArray(input)) return refuse('input', 'must be a text or a list of texts');
  for (const [index, each] of input.entries())
    if (typeof each === 'number' || Array.isArray(each))
      refuse('input', 'must be texts: lists of tokens are not supported');
    else if (typeof each !== 'string') refuse(`input[${index}]`, 'must be a text');
  return input as string[];
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= 65_536;
}

/** How many numbers are printed per event loop turn: some 16,000 take about 3 ms. */
const numbersInTurn = 16_384;

/** A reply in the format of `POST /v1/embeddings`, in pieces: with 2,048 vectors it is tens of megabytes. */
export function embeddingList(reply: EmbedResponse, asBase64: boolean): Readable {
  return Readable.from(pieces(reply, asBase64), { objectMode: false });
}

async function* pieces(reply: EmbedResponse, asBase64: boolean): AsyncGenerator<string> {
  const { embeddings, dimensions, usage } = reply;
  const inTurn = Math.max(1, Math.floor(numbersInTurn / Math.max(dimensions, 1)));
  yield '{"object":"list","data":[';
  for (let start = 0; start < embeddings.length; start += inTurn) {
    const printed = embeddings.slice(start, start + inTurn).map(({ index, base64 }) => {
      const embedding = asBase64 ? base64 : numbersOf(base64);
      return JSON.stringify({ object: 'embedding', index, embedding });
    });
    yield (start === 0 ? '' : ',') + printed.join(',');
    await ownTurn();
  }
  const { inputTokens = 0, costUsd = '0.00', estimated = false } = usage ?? {};
  const end = {
    model: reply.model,
    provider: reply.provider,
    charge_id: reply.id,
    usage: { prompt_tokens: inputTokens, total_tokens: inputTokens, cost_usd: costUsd, estimated },
  };
  yield `],${JSON.stringify(end).slice(1)}`;
}

function numbersOf(base64: string): number[] {
  const bytes = Buffer.from(base64, 'base64');
  return Array.from({ length: bytes.length / 4 }, (_, index) => bytes.readFloatLE(4 * index));
}
