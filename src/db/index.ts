/** The database: one connection pool, transactions that retry as a whole, migrations, and a private server for a single machine. */
export { checkServer, DatabaseUnfitError } from './check-server.ts';
export { openConnection, type SessionSettings, throwWithoutStatement } from './connection.ts';
export {
  connectDatabase,
  type Database,
  type DatabaseOptions,
  type Queryable,
  type Transaction,
  type Transactional,
} from './database.ts';
export { FolderInUseError } from './folder-lock.ts';
export { ensureServerProgram } from './install-server.ts';
export { type MigrateOptions, type Migration, migrate } from './migrate.ts';
export { type PrivateServer, privateServerUrl, startPrivateServer } from './private-server.ts';
export { pruneInBatches } from './prune.ts';
export { lockQuota } from './quota.ts';
export { isConnectionLost, isContention, isDuplicateKey, isLockedElsewhere, isTableMissing } from './retry.ts';
export { findServerProgram, NoServerProgramError } from './server-program.ts';
export { parseDatabaseUrl, withDatabase } from './url.ts';
