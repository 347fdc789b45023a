import { randomBytes } from 'node:crypto';
import { openConnection } from '../../../src/db/index.ts';
import type { Reply, RequestOptions, Stage, Stranger } from '../stage.ts';
import { type Attack, mustAnswer } from './attack.ts';

/** The console's sessions: guesses, floods, and cookies that no browser would send. */

const path = '/console/session';
const sessionsMax = 20;
/** Refused credentials of one network: the limit for its single address. */
const guessesMax = 130;

const fromConsole = { 'sec-fetch-site': 'same-origin', 'x-console': '1' };

export const consoleAttacks: readonly Attack[] = [
  {
    name: 'console-guesses',
    about: 'sign-in codes, keys and cookies that are guessed, from 8 networks',
    right: ['200', '401', '403', '429', 'closed'],
    width: 8,
    open: async (stage) => {
      const strangers = Array.from({ length: 8 }, () => stage.stranger());
      let judged = 0;
      return {
        send: async (turn) => {
          const caller = strangers[turn % strangers.length] ?? stage.stranger();
          const { status, text } = await guess(caller, stage, turn);
          if (status === '401') judged += 1;
          return status === '200' && text !== 'null' ? 'signed in' : status;
        },
        found: async () =>
          judged > strangers.length * guessesMax
            ? [`${judged} guesses were looked at (at most ${strangers.length * guessesMax})`]
            : [],
      };
    },
  },
  {
    name: 'console-sign-ins',
    about: 'one owner signs in again and again, 8 at a time, and confirms',
    right: ['200', '401', '429', '503'],
    width: 8,
    open: async (stage) => {
      const { managementKey, accountId } = await stage.openAccount();
      const caller = stage.stranger();
      const host = `127.0.0.1:${stage.port}`;
      const sign = (headers: Record<string, string> = {}) =>
        caller.request('POST', path, { headers: { ...fromConsole, host, ...headers }, body: { key: managementKey } });
      const first = await sign();
      mustAnswer(first, '"owner"');
      return {
        send: async (turn) => {
          const signed = await sign();
          if (turn % 2 === 0 || signed.status !== '200') return signed.status;
          const cookie = cookieOf(signed);
          const confirmed = { headers: { ...fromConsole, host, cookie }, body: { key: managementKey } };
          return (await caller.request('POST', `${path}/confirm`, confirmed)).status;
        },
        found: async () => {
          const rows = await sessionsOf(stage.databaseUrl, accountId);
          return rows > sessionsMax ? [`${rows} sessions of one key (at most ${sessionsMax})`] : [];
        },
      };
    },
  },
  {
    name: 'console-cookies',
    about: 'cookies of 15 KB, 3,000 of them in one request, and an owner’s cookie sent by other sites and lanes',
    right: ['200', '400', '401', '403', '404', '429', '431', 'closed'],
    width: 4,
    open: async (stage) => {
      const { managementKey, accountId } = await stage.openAccount();
      const caller = stage.stranger();
      const host = `127.0.0.1:${stage.port}`;
      const signed = await caller.request('POST', path, {
        headers: { ...fromConsole, host },
        body: { key: managementKey },
      });
      const cookie = cookieOf(signed);
      const wallet = (headers: Record<string, string>) =>
        caller.request('GET', '/v1/wallet', { headers: { host, ...headers } });
      mustAnswer(await wallet({ ...fromConsole, cookie }), 'wallet');
      const asks = cookieRequests(host, cookie);
      return {
        send: async (turn) => {
          const [method, target, options] = asks[turn % asks.length] ?? asks[0];
          const reply = await caller.request(method, target, options);
          const knows = reply.text.includes(accountId) || reply.text.includes('balanceUsd');
          return knows ? 'taken for the owner' : reply.status;
        },
      };
    },
  },
];

/** In turn: a code, a key, a cookie in the session, a cookie on a JSON path. */
function guess(caller: Stranger, { port }: Stage, turn: number): Promise<Reply> {
  const host = `127.0.0.1:${port}`;
  const secret = randomBytes(32).toString('base64url');
  const cookie = `console_${port}=${secret}`;
  const headers = { ...fromConsole, host };
  switch (turn % 4) {
    case 0:
      return caller.request('POST', path, { headers, body: { code: secret.slice(0, 32) } });
    case 1:
      return caller.request('POST', path, { headers, body: { key: `mk_${secret}` } });
    case 2:
      return caller.request('GET', path, { headers: { ...headers, cookie } });
    default:
      return caller.request('GET', '/v1/wallet', { headers: { ...headers, cookie } });
  }
}

type Asked = readonly [method: string, path: string, options: RequestOptions];

/** Each of them either does not come from a page of the console or lacks the owner's cookie. */
function cookieRequests(host: string, cookie: string): readonly [Asked, ...Asked[]] {
  const many = Array.from({ length: 3_000 }, (_, at) => `c${at}=`).join(';');
  const named = cookie.split('=')[0] ?? '';
  const body = { model: 'plain', messages: [{ role: 'user', content: 'a' }] };
  const twice = Array.from({ length: 200 }, () => `${named}=${'a'.repeat(43)}`).join('; ');
  return [
    ['GET', path, { headers: { ...fromConsole, host, cookie: `${named}=${'a'.repeat(15_000)}` } }],
    ['GET', '/v1/wallet', { headers: { ...fromConsole, host, cookie: many } }],
    ['GET', '/v1/wallet', { headers: { ...fromConsole, host, cookie: twice } }],
    ['GET', '/v1/wallet', { headers: { 'sec-fetch-site': 'cross-site', host, cookie } }],
    ['GET', path, { headers: { 'sec-fetch-site': 'same-site', host, cookie } }],
    ['GET', '/v1/wallet', { headers: { ...fromConsole, host: 'evil.example', cookie } }],
    ['POST', '/v1/keys', { headers: { 'sec-fetch-site': 'same-origin', host, cookie }, body: { displayName: 'a' } }],
    ['POST', '/v1/responses', { headers: { ...fromConsole, host, cookie }, body: { model: 'plain', input: 'a' } }],
    ['POST', '/v1/messages', { headers: { ...fromConsole, host, cookie }, body: { ...body, max_tokens: 9 } }],
    [
      'POST',
      '/mcp',
      { headers: { ...fromConsole, host, cookie }, body: { jsonrpc: '2.0', id: 1, method: 'tools/list' } },
    ],
    ['DELETE', path, { headers: { 'sec-fetch-site': 'cross-site', host, cookie } }],
  ];
}

function cookieOf({ headers }: Reply): string {
  return String(headers['set-cookie']).split(';')[0] ?? '';
}

async function sessionsOf(databaseUrl: string, accountId: string): Promise<number> {
  const connection = await openConnection(databaseUrl);
  try {
    const [rows] = await connection.query('SELECT COUNT(*) AS count FROM console_session WHERE account_id = ?', [
      accountId,
    ]);
    return Number((rows as { count: unknown }[])[0]?.count);
  } finally {
    await connection.end();
  }
}
