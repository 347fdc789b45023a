import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { type LedgerConnection, openLedgerConnection } from '../../src/wallet/ledger/store/connection-store.ts';
import { eachServer, freshDatabase } from '../support/database.ts';
import { startPacketProxy } from '../support/packet-proxy.ts';

/** Far longer than the connection waits for an answer, but less than the 10 s after which the server ends an idle session. */
const patienceMs = 8_000;

eachServer((server) => {
  /** A connection with a pending command that is executed and never answered. */
  async function withoutAnswer(work: (connection: LedgerConnection, command: Promise<unknown>) => Promise<void>) {
    const database = await freshDatabase(server);
    const proxy = await startPacketProxy(database.url);
    const connection = await openLedgerConnection(proxy.url, { answerTimeoutMs: 1_000 });
    proxy.arm([{ fault: 'half open', on: () => true }]);
    await work(
      connection,
      connection.write('DO 1').catch((error: unknown) => error),
    );
    expect(proxy.hits).toBe(1);
    await proxy.close();
    await database.drop();
  }
  const settled = (closing: Promise<void>) =>
    Promise.race([closing.then(() => 'closed'), sleep(patienceMs, 'still open', { ref: false })]);

  test('closing waits no longer than an answer may take', async () => {
    await withoutAnswer(async (connection) => {
      expect(await settled(connection.close())).toBe('closed');
    });
  });

  test('a connection that is given up while it closes is closed', async () => {
    await withoutAnswer(async (connection, command) => {
      const closing = connection.close();
      expect(await command).toBeInstanceOf(Error);
      connection.destroy();
      expect(await settled(closing)).toBe('closed');
    });
  });
});
