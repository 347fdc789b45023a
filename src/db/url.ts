import { readFileSync } from 'node:fs';
import type { ConnectionOptions } from 'mysql2';

/**
 * Reads a database URL: `mysql://user:password@host:3306/name`. Parameters: `socket` (path of a unix socket, instead of host and
 * port), `ssl-mode` (`DISABLED`, `VERIFY_CA`, `VERIFY_IDENTITY`) and `ssl-ca` (path of a PEM file), named as in MySQL's own
 * clients. Anything else is refused, so that a misspelled TLS setting never silently disables TLS.
 */
export function parseDatabaseUrl(text: string): ConnectionOptions {
  if (!URL.canParse(text)) throw new Error('The database URL is not a URL. Write it like mysql://user@host:3306/name.');
  const url = new URL(text);
  if (url.protocol !== 'mysql:' && url.protocol !== 'mariadb:')
    throw new Error(`The database URL begins with ${url.protocol}//. It must begin with mysql:// or mariadb://.`);

  const options: ConnectionOptions = {
    host: url.hostname || 'localhost',
    port: url.port ? Number(url.port) : 3306,
    user: decodeURIComponent(url.username) || 'root',
    password: decodeURIComponent(url.password),
  };
  const database = decodeURIComponent(url.pathname.slice(1));
  if (database) options.database = database;

  for (const name of url.searchParams.keys())
    if (!['socket', 'ssl-mode', 'ssl-ca'].includes(name))
      throw new Error(`The database URL has an unknown parameter "${name}". Known are socket, ssl-mode and ssl-ca.`);
  const socket = url.searchParams.get('socket');
  if (socket) options.socketPath = socket;
  return { ...options, ...tlsOptions(url.searchParams) };
}

/** The URL of another database on the same server. */
export function withDatabase(url: string, database: string): string {
  const changed = new URL(url);
  changed.pathname = `/${encodeURIComponent(database)}`;
  return changed.href;
}

function tlsOptions(parameters: URLSearchParams): Pick<ConnectionOptions, 'ssl'> {
  const caPath = parameters.get('ssl-ca');
  const mode = parameters.get('ssl-mode') ?? (caPath ? 'VERIFY_IDENTITY' : 'DISABLED');
  if (mode === 'DISABLED') {
    if (caPath) throw new Error('The database URL sets ssl-ca together with ssl-mode=DISABLED. Keep one of them.');
    return {};
  }
  if (mode !== 'VERIFY_CA' && mode !== 'VERIFY_IDENTITY')
    throw new Error(`The database URL has ssl-mode=${mode}. Known are DISABLED, VERIFY_CA and VERIFY_IDENTITY.`);
  return {
    ssl: {
      minVersion: 'TLSv1.2',
      rejectUnauthorized: true,
      verifyIdentity: mode === 'VERIFY_IDENTITY',
      ...(caPath ? { ca: readFileSync(caPath, 'utf8') } : {}),
    },
  };
}
