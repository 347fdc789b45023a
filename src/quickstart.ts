import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openAccount } from './api/account.ts';
import type { App } from './app.ts';
import { browserAddress, consoleLink } from './cli/console-code.ts';
import type { Config, Secrets } from './config/index.ts';
import { findOllamaModels } from './providers/index.ts';
import { codeMinutes } from './sessions/index.ts';

/** The contents of `.data/quickstart.json`, readable only by the machine's owner (mode 0600). */
export interface Quickstart {
  baseUrl: string;
  operatorToken: string;
  accountId: string;
  managementKey: string;
}

type Owner = Pick<Quickstart, 'accountId' | 'managementKey'>;

const ollamaUrl = 'http://127.0.0.1:11434';

/**
 * A service for trying things out. Its payments take no real money, so it listens on this machine only. It uses a local Ollama's
 * models.
 */
export async function quickstartConfig(config: Config, ollama = ollamaUrl): Promise<Config> {
  return withOllama(
    {
      ...config,
      http: { ...config.http, host: '127.0.0.1' },
      payments: { ...config.payments, provider: 'sandbox', allowSandbox: true },
    },
    ollama,
  );
}

/** Adds each of Ollama's models; settings in the file take precedence. */
async function withOllama(config: Config, url: string): Promise<Config> {
  const baseUrl = `${url}/v1`;
  if (config.providers.some((known) => known.id === 'ollama' || known.baseUrl?.startsWith(url))) return config;
  const names = await findOllamaModels(url);
  if (names.length === 0) return config;
  const models = names.map((id) => ({
    id,
    provider: 'ollama',
    quality: 30,
    // Ollama's default for a model.
    contextTokens: 4_096,
    price: { inputPerMillionUsd: '0.02', cachedInputPerMillionUsd: '0.02', outputPerMillionUsd: '0.04' },
  }));
  return {
    ...config,
    providers: [...config.providers, { id: 'ollama', kind: 'openai-compatible', baseUrl }],
    models: [...config.models, ...models],
  };
}

/** Creates the "quickstart" account at the first start, writes its file, and returns what to tell the user. */
export async function prepareQuickstart({
  app,
  config,
  secrets,
}: {
  app: App;
  config: Config;
  secrets: Secrets;
}): Promise<string> {
  const file = join(config.dataDir, 'quickstart.json');
  const owner = (await readKnown(file, app)) ?? (await createOwner(app));
  const operatorToken = config.operatorToken ?? [...secrets.operatorTokens.values()][0] ?? '';
  const quickstart: Quickstart = { ...owner, baseUrl: app.url, operatorToken };
  writeWhole(file, `${JSON.stringify(quickstart, null, 2)}\n`);
  const { port } = new URL(app.url);
  const link = config.console.enabled
    ? consoleLink(
        browserAddress({ ...config.http, port: Number(port) }),
        await app.rooms.sessions.codes.create({ accountId: owner.accountId }),
      )
    : undefined;
  return instructions(quickstart, file, modelsOf(app, owner), link);
}

/** A line that tells the user which models answer. */
function modelsOf({ rooms }: App, { accountId }: Owner): string {
  const models = rooms.catalog.models(accountId).map(({ model }) => model);
  const real = models.filter(({ embedded }) => !embedded).map(({ name }) => name);
  if (real.length === 0)
    return `It answers with an embedded model, which quotes the conversation and does not think. Set OPENAI_API_KEY,
ANTHROPIC_API_KEY or GEMINI_API_KEY, or run Ollama, and start again for real ones.`;
  const more = real.length > namedMax ? ` and ${real.length - namedMax} more` : '';
  const off = rooms.catalog.unoffered().length;
  const without = off > 0 ? `\n${off} models are off: "npm run cli -- prices off" says why.` : '';
  return `It answers with ${real.slice(0, namedMax).join(', ')}${more}.${without}`;
}

const namedMax = 4;

async function createOwner({ rooms }: App): Promise<Owner> {
  const { account, managementKey } = await openAccount(rooms, 'quickstart');
  return { accountId: account.id, managementKey };
}

/** The account from an earlier start; none if the file belongs to another database. */
async function readKnown(file: string, { rooms }: App): Promise<Owner | undefined> {
  if (!existsSync(file)) return undefined;
  const { accountId, managementKey } = JSON.parse(readFileSync(file, 'utf8')) as Quickstart;
  const verified = await rooms.keys.verify(managementKey);
  return verified.ok ? { accountId, managementKey } : undefined;
}

function writeWhole(file: string, text: string): void {
  writeFileSync(`${file}.new`, text, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

function instructions(
  { baseUrl, managementKey }: Quickstart,
  file: string,
  models: string,
  link: string | undefined,
): string {
  return `${link === undefined ? '' : `\nOpen the console, signed in (this link works once, for ${codeMinutes} minutes):\n\n   ${link}\n`}
The Intelligence API answers at ${baseUrl}. Its documentation: ${baseUrl}/docs
The credentials of this service are in ${file}.
${models}

1. Create an API key and state what is being built. Its secret is shown once:

   KEY=$(curl -s ${baseUrl}/v1/keys -H 'Authorization: Bearer ${managementKey}' -H 'Content-Type: application/json' \\
     -d '{"displayName":"first key","purpose":"trying the API"}' | sed -E 's/.*"secret":"([^"]+)".*/\\1/')

2. Add at least 5 USD of API credit (sandbox money):

   curl -s ${baseUrl}/v1/wallet/top-ups -H 'Authorization: Bearer ${managementKey}' -H 'Content-Type: application/json' \\
     -H "Idempotency-Key: top-up-$(date +%s)" -d '{"amountUsd":"5.00"}'

3. Chat:

   curl -s ${baseUrl}/api/v1/assistant/chat -H "Authorization: Bearer $KEY" -H 'Content-Type: application/json' \\
     -d '{"provider":"auto","routing":{"mode":"economy"},"messages":[{"role":"user","content":"Paris is the capital of France. What is the capital of France?"}]}'

4. See what it cost:

   curl -s ${baseUrl}/v1/wallet -H 'Authorization: Bearer ${managementKey}'

Ctrl-C stops the service and its database; the data stays.
`;
}
