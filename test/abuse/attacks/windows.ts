import type { ClientHttp2Session } from 'node:http2';
import type { Stranger } from '../stage.ts';
import { type Attack, tooMuch } from './attack.ts';

/** HTTP/2 callers whose window of 0 lets no byte of an answer out, over many connections and streams. */

const sessionsMax = 60;
const streamsEach = 16;
/** How long an answer may take to begin. */
const patienceMs = 20_000;
/** Half a megabyte as JSON; together they are ten times an account's limit of unread replies. */
const inputs = Array.from({ length: 16 }, (_, at) => `${at}`);

interface Asked {
  path: string;
  credential?: string;
  body?: string;
}

export const windowAttacks: readonly Attack[] = [
  windowsOf('window-zero', 'the contract and the console, asked for by nobody', '60.00', () => [
    { path: '/openapi.json' },
    { path: '/console/' },
  ]),
  windowsOf('window-zero-key', 'replies of 0.5 MB, asked for with a key', '1000.00', (credential) => [
    { path: '/api/v1/embeddings', credential, body: JSON.stringify({ model: 'vectors', inputs }) },
  ]),
];

/** They stay open until the end of the attack. */
function windowsOf(name: string, about: string, topUpUsd: string, askedBy: (key: string) => Asked[]): Attack {
  return {
    name,
    about: `${about}, ${streamsEach} at once on each of ${sessionsMax} HTTP/2 connections with a window of 0`,
    right: ['unread', '429', '503', 'closed'],
    width: 2,
    turns: sessionsMax,
    whole: true,
    open: async (stage) => {
      const { apiKey } = await stage.openAccount(topUpUsd);
      const asked = askedBy(apiKey);
      const caller = stage.stranger();
      return {
        send: async (turn) => {
          const session = caller.session({ initialWindowSize: 0 });
          const streams = Array.from({ length: streamsEach }, (_, at) => asked[(turn + at) % asked.length]);
          return worst(await Promise.all(streams.map((one) => (one ? begin(session, one) : 'closed'))));
        },
        found: () => readsOthers(stage.stranger()),
      };
    },
  };
}

/** The status from the answer's head; nothing of its body is read. */
function begin(session: ClientHttp2Session, { path, credential, body }: Asked): Promise<string> {
  return new Promise((resolve) => {
    if (session.destroyed || session.closed) return resolve('closed');
    const stream = session.request({
      ':method': body === undefined ? 'GET' : 'POST',
      ':path': path,
      ...(credential !== undefined && { authorization: `Bearer ${credential}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    });
    const timer = setTimeout(() => resolve('timeout'), patienceMs);
    const over = (outcome: string) => {
      clearTimeout(timer);
      resolve(outcome);
    };
    stream.on('response', (headers) => over(headers[':status'] === 200 ? 'unread' : String(headers[':status'])));
    stream.on('error', () => over('closed'));
    stream.on('close', () => over('closed'));
    stream.end(body);
  });
}

/** One that is wrong decides for all. */
function worst(outcomes: readonly string[]): string {
  const isRight = (outcome: string) => ['unread', 'closed', ...tooMuch].includes(outcome);
  return outcomes.find((outcome) => !isRight(outcome)) ?? outcomes[0] ?? 'closed';
}

async function readsOthers(other: Stranger): Promise<string[]> {
  const { status } = await other.request('GET', '/openapi.json');
  return status === '200' ? [] : [`a caller from elsewhere who reads is not answered: ${status}`];
}
