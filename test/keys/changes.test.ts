import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { newId } from '../../src/base/ids.ts';
import { createCredentialChanges } from '../../src/db/credential-changes.ts';
import { eachServer, useDatabase } from '../support/database.ts';

eachServer((server) => {
  const fresh = useDatabase(server);
  const errors: unknown[] = [];
  const make = () =>
    createCredentialChanges({
      db: fresh().database,
      clock: systemClock,
      onError: (e) => errors.push(e),
      pollEveryMs: 20,
    });
  let writer: ReturnType<typeof make>;
  let reader: ReturnType<typeof make>;
  beforeAll(async () => {
    writer = make();
    reader = make();
    await writer.start();
    await reader.start();
  });
  afterAll(async () => {
    await writer.close();
    await reader.close();
    expect(errors).toEqual([]);
  });

  test('no change is missed, whatever the order in which transactions commit', async () => {
    const seen = new Set<string>();
    reader.onChange((change) => change && seen.add(change.credentialId));
    const ids = Array.from({ length: 60 }, () => newId('key'));
    await Promise.all(
      ids.map((credentialId) =>
        fresh().database.transaction(async (tx) => {
          await writer.append(tx, { credentialId, accountId: newId('acc'), kind: 'changed' });
          await new Promise((resolve) => setTimeout(resolve, Math.random() * 5));
        }),
      ),
    );
    await expect.poll(() => seen.size).toBe(ids.length);
  });

  test('a rolled-back change is told to nobody and leaves no gap', async () => {
    const seen: (string | undefined)[] = [];
    // Polls may still tell what the test before this one did.
    const own = new Set<string | undefined>(['key_undone', 'key_done']);
    const stop = [writer, reader].map((feed) =>
      feed.onChange((change) => {
        if (own.has(change?.credentialId)) seen.push(change?.credentialId);
      }),
    );
    await expect(
      fresh().database.transaction(async (tx) => {
        await writer.append(tx, { credentialId: 'key_undone', accountId: 'acc_1', kind: 'revoked' });
        throw new Error('undo');
      }),
    ).rejects.toThrow('undo');
    await fresh().database.transaction((tx) =>
      writer.append(tx, { credentialId: 'key_done', accountId: 'acc_1', kind: 'revoked' }),
    );
    expect(seen[0]).toBe('key_done');
    // The writer's own poll tells it once more, which harms nobody.
    await expect.poll(() => seen.length).toBe(3);
    expect(new Set(seen)).toEqual(new Set(['key_done']));
    for (const end of stop) end();
  });

  test('a node looks for changes again within a second', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const told: (string | undefined)[] = [];
    const feed = createCredentialChanges({ db: fresh().database, clock: systemClock, onError: (e) => errors.push(e) });
    try {
      await feed.start();
      feed.onChange((change) => told.push(change?.credentialId));
      await fresh().database.transaction((tx) =>
        writer.append(tx, { credentialId: 'key_late', accountId: 'acc_1', kind: 'revoked' }),
      );
      vi.advanceTimersByTime(1_000);
      // What has not begun by now never will: polling with timers that are faked would set them forward.
      vi.useRealTimers();
      await expect.poll(() => told).toEqual(['key_late']);
    } finally {
      vi.useRealTimers();
      await feed.close();
    }
  });

  test('a counter that went back makes everything be looked up anew, and is followed from there', async () => {
    const seen: (string | undefined)[] = [];
    const revoke = (credentialId: string) =>
      fresh().database.transaction((tx) => writer.append(tx, { credentialId, accountId: 'acc_1', kind: 'revoked' }));
    for (const id of ['key_a', 'key_b', 'key_c']) await revoke(id);
    // Its listener hears nothing of what came before.
    const own = make();
    await own.start();
    const stop = own.onChange((change) => seen.push(change?.credentialId));

    // As on a server that took over without the last two changes.
    await fresh().database.transaction(async (tx) => {
      const number = sql`(SELECT number FROM credential_change_counter)`;
      await sql`DELETE FROM credential_change WHERE number > ${number} - 2`.execute(tx.for<never>());
      await sql`UPDATE credential_change_counter SET number = number - 2`.execute(tx.for<never>());
    });
    await expect.poll(() => seen).toEqual([undefined]);
    await revoke('key_d');
    await expect.poll(() => seen).toEqual([undefined, 'key_d']);
    expect(own.fresh()).toBe(true);
    stop();
    await own.close();
  });
});
