// Makes sure that this machine has a database server program; as root on Debian or Ubuntu it installs one.
import { ensureServerProgram } from '../src/db/install-server.ts';

try {
  ensureServerProgram((line) => console.log(`quickstart: ${line}`));
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
}
