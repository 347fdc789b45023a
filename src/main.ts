import { mkdirSync } from 'node:fs';
import type { Logger } from 'pino';
import { type App, buildApp } from './app.ts';
import { SecretsUnfitError } from './base/secrets-unfit.ts';
import { ConfigError, loadConfig, loadOrCreateSecrets, readEnvironment, SecretsError } from './config/index.ts';
import { DatabaseUnfitError, FolderInUseError, NoServerProgramError } from './db/index.ts';
import { PortTakenError } from './edge/index.ts';
import { DatabaseUnopenedError } from './open-database.ts';
import { openLog } from './open-log.ts';
import { endOnFaults } from './process-faults.ts';
import { prepareQuickstart, quickstartConfig } from './quickstart.ts';
import { keepNewObjectsYoung } from './young-objects.ts';

const help = `Serves the Intelligence API.

Usage: npm start [-- --quickstart]

  --quickstart   a service to try: sandbox payments on 127.0.0.1, an account, commands to paste
  -h, --help     this text

CONFIG names the configuration file. PORT, DATABASE_URL, DATA_DIR, OPERATOR_TOKEN and LOG_LEVEL override it.`;

/** Longer than the rooms take to close once no request is in flight; anything not settled by then is settled when its hold expires. */
const roomsCloseMs = 40_000;

/** Errors whose message is all a user needs. */
const forPeople = [
  ConfigError,
  SecretsError,
  SecretsUnfitError,
  PortTakenError,
  NoServerProgramError,
  DatabaseUnfitError,
  DatabaseUnopenedError,
  FolderInUseError,
];

keepNewObjectsYoung();

const flags = process.argv.slice(2);
if (flags.includes('-h') || flags.includes('--help')) {
  process.stdout.write(`${help}\n`);
} else {
  const unknown = flags.filter((flag) => flag !== '--quickstart');
  if (unknown.length > 0) end(`${unknown.join(' ')}: no such option.\n\n${help}`);
  else await main(flags.includes('--quickstart'));
}

async function main(quickstart: boolean): Promise<void> {
  let app: App | undefined;
  let log: Logger | undefined;
  let stopping = false;
  let exitCode = 0;
  let drainMs = 0;
  endOnFaults({
    log: () => log,
    close: async () => {
      // A shutdown in progress continues, and exits with 1.
      exitCode = 1;
      if (stopping) return new Promise(() => {});
      stopping = true;
      await app?.close();
    },
    closeMaxMs: () => drainMs + roomsCloseMs,
    exit: (code) => process.exit(code),
  });
  const stop = async (signal: string) => {
    // A second signal exits at once.
    if (stopping) process.exit(1);
    stopping = true;
    if (quickstart) say(`\n${signal}: stopping`);
    await app?.close();
    process.exit(exitCode);
  };
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
  // The reader of our output may go away, as in "| head". That is no reason to exit, least of all during a shutdown.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
  // The script that started quickstart holds a channel to it, which closes however the script ends.
  if (process.connected) process.once('disconnect', () => stop('The terminal is gone'));

  try {
    const loaded = loadConfig(readEnvironment());
    const config = quickstart ? await quickstartConfig(loaded) : loaded;
    drainMs = config.http.drainSeconds * 1000;
    mkdirSync(config.dataDir, { recursive: true, mode: 0o700 });
    const logger = openLog(config, quickstart);
    log = logger;
    const progress = (step: string) => (quickstart ? say(`- ${step}`) : logger.info(step));
    const secrets = loadOrCreateSecrets(config.secretsFile);
    app = await buildApp({ config, secrets, log: logger, progress });
    if (stopping) return;
    if (quickstart) say(await prepareQuickstart({ app, config, secrets }));
    else logger.info({ url: app.url }, 'serving');
  } catch (error) {
    await app?.close();
    end(isForPeople(error) ? error.message : error instanceof Error ? (error.stack ?? error.message) : String(error));
  }
}

function isForPeople(error: unknown): error is Error {
  return forPeople.some((kind) => error instanceof kind);
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

function end(message: string): void {
  process.stderr.write(`${message}\n`);
  process.exitCode = 1;
  // Handles left open by a failed start must not keep the process alive.
  setTimeout(() => process.exit(1), 100).unref();
}
