import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { findServerProgram, NoServerProgramError, type ServerProgram } from './server-program.ts';

/**
 * Finds a database server program on this machine. If there is none and we are root on Debian or Ubuntu, installs
 * `mariadb-server-core` (programs only: no service, no configuration) and says so. Otherwise fails with an error that lists the
 * three ways to get a database. For quickstart and tests; a production service is configured with its database's address.
 */
export function ensureServerProgram(say: (line: string) => void): ServerProgram {
  const found = findServerProgram();
  if (found) return found;
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) throw new NoServerProgramError();

  say('No database server is installed. Installing mariadb-server-core with apt-get (you are root); about 10 s.');
  // A machine made from an image may have no package lists yet.
  const installed = aptGet('install') || (aptGet('update') && aptGet('install'));
  const program = installed ? findServerProgram() : undefined;
  if (!program) {
    say('apt-get could not install mariadb-server-core; its words are above.');
    throw new NoServerProgramError();
  }
  say(`Installed ${program.path}.`);
  return program;
}

function aptGet(command: 'install' | 'update'): boolean {
  const what = command === 'install' ? ['install', '-y', '--no-install-recommends', 'mariadb-server-core'] : ['update'];
  const done = spawnSync('/usr/bin/apt-get', ['-qq', '-o', 'Dpkg::Use-Pty=0', ...what], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', DEBIAN_FRONTEND: 'noninteractive', LC_ALL: 'C.UTF-8' },
    timeout: 300_000,
  });
  return done.status === 0;
}
