import { type ClientHttp2Session, connect as connectHttp2, type Settings } from 'node:http2';
import { connect as connectTcp, type Socket } from 'node:net';
import { Agent } from 'undici';
import { seededRandom } from '../faults/protocol.ts';

/** What an attack can use: the service, strangers' addresses, accounts, and randomness that is reproducible for a seed. */
export interface Stage {
  url: string;
  port: number;
  databaseUrl: string;
  random: () => number;
  /** A caller from an otherwise unused network (/24). */
  stranger(): Stranger;
  /** A customer with credit, its own application, and an end user's token of one cent. */
  openAccount(topUpUsd?: string): Promise<Account>;
  /** Closes every connection of its strangers. */
  close(): Promise<void>;
}

export interface Account {
  accountId: string;
  managementKey: string;
  apiKey: string;
  keyId: string;
  /** An end user's token. */
  token: string;
}

export interface Reply {
  /** The status, or what happened to the request: `closed`, `refused`, `timeout`. */
  status: string;
  text: string;
  bytes: number;
  headers: Record<string, string | string[] | undefined>;
}

export interface RequestOptions {
  credential?: string;
  headers?: Record<string, string>;
  body?: string | Buffer | object;
}

/** A caller with its own address. */
export interface Stranger {
  address: string;
  request(method: string, path: string, options?: RequestOptions): Promise<Reply>;
  /** A TCP connection. */
  socket(): Socket;
  /** A new HTTP/2 session. */
  session(settings?: Settings): ClientHttp2Session;
}

const patienceMs = 15_000;
const connections = 512;

export interface StageOptions {
  url: string;
  port: number;
  databaseUrl: string;
  operatorToken: string;
  seed: number;
  /** Provides its strangers' networks: `127.first.second.1`. On Linux all of 127.0.0.0/8 is this machine. */
  networks: () => string;
}

export function createStage({ url, port, databaseUrl, operatorToken, seed, networks }: StageOptions): Stage {
  const closers: (() => unknown)[] = [];
  const operator = stranger('127.0.0.1');
  return {
    url,
    port,
    databaseUrl,
    random: seededRandom(seed),
    stranger: () => stranger(networks()),
    openAccount: (topUpUsd = '1000.00') => openAccount(operator, operatorToken, topUpUsd),
    close: async () => {
      await Promise.all(closers.map((close) => close()));
    },
  };

  function stranger(address: string): Stranger {
    let agent: Agent | undefined;
    // Most strangers only open sockets.
    const open = () => {
      agent ??= new Agent({
        localAddress: address,
        connections,
        headersTimeout: patienceMs,
        bodyTimeout: patienceMs,
      });
      return agent;
    };
    closers.push(() => agent?.destroy());
    return {
      address,
      request: (method, path, options = {}) => request(open(), url, method, path, options),
      socket: () => {
        const socket = connectTcp({ port, host: '127.0.0.1', localAddress: address, noDelay: true });
        socket.on('error', () => undefined);
        closers.push(() => socket.destroy());
        return socket;
      },
      session: (settings = {}) => {
        const session = connectHttp2(url, {
          settings,
          createConnection: () => connectTcp({ port, host: '127.0.0.1', localAddress: address, noDelay: true }),
        });
        session.on('error', () => undefined);
        closers.push(() => session.destroy());
        return session;
      },
    };
  }
}

async function request(
  dispatcher: Agent,
  origin: string,
  method: string,
  path: string,
  { credential, headers, body }: RequestOptions,
): Promise<Reply> {
  const sent = body === undefined || typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body);
  try {
    const reply = await dispatcher.request({
      origin,
      path,
      method: method as 'GET',
      headers: {
        ...(sent !== undefined && { 'content-type': 'application/json' }),
        ...(credential !== undefined && { authorization: `Bearer ${credential}` }),
        ...headers,
      },
      ...(sent !== undefined && { body: sent }),
    });
    let text = '';
    let bytes = 0;
    for await (const chunk of reply.body) {
      bytes += (chunk as Buffer).length;
      // Enough to read; the rest is only counted.
      if (text.length < textMax) text += String(chunk);
    }
    return { status: String(reply.statusCode), text, bytes, headers: reply.headers };
  } catch (error) {
    return { status: outcomeOf(error), text: '', bytes: 0, headers: {} };
  }
}

const textMax = 2_000_000;

function outcomeOf(error: unknown): string {
  const { code = '', name = '' } = error as { code?: string; name?: string };
  if (code === 'ECONNREFUSED') return 'refused';
  if (/TIMEOUT/i.test(code) || name === 'TimeoutError') return 'timeout';
  return 'closed';
}

async function openAccount(operator: Stranger, operatorToken: string, topUpUsd: string): Promise<Account> {
  const ask = async (path: string, credential: string, body: object) => {
    const { status, text } = await operator.request('POST', path, { credential, body });
    if (status !== '200') throw new Error(`${path} answered ${status}: ${text}`);
    return JSON.parse(text);
  };
  const opened = await ask('/v1/accounts', operatorToken, { displayName: 'abuse' });
  const { managementKey } = opened;
  const made = await ask('/v1/keys', managementKey, { displayName: 'backend', purpose: 'a test' });
  await ask('/v1/wallet/top-ups', managementKey, { amountUsd: topUpUsd });
  const { accessToken } = await ask('/v1/tokens', made.secret, { subject: 'mallory', spendingCapUsd: '0.01' });
  return {
    accountId: opened.account.accountId,
    managementKey,
    apiKey: made.secret,
    keyId: made.key.keyId,
    token: accessToken,
  };
}
