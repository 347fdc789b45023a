import { expect, test } from 'vitest';
import { unwrap } from '../../src/base/failure.ts';
import { createCatalog } from '../../src/catalog/index.ts';
import { createPriceStore } from '../../src/catalog/price-store.ts';
import { pulseInvariants } from '../../src/pulse/index.ts';
import { auditLedger } from '../../src/wallet/index.ts';
import { eachServer, runOnce, silent, useDatabase } from '../support/database.ts';
import { addCustomer, startNode } from '../wallet/support.ts';
import { callerOf, event, startPulse } from './support.ts';

eachServer((server) => {
  const fresh = useDatabase(server);

  test('the audit prices charges again by the book, and finds one that is wrong, one that waits, and rollups that disagree', async () => {
    const node = startNode(fresh().url);
    const customer = await addCustomer(node, fresh().url, 5n);
    const catalog = await createCatalog({
      store: createPriceStore(node.db),
      settings: { models: [], services: { pulse: { perThousandEventsUsd: '0.0123' } } },
      enabledProviders: [],
      log: silent,
    });
    await catalog.importPrices();
    const pulse = startPulse(node.db, node.ledger, {
      price: (accountId) => {
        const price = catalog.price('pulse', accountId);
        return price && { ...price, version: catalog.version };
      },
    });
    const caller = { ...callerOf(customer.accountId), key: { id: customer.keyId, version: 1 } };
    const answer = unwrap(await pulse.recordEvents(caller, [event(), event(), event({ kind: 'completed' })]));
    expect(answer.cost).toBe(36_900n);
    await pulse.recordEvents(caller, [event({ step: 'price' })]);
    await pulse.close();
    await catalog.close();
    expect(await auditLedger(node.db, { more: pulseInvariants })).toEqual([]);

    await runOnce(fresh().url, [
      `UPDATE charge SET events = 2 WHERE id = '${answer.charge?.chargeId}'`,
      "INSERT INTO pulse_unsettled VALUES ('chg_lost', '{}', 1, 1, '{}', UTC_TIMESTAMP(6) - INTERVAL 10 MINUTE)",
      'UPDATE pulse_cell SET sessions = sessions + 1 WHERE grain = 2 LIMIT 1',
    ]);
    const found = await auditLedger(node.db, { more: pulseInvariants });
    expect(found.map(({ invariant, subject }) => [invariant, subject])).toEqual([
      ['usage-sums-are-the-entries', expect.stringMatching(/^wal_/)],
      ['pulse-is-priced-by-the-book', answer.charge?.chargeId],
      ['pulse-charges-are-settled', 'chg_lost'],
      ['pulse-days-are-their-hours', expect.stringMatching(/^\d+\/\d+\/\d+\/\d+$/)],
    ]);
    await node.close();
  });
});
