import { execFileSync, spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync, mkdirSync, readFileSync, realpathSync, renameSync, rmSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';

/** A database server program on this machine. */
export interface ServerProgram {
  path: string;
  kind: 'mariadb' | 'mysql';
  /** As the program reports it. */
  version: string;
}

/** There is no server program; the message lists the three ways to get a database. */
export class NoServerProgramError extends Error {
  constructor() {
    super(`No database server was found. There are three ways:
1. Set DATABASE_URL to a server that you have: MariaDB 10.11 or later, or MySQL 8.4 or later,
   for example DATABASE_URL=mysql://user:password@127.0.0.1:3306/intelligence
2. Install a server program; it needs no service and no configuration. The start finds it on PATH:
   Debian, Ubuntu: sudo apt-get install mariadb-server-core     macOS: brew install mariadb
3. On Debian or Ubuntu, run "npm run quickstart" as root: it installs mariadb-server-core itself.`);
    this.name = 'NoServerProgramError';
  }
}

/** The first of mariadbd and mysqld found on PATH or in the usual system folders. */
export function findServerProgram(
  path = process.env.PATH ?? '',
  kind?: ServerProgram['kind'],
): ServerProgram | undefined {
  const folders = [
    ...path.split(delimiter).filter(Boolean),
    '/usr/sbin',
    '/usr/local/sbin',
    '/opt/homebrew/bin',
    '/usr/libexec',
  ];
  for (const name of ['mariadbd', 'mysqld'])
    for (const folder of folders) {
      const candidate = join(folder, name);
      if (!isProgram(candidate)) continue;
      const program = describeProgram(candidate);
      if (program && (kind === undefined || program.kind === kind)) return program;
    }
  return undefined;
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function describeProgram(path: string): ServerProgram | undefined {
  try {
    const version = execFileSync(path, ['--no-defaults', '--version'], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
      timeout: 10_000,
    });
    return { path, kind: /mariadb/i.test(version) ? 'mariadb' : 'mysql', version: version.trim() };
  } catch {
    return undefined;
  }
}

/** As root, the server must be told to stay root; it always runs as the current user. */
export function userOption(): string[] {
  return process.getuid?.() === 0 ? ['--user=root'] : [];
}

/**
 * Creates an empty data folder with the system tables and a password-less root, which only this user can reach: through a socket
 * in a folder with mode 0700. A folder left incomplete by a crash is discarded.
 */
export function initialiseData(program: ServerProgram, dataPath: string, logPath: string): void {
  if (existsSync(dataPath)) return;
  const unfinished = `${dataPath}.new`;
  rmSync(unfinished, { recursive: true, force: true });
  if (program.kind === 'mysql') {
    run(program.path, [
      '--no-defaults',
      '--initialize-insecure',
      ...userOption(),
      `--datadir=${unfinished}`,
      `--tmpdir=${temporaryFolder(dataPath)}`,
      `--log-error=${logPath}`,
    ]);
  } else {
    mkdirSync(unfinished, { mode: 0o700 });
    const options = [
      '--bootstrap',
      ...userOption(),
      `--datadir=${unfinished}`,
      `--tmpdir=${temporaryFolder(dataPath)}`,
      '--lc-messages=en_US',
      '--log-warnings=0',
    ];
    const limits = ['--enforce-storage-engine=', '--max_allowed_packet=8M', '--net_buffer_length=16K'];
    run(program.path, ['--no-defaults', ...options, ...limits], bootstrapSql(program.path));
  }
  renameSync(unfinished, dataPath);
}

// A starting server deletes what it takes for its own leftovers: in a folder shared by servers, another server's tables.
function temporaryFolder(dataPath: string): string {
  const folder = join(dirname(dataPath), 'tmp');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return folder;
}

// What mariadb-install-db does. That script itself needs my_print_defaults, which mariadb-server-core lacks on Debian 12.
function bootstrapSql(programPath: string): string {
  const prefix = dirname(dirname(realpathSync(programPath)));
  const folders = ['share/mysql', 'share/mariadb', 'share'].flatMap((folder) => [
    join(prefix, folder),
    join('/usr', folder),
  ]);
  const read = (name: string) => {
    for (const prefixed of [name, name.replace(/^mysql_/, 'mariadb_')])
      for (const folder of folders)
        if (existsSync(join(folder, prefixed))) return readFileSync(join(folder, prefixed), 'utf8');
    throw new Error(
      `${programPath} lacks its file ${name} (looked in ${folders.join(', ')}). Install the server package again.`,
    );
  };
  return [
    'create database if not exists mysql;',
    'use mysql;',
    'SET @auth_root_socket=NULL;',
    read('mysql_system_tables.sql'),
    read('mysql_performance_tables.sql'),
    read('mysql_system_tables_data.sql'),
    read('maria_add_gis_sp_bootstrap.sql'),
    read('mysql_sys_schema.sql'),
  ].join('\n');
}

function run(path: string, options: string[], input?: string): void {
  const done = spawnSync(path, options, { input, encoding: 'utf8', timeout: 120_000 });
  if (done.status === 0 && !/^ERROR: /m.test(done.stderr)) return;
  const words = `${done.stderr}\n${done.error?.message ?? ''}`.trim().split('\n').slice(-5).join('\n');
  throw new Error(`${path} could not make its data folder:\n${words}`);
}

/** The server's options: a socket and no network; durable; the same limits on both kinds. */
export function serverOptions(
  program: ServerProgram,
  paths: { data: string; socket: string; pid: string; log: string },
): string[] {
  const common = [
    '--no-defaults',
    ...userOption(),
    `--datadir=${paths.data}`,
    `--tmpdir=${temporaryFolder(paths.data)}`,
    `--socket=${paths.socket}`,
    `--pid-file=${paths.pid}`,
    `--log-error=${paths.log}`,
    '--skip-networking',
    '--skip-name-resolve',
    '--skip-log-bin',
    '--innodb-flush-log-at-trx-commit=1',
    '--sync-binlog=1',
    '--innodb-buffer-pool-size=128M',
    '--max-allowed-packet=64M',
    '--max-connections=300',
    '--character-set-server=utf8mb4',
    '--collation-server=utf8mb4_bin',
    '--sql-mode=STRICT_TRANS_TABLES,NO_ENGINE_SUBSTITUTION',
    '--performance-schema=OFF',
  ];
  return program.kind === 'mysql' ? [...common, '--mysqlx=OFF', '--secure-file-priv=NULL'] : common;
}
