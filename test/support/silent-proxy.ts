import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { parseDatabaseUrl } from '../../src/db/index.ts';

export interface SilentProxy {
  /** The database behind it, by way of the proxy. */
  url: string;
  /** Connections made so far. */
  readonly made: number;
  /** Connections that are open on the client's side. */
  readonly open: number;
  /** Answers, or parts of them, that the server gave and nobody received. */
  readonly swallowed: number;
  /** From now on, nothing that the server says on the current connections arrives; they stay open. */
  swallowAnswers(): void;
  close(): Promise<void>;
}

/** Sits in front of a database server and can leave connections half open, like a firewall that drops packets. */
export async function startSilentProxy(databaseUrl: string): Promise<SilentProxy> {
  const { socketPath, host, port, user = '', password = '', database } = parseDatabaseUrl(databaseUrl);
  const pairs = new Set<{ client: Socket; server: Socket }>();
  let made = 0;
  let swallowed = 0;
  const proxy = createServer((client) => {
    made++;
    const server = socketPath === undefined ? connect(port ?? 3306, host) : connect(socketPath);
    const pair = { client, server };
    pairs.add(pair);
    client.pipe(server);
    server.pipe(client);
    for (const socket of [client, server]) socket.on('error', () => undefined);
    client.on('close', () => {
      pairs.delete(pair);
      server.destroy();
    });
    server.on('close', () => client.destroy());
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const own = new URL(`mysql://127.0.0.1:${(proxy.address() as AddressInfo).port}/${database}`);
  Object.assign(own, { username: user, password });
  return {
    url: own.href,
    get made() {
      return made;
    },
    get open() {
      return pairs.size;
    },
    get swallowed() {
      return swallowed;
    },
    swallowAnswers() {
      for (const { client, server } of pairs) {
        server.unpipe(client);
        server.on('data', () => swallowed++);
        server.resume();
      }
    },
    close: async () => {
      for (const { client } of pairs) client.destroy();
      await new Promise((resolve) => proxy.close(resolve));
    },
  };
}
