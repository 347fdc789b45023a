import type { Reply, Stage } from '../stage.ts';

/** Something that is repeatedly sent to the service for a limited time. */
export interface Attack {
  name: string;
  /** What is sent, in one line. */
  about: string;
  /** The expected statuses: HTTP's, or `closed`, `open` and whatever else the attack itself reports. */
  right: readonly string[];
  /** How many are in flight at once. */
  width: number;
  /** The maximum number sent. Unset: as many as time allows. */
  turns?: number;
  /** The number itself is the attack: `turns` are sent even if that takes longer, up to half a minute. */
  whole?: boolean;
  /** Generated from the seed: `--requests` says how many. */
  generated?: boolean;
  /** Creates what it needs, before the baseline is measured. */
  open(stage: Stage): Promise<Assault>;
}

export interface Assault {
  /** Sends one and returns the outcome. */
  send(turn: number): Promise<string>;
  /** What is wrong apart from the answers, checked after the last one. */
  found?(): Promise<string[]>;
}

/** What a caller without a valid credential may receive. */
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

/** What callers whose code is excessive may receive. */
export const tooMuch = ['400', '429', '503'] as const;

export const chatPath = '/api/v1/assistant/chat';
export const messages = [{ role: 'user', content: 'Which plan fits a small shop?' }];

/** The same method over gRPC, gRPC-Web and Connect. */
export const chatMethod = '/intelligence.chat.v1.ChatService/Chat';

export interface Lane {
  path: string;
  contentType: string;
}

/** Each way in for a body, which each has a reader of its own; their number is odd, so that each is tried with each of two credentials. */
export const lanes: readonly Lane[] = [
  { path: chatPath, contentType: 'application/json' },
  { path: chatMethod, contentType: 'application/proto' },
  { path: chatMethod, contentType: 'application/json' },
  { path: chatMethod, contentType: 'application/grpc-web+proto' },
  { path: chatMethod, contentType: 'application/grpc-web-text' },
  { path: chatMethod, contentType: 'application/grpc' },
  { path: '/mcp', contentType: 'application/json' },
  { path: '/v1/chat/completions', contentType: 'application/json' },
  { path: '/console/session', contentType: 'application/json' },
  { path: '/oauth/token', contentType: 'application/x-www-form-urlencoded' },
  { path: '/grpc.health.v1.Health/Check', contentType: 'application/proto' },
];

/** A random one of several values. */
export function oneOf<Value>(random: () => number, values: readonly Value[]): Value {
  return values[Math.floor(random() * values.length)] as Value;
}

export function upTo(random: () => number, max: number): number {
  return Math.floor(random() * (max + 1));
}

/**
 * The status; a 400 has to name the place that the attack is in. Otherwise a request that is refused for some other mistake would look like a
 * withstood attack.
 */
export function statusAt({ status, text }: Reply, place: string): string {
  return status === '400' && !text.includes(place) ? '400 elsewhere' : status;
}

/** The same request without the malicious part must be answered: what is refused anyway proves nothing. */
export function mustAnswer({ status, text }: Reply, sign = ''): void {
  if (status !== '200' || !text.includes(sign)) throw new Error(`A sound request was answered ${status}: ${text}`);
}
