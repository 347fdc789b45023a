// Makes sure that this machine has a database server program, unless the settings name a server elsewhere. As root on
// Debian or Ubuntu it installs one.
import { ConfigError, loadConfig, readEnvironment } from '../src/config/index.ts';
import { ensureServerProgram } from '../src/db/install-server.ts';

try {
  if (loadConfig(readEnvironment()).database.url === null)
    ensureServerProgram((line) => console.log(`quickstart: ${line}`));
} catch (error) {
  // The service itself reports problems in the configuration.
  if (!(error instanceof ConfigError)) {
    console.error(error instanceof Error ? error.message : error);
    process.exit(1);
  }
}
