import { openAiRefusal } from './strict-openai.ts';
import type { SeenRequest, UpstreamReply } from './upstream.ts';

const known = new Set(['model', 'input', 'encoding_format', 'dimensions', 'user']);

/** The vector of a text: the same for the same text and length, and numbers that 32 bits hold exactly. */
export function vectorOf(text: string, dimensions: number): number[] {
  let state = 1;
  for (const letter of Buffer.from(text)) state = (Math.imul(state, 31) + letter) >>> 0;
  return Array.from({ length: dimensions }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.fround(state / 2 ** 32 - 0.5);
  });
}

const printed = new Map<string, string>();
/** A vector as JSON. Vectors of many texts are cached, because they are requested again. */
function printedVector(text: string, dimensions: number): string {
  const key = `${dimensions} ${text}`;
  const json = printed.get(key) ?? JSON.stringify(vectorOf(text, dimensions));
  if (printed.size < 8_192) printed.set(key, json);
  return json;
}

/** Tokens of a text, as the imitation counts them. */
export function tokensOf(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / 3);
}

/**
 * OpenAI's embeddings, as strict as documented: unknown parameters, empty texts, more than 2,048 inputs, 8,192 tokens in one or 300,000 in all
 * are refused. The vectors come in reverse order, each with its number. `change` turns a right reply into a wrong one.
 */
export function strictEmbeddings(
  dimensionsOfModel: number,
  change?: (reply: { data: Record<string, unknown>[]; usage?: unknown }) => object,
): (seen: SeenRequest) => UpstreamReply {
  return ({ path, headers, body }) => {
    if (path !== '/v1/embeddings') return { status: 404, body: { error: { message: `no ${path}` } } };
    if (headers.authorization !== 'Bearer sk-upstream') return { status: 401, body: { error: { message: 'key' } } };
    for (const name of Object.keys(body))
      if (!known.has(name)) return openAiRefusal(`Unrecognized request argument supplied: ${name}`, name);
    const {
      input,
      dimensions = dimensionsOfModel,
      encoding_format,
    } = body as { input: string[]; dimensions?: number } & {
      encoding_format?: string;
    };
    if (!Array.isArray(input) || input.length < 1 || input.length > 2_048 || input.some((text) => text === ''))
      return openAiRefusal("'$.input' is invalid.", 'input');
    if (dimensions > dimensionsOfModel || encoding_format !== 'float') return openAiRefusal('invalid', 'dimensions');
    const tokens = input.map(tokensOf);
    const total = tokens.reduce((sum, each) => sum + each, 0);
    if (total > 300_000 || tokens.some((each) => each > 8_192)) return openAiRefusal('too many tokens', 'input');
    const usage = { prompt_tokens: total, total_tokens: total };
    if (!change) {
      const data = input.map(
        (text, index) => `{"object":"embedding","index":${index},"embedding":${printedVector(text, dimensions)}}`,
      );
      const list = data.reverse().join(',');
      return { body: `{"object":"list","data":[${list}],"model":"m","usage":${JSON.stringify(usage)}}` };
    }
    const data = input.map((text, index) => ({ object: 'embedding', index, embedding: vectorOf(text, dimensions) }));
    return { body: change({ data: data.reverse(), usage }) };
  };
}
