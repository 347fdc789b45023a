import { expect, test } from 'vitest';
import { createAuditEvents } from '../../src/audit-events/index.ts';
import type { AuditAction } from '../../src/base/audit-event.ts';
import { newId } from '../../src/base/ids.ts';
import { eachServer, useDatabase } from '../support/database.ts';

eachServer((server) => {
  const fresh = useDatabase(server);

  test('an account changes so much in a day; then it can still revoke, and operators and other accounts go on', async () => {
    const db = fresh().database;
    const events = createAuditEvents({ db, dailyMost: { changes: 3, endings: 6 } });
    const accountId = newId('acc');
    const actor = newId('key');
    const append = (action: AuditAction, by = actor, of = accountId) =>
      db
        .transaction((tx) =>
          events.append(tx, {
            ...{ eventId: newId('aud'), actor: by, action, accountId: of, target: '', reason: '', details: {} },
            ...{ requestId: 'a', address: '127.0.0.1' },
          }),
        )
        .then(() => 'written', String);
    // Drafts were paid for: they neither count nor are counted.
    for (let time = 0; time < 4; time++) expect(await append('draft.approve')).toBe('written');
    for (const action of ['key.create', 'key.update', 'key.revoke'] as const)
      expect(await append(action)).toBe('written');
    expect(await append('key.update')).toContain('rate_limited');
    expect(await append('key.update', 'operator:alice')).toBe('written');
    expect(await append('key.update', actor, newId('acc'))).toBe('written');
    expect(await append('draft.approve')).toBe('written');
    expect([await append('key.revoke'), await append('device.revoke')]).toEqual(['written', 'written']);
    expect(await append('key.revoke')).toContain('rate_limited');
    const page = await events.list({ accountId, action: 'key.update' }, {});
    expect(page.ok && page.value.items).toHaveLength(2);
  });
});
