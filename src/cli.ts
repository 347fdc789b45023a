import { createInterface } from 'node:readline/promises';
import { Command } from 'commander';
import { pino } from 'pino';
import { createAccounts } from './accounts/index.ts';
import { systemClock } from './base/clock.ts';
import { createSeal } from './base/seal.ts';
import { createCatalog } from './catalog/index.ts';
import { createPriceStore } from './catalog/price-store.ts';
import { chatInvariants } from './chat/index.ts';
import { registerAudit } from './cli/audit.ts';
import { browserAddress, registerConsoleCode } from './cli/console-code.ts';
import { openOver } from './cli/open-over.ts';
import { registerPeppers } from './cli/peppers.ts';
import { registerPrices } from './cli/prices.ts';
import { registerTopUps } from './cli/top-ups.ts';
import { registerUsage } from './cli/usage.ts';
import {
  addPepper,
  type Config,
  loadConfig,
  loadSecrets,
  readEnvironment,
  readPeppers,
  removePepper,
  usePepper,
} from './config/index.ts';
import { createCredentialChanges } from './db/credential-changes.ts';
import { isTableMissing, migrate } from './db/index.ts';
import { countKeysByPepper } from './keys/index.ts';
import { openDatabaseBeside } from './open-database.ts';
import { createStripeApi, createStripeEvents } from './payments/index.ts';
import { createProviders } from './providers/index.ts';
import { pulseInvariants } from './pulse/index.ts';
import { catalogSettings, operatorsOf } from './rooms/settings.ts';
import { type CodeOwner, createSignInCodes } from './sessions/index.ts';
import { createLedger, createWallets, refuseSandboxMoney } from './wallet/index.ts';
import { workflowInvariants } from './workflows/index.ts';

const log = pino({ level: 'warn', base: null }, pino.destination(2));

const program = new Command('npm run cli --')
  .description('Operates the Intelligence API. Configured like the service: CONFIG, DATABASE_URL, DATA_DIR.')
  .showHelpAfterError();

registerAudit(program, {
  openDatabase: () => openDatabaseBeside(loadConfig(readEnvironment()), log),
  more: [...chatInvariants, ...pulseInvariants, ...workflowInvariants],
});
registerUsage(program, { openDatabase: () => openDatabaseBeside(loadConfig(readEnvironment()), log) });
registerPrices(program, { openCatalog, write: (line) => console.log(line), ask: terminalAsk() });
registerTopUps(program, { openPayments });
registerPeppers(program, {
  path: () => loadConfig(readEnvironment()).secretsFile,
  read: readPeppers,
  add: addPepper,
  use: usePepper,
  remove: removePepper,
  countByPepper,
});
registerConsoleCode(program, { openCodes, address: () => browserAddress(loadConfig(readEnvironment()).http) });

program
  .command('migrate')
  .description('Bring the database up to date. The service does so at each start; use this to do it in advance.')
  .action(async () => {
    const { db, close } = await openDatabaseBeside(loadConfig(readEnvironment()), log);
    try {
      const done = await migrate({ url: db.url, log });
      console.log(done.length === 0 ? 'The database is up to date.' : `Migrated: ${done.join(', ')}.`);
    } finally {
      await close();
    }
  });

try {
  await program.parseAsync();
} catch (error) {
  console.error(explain(error));
  process.exitCode = 2;
}

function explain(error: unknown): unknown {
  if (isTableMissing(error))
    return 'The database is not up to date: it lacks tables. Run "npm run cli -- migrate", or start the service, which does the same.';
  return error instanceof Error ? error.message : error;
}

/** Asks a question if a person is at a terminal. */
function terminalAsk(): ((question: string) => Promise<string>) | undefined {
  const { stdin, stdout } = process;
  if (!stdin.isTTY || !stdout.isTTY) return undefined;
  return async (question) => {
    const terminal = createInterface({ input: stdin, output: stdout });
    try {
      return await terminal.question(question);
    } finally {
      terminal.close();
    }
  };
}

async function countByPepper() {
  const { db, close } = await openDatabaseBeside(loadConfig(readEnvironment()), log);
  try {
    return await countKeysByPepper(db, systemClock);
  } finally {
    await close();
  }
}

async function openCodes() {
  const config = loadConfig(readEnvironment());
  if (!config.console.enabled) throw new Error('console.enabled is false: there is nothing to sign in to.');
  const operators = operatorsOf(config, () => loadSecrets(config.secretsFile)).map(({ name }) => name);
  return openOver(databaseOf(config), log, (db) => {
    const onError = (err: unknown) => log.warn({ err }, 'changes of credentials could not be read');
    // Commands do not run long enough to receive changes.
    const changes = createCredentialChanges({ db, clock: systemClock, onError });
    const accounts = createAccounts({ db, clock: systemClock, log, changes });
    return {
      codes: createSignInCodes({ db, clock: systemClock }),
      check: async (owner: CodeOwner) => {
        if ('operator' in owner)
          return operators.includes(owner.operator)
            ? undefined
            : `There is no operator "${owner.operator}": ${operators.join(', ')}.`;
        return (await accounts.get(owner.accountId)).ok ? undefined : `There is no account ${owner.accountId}.`;
      },
    };
  });
}

async function openPayments() {
  const config = loadConfig(readEnvironment());
  if (!config.payments.stripe) throw new Error('payments.provider is not "stripe": there is nobody to ask.');
  const stripe = createStripeApi(config.payments.stripe, log);
  const seal = createSeal(loadSecrets(config.secretsFile).encryptionKeys);
  return openOver(databaseOf(config), log, async (db, stack) => {
    if (!stripe.provider.sandbox) await refuseSandboxMoney(db);
    const ledger = stack.use(createLedger({ db, log, seal }));
    const { topUps } = createWallets({ db, ledger, payments: stripe.provider });
    return { payments: createStripeEvents({ db, stripe, topUps, log }) };
  });
}

async function openCatalog() {
  const config = loadConfig(readEnvironment());
  return openOver(databaseOf(config), log, async (db, stack) => {
    const providers = stack.use(createProviders({ providers: config.providers, log }));
    const catalog = await createCatalog({
      store: createPriceStore(db),
      settings: catalogSettings(config),
      enabledProviders: providers.enabled,
      log,
    });
    return { catalog: stack.use(catalog) };
  });
}

function databaseOf(config: Config) {
  return () => openDatabaseBeside(config, log);
}
