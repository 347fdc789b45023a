import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Document, isMap, isScalar, LineCounter, parseDocument } from 'yaml';
import type { z } from 'zod';
import type { Environment } from './env.ts';
import { configSchema, logLevels, type Settings } from './schema.ts';
import { operatorTokenMin } from './secrets.ts';
import { type StripeConfig, stripeConfig } from './stripe.ts';

/** The service's settings: the file's, overridden by the environment, with absolute paths. */
export interface Config extends Omit<Settings, 'secretsFile' | 'providers' | 'payments'> {
  secretsFile: string;
  /** `stripe` is set if and only if it is the provider. */
  payments: Omit<Settings['payments'], 'stripe'> & { stripe: StripeConfig | undefined };
  providers: (Settings['providers'][number] & { apiKey?: string | undefined })[];
  /** An operator token from the environment; undefined: use the one from the secrets file. */
  operatorToken: string | undefined;
}

/** Everything wrong with the configuration, each problem with its location. Its message is for humans. */
export class ConfigError extends Error {
  readonly problems: readonly string[];

  constructor(source: string, problems: readonly string[]) {
    super([`The configuration (${source}) is not valid:`, ...problems.map((problem) => `  - ${problem}`)].join('\n'));
    this.name = 'ConfigError';
    this.problems = problems;
  }
}

/** Reads the file named by `CONFIG`, or `config.yaml` if it exists, and decides every setting. */
export function loadConfig(env: Environment): Config {
  const file = env.configFile ?? (existsSync('config.yaml') ? 'config.yaml' : undefined);
  const source = file ?? 'defaults and environment';
  const settings = parseSettings(file === undefined ? '' : readText(file), source);
  return decide(settings, env, source);
}

/** Parses and validates YAML text. Throws a ConfigError that lists all problems, with paths and lines. */
export function parseSettings(text: string, source: string): Settings {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, uniqueKeys: true });
  if (document.errors.length > 0)
    throw new ConfigError(
      source,
      document.errors.map((error) => error.message.split('\n')[0] ?? 'not valid YAML'),
    );
  const parsed = configSchema.safeParse(contentOf(document, source) ?? {});
  if (parsed.success) return parsed.data;
  throw new ConfigError(
    source,
    parsed.error.issues.map((issue) => {
      const offset = offsetOf(issue, document);
      const line = offset === undefined ? '' : ` (line ${lines.linePos(offset).line})`;
      return `${issue.path.map(String).join('.') || 'the file'}${line}: ${issue.message}`;
    }),
  );
}

function contentOf(document: Document, source: string): unknown {
  try {
    return document.toJS();
  } catch (error) {
    // An alias without its anchor, or too many of them.
    throw new ConfigError(source, [error instanceof Error ? error.message : String(error)]);
  }
}

/** Where the text has what is wrong: an unknown key itself, a value, or the innermost part that lacks one. */
function offsetOf(issue: z.core.$ZodIssue, document: Document): number | undefined {
  const path = issue.path.map(String);
  const nodeAt = (length: number) =>
    (length === 0 ? document.contents : document.getIn(path.slice(0, length), true)) as
      | { range?: [number, number, number] }
      | undefined;
  if (issue.code === 'unrecognized_keys') {
    const within = nodeAt(path.length);
    const keys = isMap(within) ? within.items.map(({ key }) => key) : [];
    const unknown = keys.find((key) => isScalar(key) && key.value === issue.keys[0]);
    if (isScalar(unknown) && unknown.range) return unknown.range[0];
  }
  for (let { length } = path; length >= 0; length--) {
    const range = nodeAt(length)?.range;
    if (range) return range[0];
  }
  return undefined;
}

