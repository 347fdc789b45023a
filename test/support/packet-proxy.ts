import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { parseDatabaseUrl } from '../../src/db/index.ts';
import { createAnswerReader, createSplitter, type Packet, sqlOf } from './mysql-packets.ts';

/** What may happen to a command and its answer in transit. */
export const faults = [
  /** The connection is cut and the command never arrives. */
  'cut before',
  /** The connection is cut when half of the command has arrived. */
  'cut inside',
  /** The command is executed; the connection is cut before any of the answer comes back. */
  'answer lost',
  /** The command is executed and the connection stays open, but no answer comes; the server never learns that its client left. */
  'half open',
  /** The command arrives after its client has given up and started over on another connection. */
  'arrives late',
] as const;

export type Fault = (typeof faults)[number];

/** What the ledger's own connection sends, classified by the command's text. */
export type CommandKind = 'lock' | 'write' | 'commit' | 'rollback' | 'kill' | 'setup';

/** A fault and the command that it waits for. */
export interface Hit {
  fault: Fault;
  on: (kind: CommandKind) => boolean;
}

/** Sits between one client and a database server, forwards every packet, and injects faults. */
export interface PacketProxy {
  /** The database behind it, by the proxy's address. */
  readonly url: string;
  /** The commands sent since it was armed, without session set-up. */
  readonly commands: readonly CommandKind[];
  /** How many of the hits have happened. */
  readonly hits: number;
  /** Injects faults in this order: the second waits for its command only after the first has happened. */
  arm(plan: readonly Hit[]): void;
  /** Stops injecting faults. Resolves when everything held back has arrived, and the server knows of every client that left. */
  settle(): Promise<void>;
  close(): Promise<void>;
}

/** A late command arrives this long after the first one of the next connection, which then waits for its locks. */
const lateAfterNextMs = 30;
/** A late command arrives this long after its client left, if nothing is sent meanwhile. */
const lateAtLastMs = 300;

interface Link {
  client: Socket;
  server: Socket;
  /** Forwards the held-back command, once; absent if there is none. */
  deliver?: () => void;
}

export async function startPacketProxy(url: string): Promise<PacketProxy> {
  const { host, port, socketPath } = parseDatabaseUrl(url);
  const links = new Set<Link>();
  let plan: Hit[] = [];
  let hits = 0;
  let commands: CommandKind[] = [];

  function open(client: Socket): void {
    const server = socketPath ? connect(socketPath) : connect(port ?? 3306, host ?? 'localhost');
    const link: Link = { client, server };
    links.add(link);
    for (const socket of [client, server]) {
      socket.setNoDelay(true);
      // A socket that is reset closes as well, which is all that matters here.
      socket.on('error', () => undefined);
    }
    let isAnswered = (_: Packet): boolean => false;
    let onAnswered: (() => void) | undefined;
    let stuck = false;

    const fromClient = createSplitter();
    client.on('data', (chunk) => {
      for (const packet of fromClient(chunk)) {
        // After a fault the client may only say goodbye, and nobody hears it.
        if (stuck) continue;
        // Commands begin a sequence; messages during login do not.
        const sql = packet.sequence === 0 ? sqlOf(packet) : undefined;
        if (sql === undefined) server.write(packet.bytes);
        else pass(packet, kindOf(sql));
      }
    });
    const fromServer = createSplitter();
    server.on('data', (chunk) => {
      for (const packet of fromServer(chunk)) {
        if (!stuck) client.write(packet.bytes);
        else if (isAnswered(packet)) onAnswered?.();
      }
    });
    server.on('close', () => {
      client.destroy();
      links.delete(link);
    });
    client.on('close', () => {
      if (!stuck) server.destroy();
    });

    function pass(packet: Packet, kind: CommandKind): void {
      if (kind !== 'setup') {
        commands.push(kind);
        if (kind !== 'kill') for (const other of links) setTimeout(() => other.deliver?.(), lateAfterNextMs);
      }
      const [next] = plan;
      if (!next?.on(kind)) {
        server.write(packet.bytes);
        return;
      }
      plan.shift();
      hits += 1;
      stuck = true;
      isAnswered = createAnswerReader();
      place(next.fault, packet);
    }

    function cut(): void {
      client.destroy();
      server.destroy();
    }

    function place(fault: Fault, { bytes }: Packet): void {
      switch (fault) {
        case 'cut before':
          cut();
          return;
        case 'cut inside':
          server.write(bytes.subarray(0, Math.ceil(bytes.length / 2)), () => cut());
          return;
        case 'answer lost':
          onAnswered = cut;
          // A client that stops waiting is as good as cut.
          client.on('close', () => server.destroy());
          server.write(bytes);
          return;
        case 'half open':
          server.write(bytes);
          return;
        case 'arrives late':
          holdBack(bytes);
      }
    }

    function holdBack(bytes: Buffer): void {
      let waits = true;
      onAnswered = cut;
      link.deliver = () => {
        // While its client still waits, it would not be late.
        if (!client.destroyed || !waits) return;
        waits = false;
        server.write(bytes);
      };
      client.on('close', () => setTimeout(() => link.deliver?.(), lateAtLastMs));
    }
  }

  const listener = createServer(open).listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const address = listener.address();
  if (address === null || typeof address === 'string') throw new Error('The proxy has no port.');
  const proxied = new URL(url);
  proxied.search = '';
  proxied.hostname = '127.0.0.1';
  proxied.port = String(address.port);

  return {
    url: proxied.href,
    get commands() {
      return commands;
    },
    get hits() {
      return hits;
    },
    arm(newPlan) {
      plan = [...newPlan];
      hits = 0;
      commands = [];
    },
    async settle() {
      plan = [];
      const gone = [...links].filter(({ client }) => client.destroyed);
      await Promise.all(
        gone.map(async ({ server, deliver }) => {
          const closed = once(server, 'close');
          // A late command ends with its answer; the server now learns of the other clients that left.
          if (deliver) deliver();
          else server.destroy();
          await closed;
        }),
      );
    },
    async close() {
      for (const { client, server } of links) {
        client.destroy();
        server.destroy();
      }
      listener.close();
      await once(listener, 'close');
    },
  };
}

/** Classified by purpose, not by position: a group that runs again starts over. */
function kindOf(sql: string): CommandKind {
  if (has(sql, 'COMMIT')) return 'commit';
  if (/\bFOR UPDATE\b/.test(sql)) return 'lock';
  if (has(sql, '(INSERT|UPDATE|DELETE)')) return 'write';
  if (has(sql, 'ROLLBACK')) return 'rollback';
  return has(sql, 'KILL') ? 'kill' : 'setup';
}

/** Whether one of the statements starts with this text. */
function has(sql: string, statement: string): boolean {
  return new RegExp(`(^|;)\\s*${statement}\\b`).test(sql);
}
