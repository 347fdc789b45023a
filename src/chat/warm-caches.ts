import { createHash } from 'node:crypto';
import type { Clock } from '../base/clock.ts';
import type { InputMeasure } from './tokens.ts';
import type { ChatMessage, ChatRequest, ChatUsage } from './types.ts';

/** How a prompt begins, for predicting which provider may still have it cached. */
export interface PromptPrefix {
  account: string;
  /** Identifies the tools, the system text and the first message after that; absent if there is none. */
  conversation?: string;
  /** Identifies the tools and the system text. */
  head?: string;
  /** Approximate number of tokens in the head. */
  headTokens: number;
}

/** Which providers may still have a prompt cached, as this node has seen it, and how much of such prompts they really had so far. */
export interface WarmCaches {
  /** How a request begins; undefined if it is too short for any provider's cache. */
  prefixOf(account: string, request: ChatRequest, measure: InputMeasure): PromptPrefix | undefined;
  /** How many tokens of a prompt of about `inputTokens` a route is expected to have cached: for comparing routes, never for holding or charging. */
  expect(prefix: PromptPrefix, route: string, inputTokens: number): number;
  /** Records what a route reported about a prompt that it answered. */
  observe(prefix: PromptPrefix, route: string, usage: StatedUsage): void;
}

type StatedUsage = Pick<ChatUsage, 'cachedInputTokens' | 'inputTokens'>;

/** The share of an account's cacheable prompt tokens that a route actually had cached: a moving average. */
interface Measured {
  share: number;
  at: number;
}

interface Warm {
  tokens: number;
  at: number;
}

/** OpenAI, Anthropic and Google do not cache shorter prompts. */
const tokensMin = 1_024;
/** OpenAI and Anthropic keep a prompt for five minutes after its last use. */
const warmMs = 300_000;
/** A measurement counts half as much after an hour. */
const halfLifeMs = 3_600_000;
/** Weight of the newest measurement in the moving average. */
const newest = 0.2;
const prefixesMax = 50_000;
const measuresMax = 20_000;
/** This much of a text identifies it; the rest only counts by its length. */
const namingUnits = 2_048;
const namingMessages = 8;

/**
 * Remembers, for a bounded number of prompts, which route answered them last, and measures by account and route how much of
 * such a prompt the provider then had cached. Nothing is expected before it has been measured, and measurements fade. Prompts
 * are distinguished well enough for comparing costs: two that begin alike may count as one.
 */
export function createWarmCaches({ clock }: { clock: Clock }): WarmCaches {
  const warm = new Map<string, Warm>();
  const measures = new Map<string, Measured>();
  const now = () => clock.monotonic();

  /** The tokens of a prompt that a route may have cached, longest match first. */
  function warmTokens(prefix: PromptPrefix, route: string): number {
    for (const name of [prefix.conversation, prefix.head]) {
      const found = name === undefined ? undefined : warm.get(keyOf(name, route));
      if (found && now() - found.at < warmMs) return found.tokens;
    }
    return 0;
  }

  return {
    prefixOf,
    expect(prefix, route, inputTokens) {
      const measured = measures.get(keyOf(prefix.account, route));
      if (!measured) return 0;
      const faded = 2 ** (-(now() - measured.at) / halfLifeMs);
      return Math.floor(Math.min(warmTokens(prefix, route), inputTokens) * measured.share * faded);
    },
    observe(prefix, route, { inputTokens = 0, cachedInputTokens: cached }) {
      const could = Math.min(warmTokens(prefix, route), inputTokens);
      if (could > 0 && cached !== undefined) {
        const key = keyOf(prefix.account, route);
        const share = moved(measures.get(key)?.share, Math.min(cached / could, 1));
        keep(measures, key, { share, at: now() }, measuresMax);
      }
      const { conversation, head, headTokens } = prefix;
      if (conversation !== undefined)
        keep(warm, keyOf(conversation, route), { tokens: inputTokens, at: now() }, prefixesMax);
      if (head !== undefined) keep(warm, keyOf(head, route), { tokens: headTokens, at: now() }, prefixesMax);
    },
  };
}

function prefixOf(account: string, request: ChatRequest, measure: InputMeasure): PromptPrefix | undefined {
  if (measure.bytes / 4 < tokensMin) return undefined;
  const hash = createHash('sha256').update(JSON.stringify([account, toolsOf(request)]));
  let bytes = (request.tools ?? []).length * 200;
  const { messages } = request;
  let index = 0;
  for (; messages[index]?.role === 'system' && index < namingMessages; index++) {
    const message = messages[index] as ChatMessage;
    hash.update(namingOf(message));
    bytes += bytesOf(message);
  }
  const first = messages[index];
  const headTokens = Math.floor(bytes / 4);
  return {
    account,
    ...(headTokens >= tokensMin && { head: hash.copy().digest('base64') }),
    ...(first && { conversation: hash.update(namingOf(first)).digest('base64') }),
    headTokens,
  };
}

function toolsOf({ tools = [] }: ChatRequest): string[] {
  return tools.map(({ name, description = '' }) => `${name} ${description.slice(0, namingUnits)}`);
}

function namingOf({ role, content, parts = [] }: ChatMessage): string {
  const texts = [content ?? '', ...parts.map((part) => (part.kind === 'text' ? part.text : 'image'))];
  return JSON.stringify([role, ...texts.map((text) => [text.length, text.slice(0, namingUnits)])]);
}

function bytesOf({ content = '', parts = [] }: ChatMessage): number {
  return parts.reduce(
    (sum, part) => sum + (part.kind === 'text' ? Buffer.byteLength(part.text) : 0),
    Buffer.byteLength(content),
  );
}

function keyOf(name: string, route: string): string {
  return `${name} ${route}`;
}

/** Keeps an entry as the newest one; evicts the oldest if there are too many. */
function keep<T>(map: Map<string, T>, key: string, value: T, most: number): void {
  map.delete(key);
  map.set(key, value);
  if (map.size <= most) return;
  const oldest = map.keys().next();
  if (!oldest.done) map.delete(oldest.value);
}

function moved(average: number | undefined, measure: number): number {
  return average === undefined ? measure : average + newest * (measure - average);
}
