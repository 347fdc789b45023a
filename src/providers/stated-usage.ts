import type { ProviderKind } from './settings.ts';

type Members = Record<string, unknown>;

/** How an API states what a request used, as far as its provider package insists on it. */
export interface UsageShape {
  /** The object of a reply, or of an event of a stream, that has the usage as a member. */
  holder(reply: Members): unknown;
  member: 'usage' | 'usageMetadata';
  /** A text that every event with a usage contains. */
  mark: string;
  /** Counts; those that the package adds up are together. */
  sums: readonly (readonly string[])[];
  /** Breakdowns of these counts, by name. */
  parts: readonly string[];
  /** Breakdowns that are lists, with the counts that each of their items has. */
  lists: Readonly<Record<string, readonly string[]>>;
  /** The counts without which the package refuses a usage; absent: none. */
  needed?(reply: Members): readonly string[];
  /** Whether it refuses a reply without a usage, too. */
  isNeeded?: true;
}

/** Google's breakdowns by modality. */
const byModality = ['tokenCount'];

/** The APIs of the provider packages. */
export const usageShapes: Record<Exclude<ProviderKind, 'builtin'>, UsageShape> = {
  'openai-compatible': {
    holder: (reply) => reply,
    member: 'usage',
    mark: '"usage"',
    sums: [['prompt_tokens'], ['completion_tokens'], ['total_tokens']],
    parts: ['prompt_tokens_details', 'completion_tokens_details'],
    lists: {},
  },
  openai: {
    // An event has the whole response in it.
    holder: (reply) => reply.response ?? reply,
    member: 'usage',
    mark: '"usage"',
    sums: [['input_tokens'], ['output_tokens'], ['total_tokens']],
    parts: ['input_tokens_details', 'output_tokens_details'],
    lists: {},
    needed: () => ['input_tokens', 'output_tokens', 'total_tokens'],
  },
  anthropic: {
    holder: (reply) => {
      if (reply.type === 'message_start') return reply.message;
      return reply.type === 'message' || reply.type === 'message_delta' ? reply : undefined;
    },
    member: 'usage',
    mark: '"message_',
    sums: [['input_tokens', 'cache_creation_input_tokens', 'cache_read_input_tokens'], ['output_tokens']],
    parts: ['output_tokens_details'],
    lists: { iterations: ['input_tokens', 'output_tokens'] },
    needed: ({ type }) => {
      // The end of a stream may state the input again, and its beginning cannot know the output.
      if (type === 'message_start') return ['input_tokens'];
      return type === 'message_delta' ? ['output_tokens'] : ['input_tokens', 'output_tokens'];
    },
    isNeeded: true,
  },
  google: {
    holder: (reply) => reply,
    member: 'usageMetadata',
    mark: '"usageMetadata"',
    sums: [
      ['promptTokenCount', 'toolUsePromptTokenCount'],
      ['candidatesTokenCount', 'thoughtsTokenCount'],
      ['cachedContentTokenCount'],
      ['totalTokenCount'],
    ],
    parts: [],
    lists: {
      promptTokensDetails: byModality,
      cacheTokensDetails: byModality,
      candidatesTokensDetails: byModality,
      toolUsePromptTokensDetails: byModality,
    },
  },
};

/** Whether this can be a number of tokens; they must fit 32-bit fields. */
export function isTokenCount(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) <= 0xffff_ffff;
}

/**
 * Makes what a reply states about its usage readable, and says whether anything had to change. The packages refuse a whole reply
 * for a count that they cannot read, though the reply was made and has to be paid for; and a negative count would lower the sum
 * that they make of it. Such a count is left out, and so are those that it is added to; where there must be one it is 0, which
 * stands for "not stated" as well. Then we count ourselves. A breakdown with such a count is left out, too.
 */
export function makeUsageReadable(reply: unknown, shape: UsageShape): boolean {
  if (!isObject(reply)) return false;
  const { member, isNeeded } = shape;
  const holder = shape.holder(reply);
  if (!isObject(holder)) return false;
  const usage = holder[member];
  const needed = shape.needed?.(reply) ?? [];
  if (isObject(usage)) return makeCountsReadable(usage, shape, needed);
  if (!isNeeded && (usage === undefined || usage === null)) return false;
  holder[member] = isNeeded ? Object.fromEntries(needed.map((name) => [name, 0])) : null;
  return true;
}

function makeCountsReadable(usage: Members, shape: UsageShape, needed: readonly string[]): boolean {
  const { sums, parts, lists } = shape;
  let isChanged = false;
  const set = (name: string, value: 0 | null) => {
    isChanged = true;
    usage[name] = value;
  };
  for (const sum of sums)
    if (!sum.every((name) => isCountOrAbsent(usage[name]))) for (const name of sum) set(name, null);
  for (const name of needed) if (!isTokenCount(usage[name])) set(name, 0);
  for (const name of parts) if (!areParts(usage[name])) set(name, null);
  for (const [name, counts] of Object.entries(lists)) if (!isListOf(usage[name], counts)) set(name, null);
  return isChanged;
}

/** Whether every count in a breakdown, named as such, can be read. */
function areParts(details: unknown): boolean {
  if (details === undefined || details === null) return true;
  if (!isObject(details)) return false;
  return Object.entries(details).every(([name, value]) => {
    if (name.endsWith('_details')) return areParts(value);
    return !name.endsWith('tokens') || isCountOrAbsent(value);
  });
}

function isListOf(list: unknown, counts: readonly string[]): boolean {
  if (list === undefined || list === null) return true;
  return (
    Array.isArray(list) && list.every((item) => isObject(item) && counts.every((name) => isTokenCount(item[name])))
  );
}

function isCountOrAbsent(value: unknown): boolean {
  return value === undefined || value === null || isTokenCount(value);
}

function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
