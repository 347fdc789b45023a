import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { newId } from '../../src/base/ids.ts';
import { createCredentialChanges } from '../../src/db/credential-changes.ts';
import { createKeysStore } from '../../src/keys/keys-store.ts';
import { createClientsStore } from '../../src/tokens/clients-store.ts';
import { eachServer, useDatabase } from '../support/database.ts';

const many = Array.from({ length: 25 });

eachServer((server) => {
  const fresh = useDatabase(server);

  test('25 keys that are made at once leave ten, and a revoked one makes room', async () => {
    const db = fresh().database;
    const changes = createCredentialChanges({ db, clock: systemClock, onError: () => {} });
    const store = createKeysStore({ db, clock: systemClock, changes });
    const accountId = newId('acc');
    const add = () =>
      store.insert(
        {
          ...{ accountId, id: newId('key'), kind: 'live', displayName: 'a', purpose: 'a test', scopes: [] },
          ...{ secret: { hash: randomBytes(32), pepperVersion: 1 }, lastFour: 'abcd', createTime: 1 },
        },
        10,
      );
    const added = await Promise.all(many.map(add));
    expect(added.filter(Boolean)).toHaveLength(10);
    const keys = await store.list({ accountId, limit: 100 });
    expect(keys).toHaveLength(10);
    await store.change(accountId, keys[0]?.id ?? '', () => ({ revokeTime: 2 }));
    expect([await add(), await add()]).toEqual([true, false]);
  });

  test('25 client applications that are made at once leave ten, and a disabled one makes room', async () => {
    const store = createClientsStore(fresh().database);
    const accountId = newId('acc');
    const add = () =>
      store.insert({ accountId, id: newId('app'), keyId: newId('key'), displayName: 'a', createTime: 1 }, 10);
    const added = await Promise.all(many.map(add));
    expect(added.filter(Boolean)).toHaveLength(10);
    const [client] = await store.list({ accountId, limit: 100 });
    await store.disable(accountId, client?.id ?? '', { time: 2, within: undefined });
    expect([await add(), await add()]).toEqual([true, false]);
  });
});
