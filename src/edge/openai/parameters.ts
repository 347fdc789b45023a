import { FailureError, type FieldViolation } from '../../base/failure.ts';
import { ownValue } from '../../base/own-value.ts';
import { nearestName } from '../../base/text/nearest.ts';
import { brief } from '../brief.ts';

/**
 * How a request member is treated.
 * - `used`: it is read.
 * - `hint`: it may make a reply faster or cheaper and never changes what it means. It is ignored, and the caller is told so.
 * - a function: whether a value asks only for what is done anyway, as a default does, and the advice to give otherwise.
 */
type Treatment = 'used' | 'hint' | { isMet(value: unknown): boolean; advice: string };

export type Members = Readonly<Record<string, Treatment>>;

const none = (value: unknown) =>
  value === false ||
  value === 0 ||
  value === '' ||
  (typeof value === 'object' && Object.keys(value ?? {}).length === 0);
const only = (...values: unknown[]) => ({ isMet: (value: unknown) => values.includes(value) });
const unsupported = (advice: string): Treatment => ({ isMet: none, advice });

/** The members of `POST /v1/chat/completions`, from OpenAI's reference. */
export const completionMembers: Members = {
  ...used('messages', 'model', 'tools', 'tool_choice', 'response_format', 'max_completion_tokens', 'max_tokens'),
  ...used('temperature', 'top_p', 'stop', 'seed', 'user', 'metadata', 'stream', 'stream_options'),
  ...used('presence_penalty', 'frequency_penalty', 'parallel_tool_calls', 'reasoning_effort'),
  prediction: 'hint',
  prompt_cache_key: 'hint',
  prompt_cache_retention: 'hint',
  prompt_cache_options: 'used',
  moderation: unsupported('is not supported: give the key a guardrail'),
  safety_identifier: 'hint',
  // It asks for a shorter or longer text that means the same. Coding clients send it to every model.
  verbosity: 'hint',
  n: { ...only(1), advice: 'must be 1: one choice is made for each request' },
  logprobs: unsupported('is not supported: replies carry no probabilities of tokens'),
  top_logprobs: unsupported('is not supported: replies carry no probabilities of tokens'),
  logit_bias: unsupported('is not supported'),
  functions: unsupported('is not supported: send `tools`'),
  function_call: unsupported('is not supported: send `tool_choice`'),
  modalities: {
    isMet: (value) => Array.isArray(value) && value.every((modality) => modality === 'text'),
    advice: 'must be ["text"]: replies are text',
  },
  audio: unsupported('is not supported: replies are text'),
  web_search_options: { isMet: () => false, advice: 'is not supported: give the model a tool that searches' },
  service_tier: { ...only('auto', 'default'), advice: 'must be auto or default' },
  store: { ...only(false), advice: 'must be false: replies are not stored for later' },
};

/**
 * The members of `POST /v1/embeddings`, from OpenAI's and Voyage's references. By default Voyage's clients allow the input to be
 * truncated: nothing is, and input that is too long is refused.
 */
export const embeddingMembers: Members = {
  ...used('input', 'model', 'encoding_format', 'dimensions', 'output_dimension', 'user'),
  truncation: 'hint',
  input_type: unsupported('is not supported: put the words that your model wants before a query into the input'),
  output_dtype: { ...only('float'), advice: 'must be float: vectors are 32-bit floats' },
};

/** The members of `POST /v1/rerank`, from Cohere's, Jina's and Voyage's references. */
export const rerankMembers: Members = {
  ...used('model', 'query', 'documents', 'top_n', 'top_k', 'return_documents', 'user'),
  // Voyage's clients send true by default: nothing is truncated, and input that is too long is refused.
  truncation: 'hint',
  max_tokens_per_doc: 'hint',
  max_chunks_per_doc: 'hint',
  priority: 'hint',
  rank_fields: unsupported('is not supported: send the text to rank by as the document'),
};

export const rerankDocumentMembers: Members = used('text');

export const streamOptionMembers: Members = { include_usage: 'used', include_obfuscation: 'hint' };

/** A message of any role, including what clients send back with an assistant's answer. */
export const messageMembers: Members = {
  ...used('role', 'content', 'refusal', 'tool_calls', 'tool_call_id', 'provider_state'),
  name: 'hint',
  annotations: 'hint',
  function_call: unsupported('is not supported: send `tool_calls`'),
  audio: unsupported('is not supported: send the text of the reply'),
};

/** The members of any message part, beside those of its type; unknown ones are noted, as clients send replies back. */
export const partMembers: Members = {
  ...used('type', 'text', 'refusal', 'image_url', 'file', 'input_audio', 'prompt_cache_breakpoint', 'cache_control'),
};

export const cacheOptionMembers: Members = {
  ...{ mode: 'hint', ttl: 'hint', comparison_response_id: 'hint' },
  prewarm: { ...only(false), advice: 'must be false: a reply is made' },
};

export const toolMembers: Members = used('type', 'function');
export const functionMembers: Members = used('name', 'description', 'parameters', 'strict');
export const formatMembers: Members = used('type', 'json_schema');
export const schemaMembers: Members = { ...used('name', 'schema', 'strict'), description: 'hint' };
export const fileMembers: Members = {
  ...used('filename', 'file_data'),
  file_id: unsupported('is not supported: files are not kept here; send `file_data`'),
};
export const audioMembers: Members = used('data', 'format');
export const imageMembers: Members = { url: 'used', detail: 'hint' };

/** Ensures that nothing in a request is dropped silently: what is not used is refused by name or reported as ignored. */
export class MemberCheck {
  readonly #ignored = new Set<string>();

  /** What was ignored, each name once. */
  get ignored(): string[] {
    return [...this.#ignored];
  }

  /**
   * Checks the members of one object. `at`: its place for error messages, empty for the body. `name`: its name in the list of
   * ignored members; with it, unknown members are noted rather than refused, as the object may be a reply that is sent back.
   */
  check(object: Readonly<Record<string, unknown>>, members: Members, at = '', name?: string): void {
    for (const [member, value] of Object.entries(object)) {
      const treatment = ownValue(members, member);
      if (treatment === 'used' || value == null || (name && isEmptyList(value))) continue;
      const field = at === '' ? member : `${at}.${member}`;
      if (treatment === 'hint') {
        if (value !== false) this.#note(name ? `${name}.${member}` : field);
      } else if (treatment) {
        if (!treatment.isMet(value)) refuse(field, treatment.advice);
      } else if (name) this.#note(`${name}.${member}`);
      else refuse(field, unknownMember(member, members));
    }
  }

  #note(name: string): void {
    // The name goes into a header.
    if (this.#ignored.size < ignoredMax && /^[\w.[\]-]{1,100}$/.test(name)) this.#ignored.add(name);
  }
}

const ignoredMax = 20;

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

function unknownMember(member: string, members: Members): string {
  const near = nearestName(member, Object.keys(members));
  return near === undefined ? 'is not a parameter that is known here' : `is not known here; did you mean ${near}?`;
}

/** An invalid parameter, by the name that the caller sent. */
export class ParameterError extends FailureError {
  readonly violation: FieldViolation;

  constructor(violation: FieldViolation) {
    super({ kind: 'invalid_argument', violations: [violation] });
    this.violation = { ...violation, field: brief(violation.field) };
  }
}

/** Refuses one parameter, or a place within it. */
export function refuse(field: string, description: string): never {
  throw new ParameterError({ field, description });
}

function used(...names: string[]): Record<string, Treatment> {
  return Object.fromEntries(names.map((name) => [name, 'used' as const]));
}
