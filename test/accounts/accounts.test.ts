import { expect, test } from 'vitest';
import { type Account, createAccounts } from '../../src/accounts/index.ts';
import { createStanding } from '../../src/accounts/standing.ts';
import { systemClock } from '../../src/base/clock.ts';
import { type Result, succeed, unwrap } from '../../src/base/failure.ts';
import { newId } from '../../src/base/ids.ts';
import { type CredentialChange, createCredentialChanges } from '../../src/db/credential-changes.ts';
import { eachServer, silent, useDatabase } from '../support/database.ts';

eachServer((server) => {
  const fresh = useDatabase(server);

  function room() {
    const db = fresh().database;
    const changes = createCredentialChanges({ db, clock: systemClock, onError: () => {} });
    return { db, changes, accounts: createAccounts({ db, clock: systemClock, log: silent, changes }) };
  }

  test('an account is read as it was created, whatever its name is written in', async () => {
    const { accounts } = room();
    const account = await accounts.create({ displayName: 'Žižkov 💡 株式会社' });
    expect(await accounts.get(account.id)).toEqual({ ok: true, value: account });
    expect(await accounts.get(newId('acc'))).toEqual({
      ok: false,
      failure: { kind: 'not_found', resource: 'account' },
    });
  });

  test('a search finds parts of names, in any case, and takes signs of patterns for what they are', async () => {
    const { accounts, db } = room();
    const made: Account[] = [];
    for (const displayName of ['Harrow Tools', 'harrow & sons', '100% Wool', 'under_score', 'bang!'])
      made.push(await accounts.create({ displayName }));
    const named = async (search: string, pageSize?: number, state?: 'active' | 'suspended') =>
      unwrap(await accounts.list({ search, ...(state && { state }) }, { ...(pageSize && { pageSize }) })).items.map(
        ({ displayName }) => displayName,
      );
    expect(await named('HARROW')).toEqual(['harrow & sons', 'Harrow Tools']);
    expect(await named('%')).toEqual(['100% Wool']);
    expect(await named('_')).toEqual(['under_score']);
    expect(await named('g!')).toEqual(['bang!']);
    expect(await named(made[2]?.id ?? '')).toEqual(['100% Wool']);
    expect(await named(newId('acc'))).toEqual([]);
    const first = unwrap(await accounts.list({ search: 'harrow' }, { pageSize: 1 }));
    const second = unwrap(await accounts.list({ search: 'harrow' }, { pageSize: 1, pageToken: first.nextPageToken }));
    expect([...first.items, ...second.items].map(({ displayName }) => displayName)).toEqual([
      'harrow & sons',
      'Harrow Tools',
    ]);
    expect(second.nextPageToken).toBe('');
    const mixed = await accounts.list({ search: 'wool' }, { pageToken: first.nextPageToken });
    expect(mixed).toMatchObject({ ok: false, failure: { kind: 'invalid_argument' } });
    await db.transaction((tx) => accounts.setSuspended(made[0]?.id ?? '', true, tx));
    expect(await named('harrow', 10, 'suspended')).toEqual(['Harrow Tools']);
    expect(await named('harrow', 10, 'active')).toEqual(['harrow & sons']);
  });

  test('a suspension is obeyed once it is committed, here and on another node, and ends the same way', async () => {
    const here = room();
    const there = room();
    await here.changes.start();
    await there.changes.start();
    try {
      const { id } = await here.accounts.create({ displayName: 'x' });
      expect(await here.accounts.standing(id)).toMatchObject({ ok: true });
      // Known now, so it answers at once.
      expect(here.accounts.standing(id)).toMatchObject({ ok: true });
      expect(await there.accounts.standing(id)).toMatchObject({ ok: true });
      for (const suspended of [true, false]) {
        const done = unwrap(await here.db.transaction((tx) => here.accounts.setSuspended(id, suspended, tx)));
        expect(done.changed).toBe(true);
        expect(done.account.suspendTime !== undefined).toBe(suspended);
        expect(unwrap(await here.accounts.get(id))).toEqual(done.account);
        expect((await here.accounts.standing(id)).ok).toBe(!suspended);
        await expect.poll(async () => (await there.accounts.standing(id)).ok, { timeout: 20_000 }).toBe(!suspended);
        const again = unwrap(await here.db.transaction((tx) => here.accounts.setSuspended(id, suspended, tx)));
        expect(again).toEqual({ account: done.account, changed: false });
      }
    } finally {
      await here.changes.close();
      await there.changes.close();
    }
  });

  test('a suspension that is rolled back is none', async () => {
    const { accounts, db } = room();
    const { id } = await accounts.create({ displayName: 'x' });
    const failed = db.transaction(async (tx) => {
      await accounts.setSuspended(id, true, tx);
      throw new Error('no');
    });
    await expect(failed).rejects.toThrow('no');
    expect(await accounts.standing(id)).toMatchObject({ ok: true });
  });
});

test('what was read before a change is not kept after it, and nothing is served from memory while changes are unknown', async () => {
  const answers: ((suspended: boolean) => void)[] = [];
  let isFresh = true;
  let tell: (change: CredentialChange | undefined) => void = () => {};
  const standing = createStanding({
    reader: {
      read: () =>
        new Promise<Result<true | undefined>>((resolve) => {
          answers.push((suspended) => resolve(succeed(suspended ? true : undefined)));
        }),
    },
    changes: {
      fresh: () => isFresh,
      onChange: (listener) => {
        tell = listener;
        return () => {};
      },
    },
  });
  const id = newId('acc');
  const asked = standing.of(id);
  tell({ credentialId: id, kind: 'changed' });
  answers.shift()?.(false);
  await expect.poll(() => answers.length).toBe(1);
  answers.shift()?.(true);
  expect(await asked).toMatchObject({ ok: false, failure: { kind: 'account_suspended' } });
  expect(standing.of(id)).toMatchObject({ ok: false });
  // A key of somebody changed: that says nothing of accounts.
  tell({ credentialId: newId('key'), kind: 'changed' });
  expect(standing.of(id)).toMatchObject({ ok: false });
  isFresh = false;
  const unsure = standing.of(id);
  expect(unsure).toBeInstanceOf(Promise);
  answers.shift()?.(false);
  expect(await unsure).toMatchObject({ ok: true });
});
