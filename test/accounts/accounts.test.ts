import { expect, test } from 'vitest';
import { createAccounts } from '../../src/accounts/index.ts';
import { systemClock } from '../../src/base/clock.ts';
import { newId } from '../../src/base/ids.ts';
import { eachServer, useDatabase } from '../support/database.ts';

eachServer((server) => {
  const fresh = useDatabase(server);

  test('an account is read as it was created, whatever its name is written in', async () => {
    const accounts = createAccounts({ db: fresh().database, clock: systemClock });
    const account = await accounts.create({ displayName: 'Žižkov 💡 株式会社' });
    expect(await accounts.get(account.id)).toEqual({ ok: true, value: account });
    expect(await accounts.get(newId('acc'))).toEqual({
      ok: false,
      failure: { kind: 'not_found', resource: 'account' },
    });
  });
});
