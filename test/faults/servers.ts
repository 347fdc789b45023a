import { accessSync, constants, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { type PrivateServer, startPrivateServer, withDatabase } from '../../src/db/index.ts';
import { run } from '../wallet/support.ts';

/** A database whose server can be killed. */
export type FaultyServer = Pick<PrivateServer, 'url' | 'kill' | 'start' | 'close'>;

/** Where `mysql-server` of the shared tools unpacks MySQL. */
export const mysqldRootDefault = join(tmpdir(), 'mysql-9', 'root');

const silent = pino({ level: 'silent' });

/** A private server for this run only: the machine's own MariaDB or MySQL, or the MySQL unpacked at `mysqldRoot`. */
export async function startOwn(mysqldRoot?: string): Promise<FaultyServer> {
  const folder = mkdtempSync(join(tmpdir(), 'faults-'));
  try {
    const program = mysqldRoot === undefined ? undefined : unpackedMysql(mysqldRoot, folder);
    const server = await startPrivateServer({ folder, log: silent, restart: false, ...(program && { program }) });
    const close = async () => {
      await server.close();
      rmSync(folder, { recursive: true, force: true });
    };
    return { url: server.url, kill: server.kill, start: server.start, close };
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
}

/** Our own database on a server that is not ours. */
export async function borrow(url: string): Promise<FaultyServer> {
  const name = `faults_${process.pid}`;
  await run(withDatabase(url, ''), `CREATE DATABASE ${name} CHARACTER SET utf8mb4`);
  const never = async () => undefined;
  const close = () => run(withDatabase(url, ''), `DROP DATABASE ${name}`);
  return { url: withDatabase(url, name), kill: never, start: never, close };
}

/**
 * A MySQL from another release of the system, which runs with the loader and libraries that it was unpacked with. It writes its binary log, as
 * MySQL does by default: a kill leaves two logs that must agree.
 */
function unpackedMysql(root: string, folder: string) {
  const libraries = join(root, 'usr/lib/x86_64-linux-gnu');
  const loader = join(root, 'usr/lib64/ld-linux-x86-64.so.2');
  const server = join(root, 'usr/sbin/mysqld');
  try {
    for (const file of [loader, server]) accessSync(file, constants.X_OK);
  } catch {
    throw new Error(
      `There is no MySQL in ${root}. "../shared/tools/mysql-server start" unpacks one into ${mysqldRootDefault}; for another folder say --mysqld-root DIR.`,
    );
  }
  const paths = [libraries, join(root, 'usr/lib/mysql/private'), join(libraries, 'mysql/private')].join(':');
  const path = join(folder, 'mysqld');
  writeFileSync(
    path,
    `#!/bin/sh
case "$*" in *--initialize*) log= ;; *) log=--log-bin=binlog ;; esac
exec '${loader}' --library-path '${paths}' '${server}' "$@" --basedir='${root}/usr' $log
`,
    { mode: 0o700 },
  );
  return { path, kind: 'mysql', version: 'MySQL, unpacked' } as const;
}
