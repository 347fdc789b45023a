import { randomBytes } from 'node:crypto';
import { pino } from 'pino';
import { type App, buildApp } from '../../src/app.ts';
import { decide } from '../../src/config/config.ts';
import { type Config, type Environment, parseSettings, type Secrets } from '../../src/config/index.ts';
import { missingFields } from './always-set.ts';

export interface TestApp extends App {
  operatorToken: string;
  /** Every log line, as text. */
  logged(): string;
}

export interface TestAppOptions {
  databaseUrl: string;
  /** YAML, as in a configuration file. */
  settings?: string;
  /** Its `payments` part; by default the sandbox. */
  payments?: string;
  /** Variables that the configuration refers to, such as a provider's key. */
  variables?: Record<string, string>;
  secrets?: Secrets;
}

const operatorToken = 'test-operator-token-of-more-than-32-characters';

/** The whole service on its own port, with sandbox payments. */
export async function startApp(options: TestAppOptions): Promise<TestApp> {
  const lines: string[] = [];
  const log = pino({ level: 'debug', base: null }, { write: (line: string) => lines.push(line) });
  const app = await buildApp({
    config: testConfig(options),
    secrets: options.secrets ?? secretsOf(options.databaseUrl),
    log,
    progress: () => {},
    // A process for callers' code takes seconds to start on a busy machine.
    sandboxWaitMs: 60_000,
  });
  return { ...app, operatorToken, logged: () => lines.join('') };
}

export function testConfig({ databaseUrl, settings = '', payments, variables = {} }: TestAppOptions): Config {
  const environment: Environment = {
    configFile: undefined,
    port: '0',
    databaseUrl,
    dataDir: undefined,
    operatorToken,
    logLevel: undefined,
    read: (name) => variables[name],
  };
  const config = decide(
    parseSettings(`payments: ${payments ?? '{ provider: sandbox, allowSandbox: true }'}\n${settings}`, 'test'),
    environment,
    'test',
  );
  // All requests that suites send without a credential come from one address.
  if (!settings.includes('anonymous:')) config.limits.anonymous.requestsPerMinute = 1_000_000;
  return config;
}

const secretsByDatabase = new Map<string, Secrets>();

/** The same for all apps on a database, as for all nodes. */
function secretsOf(databaseUrl: string): Secrets {
  const secrets = secretsByDatabase.get(databaseUrl) ?? testSecrets();
  secretsByDatabase.set(databaseUrl, secrets);
  return secrets;
}

export function testSecrets(): Secrets {
  const ring = () => ({ current: 1, byVersion: new Map([[1, randomBytes(32)]]) });
  return {
    operatorTokens: new Map(),
    keyPeppers: ring(),
    encryptionKeys: ring(),
    fingerprintKey: randomBytes(32),
  };
}

/** What a customer has after onboarding in the specification's order. */
export interface Customer {
  accountId: string;
  managementKey: string;
  apiKey: string;
  keyId: string;
}

/** An account, a key and, unless `topUpUsd` is `0`, credit; all through the public API. */
export async function onboard(app: TestApp, topUpUsd = '5.00'): Promise<Customer> {
  const opened = await send(app, 'POST', '/v1/accounts', app.operatorToken, { displayName: 'A customer' });
  const managementKey = String(opened.body.managementKey);
  const made = await send(app, 'POST', '/v1/keys', managementKey, { displayName: 'backend', purpose: 'a test' });
  if (topUpUsd !== '0') await send(app, 'POST', '/v1/wallet/top-ups', managementKey, { amountUsd: topUpUsd });
  return {
    accountId: opened.body.account.accountId,
    managementKey,
    apiKey: String(made.body.secret),
    keyId: made.body.key.keyId,
  };
}

export interface Answer {
  status: number;
  headers: Headers;
  text: string;
  // The tests state what they expect of it.
  // biome-ignore lint/suspicious/noExplicitAny: a parsed JSON body
  body: any;
}

/** One JSON request. */
export async function send(
  app: { url: string },
  method: string,
  path: string,
  credential?: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const response = await fetch(`${app.url}${path}`, {
    method,
    headers: {
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(credential !== undefined && { authorization: `Bearer ${credential}` }),
      ...headers,
    },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  const answered = parsed(text);
  // Callers rely on what the contract promises to be always there, so every reply of every test is checked for it.
  const isReply = response.status === 200 && response.headers.get('content-type')?.startsWith('application/json');
  const missing = isReply ? await missingFields(method, path, answered) : [];
  if (missing.length > 0) throw new Error(`${method} ${path}: the reply lacks ${missing.join(', ')}`);
  return { status: response.status, headers: response.headers, text, body: answered };
}

/** `reason` of an error body. */
export function reasonOf({ body }: Answer): string | undefined {
  return body?.error?.details?.find((detail: { reason?: string }) => detail.reason !== undefined)?.reason;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
