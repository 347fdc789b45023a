import type { ChildProcess } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { spawnWithWatch, stopWatched, waitUntilReady } from '../../src/db/server-process.ts';
import { findServerProgram, initialiseData, type ServerProgram, serverOptions } from '../../src/db/server-program.ts';
import { withDatabase } from '../../src/db/url.ts';
import { query, run } from '../wallet/support.ts';

/** A Galera cluster of three nodes on this machine, of this process alone. */
export interface Cluster {
  /** One URL of the same database for each node. */
  readonly urls: readonly string[];
  /** What each node says of the aborts that other nodes' commits forced on it. */
  aborts(): Promise<NodeAborts[]>;
  /** Waits until every node has applied what the others have committed. */
  sync(): Promise<void>;
  close(): Promise<void>;
}

export interface NodeAborts {
  /** Transactions that were ended in the middle because another node had committed the same rows. */
  bruteForce: number;
  /** Commits that were refused for the same reason. */
  certification: number;
}

const nodesCount = 3;
const joinTimeoutMs = 30_000;
const libraries = ['/usr/lib/galera/libgalera_smm.so', '/usr/lib64/galera-4/libgalera_smm.so'];

/** Fails with what is missing and how to install it. */
export async function startCluster(): Promise<Cluster> {
  const { program, library } = findPrograms();
  const folder = mkdtempSync(join(tmpdir(), 'galera-'));
  const children: ChildProcess[] = [];
  const close = async () => {
    await Promise.all(children.map(stopWatched));
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const data = join(folder, 'data');
    initialiseData(program, data, join(folder, 'initialise.log'));
    const ports = await freePorts(nodesCount * 2);
    const nodes = Array.from({ length: nodesCount }, (_, index) => {
      const home = join(folder, `node${index + 1}`);
      mkdirSync(home, { mode: 0o700 });
      cpSync(data, join(home, 'data'), { recursive: true });
      writeCommonPast(join(home, 'data'), index);
      const paths = {
        data: join(home, 'data'),
        socket: join(home, 's'),
        pid: join(home, 'pid'),
        log: join(home, 'server.log'),
      };
      const url = `mysql://root@localhost/?socket=${encodeURIComponent(paths.socket)}`;
      return { paths, url, options: clusterOptions(library, ports, index) };
    });
    for (const { paths, options } of nodes)
      children.push(spawnWithWatch(program, [...serverOptions(program, paths), ...options], paths.log));
    await Promise.all(
      nodes.map(async ({ url, paths }, index) => {
        await waitUntilReady(children[index] as ChildProcess, url, paths.log);
        await waitUntilJoined(url, paths.log);
      }),
    );
    const urls = nodes.map(({ url }) => withDatabase(url, 'galera'));
    await run(nodes[0]?.url ?? '', 'CREATE DATABASE galera CHARACTER SET utf8mb4 COLLATE utf8mb4_bin');
    return {
      urls,
      aborts: () => Promise.all(nodes.map(({ url }) => readAborts(url))),
      sync: async () => {
        for (const { url } of nodes)
          await run(url, 'SET SESSION wsrep_sync_wait = 1; SELECT 1 FROM mysql.user LIMIT 1');
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

function findPrograms(): { program: ServerProgram; library: string } {
  const program = findServerProgram(undefined, 'mariadb');
  const library = libraries.find((path) => existsSync(path));
  const missing = [...(program ? [] : ['mariadb-server-core']), ...(library ? [] : ['galera-4'])];
  if (!program || !library)
    throw new Error(
      `This needs MariaDB with Galera. Missing here: ${missing.join(' and ')}. On Debian and Ubuntu: apt-get install --no-install-recommends ${missing.join(' ')}`,
    );
  return { program, library };
}

/**
 * The nodes begin with copies of one folder and with the same past: they were one component before, at the same
 * position. So they find each other as after a power cut, and none needs another's data (which takes a script that
 * is only in the package with the system's service).
 */
function writeCommonPast(data: string, index: number): void {
  const member = (number: number) => `0000000${number + 1}-e626-11f1-a481-66b4020d0711`;
  const members = Array.from({ length: nodesCount }, (_, number) => `member: ${member(number)} 0`);
  writeFileSync(
    join(data, 'grastate.dat'),
    '# GALERA saved state\nversion: 2.1\nuuid:    11111111-2222-4333-8444-555555555555\nseqno:   0\nsafe_to_bootstrap: 1\n',
  );
  writeFileSync(
    join(data, 'gvwstate.dat'),
    `my_uuid: ${member(index)}\n#vwbeg\nview_id: 3 ${member(0)} 3\nbootstrap: 0\n${members.join('\n')}\n#vwend\n`,
  );
}

function clusterOptions(library: string, ports: readonly number[], index: number): string[] {
  const address = (number: number) => `127.0.0.1:${ports[number]}`;
  const peers = Array.from({ length: nodesCount }, (_, number) => address(number));
  const provider = [
    'base_host=127.0.0.1',
    `base_port=${ports[index]}`,
    `gmcast.listen_addr=tcp://${address(index)}`,
    `ist.recv_addr=${address(nodesCount + index)}`,
    'gcache.size=64M',
  ];
  return [
    '--binlog-format=ROW',
    '--innodb-autoinc-lock-mode=2',
    '--wsrep-on=ON',
    `--wsrep-provider=${library}`,
    '--wsrep-cluster-name=ledger',
    `--wsrep-cluster-address=gcomm://${peers.join(',')}`,
    `--wsrep-node-name=node${index + 1}`,
    `--wsrep-node-address=${address(index)}`,
    '--wsrep-sst-method=skip',
    '--wsrep-slave-threads=2',
    `--wsrep-provider-options=${provider.join(';')}`,
  ];
}

async function freePorts(count: number): Promise<number[]> {
  const servers = await Promise.all(
    Array.from({ length: count }, async () => {
      const server = createServer();
      await new Promise<void>((done) => void server.listen(0, '127.0.0.1', done));
      return server;
    }),
  );
  return Promise.all(
    servers.map(async (server) => {
      const address = server.address();
      await new Promise((done) => void server.close(done));
      return typeof address === 'object' && address ? address.port : 0;
    }),
  );
}

async function waitUntilJoined(url: string, log: string): Promise<void> {
  const deadline = performance.now() + joinTimeoutMs;
  for (;;) {
    const status = await readStatus(url).catch(() => new Map<string, string>());
    if (status.get('wsrep_cluster_size') === String(nodesCount) && status.get('wsrep_ready') === 'ON') return;
    if (performance.now() > deadline)
      throw new Error(
        `A node did not join its cluster: ${status.get('wsrep_local_state_comment')}. Its log was ${log}.`,
      );
    await sleep(100);
  }
}

async function readAborts(url: string): Promise<NodeAborts> {
  const status = await readStatus(url);
  return {
    bruteForce: Number(status.get('wsrep_local_bf_aborts')),
    certification: Number(status.get('wsrep_local_cert_failures')),
  };
}

async function readStatus(url: string): Promise<Map<string, string>> {
  const rows = await query(url, "SHOW GLOBAL STATUS LIKE 'wsrep%'");
  return new Map(rows.map((row) => [String(row.Variable_name), String(row.Value)]));
}
