import type { ClientHttp2Session } from 'node:http2';
import { setTimeout as sleep } from 'node:timers/promises';
import { openConnection } from '../../../src/db/index.ts';
import type { Stage, Stranger } from '../stage.ts';
import type { Attack } from './attack.ts';
import { field, frame, frameTypes, grpcHeaders, grpcMessage, preface } from './frames.ts';

/** What callers without a credential can take. */

const connectionsMax = 10_050;
const batch = 150;
/** More than a host of ordinary callers opens, and fewer than would shut others out. */
const heldMax = 2_000;
const reflectionBytesMax = 16_000_000;
/** Pending device authorisations of one address. */
const pendingMax = 50;

export const strangerAttacks: readonly Attack[] = [
  {
    name: 'connections-watch',
    about: '10,050 HTTP/2 connections of one host, each with a silent health Watch',
    right: ['batch'],
    width: 1,
    turns: Math.ceil(connectionsMax / batch),
    whole: true,
    open: async (stage) => {
      const host = stage.stranger();
      const other = stage.stranger();
      const held = new Set<object>();
      return {
        send: async () => {
          await Promise.all(Array.from({ length: batch }, () => openWatch(host, stage, held)));
          return 'batch';
        },
        found: async () => {
          const problems: string[] = [];
          // Connections closed by the service are noticed only when this process has its turn.
          for (let looks = 0; held.size > heldMax && looks < 50; looks++) await sleep(100);
          if (held.size > heldMax) problems.push(`one host holds ${held.size} connections (at most ${heldMax})`);
          const { status } = await other.request('GET', '/readyz');
          if (status !== '200') problems.push(`a caller from elsewhere is not let in: ${status}`);
          return problems;
        },
      };
    },
  },
  {
    name: 'reflection',
    about: '1,000 questions to reflection in one stream of 47 KB',
    right: ['0', '8', '14', 'closed', 'http 429', 'http 404', '12'],
    width: 2,
    open: async (stage) => {
      const caller = stage.stranger();
      const question = grpcMessage(field(4, 'intelligence.chat.v1.ChatService'));
      const body = Buffer.concat(Array(1_000).fill(question));
      let most = 0;
      return {
        send: async () => {
          const { status, bytes } = await reflect(caller, body);
          most = Math.max(most, bytes);
          return status;
        },
        found: async () =>
          most > reflectionBytesMax ? [`${most} bytes answered ${body.length} (at most ${reflectionBytesMax})`] : [],
      };
    },
  },
  {
    name: 'device-authorisations',
    about: 'device authorisations of nobody, from many networks',
    right: ['200', '429', '503', 'closed'],
    width: 24,
    turns: 2_000,
    whole: true,
    open: async (stage) => {
      const account = await stage.openAccount();
      const caller = stage.stranger();
      const made = await caller.request('POST', '/v1/clients', {
        credential: account.managementKey,
        body: { displayName: 'A shop', keyId: account.keyId },
      });
      const { clientId } = JSON.parse(made.text).client;
      const networks = Array.from({ length: 24 }, () => stage.stranger());
      const before = await pending(stage.databaseUrl);
      return {
        send: async (turn) => {
          const from = networks[turn % networks.length] ?? caller;
          const { status } = await from.request('POST', '/oauth/device_authorization', {
            headers: { 'content-type': 'application/x-www-form-urlencoded' },
            body: `client_id=${clientId}`,
          });
          return status;
        },
        found: async () => {
          const rows = (await pending(stage.databaseUrl)) - before;
          const most = networks.length * pendingMax;
          return rows > most ? [`${rows} rows wait for an approval (at most ${most})`] : [];
        },
      };
    },
  },
];

/** Opens a connection with a Watch; it stays in `held` for as long as it is open. */
function openWatch(host: Stranger, { port }: Stage, held: Set<object>): Promise<void> {
  return new Promise((resolve) => {
    const socket = host.socket();
    socket.on('connect', () => {
      held.add(socket);
      socket.write(
        Buffer.concat([
          preface,
          frame(frameTypes.settings, 0, 0, Buffer.alloc(0)),
          frame(frameTypes.headers, 4, 1, grpcHeaders('/grpc.health.v1.Health/Watch', `127.0.0.1:${port}`)),
          frame(frameTypes.data, 1, 1, grpcMessage(Buffer.alloc(0))),
        ]),
        () => resolve(),
      );
    });
    socket.resume();
    socket.on('close', () => {
      held.delete(socket);
      resolve();
    });
  });
}

function reflect(caller: Stranger, body: Buffer): Promise<{ status: string; bytes: number }> {
  return new Promise((resolve) => {
    const session = caller.session() as ClientHttp2Session;
    let bytes = 0;
    let status = 'closed';
    const done = () => {
      session.destroy();
      resolve({ status, bytes });
    };
    session.on('error', done);
    const stream = session.request({
      ':method': 'POST',
      ':path': '/grpc.reflection.v1.ServerReflection/ServerReflectionInfo',
      'content-type': 'application/grpc',
      te: 'trailers',
    });
    stream.on('response', (headers) => {
      if (headers[':status'] !== 200) status = `http ${headers[':status']}`;
      if (headers['grpc-status'] !== undefined) status = String(headers['grpc-status']);
    });
    stream.on('trailers', (trailers) => {
      status = String(trailers['grpc-status']);
    });
    stream.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
    });
    stream.on('error', () => undefined);
    stream.on('close', done);
    stream.end(body);
  });
}

async function pending(databaseUrl: string): Promise<number> {
  const connection = await openConnection(databaseUrl);
  try {
    const [rows] = await connection.query('SELECT COUNT(*) AS count FROM device_grant');
    return Number((rows as { count: unknown }[])[0]?.count);
  } finally {
    await connection.end();
  }
}
