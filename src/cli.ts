import { Command } from 'commander';
import { pino } from 'pino';
import { createCatalog } from './catalog/index.ts';
import { createPriceStore } from './catalog/price-store.ts';
import { chatInvariants } from './chat/index.ts';
import { registerAudit } from './cli/audit.ts';
import { registerPrices } from './cli/prices.ts';
import { ConfigError, loadConfig, readEnvironment } from './config/index.ts';
import { migrate } from './db/index.ts';
import { openDatabaseBeside } from './open-database.ts';
import { createProviders } from './providers/index.ts';
import { catalogSettings } from './rooms.ts';

const log = pino({ level: 'warn', base: null }, pino.destination(2));

const program = new Command('npm run cli --')
  .description('Operates the Intelligence API. Configured as the service is: CONFIG, DATABASE_URL, DATA_DIR.')
  .showHelpAfterError();

registerAudit(program, {
  openDatabase: () => openDatabaseBeside(loadConfig(readEnvironment()), log),
  more: chatInvariants,
});
registerPrices(program, { openCatalog });

program
  .command('migrate')
  .description('Bring the database up to date. The service does so at each start; this is for doing it before.')
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
  console.error(error instanceof ConfigError || error instanceof Error ? error.message : error);
  process.exitCode = 2;
}

async function openCatalog() {
  const config = loadConfig(readEnvironment());
  const { db, close: closeDatabase } = await openDatabaseBeside(config, log);
  const providers = createProviders({ providers: config.providers, log });
  const catalog = await createCatalog({
    store: createPriceStore(db),
    settings: catalogSettings(config),
    enabledProviders: providers.enabled,
    log,
  });
  const close = async () => {
    catalog.close();
    await providers.close();
    await closeDatabase();
  };
  return { catalog, close };
}