/** Combines settings and environment, and checks what spans both. */
export function decide(settings: Settings, env: Environment, source: string): Config {
  const problems: string[] = [];
  const port = env.port === undefined ? settings.http.port : Number(env.port);
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    problems.push(`PORT: must be a port number from 0 to 65535, not "${env.port}"`);
  const level = env.logLevel === undefined ? settings.log.level : logLevels.find((known) => known === env.logLevel);
  if (level === undefined) problems.push(`LOG_LEVEL: must be one of ${logLevels.join(', ')}, not "${env.logLevel}"`);
  if (env.operatorToken !== undefined && env.operatorToken.length < operatorTokenMin)
    problems.push(
      `OPERATOR_TOKEN: must have at least ${operatorTokenMin} characters; openssl rand -base64 32 makes one`,
    );
  const url = env.databaseUrl ?? settings.database.url;
  if (url !== null && !/^(mysql|mariadb):\/\//.test(url))
    problems.push(
      'database.url (or DATABASE_URL): must start with mysql://, for example mysql://user@127.0.0.1:3306/intelligence',
    );
  if (settings.payments.provider === 'sandbox' && !settings.payments.allowSandbox)
    problems.push('payments.provider: "sandbox" pays without money and needs payments.allowSandbox: true');
  const stripe = settings.payments.provider === 'stripe' ? stripeConfig(settings.payments, env, problems) : undefined;
  for (const [index, { provider, id }] of settings.models.entries())
    if (!settings.providers.some((known) => known.id === provider) && !wellKnownProviders.has(provider))
      problems.push(`models.${index}.provider: "${provider}" of model "${id}" is not among the providers`);
  for (const [index, id] of settings.ownKeys.providers.entries())
    if (id === 'builtin' || (!settings.providers.some((known) => known.id === id) && !wellKnownProviders.has(id)))
      problems.push(`ownKeys.providers.${index}: "${id}" is not among the providers that have keys`);
  for (const id of Object.keys(settings.ownKeys.pricesPerRequestUsd))
    if (!settings.ownKeys.providers.includes(id))
      problems.push(`ownKeys.pricesPerRequestUsd: "${id}" is not among ownKeys.providers`);
  if (problems.length > 0 || level === undefined) throw new ConfigError(source, problems);

  const dataDir = resolve(env.dataDir ?? settings.dataDir);
  return {
    ...settings,
    dataDir,
    secretsFile: settings.secretsFile ? resolve(settings.secretsFile) : join(dataDir, 'secrets.json'),
    http: { ...settings.http, port },
    database: { url },
    payments: { ...settings.payments, stripe },
    providers: providersOf(settings, env).map((provider) => ({
      ...provider,
      apiKey: provider.apiKeyEnv ? env.read(provider.apiKeyEnv) : undefined,
    })),
    operatorToken: env.operatorToken,
    log: { level },
  };
}

/** Providers that need no configuration: a key in the environment is enough, under the name that their own tools use. */
const keyedProviders = [
  { id: 'openai', kind: 'openai', apiKeyEnv: 'OPENAI_API_KEY' },
  { id: 'anthropic', kind: 'anthropic', apiKeyEnv: 'ANTHROPIC_API_KEY' },
  { id: 'google', kind: 'google', apiKeyEnv: 'GEMINI_API_KEY' },
] as const;

const wellKnownProviders = new Set<string>(['builtin', ...keyedProviders.map(({ id }) => id)]);

/** The configured providers, plus each well-known one that has a key in the environment, that a model names, or that accounts may bring keys for. */
function providersOf(settings: Settings, env: Environment): Settings['providers'] {
  const more = keyedProviders.filter(
    ({ id, apiKeyEnv }) =>
      !settings.providers.some((configured) => configured.id === id) &&
      (env.read(apiKeyEnv) !== undefined ||
        settings.models.some(({ provider }) => provider === id) ||
        (settings.ownKeys.pricePerRequestUsd !== null && settings.ownKeys.providers.includes(id))),
  );
  return [...settings.providers, ...more];
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    throw new ConfigError(file, ['the file that CONFIG names cannot be read']);
  }
}
