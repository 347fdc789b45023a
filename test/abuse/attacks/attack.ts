import type { Reply, Stage } from '../stage.ts';

/** Something that is sent to the service again and again for a bounded time. */
export interface Attack {
  name: string;
  /** What is sent, in a line. */
  about: string;
  /** The statuses that are right: HTTP's, or `closed`, `open` and what else the attack itself says. */
  right: readonly string[];
  /** How many are under way at once. */
  width: number;
  /** The most that are sent. Unset: as many as the time allows. */
  turns?: number;
  /** It is its number that attacks: `turns` are sent also when that takes longer, within half a minute. */
  whole?: boolean;
  /** Generated from the seed: `--requests` says how many. */
  generated?: boolean;
  /** Makes what it needs, before the calm is measured. */
  open(stage: Stage): Promise<Assault>;
}

export interface Assault {
  /** Sends one and says what came of it. */
  send(turn: number): Promise<string>;
  /** What is wrong beyond the answers, after the last one. */
  found?(): Promise<string[]>;
}

/** What a caller without a valid credential may hear. */
export const refusals = [
  '400',
  '401',
  '403',
  '404',
  '405',
  '413',
  '415',
  '429',
  '431',
  '503',
  '505',
  'closed',
] as const;

/** What callers' code that is too much may hear. */
export const tooMuch = ['400', '429', '503'] as const;

export const chatPath = '/api/v1/assistant/chat';
export const messages = [{ role: 'user', content: 'Which plan fits a small shop?' }];

/** A value among others, by chance. */
export function oneOf<Value>(random: () => number, values: readonly Value[]): Value {
  return values[Math.floor(random() * values.length)] as Value;
}

export function upTo(random: () => number, max: number): number {
  return Math.floor(random() * (max + 1));
}

/**
 * The status; a 400 has to name the place that the attack is in. Otherwise a request that is wrong in another way, and is
 * refused for it, would look like one that was stood.
 */
export function statusAt({ status, text }: Reply, place: string): string {
  return status === '400' && !text.includes(place) ? '400 elsewhere' : status;
}

/** The same request with nothing evil in it must be answered: what is refused anyway proves nothing. */
export function mustAnswer({ status, text }: Reply, sign = ''): void {
  if (status !== '200' || !text.includes(sign)) throw new Error(`A sound request was answered ${status}: ${text}`);
}
