import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

export interface Nginx {
  /** Proxies HTTP/1.1. */
  url: string;
  /** Proxies gRPC, over HTTP/2 without TLS. */
  grpcUrl: string;
  close(): Promise<void>;
}

/** Where Debian and others install it; undefined when it is not installed. */
export function findNginx(): string | undefined {
  return ['/usr/sbin/nginx', '/usr/bin/nginx', '/usr/local/sbin/nginx'].find((path) => existsSync(path));
}

/** A real nginx in front of the service, as Debian packages it, in its own folder. */
export async function startNginx({ upstream, readTimeout }: { upstream: string; readTimeout: string }): Promise<Nginx> {
  const program = findNginx();
  if (!program) throw new Error('There is no nginx.');
  const folder = await mkdtemp(join(tmpdir(), 'nginx-'));
  const [port, grpcPort] = [await freePort(), await freePort()];
  const file = join(folder, 'nginx.conf');
  await writeFile(
    file,
    `daemon off; master_process off; pid ${folder}/pid; error_log ${folder}/error.log;
events {}
http {
  access_log off;
  client_body_temp_path ${folder}/body; proxy_temp_path ${folder}/proxy; fastcgi_temp_path ${folder}/fastcgi;
  uwsgi_temp_path ${folder}/uwsgi; scgi_temp_path ${folder}/scgi;
  server {
    listen 127.0.0.1:${port};
    location / {
      proxy_pass ${upstream};
      proxy_http_version 1.1;
      proxy_read_timeout ${readTimeout};
    }
  }
  server {
    listen 127.0.0.1:${grpcPort} http2;
    location / {
      grpc_pass ${upstream.replace('http:', 'grpc:')};
      grpc_read_timeout ${readTimeout};
    }
  }
}
`,
  );
  const running = spawn(program, ['-p', folder, '-e', join(folder, 'error.log'), '-c', file], { stdio: 'ignore' });
  await Promise.all([listening(port), listening(grpcPort)]);
  return {
    url: `http://127.0.0.1:${port}`,
    grpcUrl: `http://127.0.0.1:${grpcPort}`,
    async close() {
      await ended(running);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  await gone;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

async function listening(port: number): Promise<void> {
  for (let tries = 0; tries < 300; tries++) {
    const open = await new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1', () => {
        socket.destroy();
        resolve(true);
      });
      socket.on('error', () => resolve(false));
    });
    if (open) return;
    await sleep(100);
  }
  throw new Error('nginx does not listen');
}
