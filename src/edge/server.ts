import { readFileSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { routableUrl } from '@intelligence-api/transcoding/fastify';
import Fastify, { type FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import type { AnonymousBudget } from '../limits/index.ts';
import {
  createListener,
  defaultListenerLimits,
  type Listener,
  type ListenerLimits,
  type TakeStream,
} from './listener.ts';
import { proxies } from './proxies.ts';

export interface ServerOptions {
  host: string;
  port: number;
  trustedProxies: readonly string[];
  tls: { certFile: string; keyFile: string } | null;
  log: Logger;
  limits?: ListenerLimits;
  /** Limits for callers without a credential; absent if there are none. */
  anonymous?: AnonymousBudget;
  /** Asked first about each HTTP/2 stream. True: it is handled, and no route sees it. */
  takeStream?: TakeStream;
  /** Registers the routes. */
  routes(app: FastifyInstance): void;
}

export interface RunningServer {
  /** The address it listens on, for example `http://127.0.0.1:8080`. */
  url: string;
  /** The number of open connections. */
  connections(): number;
  /** Stops accepting, lets calls in flight end within `drainMs`, then ends what is left. */
  close(drainMs: number): Promise<void>;
}

/** The port is taken; the message says which and what to do. */
export class PortTakenError extends Error {
  constructor(host: string, port: number) {
    super(
      `Port ${port} on ${host} is in use by another program. Stop that program, or choose another port, for example PORT=${port + 1}.`,
    );
    this.name = 'PortTakenError';
  }
}

export async function startServer(options: ServerOptions): Promise<RunningServer> {
  let listener: Listener | undefined;
  const app = Fastify({
    logger: false,
    // A plain TCP server that passes each connection to an HTTP/1.1 or HTTP/2 server; Fastify's types don't cover that.
    serverFactory: ((handler: RequestListener) => {
      listener = createListener(handler, {
        limits: options.limits ?? defaultListenerLimits,
        log: options.log,
        anonymous: options.anonymous,
        isProxy: proxies(options.trustedProxies),
        tls: tlsFiles(options),
        takeStream: options.takeStream,
      });
      return listener.server;
    }) as never,
    trustProxy: options.trustedProxies.length > 0 ? [...options.trustedProxies] : false,
    rewriteUrl: routableUrl,
    return503OnClosing: false,
  });
  options.routes(app);
  try {
    await app.listen({ host: options.host, port: options.port });
  } catch (error) {
    await app.close();
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') throw new PortTakenError(options.host, options.port);
    throw error;
  }
  const { address, port } = app.server.address() as { address: string; port: number };
  const host = address.includes(':') ? `[${address}]` : address;
  return {
    url: `${options.tls ? 'https' : 'http'}://${host}:${port}`,
    connections: () => (listener as Listener).connections(),
    close: (drainMs) => close(app, listener as Listener, drainMs),
  };
}

async function close(app: FastifyInstance, listener: Listener, drainMs: number): Promise<void> {
  const closed = app.close();
  listener.drain();
  // A connection that was busy a moment ago may be idle now.
  const sweep = setInterval(() => listener.drain(), 100);
  const deadline = setTimeout(() => listener.destroy(), drainMs);
  try {
    await closed;
  } finally {
    clearInterval(sweep);
    clearTimeout(deadline);
  }
}

function tlsFiles({ tls }: ServerOptions) {
  return tls ? { cert: readFileSync(tls.certFile), key: readFileSync(tls.keyFile) } : undefined;
}
